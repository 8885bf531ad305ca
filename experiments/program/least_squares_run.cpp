#include "experiments/program/least_squares_run.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fem/sparse/matrix_market.hpp"

#include "output/document/figure.hpp"
#include "output/document/raster.hpp"
#include "output/tables/files.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/l_curve.hpp"
#include "experiments/program/matrix_results.hpp"
#include "experiments/program/matrix_run.hpp"
#include "experiments/program/plain_rate.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/stated_system.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;

const LeastSquaresSettings& settings_of(const LeastSquaresRun& run) {
  return run.plan->configuration.least_squares;
}

/// The unknowns as an image, between the values of `scale`; without bytes where that has none.
Image image_of(const std::vector<double>& x, const StatedFit& fit, const std::vector<double>& scale,
               const std::string& title) {
  Image image{title, title, {}, {}, {}};
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (const double value : scale) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  if (fit.image_width == 0 || least > largest) return image;
  constexpr int wanted = 256;
  const int times = std::max(1, wanted / std::max(fit.image_width, fit.image_height));
  const int width = times * fit.image_width, height = times * fit.image_height;
  std::vector<double> pixels;
  pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int j = 0; j < height; ++j) {
    for (int i = 0; i < width; ++i) {
      const double value = x[static_cast<std::size_t>(j / times * fit.image_width + i / times)];
      pixels.push_back(std::isfinite(value) ? std::clamp(value, least, largest) : value);
    }
  }
  image.png = to_png(raster_of(pixels, width, height, least, largest));
  image.least = fmt::format("{:.3g}", least);
  image.largest = fmt::format("{:.3g}", largest);
  return image;
}

std::vector<LCurvePoint> l_curve_of(const std::vector<LeastSquaresRun>& runs) {
  std::vector<LCurvePoint> points;
  for (const LeastSquaresRun& run : runs) {
    points.push_back({settings_of(run).regularisation, run.solved.residual_norm,
                      run.solved.solution_norm, run.plan->name});
  }
  return sorted_l_curve(std::move(points));
}

std::string norms_of(const LeastSquaresSolved& solved) {
  return fmt::format("|b - A x| is {:.3g} of |b|", solved.right_norm > 0
                                                       ? solved.residual_norm / solved.right_norm
                                                       : solved.residual_norm);
}

std::vector<std::string> summary_of(const std::vector<LeastSquaresRun>& runs) {
  std::vector<std::string> lines;
  for (const LeastSquaresRun& run : runs) {
    const LeastSquaresSolved& solved = run.solved;
    std::string line = runs.size() > 1 ? run.plan->name + ": " : "";
    line +=
        fmt::format("{} in {}: {} after {} iterations, {}", run.matrix,
                    formats_of(run.plan->configuration.solver), to_string(solved.report.outcome),
                    solved.report.iterations, norms_of(solved));
    if (solved.errors.l2) {
      line += fmt::format(", error {:.2g} {}", *solved.errors.l2,
                          run.is_measured ? "of what was measured" : "of the solution");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> remarks_of(const std::vector<Plan>& plans,
                                    const std::vector<LeastSquaresRun>& runs) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& text) {
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  };
  for (const LeastSquaresRun& run : runs) {
    const LeastSquaresSolved& solved = run.solved;
    const std::string where = runs.size() > 1 ? run.plan->name + ": " : "";
    for (const std::string& remark : run.remarks) add(remark);
    if (solved.is_deficient || run.deficiency) {
      const std::string why =
          solved.is_deficient
              ? fmt::format("has fewer rows than columns, {} and {}", run.rows, run.unknowns)
              : fmt::format("is rank-deficient, |A v| being {:.1e} of |A||v| for some v",
                            *run.deficiency);
      add(fmt::format("the matrix {}: of all solutions this is the smallest one", why));
    }
    if (!solved.report.remark.empty()) add(where + solved.report.remark);
    if (solved.out_of_bounds > 0) {
      add(fmt::format("{}{} of {} unknowns are out of bounds, by {:.2g} at most", where,
                      solved.out_of_bounds, run.unknowns, solved.largest_violation));
    }
  }
  if (is_l_curve(plans) && runs.size() == plans.size()) {
    const std::vector<LCurvePoint> points = l_curve_of(runs);
    const auto corner = l_curve_corner(points);
    add(corner ? fmt::format("the corner of the L-curve is at lambda = {:.3g}, {}",
                             points[*corner].lambda, points[*corner].run)
               : "the L-curve has no corner between these lambda");
  }
  return all;
}

Figure gradient_figure(const std::vector<LeastSquaresRun>& runs) {
  Figure figure{.title = "Gradients",
                .description = "the gradient after each iteration, as a part of |A'b|",
                .x_label = "iteration",
                .y_label = "|A'r| / |A'b|"};
  for (const LeastSquaresRun& run : runs) {
    figure.series.push_back(history_series(*run.plan, run.solved.report.history));
  }
  return figure;
}

void write_results(const std::vector<Plan>& plans, const std::vector<LeastSquaresRun>& runs,
                   const std::string& json, const std::string& failure = "") {
  const fs::path folder = plans.front().configuration.output.directory;
  const Table table = least_squares_table(plans, runs);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const LeastSquaresRun& run : runs) {
    rows.push_back(
        json_of_run(*run.plan, least_squares_row(run), table.columns(), run.solved.report));
  }
  if (is_l_curve(plans)) {
    const std::vector<LCurvePoint> points = l_curve_of(runs);
    const auto corner = l_curve_corner(points);
    write_file_atomically(folder / "l-curve.csv", l_curve_csv(points, corner));
    write_file_atomically(folder / "l-curve.svg", svg_file(l_curve_figure(points, corner)));
  }
  write_results_of(plans, {table, rows, least_squares_document(plans, runs), runs.size()}, json,
                   failure);
}

