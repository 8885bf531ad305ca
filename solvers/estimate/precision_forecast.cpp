#include "solvers/estimate/precision_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "precision/require.hpp"

#include "solvers/estimate/level_errors.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"

namespace ninefold {
namespace {

constexpr int pilots_before = 3;  ///< levels before the last pilot that its estimate takes

/// Of bilinear elements, until pilots see another.
constexpr double order_of_smooth = 2;

/// Products cancel to h^2 of their size.
constexpr double plain_growth = 4;

/// Of the one that rounding errors are measured on beside the last: two levels tell growth better
/// than one.
constexpr int growing_levels = 2;

/// What a pilot takes: full multigrid, which is over soon, where it is possible.
SolverOptions of_pilot(const SolverOptions& options, const PrecisionPath& path) {
  SolverOptions pilot;
  pilot.method = Method::full_multigrid;
  pilot.multigrid.smoother = options.multigrid.smoother == Smoother::chebyshev
                                 ? Smoother::automatic
                                 : options.multigrid.smoother;
  pilot.multigrid.line_order = options.multigrid.line_order;
  pilot.multigrid.line_direction = options.multigrid.line_direction;
  pilot.to_discretisation = true;
  return with_path(pilot, path);
}

}  // namespace

std::string to_words(const PrecisionPath& path) {
  return to_string(path.precision) + (path.inner ? " over " + to_string(*path.inner) : "")
         + (path.plain ? ", plain form" : "");
}

SolverOptions with_path(const SolverOptions& options, const PrecisionPath& path) {
  SolverOptions chosen = options;
  chosen.precision = path.precision;
  chosen.form = path.plain ? std::optional(OperatorForm::plain) : std::nullopt;
  chosen.storage.reset();
  chosen.refinement = {};
  if (path.inner) chosen.refinement.inner = {*path.inner};
  return chosen;
}

std::vector<PrecisionPath> precision_paths() {
  constexpr Precision half = Precision::half, bfloat16 = Precision::bfloat16,
                      single = Precision::single_, pair = Precision::double_single,
                      wide = Precision::double_, widest = Precision::double_double;
  return {{bfloat16, {}, false},   {half, {}, false},     {single, {}, false},
          {single, {}, true},      {wide, single, false}, {pair, single, false},
          {wide, {}, false},       {wide, {}, true},      {pair, {}, false},
          {widest, single, false}, {widest, wide, false}, {widest, {}, false}};
}

std::vector<PrecisionPath> automatic_paths(double double_speed) {
  constexpr Precision single = Precision::single_, wide = Precision::double_;
  const PrecisionPath pairs{Precision::double_single, single, false};
  const PrecisionPath doubles{wide, single, false};
  std::vector<PrecisionPath> paths{{single, {}, false}};
  if (double_speed < slow_double) paths.push_back(pairs);
  paths.push_back(doubles);
  paths.push_back({wide, {}, false});  // where single does not hold the grid
  paths.push_back({Precision::double_double, single, false});
  paths.push_back({Precision::double_double, wide, false});
  return paths;
}

double double_speed_of(std::string_view capability) {
  // CUDA C++ Programming Guide, throughput of native arithmetic instructions.
  struct Speed {
    std::string_view capability;
    double of_double;
  };
  constexpr double crippled = 1.0 / 64, halved = 1.0 / 32;
  for (const Speed& known :
       {Speed{"7.5", halved}, Speed{"8.6", crippled}, Speed{"8.7", crippled},
        Speed{"8.9", crippled}, Speed{"10.3", crippled}, Speed{"11.0", crippled},
        Speed{"12.0", crippled}, Speed{"12.1", crippled}}) {
    if (known.capability == capability) return known.of_double;
  }
  return 0.5;
}

PrecisionForecast::PrecisionForecast(Problem problem, std::vector<TensorGrid> grids,
                                     const SolverOptions& options, BackendKind where)
    : problem_(std::move(problem)),
      grids_(std::move(grids)),
      options_(options),
      where_(where),
      pilot_(std::min(static_cast<int>(grids_.size()) - 1, pilot_level)) {
  require(pilot_ >= 1, "a forecast needs the grids of levels 0 to at least 1");
  // Where single loses cells, corrections in double do not.
  if (!ask_pilots({Precision::double_, Precision::single_, false})) {
    (void)ask_pilots({Precision::double_, {}, false});
  }
}

bool PrecisionForecast::ask_pilots(const PrecisionPath& path) {
  const SolverOptions pilot = of_pilot(options_, path);
  LevelSequence sequence;
  told_.clear();
  order_ = order_of_smooth;
  bool is_solved = true;
  for (int level = first_pilot(); level <= pilot_; ++level) {
    const EstimatedSolve solved =
        sequence.solve(prepare(problem_, grids_to(level), pilot, where_, false), level < pilot_);
    is_solved = is_solved && !is_lost(solved.solved.report.outcome);
    told_.push_back(solved.solved.level_errors ? solved.solved.level_errors->l2 : 0);
    const std::optional<double> order = solved.discretisation.order;
    is_resolved_ = solved.discretisation.l2 && order;
    if (is_resolved_) order_ = *order;
  }
  return is_solved;
}

int PrecisionForecast::first_pilot() const {
  return std::max(1, pilot_ - pilots_before);
}

std::vector<TensorGrid> PrecisionForecast::grids_to(int level) const {
  return {grids_.begin(), grids_.begin() + level + 1};
}

double PrecisionForecast::discretisation(int level) const {
  const int known = std::clamp(level, first_pilot(), pilot_);
  return told_[static_cast<std::size_t>(known - first_pilot())]
         * std::exp2(order_ * (known - level));
}

std::optional<double> left_by_rounding(std::optional<double> rounding, std::optional<double> left,
                                       bool has_stagnated) {
  if (!rounding || !left) return rounding;
  return has_stagnated ? *left : std::min(*rounding, *left);
}

double RoundingTrend::at(int l) const {
  return rounding * std::pow(growth, l - level);
}

std::optional<RoundingTrend> PrecisionForecast::trend(const PrecisionPath& path) const {
  if (path.precision == Precision::double_double) {
    auto wide = trend({Precision::double_, path.inner, path.plain});
    const double u = facts(path.precision).unit_roundoff;
    if (wide) wide->rounding *= u / facts(Precision::double_).unit_roundoff;
    return wide;
  }
  const auto measured = [&](int at) -> std::optional<double> {
    LevelSequence sequence;
    const EstimatedSolve solved = sequence.solve(
        prepare(problem_, grids_to(at), of_pilot(options_, path), where_, false), false);
    const std::optional<SolverErrors>& left = solved.solved.solver_errors;
    if (!left || is_lost(solved.solved.report.outcome)) return {};
    return left_by_rounding(left->rounding, left->left,
                            solved.solved.report.outcome == Outcome::stagnated
                                || solved.solved.report.is_ended_by_rounding);
  };
  const std::optional<double> last = measured(pilot_);
  if (!last) return {};
  RoundingTrend found{pilot_, *last, path.plain ? plain_growth : 1};
  const int before = std::max(1, pilot_ - growing_levels);
  if (before == pilot_ || path.plain) return found;
  const std::optional<double> first = measured(before);
  if (first && *first > 0 && *last > 0) {
    found.growth = std::clamp(std::pow(*last / *first, 1.0 / (pilot_ - before)), 1.0, plain_growth);
  }
  return found;
}

PilotTime PrecisionForecast::time_of_pilot(const PrecisionPath& path, int level) const {
  constexpr int times = 2;  // the first loads code, and finds cold caches
  const SolverOptions options = of_pilot(options_, path);
  const PreparedSolve coarser = prepare(problem_, grids_to(level - 1), options, where_, false);
  const PreparedSolve prepared = prepare(problem_, grids_to(level), options, where_, false);
  const Neighbours beside{solve(coarser, {nullptr, true, false}).values, false, false};
  PilotTime least{level, std::numeric_limits<double>::infinity(), 0};
  for (int k = 0; k < times; ++k) {
    const Report report = solve(prepared, beside).report;
    least.seconds = std::min(least.seconds, report.solve_seconds);
    least.bytes = static_cast<double>(report.work.bytes);
  }
  return least;
}

std::optional<TimeForecast> PrecisionForecast::time(const PrecisionPath& path,
                                                    double plain_rate) const {
  constexpr int least = 2;  // that has a coarser level, which has one
  if (pilot_ < least) return {};
  const PilotTime last = time_of_pilot(path, pilot_);
  const int before = std::max(least, pilot_ - growing_levels);
  if (is_device(where_) || before == pilot_) return TimeForecast(last, plain_rate);
  return TimeForecast(time_of_pilot(path, before), last);
}

std::optional<double> needed_bits(std::vector<FormatRounding> measured, double most) {
  if (measured.empty()) return {};
  std::sort(measured.begin(), measured.end(),
            [](const auto& a, const auto& b) { return a.unit_roundoff > b.unit_roundoff; });
  // The narrowest after all that leave more: chance may make a narrower one leave less than that.
  auto enough = measured.end();
  while (enough != measured.begin() && std::prev(enough)->rounding <= most) --enough;
  const auto units = [](const FormatRounding& format) {
    return format.rounding / format.unit_roundoff;
  };
  double left = 0;
  if (enough != measured.end()) left = units(*enough);
  if (enough != measured.begin()) left = std::max(left, units(*std::prev(enough)));
  const double bits = std::log2(std::sqrt(2.0) * left / most);
  if (enough == measured.end()) return bits;
  return std::min(bits, -std::log2(enough->unit_roundoff));
}

}  // namespace ninefold
