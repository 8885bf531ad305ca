#include "experiments/program/stated_system.hpp"

#include <utility>

#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/symmetry.hpp"

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

/// A solution in double-double to measure against.  One that nobody has asked for and that is not
/// found is a remark.
void add_reference(const Plan& plan, StatedSystem& stated) {
  const BackendKind where = backend_of(plan);
  const auto find = [&] {
    return reference_solution(stated.problem, plan.configuration.solver.max_iterations, where);
  };
  if (find_setting(plan.settings, "matrix.reference") != nullptr) {
    stated.problem.solution = located(plan, "matrix.reference", find);
    return;
  }
  try {
    stated.problem.solution = find();
  } catch (const std::invalid_argument& error) {
    stated.remarks.emplace_back(error.what());
  }
}

StatedSystem stated_mesh(const Plan& plan) {
  const Configuration& c = plan.configuration;
  StatedSystem stated;
  stated.mesh = located(plan, source_key(c), [&] { return mesh_problem(c.mesh); });
  stated.name = stated.mesh->name;
  stated.remarks = stated.mesh->remarks;
  stated.problem.A = std::move(stated.mesh->system.A);
  stated.problem.b = std::move(stated.mesh->system.b);
  if (c.matrix.reference == ReferenceSolution::double_double) add_reference(plan, stated);
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
  return "matrix.file";
}

StatedSystem stated_system(const Plan& plan) {
  if (plan.configuration.mesh.is_used()) return stated_mesh(plan);
  const MatrixSettings& settings = plan.configuration.matrix;
  StatedSystem stated;
  SparseMatrix A;
  if (!settings.file.empty()) {
    MatrixFile file =
        located(plan, "matrix.file", [&] { return read_matrix_market(settings.file); });
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
  if (right == "ones") {
    stated.problem = with_ones(std::move(A));
  } else if (right == "random") {
    stated.problem = with_random_solution(std::move(A), settings.generator.seed);
  } else {
    stated.problem.b.high = located(plan, "matrix.right_hand_side",
                                    [&] { return read_vector(right, A.pattern.n_rows); });
    stated.problem.A = std::move(A);
  }
  if (settings.reference == ReferenceSolution::double_double) add_reference(plan, stated);
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
