#include "experiments/program/least_squares_problem.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/rectangular.hpp"

#include "experiments/program/stated_system.hpp"

namespace ninefold {
namespace {

void make_data(const Plan& plan, StatedFit& fit) {
  const LeastSquaresSettings& settings = plan.configuration.least_squares;
  const bool is_image = *settings.generate == MeasuredKind::tomography;
  MeasuredRows data = located(plan, "least_squares.generate", [&] {
    return is_image ? tomography(settings.image) : random_rows(settings.shape);
  });
  fit.name = is_image ? fmt::format("tomography of {} x {} pixels", settings.image.image_size,
                                    settings.image.image_size)
                      : fmt::format("{} random rows", settings.shape.rows);
  if (is_image) fit.image_width = fit.image_height = settings.image.image_size;
  fit.is_measured = true;
  fit.problem.A = std::move(data.A);
  fit.problem.b.high = std::move(data.b);
  fit.problem.solution = WideVector{std::move(data.truth), {}};
  if (!is_image || settings.images == 1) return;
  std::vector<MeasuredImage> series = image_series(fit.problem.A, settings.image, settings.images);
  for (std::size_t k = 1; k < series.size(); ++k) {
    fit.others.push_back(
        {{std::move(series[k].b), {}}, WideVector{std::move(series[k].truth), {}}});
  }
}

void read_data(const Plan& plan, StatedFit& fit) {
  const Configuration& c = plan.configuration;
  MatrixFile file = located(plan, "matrix.file", [&] { return read_matrix_market(c.matrix.file); });
  fit.name = c.matrix.file;
  fit.remarks = std::move(file.remarks);
  const std::string& right = c.matrix.right_hand_side;
  const int rows = file.matrix.pattern.n_rows;
  if (right == "ones" || right == "random") {
    SparseProblem made =
        right == "ones" ? with_ones(std::move(file.matrix))
                        : with_random_solution(std::move(file.matrix), c.matrix.generator.seed);
    fit.problem.A = std::move(made.A);
    fit.problem.b = std::move(made.b);
    fit.problem.solution = std::move(made.solution);
  } else {
    fit.problem.A = std::move(file.matrix);
    std::vector<std::vector<double>> columns =
        located(plan, "matrix.right_hand_side", [&] { return read_vectors(right, rows); });
    fit.problem.b.high = std::move(columns.front());
    for (std::size_t k = 1; k < columns.size(); ++k) {
      fit.others.push_back({{std::move(columns[k]), {}}, {}});
    }
  }
  const int width = c.least_squares.image_width, n = fit.problem.A.pattern.n_columns;
  if (width == 0) return;
  located(plan, "least_squares.image_width", [&] {
    require(n % width == 0, [&] {
      return fmt::format("an image of width {}: the width divides the {} unknowns", width, n);
    });
  });
  fit.image_width = width;
  fit.image_height = n / width;
}

void add_operator(const Plan& plan, StatedFit& fit) {
  const std::string& name = plan.configuration.least_squares.regularising;
  if (name == "identity") return;
  fit.problem.L = located(plan, "least_squares.operator", [&] {
    if (name != "difference") return read_matrix_market(name).matrix;
    return fit.image_width > 0 ? difference_matrix(fit.image_width, fit.image_height)
                               : difference_matrix(fit.problem.A.pattern.n_columns, 1);
  });
}

}  // namespace

std::string_view fit_key(const Configuration& c) {
  return c.least_squares.generate ? "least_squares.generate" : "matrix.file";
}

StatedFit stated_fit(const Plan& plan) {
  const Configuration& c = plan.configuration;
  StatedFit fit;
  if (c.least_squares.generate) {
    make_data(plan, fit);
  } else {
    read_data(plan, fit);
  }
  add_operator(plan, fit);
  if (c.matrix.reference == ReferenceSolution::double_double) {
    const auto reference_of = [&](const LeastSquaresProblem& problem) {
      return located(plan, "matrix.reference", [&] {
        return reference_least_squares(problem, least_squares_options(c), backend_of(plan));
      });
    };
    fit.problem.solution = reference_of(fit.problem);
    for (SparseRight& other : fit.others) {
      other.solution = reference_of({fit.problem.A, other.b, fit.problem.L, {}});
    }
    fit.is_measured = false;
  }
  return fit;
}

std::vector<LeastSquaresSolved> solve_fit(const StatedFit& fit, const Plan& plan) {
  const LeastSquaresProblem& problem = fit.problem;
  std::vector<SparseRight> rights = fit.others;
  rights.insert(rights.begin(), {problem.b, problem.solution});
  return solve_least_squares(problem.A, problem.L, rights,
                             least_squares_options(plan.configuration), backend_of(plan));
}

std::optional<double> deficiency_of(StatedFit& fit, const Plan& plan,
                                    const LeastSquaresSolved& solved) {
  const LeastSquaresSettings& asked = plan.configuration.least_squares;
  if (asked.regularisation > 0 || asked.lower || asked.upper || solved.is_deficient) return {};
  const SolverOptions& solver = plan.configuration.solver;
  if (!fit.deficiency) {
    fit.deficiency =
        rank_deficiency(fit.problem.A, solver.max_iterations, backend_of(plan), solver.ranks);
  }
  return *fit.deficiency;
}

bool same_fit(const Plan& a, const Plan& b) {
  const auto stated = [](const Plan& plan) {
    std::string text;
    for (const Setting& setting : plan.settings) {
      const bool is_of_fit =
          setting.key.starts_with("least_squares.") || setting.key.starts_with("matrix.");
      const bool is_of_solver =
          setting.key == "least_squares.regularisation" || setting.key == "least_squares.penalty"
          || setting.key == "least_squares.lower" || setting.key == "least_squares.upper"
          || setting.key == "matrix.storage";
      const bool has_reference =
          plan.configuration.matrix.reference == ReferenceSolution::double_double;
      if (is_of_fit && (has_reference || !is_of_solver)) {
        text += fmt::format("{} = {}\n", setting.key, to_toml(setting.value));
      }
    }
    return text;
  };
  return stated(a) == stated(b);
}

}  // namespace ninefold
