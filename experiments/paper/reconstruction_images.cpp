#include "experiments/paper/reconstruction_images.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fem/sparse/rectangular.hpp"

#include "experiments/support/comparison.hpp"

namespace ninefold {

LeastSquaresProblem problem_of(const MeasuredRows& data) {
  return {data.A, {data.b, {}}, {}, WideVector{data.truth, {}}};
}

void report_images(ExperimentReport& report, BackendKind where) {
  const MeasuredRows data =
      tomography({.image_size = 32, .angles = 24, .detectors = 45, .noise = 0.03});
  LeastSquaresProblem problem = problem_of(data);
  const SparseMatrix differences = difference_matrix(32, 32);
  struct Way {
    std::string name;
    double regularisation;
    bool by_differences, has_bounds;
  };
  const std::vector<Way> ways{{"nothing, 200 iterations", 0, false, false},
                              {"differences: 0.1 |L x|^2", 0.1, true, false},
                              {"0.5 |x|^2", 0.5, false, false},
                              {"0.5 |x|^2, 0 <= x <= 1", 0.5, false, true}};
  Comparison comparison("reconstruction, images");
  Table table({text_column("way", "what is added"), text_column("format", "format"),
               count_column("iterations", "iterations"), error_column("gradient", "gradient", 2),
               error_column("residual", "|A x - b|", 3), error_column("error", "error", 3),
               count_column("outside", "out of\nbounds"), text_column("agreement", "agrees")});
  std::vector<double> errors;
  for (const Way& way : ways) {
    problem.L = way.by_differences ? differences : SparseMatrix{};
    double in_double = 0;
    for (const Precision precision : {Precision::double_, Precision::single_}) {
      LeastSquaresOptions options;
      options.solver.precision = precision;
      const bool is_double = precision == Precision(Precision::double_);
      options.solver.tolerance = is_double ? 1e-8 : 1e-5;
      if (way.regularisation == 0) options.solver.max_iterations = 200;
      options.regularisation = way.regularisation;
      if (way.has_bounds) {
        options.lower = 0;
        options.upper = 1;
      }
      const LeastSquaresSolved solved = solve_least_squares(problem, options, where);
      const double error = solved.errors.l2.value();
      comparison.begin_row(way.name + ", " + to_string(precision), 0);
      if (is_double) {
        in_double = error;
        errors.push_back(error);
      }
      if (way.regularisation > 0) {
        comparison.statement("outcome", Source::theory, "converged",
                             solved.report.true_residual_reduction,
                             solved.report.outcome == Outcome::converged);
        if (!is_double)
          comparison.relative("error of double", Source::theory, in_double, error, 0.05);
      }
      table.add_row({way.name, to_string(precision), std::int64_t{solved.report.iterations},
                     solved.report.true_residual_reduction, solved.residual_norm, error,
                     std::int64_t{solved.out_of_bounds}, comparison.verdict()});
    }
  }
  comparison.begin_row("all", 0);
  comparison.statement("error", Source::theory, "regularised below that of nothing", errors[1],
                       errors[1] < errors[0] && errors[2] < errors[0]);
  constexpr double much = 0.6;
  comparison.statement("error", Source::theory, "with bounds below 0.6 of that without", errors[3],
                       errors[3] < much * errors[2]);
  report.table("Images of 32 x 32 pixels from 24 directions, 3 % of noise", "images", table);
  report.paragraph(
      "The error is the distance from the true image, over its size: what single loses is nothing "
      "beside what "
      "noise does.  Nothing added, it\ngrows with the iterations.  Bounds are a penalty, "
      "recomputed in each step, as the paper's F(x, d).");
  report.add(std::move(comparison));
}

}  // namespace ninefold
