// What is said and shown of runs of least squares: experiments/program/least_squares_run.hpp.

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "output/document/figure.hpp"

#include "experiments/program/fit_verdict.hpp"
#include "experiments/program/l_curve.hpp"
#include "experiments/program/least_squares_run.hpp"
#include "experiments/program/matrix_run.hpp"

namespace ninefold {
namespace {

std::string norms_of(const LeastSquaresSolved& solved) {
  return fmt::format("|b - A x| is {:.3g} of |b|", solved.right_norm > 0
                                                       ? solved.residual_norm / solved.right_norm
                                                       : solved.residual_norm);
}

/// What was fitted, in which format; empty where that is the same of all of several runs.
std::string subject_of(const std::vector<LeastSquaresRun>& runs, const LeastSquaresRun& run) {
  const auto subject = [](const LeastSquaresRun& one) {
    return fmt::format("{} in {}: ", one.matrix, formats_of(one.plan->configuration.solver));
  };
  const bool is_same = std::all_of(runs.begin(), runs.end(), [&](const LeastSquaresRun& other) {
    return subject(other) == subject(run);
  });
  return is_same && runs.size() > 1 ? "" : subject(run);
}

std::vector<std::string> summary_of(const std::vector<LeastSquaresRun>& runs) {
  std::vector<std::string> lines{fit_verdict(runs)};
  for (const LeastSquaresRun& run : runs) {
    const LeastSquaresSolved& solved = run.solved;
    std::string line = runs.size() > 1 ? run.name + ": " : "";
    line += subject_of(runs, run) + ending_of(solved.report, run.refusal);
    if (run.refusal.empty()) line += ", " + norms_of(solved);
    if (solved.errors.l2) {
      line += run.is_measured ? fmt::format(", x differs by {:.2g} from what the data are made of",
                                            *solved.errors.l2)
                              : fmt::format(", error {:.2g} of x", *solved.errors.l2);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// What is said of a run, but for the matrix.
std::vector<std::string> remarks_of(const std::vector<LeastSquaresRun>& runs,
                                    const LeastSquaresRun& run) {
  if (!run.refusal.empty()) return {run.refusal};
  std::vector<std::string> all;
  const LeastSquaresSolved& solved = run.solved;
  if (const std::string why = without_condition(run); !why.empty()) {
    all.push_back("no condition is shown: " + why);
  }
  if (!solved.report.remark.empty()) {
    const auto error = answer_error(runs, run);
    all.push_back(solved.report.remark
                  + (error && *error <= part_enough
                         ? fmt::format("; x is right to {:.1e} all the same", *error)
                         : ""));
  }
  if (solved.out_of_bounds > 0) {
    all.push_back(
        fmt::format("{} of {} unknowns are out of bounds, by {:.2g} at most: least_squares.penalty "
                    "above {:.3g} "
                    "leaves less",
                    solved.out_of_bounds, run.unknowns, solved.largest_violation, solved.penalty));
  }
  return all;
}

std::vector<std::string> remarks_on_curve(const std::vector<Plan>& plans,
                                          const std::vector<LeastSquaresRun>& runs) {
  if (!has_l_curve(plans)) {
    const std::string why = without_l_curve(plans);
    return why.empty() ? std::vector<std::string>{} : std::vector{why};
  }
  std::vector<std::string> all;
  std::vector<LCurvePoint> points = l_curve_points(runs);
  for (const LCurvePoint& point : points) {
    if (has_logarithms(point)) continue;
    all.push_back(fmt::format("{} is not on the L-curve, whose axes are logarithms: {}", point.run,
                              point.lambda == 0 ? "lambda is 0" : "it has no norms above zero"));
  }
  for (const LeastSquaresRun& run : runs) {
    const Outcome outcome = run.solved.report.outcome;
    const bool is_right = answer_error(runs, run).value_or(1) <= part_enough;
    if (!run.refusal.empty() || outcome == Outcome::converged || is_right) continue;
    all.push_back(fmt::format("{} has not converged ({}): its point of the L-curve may be another",
                              run.name, to_string(outcome)));
  }
  if (points.size() < plans.size()) return all;
  points = sorted_l_curve(std::move(points));
  const auto corner = l_curve_corner(points);
  all.push_back(corner ? fmt::format("the corner of the L-curve is at lambda = {:.3g}, {}",
                                     points[*corner].lambda, points[*corner].run)
                       : "the L-curve has no corner between these lambda");
  return all;
}

/// What a matrix that takes some v to zero, or nearly, makes of x.
std::string words_on_rank(const LeastSquaresRun& run) {
  constexpr double is_zero = 1e-14;  // as far as double tells
  if (!run.solved.is_deficient && !run.deficiency) return "";
  const std::string smallest = run.solved.report.outcome == Outcome::converged
                                   ? ": of all solutions this is the smallest one"
                                   : ": it has more than one solution";
  if (run.solved.is_deficient) {
    return fmt::format("the matrix has fewer rows than columns, {} and {}{}", run.rows,
                       run.unknowns, smallest);
  }
  const std::string why = fmt::format("|A v| being {:.1e} of |A||v| for some v", *run.deficiency);
  if (*run.deficiency <= is_zero) {
    return fmt::format("the matrix is rank-deficient, {}{}", why, smallest);
  }
  return fmt::format(
      "the matrix is rank-deficient, or nearly, {}: data that differ by as little of themselves "
      "may have quite another x",
      why);
}

std::vector<std::string> remarks_of(const std::vector<Plan>& plans,
                                    const std::vector<LeastSquaresRun>& runs) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& text) {
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  };
  for (const LeastSquaresRun& run : runs) {
    for (const std::string& remark : run.remarks) add(remark);
    if (const std::string text = words_on_rank(run); !text.empty()) add(text);
    for (const std::string& remark : remarks_of(runs, run)) {
      add((runs.size() > 1 ? run.name + ": " : "") + remark);
    }
  }
  for (const std::string& remark : remarks_on_curve(plans, runs)) add(remark);
  return all;
}

Figure gradient_figure(const std::vector<LeastSquaresRun>& runs) {
  Figure figure{
      .title = "Gradients",
      .description = "the gradient after each iteration, as CGLS updates it, as a part of |A'b|",
      .x_label = "iteration",
      .y_label = "|A'r| / |A'b|"};
  for (const LeastSquaresRun& run : runs) {
    figure.series.push_back(history_series(named_plan(run), run.solved.report.history));
  }
  return figure;
}

}  // namespace

bool has_l_curve(const std::vector<Plan>& plans) {
  return std::any_of(plans.front().varied.begin(), plans.front().varied.end(),
                     [](const auto& one) { return one.first == "least_squares.regularisation"; })
         && without_l_curve(plans).empty();
}

std::vector<LCurvePoint> l_curve_points(const std::vector<LeastSquaresRun>& runs) {
  std::vector<LCurvePoint> points;
  for (const LeastSquaresRun& run : runs) {
    if (run.image_number > 1) continue;  // of several the first one's
    points.push_back({run.plan->configuration.least_squares.regularisation,
                      run.solved.residual_norm, run.solved.solution_norm, run.name});
  }
  return points;
}

Article least_squares_document(const std::vector<Plan>& plans,
                               const std::vector<LeastSquaresRun>& runs) {
  Article document{.title = "ninefold: least squares"};
  document.summary = summary_of(runs);
  const auto of_curve = remarks_on_curve(plans, runs);
  document.summary.insert(document.summary.begin() + 1, of_curve.begin(), of_curve.end());
  TableBlock block{"", least_squares_table(plans, runs)};
  for (const LeastSquaresRun& run : runs) block.row_ids.push_back(identifier(run.name));
  Section results{"results", "Results", {std::move(block)}};
  if (const auto remarks = remarks_of(plans, runs); !remarks.empty()) {
    results.blocks.emplace_back(Items{remarks});
  }
  document.sections.push_back(std::move(results));
  Gallery images;
  std::set<int> known;  // each true image once
  for (const LeastSquaresRun& run : runs) {
    if (!run.truth.png.empty() && known.insert(run.image_number).second) {
      images.images.push_back(run.truth);
    }
  }
  for (const LeastSquaresRun& run : runs) {
    if (!run.image.png.empty()) images.images.push_back(run.image);
  }
  if (!images.images.empty()) {
    document.sections.push_back({"images", "Images", {std::move(images)}, true});
  }
  if (has_l_curve(plans)) {
    const std::vector<LCurvePoint> points = sorted_l_curve(l_curve_points(runs));
    document.sections.push_back(
        {"l-curve", "L-curve", {l_curve_figure(points, l_curve_corner(points))}, true});
  }
  document.sections.push_back({"gradients", "Gradients", {gradient_figure(runs)}, true});
  return document;
}

}  // namespace ninefold
