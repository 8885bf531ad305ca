#include "experiments/program/least_squares_run.hpp"

#include <algorithm>
#include <cmath>
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
#include "experiments/program/results_place.hpp"
#include "experiments/program/stated_system.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;

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
  // What rounding leaves of a zero is no number to be read.
  const auto end = [&](double value) {
    return fmt::format("{:.3g}", std::abs(value) < 1e-12 * (largest - least) ? 0.0 : value);
  };
  image.least = end(least);
  image.largest = end(largest);
  return image;
}

/// Of how many plans there is what they have found.
std::size_t plans_done(const std::vector<LeastSquaresRun>& runs) {
  std::size_t count = 0;
  const Plan* last = nullptr;
  for (const LeastSquaresRun& run : runs) {
    count += run.plan != last;
    last = run.plan;
  }
  return count;
}

void write_results(const std::vector<Plan>& plans, const std::vector<LeastSquaresRun>& runs,
                   const std::string& json, const std::string& failure = "") {
  const fs::path folder = plans.front().configuration.output.directory;
  const Table table = least_squares_table(plans, runs);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    rows.push_back(
        json_of_run(named_plan(runs[k]), table.rows()[k], table.columns(), runs[k].solved.report));
  }
  if (has_l_curve(plans)) {
    const std::vector<LCurvePoint> points = sorted_l_curve(l_curve_points(runs));
    const auto corner = l_curve_corner(points);
    write_file_atomically(folder / "l-curve.csv", l_curve_csv(points, corner));
    write_file_atomically(folder / "l-curve.svg", svg_file(l_curve_figure(points, corner)));
  }
  write_results_of(plans, {table, rows, least_squares_document(plans, runs), plans_done(runs)},
                   json, failure);
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

/// What a run leaves of its own; `known` is what it is measured against.
void write_run(const StatedFit& fit, const std::optional<WideVector>& known, LeastSquaresRun& run,
               const fs::path& folder) {
  const std::vector<double>& x = run.solved.solution.high;
  if (run.plan->configuration.matrix.write_solution) {
    write_file_atomically(folder / (run.name + "-solution.mtx"), matrix_market_text(x));
  }
  write_file_atomically(folder / fmt::format("history-{}.csv", run.name),
                        matrix_history_csv(run.solved.report));
  const bool has_truth = fit.is_measured && known;
  const std::vector<double>& scale = has_truth ? known->high : x;
  const LeastSquaresSettings& asked = run.plan->configuration.least_squares;
  const std::string lambda =
      asked.regularisation > 0 ? fmt::format(", lambda = {:.3g}", asked.regularisation) : "";
  run.image = image_of(
      x, fit, scale,
      fmt::format("{}: in {}{}", run.name, formats_of(run.plan->configuration.solver), lambda));
  if (!run.image.png.empty()) {
    write_file_atomically(folder / (run.name + "-image.png"), run.image.png);
  }
  if (has_truth) {
    const std::string which =
        run.image_number > 0 ? fmt::format(", number {}", run.image_number) : "";
    run.truth = image_of(scale, fit, scale, "the true image, of which the data are made" + which);
  }
  if (!run.truth.png.empty()) {
    const std::string number = run.image_number > 0 ? fmt::format("-{}", run.image_number) : "";
    write_file_atomically(folder / fmt::format("truth{}.png", number), run.truth.png);
  }
}

}  // namespace

Plan named_plan(const LeastSquaresRun& run) {
  Plan plan = *run.plan;
  plan.name = run.name;
  return plan;
}

std::vector<LeastSquaresRun> run_least_squares(const std::vector<Plan>& plans,
                                               const std::string& json,
                                               const LeastSquaresEvents& events) {
  const fs::path folder = plans.front().configuration.output.directory;
  std::vector<LeastSquaresRun> runs;
  std::unique_ptr<StatedFit> fit;
  const auto end_run = [&](std::size_t first) {
    if (plans_done(runs) == plans.size()) {
      std::vector<std::string> refusals;
      for (const LeastSquaresRun& run : runs) refusals.push_back(run.refusal);
      require_one_solved(plans.front(), refusals);
    }
    write_results(plans, runs, json);
    for (std::size_t k = first; k < runs.size(); ++k) events.run_ends(runs[k]);
  };
  // Other ranks make the same solves in the same order (follow_matrices()).
  const auto run_next = [&](std::size_t k) {
    const Plan& plan = plans[k];
    if (k == 0 || !same_fit(plans[k - 1], plan)) {
      fit.reset();  // before the next one takes memory
      fit = std::make_unique<StatedFit>(stated_fit(plan));
    }
    const SparsePattern& pattern = fit->problem.A.pattern;
    const BackendKind where = backend_of(plan);
    const LeastSquaresRun begun{.plan = &plan,
                                .name = plan.name,
                                .matrix = fit->name,
                                .rows = pattern.n_rows,
                                .unknowns = pattern.n_columns,
                                .entries = pattern.entries(),
                                .is_measured = fit->is_measured,
                                .remarks = fit->remarks};
    const std::string_view source = fit_key(plan.configuration);
    located(plan, source, [&] { validate(fit->problem); });
    if (k == 0) {
      make_places(folder, json);
      events.begin(fmt::format("{}: {} x {}, {} entries; {}", begun.matrix, begun.rows,
                               begun.unknowns, begun.entries,
                               devices_name(where, plan.configuration.solver.ranks.get())));
    }
    std::string refusal;
    auto solved = located_or_refused(plan, source, plans.size() == 1, refusal,
                                     [&] { return solve_fit(*fit, plan); });
    const std::size_t first = runs.size();
    if (!solved) {
      runs.push_back(begun);
      runs.back().refusal = refusal;
      end_run(first);
      return;
    }
    const std::optional<double> deficiency = deficiency_of(*fit, plan, solved->front());
    std::optional<double> plain_rate;
    if (solved->front().report.memory_bytes >= memory_bound) {
      plain_rate = plain_rate_of(plan.configuration.solver, where);
    }
    const Uninterrupted whole_files;
    for (std::size_t right = 0; right < solved->size(); ++right) {
      LeastSquaresRun run = begun;
      if (solved->size() > 1) {
        run.image_number = static_cast<int>(right) + 1;
        run.name += fmt::format("-{}", run.image_number);
      }
      run.solved = std::move((*solved)[right]);
      run.deficiency = deficiency;
      run.plain_rate = plain_rate;
      write_run(*fit, right == 0 ? fit->problem.solution : fit->others[right - 1].solution, run,
                folder);
      run.solved.solution = {};
      runs.push_back(std::move(run));
    }
    end_run(first);
  };
  for (std::size_t k = 0; k < plans.size(); ++k) {
    try {
      run_next(k);
    } catch (const std::exception& error) {
      tell_failure(plans, runs, json, error.what());
      throw;
    }
  }
  return runs;
}

}  // namespace ninefold
