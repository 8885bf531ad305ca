#include "experiments/program/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/bad_value.hpp"

#include "solvers/estimate/level_errors.hpp"
#include "solvers/estimate/precision_forecast.hpp"
#include "solvers/estimate/solver_errors.hpp"
#include "solvers/judgement/thin_cells.hpp"

#include "output/tables/table.hpp"

#include "experiments/program/automatic_precision.hpp"
#include "experiments/program/command_line.hpp"
#include "experiments/program/information.hpp"
#include "experiments/program/plain_rate.hpp"
#include "experiments/program/prepared_run.hpp"
#include "experiments/program/run.hpp"

namespace ninefold {
namespace {

/// The plan's solver with what a path fixes left open, ended by the discretisation error.
SolverOptions open_options(const Configuration& c) {
  SolverOptions options;
  options.multigrid = c.solver.multigrid;
  options.max_iterations = c.solver.max_iterations;
  options.method = Method::full_multigrid;
  options.to_discretisation = true;
  options.fraction = c.solver.fraction;
  return options;
}

/// What is known of a path before it is solved, and after.
struct Prospect {
  PrecisionPath path;
  std::string refused{};
  std::optional<RoundingTrend> trend{};
  std::optional<double> rounding{};
  bool holds_cells = true;
  std::size_t memory = 0;
  std::optional<double> seconds{};  ///< of the iteration
  bool fits = true;
  std::optional<LevelResult> measured{};
  bool is_ended_by_rounding = false;  ///< then
};

/// `rounding` over the discretisation error.
std::optional<double> share(const std::optional<double>& rounding, double discretisation) {
  if (!rounding || !(discretisation > 0)) return {};
  return *rounding / discretisation;
}

class Advice {
 public:
  Advice(const Plan& plan, const std::vector<std::string>& without)
      : plan_(plan),
        without_(without),
        c_(plan.configuration),
        where_(find_backend(c_.backend, Precision::double_)),
        problem_(make_problem(c_.problem, c_.width, c_.height)),
        grids_(make_hierarchy(c_.width, c_.height, c_.last_level, c_.grading)),
        options_(open_options(c_)),
        forecast_(problem_, grids_, options_, where_),
        plain_rate_(measure_plain_rate(where_)) {
    for (const PrecisionPath& path : precision_paths()) prospects_.push_back(prospect_of(path));
  }

  void measure() {
    for (Prospect& prospect : prospects_) {
      if (!prospect.refused.empty() || !prospect.fits) continue;
      try {
        LevelSequence sequence;
        const SolvedLevel level = solve_level(
            prepare(problem_, grids_, with_path(options_, prospect.path), where_, false), sequence,
            false);
        prospect.measured = level.row;
        prospect.is_ended_by_rounding = level.solved.report.is_ended_by_rounding
                                        || level.row.outcome == to_string(Outcome::stagnated);
      } catch (const BadValue& error) {
        prospect.refused = error.what();
      } catch (const std::runtime_error&) {
        prospect.fits = false;
      }
    }
    measured_ = true;
  }

  std::string text() const {
    return fmt::format("{}\n{}\n{}{}{}", heading(), table().to_text(), refusals(), recommendation(),
                       bits());
  }

 private:
  Prospect prospect_of(const PrecisionPath& path) const {
    Prospect prospect{.path = path};
    try {
      const PreparedSolve prepared =
          prepare(problem_, grids_, with_path(options_, path), where_, false);
      prospect.memory = bytes_with_estimate(prepared);
      prospect.holds_cells = holds_cells(prepared);
      prospect.trend = forecast_.trend(path);
      if (prospect.trend) prospect.rounding = prospect.trend->at(c_.last_level);
      const auto time = plain_rate_ ? forecast_.time(path, *plain_rate_) : std::nullopt;
      if (time) prospect.seconds = time->at(c_.last_level);
      try {
        require_memory(prepared.memory, where_);
      } catch (const std::runtime_error&) {
        prospect.fits = false;
      }
    } catch (const BadValue& error) {
      prospect.refused = error.what();
    }
    return prospect;
  }

  double discretisation() const { return forecast_.discretisation(c_.last_level); }

  /// True if pilots have seen the discretisation error fall as an order would have it.
  bool is_known() const { return discretisation() > 0 && forecast_.is_resolved(); }

