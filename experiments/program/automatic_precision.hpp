#pragma once
// solver.precision = "auto": which formats each level is solved in.
//
// Tests.  tests/experiments/program/automatic_precision_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "solvers/estimate/precision_forecast.hpp"
#include "solvers/prepared_solve.hpp"

#include "experiments/config/configuration.hpp"

namespace ninefold {

/// "--set solver.precision=double --set refinement.inner_precision=single"
std::string settings_of(const PrecisionPath& path);

/// Of the device that would solve.
double double_speed_on(BackendKind where);

/// A level, ready to be solved on one of the paths that there are.
struct ChosenPath {
  std::size_t index;  ///< of path()
  PreparedSolve solve;
};

/// Of one run.
class AutomaticPrecision {
 public:
  /// Solves the pilots that forecasts rest on; of levels to `last_kept` the solution is kept.
  /// Throws BadValue for options that leave no choice.
  AutomaticPrecision(const Configuration& configuration, const Problem& problem, BackendKind where,
                     int last_kept);

  const PrecisionPath& path(std::size_t index) const { return paths_.at(index); }
  /// The cheapest path that holds the grid's cells and whose rounding is expected to be at most
  /// solver.fraction of the discretisation error; the last one that is possible, if none is.  Where
  /// pilots do not tell that error, double over single, or the next one that is possible: a size
  /// without an order promises nothing.  Throws the BadValue by which all are refused.
  ChosenPath choose(int level) const;
  /// Why no cheaper path was looked at; empty if all were.
  std::string caution(int level) const;
  /// The next one that is possible after it, and for which there is memory now.
  std::optional<ChosenPath> after(std::size_t index, int level) const;

 private:
  ChosenPath prepared(std::size_t index, int level) const;
  bool foresees(int level) const;

  Configuration configuration_;
  Problem problem_;
  BackendKind where_;
  int last_kept_;
  std::vector<TensorGrid> grids_;  ///< of all levels
  std::vector<PrecisionPath> paths_;
  PrecisionForecast forecast_;
  std::vector<std::optional<RoundingTrend>> trends_;  ///< of the paths; nothing of refused ones
};

}  // namespace ninefold
