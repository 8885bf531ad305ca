#include "experiments/program/stated_system.hpp"

#include <utility>

#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/symmetry.hpp"

#include "experiments/program/mesh_source.hpp"

namespace ninefold {
namespace {

/// Why the matrix cannot be that of a symmetric positive definite system, as far as it is cheap to
/// see.
std::string refusal_of(const SparseMatrix& A) {
  if (!A.pattern.is_square()) {
    return fmt::format("it is {} x {}: systems need a square one; [least_squares] fits others",
                       A.pattern.n_rows, A.pattern.n_columns);
  }
  const SymmetryFacts symmetry = symmetry_facts(A);
  if (!symmetry.values()) {
    return "it is not symmetric, which conjugate gradients need; ninefold matrix says where";
  }
  return "";
}

/// Solutions in double-double to measure against.  One that nobody has asked for and that is not
/// found is a remark.
void add_references(const Plan& plan, StatedSystem& stated) {
  if (plan.configuration.matrix.reference != ReferenceSolution::double_double) return;
  const BackendKind where = backend_of(plan);
  const SolverOptions& solver = plan.configuration.solver;
  const bool asked_for = find_setting(plan.settings, "matrix.reference") != nullptr;
  for (SparseRight& right : stated.rights) {
    const auto find = [&] {
      return reference_solution(stated.A, right.b, solver.max_iterations, where, solver.ranks);
    };
    if (asked_for) {
      right.solution = located(plan, "matrix.reference", find);
      continue;
    }
    try {
      right.solution = find();
    } catch (const std::invalid_argument& error) {
      stated.remarks.emplace_back(error.what());
    }
  }
}

/// That of a mesh, whose matrix and right-hand sides are taken from its equations.
StatedSystem stated_mesh(const Plan& plan) {
  const Configuration& c = plan.configuration;
  StatedSystem stated;
  const auto take = [&](auto& problem, const auto& make) {
    problem = located(plan, source_key(c), [&] { return make(c.mesh); });
    stated.name = problem->name;
    stated.remarks = problem->remarks;
    stated.A = std::move(problem->system.A);
  };
  if (c.mesh.is_smoothed()) {
    take(stated.smooth, smooth_problem);
    for (WideVector& b : stated.smooth->system.b) stated.rights.push_back({std::move(b), {}});
  } else {
    take(stated.mesh, mesh_problem);
    stated.rights.push_back({std::move(stated.mesh->system.b), {}});
  }
  add_references(plan, stated);
  return stated;
}

}  // namespace

BackendKind backend_of(const Plan& plan) {
  return located(plan, "backend.name", [&] {
    return choose_backend(plan.configuration.backend, plan.configuration.solver.precision);
  });
}

std::string_view source_key(const Configuration& c) {
  if (c.mesh.is_used()) return c.mesh.file.empty() ? "mesh.generate" : "mesh.file";
  return c.matrix.files.empty() ? "matrix.file" : "matrix.files";
}

StatedSystem stated_system(const Plan& plan) {
  if (plan.configuration.mesh.is_used()) return stated_mesh(plan);
  const MatrixSettings& settings = plan.configuration.matrix;
  StatedSystem stated;
  SparseMatrix A;
  if (!settings.file.empty()) {
    MatrixFile file = located(plan, source_key(plan.configuration),
                              [&] { return read_matrix_market(settings.file); });
    stated.name = settings.file;
    stated.remarks = std::move(file.remarks);
    A = std::move(file.matrix);
  } else {
    stated.name = fmt::format("{} of size {}", settings.generator.name, settings.generator.size);
    A = located(plan, "matrix.generate", [&] { return generate_sparse(settings.generator); });
  }
  if (const std::string why = refusal_of(A); !why.empty()) {
    throw ConfigurationError(fmt::format("{} cannot be solved with: {}", stated.name, why));
  }
  const std::string& right = settings.right_hand_side;
  SparseProblem problem;
  if (right == "ones") {
    problem = with_ones(std::move(A));
  } else if (right == "random") {
    problem = with_random_solution(std::move(A), settings.generator.seed);
  } else {
    const std::string_view key =
        settings.right_hand_sides.empty() ? "matrix.right_hand_side" : "matrix.right_hand_sides";
    problem.b.high = located(plan, key, [&] { return read_vector(right, A.pattern.n_rows); });
    problem.A = std::move(A);
  }
  stated.A = std::move(problem.A);
  stated.rights.push_back({std::move(problem.b), std::move(problem.solution)});
  add_references(plan, stated);
  return stated;
}

bool same_system(const Plan& a, const Plan& b) {
  const MatrixSettings &s = a.configuration.matrix, &t = b.configuration.matrix;
  return same_mesh(a.configuration.mesh, b.configuration.mesh) && s.file == t.file
         && s.right_hand_side == t.right_hand_side && s.reference == t.reference
         && s.generator.name == t.generator.name && s.generator.size == t.generator.size
         && s.generator.seed == t.generator.seed && s.generator.mean == t.generator.mean
         && s.generator.spread == t.generator.spread && s.generator.blocks == t.generator.blocks
         && s.generator.bandwidth == t.generator.bandwidth;
}

}  // namespace ninefold