  bool is_enough(const Prospect& prospect) const {
    if (!is_known()) return false;
    const auto part = share(rounding_of(prospect), discretisation());
    return prospect.refused.empty() && prospect.fits && prospect.holds_cells && part
           && *part <= c_.solver.fraction;
  }

  static std::optional<double> measured_rounding(const Prospect& prospect) {
    const LevelResult& row = *prospect.measured;
    return left_by_rounding(row.rounding_l2, row.left_l2, prospect.is_ended_by_rounding);
  }
  /// What it leaves, or is expected to leave where that is not measured; nothing where no solution
  /// is.
  static std::optional<double> rounding_of(const Prospect& prospect) {
    if (!prospect.measured) return prospect.rounding;
    const std::string& outcome = prospect.measured->outcome;
    if (outcome != to_string(Outcome::converged) && outcome != to_string(Outcome::stagnated))
      return {};
    const std::optional<double> measured = measured_rounding(prospect);
    return measured ? measured : prospect.rounding;
  }

  /// Where is_known() is false.
  std::string_view why_not_known() const {
    if (c_.last_level == 1) return "is not known: there is no coarser level";
    if (!(discretisation() > 0)) return "is not known: coarser levels have the same solution";
    return forecast_.last_pilot() < first_estimated_level
               ? "is not resolved yet: that takes three comparisons in a row with the next coarser "
                 "level"
               : "is not resolved yet: from level to level the solution does not change as an "
                 "order "
                 "would have it";
  }

  std::string heading() const {
    if (!(discretisation() > 0)) {
      return fmt::format("level {}: the discretisation error {}\n", c_.last_level, why_not_known());
    }
    return fmt::format(
        "level {}: a discretisation error of about {:.1e} in l2{}, by pilots on levels {} to {}\n",
        c_.last_level, discretisation(),
        forecast_.is_resolved() ? "" : ", roughly (no order is observed yet)",
        forecast_.first_pilot(), forecast_.last_pilot());
  }

  Table table() const {
    std::vector<Column> columns{
        {.key = "path", .header = "formats", .align = Align::left},
        {.key = "rounding_l2", .header = "rounding\nleaves", .style = scientific(2)},
        {.key = "share", .header = "of the\ndiscretisation error", .style = scientific(2)},
        {.key = "enough", .header = "enough", .align = Align::left},
        {.key = "memory",
         .header = "memory",
         .unit = "MiB",
         .style = significant(3),
         .scale = 1 << 20},
        {.key = "seconds", .header = "iteration\nabout", .unit = "s", .style = significant(2)}};
    if (measured_) {
      columns.push_back(
          {.key = "measured_rounding_l2", .header = "measured", .style = scientific(2)});
      columns.push_back({.key = "measured_estimated_l2",
                         .header = "discretisation\nerror",
                         .style = scientific(3)});
      columns.push_back({.key = "outcome", .header = "outcome", .align = Align::left});
      columns.push_back(
          {.key = "solve_seconds", .header = "iteration", .unit = "s", .style = significant(3)});
    }
    Table table(std::move(columns));
    for (const Prospect& prospect : prospects_) {
      std::vector<Cell> cells{
          to_words(prospect.path),
          to_cell(prospect.rounding),
          to_cell(share(prospect.rounding, discretisation())),
          std::string(!prospect.refused.empty() ? "refused"
                      : !prospect.fits          ? "no memory"
                      : !is_known()             ? "not known"
                      : is_enough(prospect)     ? "yes"
                                                : "no"),
          prospect.refused.empty() ? Cell(static_cast<double>(prospect.memory)) : Cell(),
          to_cell(prospect.seconds)};
      if (measured_) {
        const auto& row = prospect.measured;
        cells.push_back(row ? to_cell(measured_rounding(prospect)) : Cell());
        cells.push_back(row ? to_cell(row->estimated_l2) : Cell());
        cells.push_back(row ? Cell(row->outcome) : Cell());
        cells.push_back(row ? Cell(row->solve_seconds) : Cell());
      }
      table.add_row(std::move(cells));
    }
    return table;
  }

  std::string refusals() const {
    std::string text;
    for (const Prospect& prospect : prospects_) {
      if (!prospect.refused.empty()) {
        text += fmt::format("{} is refused: {}\n", to_words(prospect.path), prospect.refused);
      }
    }
    return text;
  }