void tell_failure(const std::vector<Plan>& plans, const std::vector<LeastSquaresRun>& runs,
                  const std::string& json, const std::string& why) noexcept {
  if (runs.empty()) return;
  const Uninterrupted whole_files;
  set_interrupted_page("", 0, 0, "");
  try {
    write_results(plans, runs, json, why);
  } catch (const std::exception&) {  // the failure itself is told
  }
}

/// What a run leaves of its own.
void write_run(const StatedFit& fit, LeastSquaresRun& run, const fs::path& folder) {
  const std::vector<double>& x = run.solved.solution.high;
  if (run.plan->configuration.matrix.write_solution) {
    write_file_atomically(folder / (run.plan->name + "-solution.mtx"), matrix_market_text(x));
  }
  write_file_atomically(folder / fmt::format("history-{}.csv", run.plan->name),
                        matrix_history_csv(run.solved.report));
  const bool has_truth = fit.is_measured && fit.problem.solution;
  const std::vector<double>& scale = has_truth ? fit.problem.solution->high : x;
  run.image = image_of(x, fit, scale, run.plan->name);
  if (!run.image.png.empty()) {
    write_file_atomically(folder / (run.plan->name + "-image.png"), run.image.png);
  }
  if (has_truth) run.truth = image_of(scale, fit, scale, "what was measured");
  if (!run.truth.png.empty()) write_file_atomically(folder / "truth.png", run.truth.png);
}

}  // namespace

bool is_l_curve(const std::vector<Plan>& plans) {
  const auto& varied = plans.front().varied;
  return plans.size() >= 3 && varied.size() == 1
         && varied.front().first == "least_squares.regularisation";
}

Article least_squares_document(const std::vector<Plan>& plans,
                               const std::vector<LeastSquaresRun>& runs) {
  Article document{.title = "ninefold: least squares"};
  document.summary = summary_of(runs);
  TableBlock block{"", least_squares_table(plans, runs)};
  for (const LeastSquaresRun& run : runs) block.row_ids.push_back(identifier(run.plan->name));
  Section results{"results", "Results", {std::move(block)}};
  if (const auto remarks = remarks_of(plans, runs); !remarks.empty()) {
    results.blocks.emplace_back(Items{remarks});
  }
  document.sections.push_back(std::move(results));
  Gallery images;
  if (!runs.empty() && !runs.front().truth.png.empty()) images.images.push_back(runs.front().truth);
  for (const LeastSquaresRun& run : runs) {
    if (!run.image.png.empty()) images.images.push_back(run.image);
  }
  if (!images.images.empty()) {
    document.sections.push_back({"images", "Images", {std::move(images)}, true});
  }
  if (is_l_curve(plans)) {
    const std::vector<LCurvePoint> points = l_curve_of(runs);
    document.sections.push_back(
        {"l-curve", "L-curve", {l_curve_figure(points, l_curve_corner(points))}, true});
  }
  document.sections.push_back({"gradients", "Gradients", {gradient_figure(runs)}, true});
  return document;
}

std::vector<LeastSquaresRun> run_least_squares(const std::vector<Plan>& plans,
                                               const std::string& json,
                                               const LeastSquaresEvents& events) {
  const fs::path folder = plans.front().configuration.output.directory;
  std::vector<LeastSquaresRun> runs;
  std::unique_ptr<StatedFit> fit;
  std::optional<std::optional<double>> deficiency;  // of its matrix, once it is looked for
  const auto run_next = [&](const Plan& plan) {
    const std::size_t k = runs.size();
    if (k == 0 || !same_fit(plans[k - 1], plan)) {
      fit.reset();  // before the next one takes memory
      deficiency.reset();
      fit = std::make_unique<StatedFit>(stated_fit(plan));
    }
    const SparsePattern& pattern = fit->problem.A.pattern;
    const BackendKind where = backend_of(plan);
    LeastSquaresRun run{.plan = &plan,
                        .matrix = fit->name,
                        .rows = pattern.n_rows,
                        .unknowns = pattern.n_columns,
                        .entries = pattern.entries(),
                        .is_measured = fit->is_measured,
                        .remarks = fit->remarks};
    const char* const source =
        plan.configuration.least_squares.generate ? "least_squares.generate" : "matrix.file";
    located(plan, source, [&] { validate(fit->problem); });
    if (k == 0) {
      ensure_writable_directory(folder);
      events.begin(fmt::format("{}: {} x {}, {} entries; {}", run.matrix, run.rows, run.unknowns,
                               run.entries, device_name(where)));
    }
    run.solved = located(plan, source, [&] {
      return solve_least_squares(fit->problem, least_squares_options(plan.configuration), where);
    });
    const LeastSquaresSettings& asked = settings_of(run);
    if (asked.regularisation == 0 && !asked.lower && !asked.upper && !run.solved.is_deficient) {
      if (!deficiency) {
        deficiency =
            rank_deficiency(fit->problem.A, plan.configuration.solver.max_iterations, where);
      }
      run.deficiency = *deficiency;
    }
    if (run.solved.report.memory_bytes >= memory_bound) run.plain_rate = measure_plain_rate(where);
    const Uninterrupted whole_files;
    write_run(*fit, run, folder);
    run.solved.solution = {};
    runs.push_back(std::move(run));
    write_results(plans, runs, json);
    events.run_ends(runs.back());
  };
  for (const Plan& plan : plans) {
    try {
      run_next(plan);
    } catch (const std::exception& error) {
      tell_failure(plans, runs, json, error.what());
      throw;
    }
  }
  return runs;
}

}  // namespace ninefold