  /// The first path in the order of cost that is enough; nothing if none is known to be.
  const Prospect* recommended() const {
    const double speed = c_.double_speed.value_or(double_speed_on(where_));
    for (const PrecisionPath& path : automatic_paths(speed)) {
      for (const Prospect& prospect : prospects_) {
        if (to_words(prospect.path) == to_words(path) && is_enough(prospect)) return &prospect;
      }
    }
    return nullptr;
  }

  std::string recommendation() const {
    if (!is_known()) {
      return fmt::format(
          "no format is recommended: what is enough goes by the discretisation error, "
          "which {}\n",
          why_not_known());
    }
    const Prospect* const found = recommended();
    if (found == nullptr) {
      return fmt::format("no format is known to be enough on level {}\n", c_.last_level);
    }
    return fmt::format(
        "{} is enough on level {}: rounding leaves about {:.1e} of the discretisation error "
        "(solver.fraction = {:g})\n  {}\n",
        to_words(found->path), c_.last_level, *share(rounding_of(*found), discretisation()),
        c_.solver.fraction, command(found->path));
  }

  /// What takes the path, with what the caller has set beside it.
  std::string command(const PrecisionPath& path) const {
    std::string text = "ninefold solve " + quoted(plan_.file.string());
    for (const std::string& name : left_aside()) text += " --without " + quoted(name);
    for (const Setting& setting : plan_.settings) {
      const bool is_replaced = setting.key == "solver.method" || setting.key == "solver.tolerance"
                               || setting.key == "solver.precision" || is_in_the_way(setting.key)
                               || setting.key == "output.directory";
      if (is_replaced || !setting.origin.place.starts_with("--")) continue;
      text += " --set " + quoted(setting.key + "=" + to_toml(setting.value));
    }
    return text + " --set solver.method=full-multigrid --set solver.tolerance=discretisation "
           + settings_of(path);
  }

  /// Keys that another path, or another method, has need of.
  static bool is_in_the_way(const std::string& key) {
    return key.starts_with("refinement.") || key == "operator.form" || key == "operator.storage"
           || key == "solver.norm" || key == "solver.relative" || key == "solver.start"
           || key == "solver.preconditioner";
  }
  /// Of what the file states: what is left aside here already, and keys in the way.
  std::vector<std::string> left_aside() const {
    std::vector<std::string> names = without_;
    for (const Setting& setting : plan_.settings) {
      const bool is_in_file = setting.replaces || !setting.origin.place.starts_with("--");
      if (!is_in_file || !is_in_the_way(setting.key)) continue;
      const std::string name = setting.key.starts_with("refinement.") ? "refinement" : setting.key;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

  /// What is measured of the formats alone, in the form that suits the grid, on a level.
  std::vector<FormatRounding> measured_formats(int level) const {
    std::vector<FormatRounding> formats;
    for (const Prospect& prospect : prospects_) {
      const PrecisionPath& path = prospect.path;
      const bool is_measured = prospect.refused.empty() && prospect.trend && !path.inner
                               && !path.plain && path.precision != Precision::double_double;
      if (!is_measured || !(prospect.trend->rounding > 0)) continue;
      formats.push_back({facts(path.precision).unit_roundoff, prospect.trend->at(level)});
    }
    return formats;
  }

  std::string bits() const {
    if (!is_known()) return "";
    std::vector<std::string> parts;
    for (int level = c_.first_level; level <= c_.last_level; ++level) {
      const double most = c_.solver.fraction * forecast_.discretisation(level);
      const auto needed = needed_bits(measured_formats(level), most);
      if (!needed) return "";
      parts.push_back(
          fmt::format("{} on level {}", std::max(1, static_cast<int>(std::ceil(*needed))), level));
    }
    return fmt::format(
        "bits needed: {} for solver.fraction = {:g} (half has 11, single 24, double 53, sMeE M + "
        "1)\n",
        fmt::join(parts, ", "), c_.solver.fraction);
  }

  const Plan& plan_;
  std::vector<std::string> without_;
  const Configuration& c_;
  BackendKind where_;
  Problem problem_;
  std::vector<TensorGrid> grids_;
  SolverOptions options_;
  PrecisionForecast forecast_;
  std::optional<double> plain_rate_;
  std::vector<Prospect> prospects_;
  bool measured_ = false;
};

}  // namespace

std::string advice(const Plan& plan, bool measure, const std::vector<std::string>& without) {
  try {
    Advice found(plan, without);
    if (measure) found.measure();
    return found.text();
  } catch (const BadValue& error) {
    refuse_value(error, plan.settings, plan.file);
  }
}

}  // namespace ninefold
