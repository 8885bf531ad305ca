#pragma once
// Which formats will be precise enough on a fine level?  What coarse ones tell.
//
// Mathematics.  Pilot solves on levels p - 2 and p, p at most pilot_level, measure what rounding
// leaves in l2 (solvers/estimate/solver_errors.hpp), with what it keeps the iteration from, where
// that stagnates.  From level to level this grows by 4 in plain form, whose products cancel to h^2
// of their size, and by what the pilots show, between 1 and 4, by differences and factored rows:
// hardly at all.  The discretisation error is that of level p (solvers/estimate/level_errors.hpp),
// and falls at its observed order; where none is observed it is taken to be of the size of what
// refinement changes, and to fall by four, the most that it can, so that no format is promised too
// much.  On coarser levels it is what each has told.
//
// Effectivity.  docs/which-precision.md; experiments/measure/wall_forecasts.cpp measures it.
//
// Tests.  tests/solvers/estimate/precision_forecast_test.cpp

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precision/precision.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

#include "solvers/devices.hpp"
#include "solvers/estimate/time_forecast.hpp"
#include "solvers/options.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// The formats of a solve, and the form of its rows.
struct PrecisionPath {
  Precision precision = Precision::double_;  ///< of solution and residual
  std::optional<Precision> inner;            ///< of corrections, if that is another one
  bool plain = false;                        ///< else as suits the grid
};

/// True of a solve whose solution is none: it has diverged, or met a NaN.
inline bool is_lost(Outcome outcome) {
  return outcome == Outcome::diverged || outcome == Outcome::not_finite;
}

/// "double over single", "single, plain form"
std::string to_words(const PrecisionPath& path);

/// The options on this path.
SolverOptions with_path(const SolverOptions& options, const PrecisionPath& path);

/// The paths that are looked at, the cheapest first where double is as fast as half of single.
std::vector<PrecisionPath> precision_paths();

/// Those that solver.precision = "auto" chooses from, the cheapest first: with no format of 16
/// bits, which saves memory, not time.  `double_speed` is that of double arithmetic over single's:
/// where it is small, pairs of singles come before doubles.
std::vector<PrecisionPath> automatic_paths(double double_speed);

/// Below this speed of double arithmetic over single's double-single is faster than double.
inline constexpr double slow_double = 0.2;

/// The speed of double arithmetic over single's on a device of that compute capability, "9.0"; half
/// of it where nothing else is known, on the host too.
double double_speed_of(std::string_view capability);

/// The finest level on which pilots are solved.
inline constexpr int pilot_level = 7;

/// What rounding leaves of a solve with these errors, in l2: at most all that is left, and all
/// where it has kept the iteration from going on; nothing where it is not known.
std::optional<double> left_by_rounding(std::optional<double> rounding, std::optional<double> left,
                                       bool has_stagnated);

/// What rounding leaves on a path, from level to level, in l2.
struct RoundingTrend {
  int level;        ///< of the last pilot
  double rounding;  ///< there
  double growth;    ///< from level to level

  double at(int l) const;
};

/// What rounding in a format leaves, in l2.
struct FormatRounding {
  double unit_roundoff;
  double rounding;  ///< more than zero
};

/// The mantissa, hidden bit included, of a format that is just enough: rounding, and what it keeps
/// the iteration from, which is as much at most, leave no more than this.  Of the measured formats
/// those on both sides of it tell how many roundoffs u a solve leaves, which differs by a factor of
/// ten from format to format: the larger number of the two, beyond all of them that of the nearest.
/// Not more than a measured one that does suffice; nothing if none is measured.
std::optional<double> needed_bits(std::vector<FormatRounding> measured, double most);

/// Of a problem, on the levels of one hierarchy.
class PrecisionForecast {
 public:
  /// Solves the pilots for the discretisation error.  `grids` are the levels 0 to L >= 1, of
  /// `options` all but formats, form and tolerance counts.  Throws as prepare() and solve() do.
  PrecisionForecast(Problem problem, std::vector<TensorGrid> grids, const SolverOptions& options,
                    BackendKind where);

  /// In l2, absolute; 0 where no level has told anything: on level 1, and of solutions that all
  /// levels have.
  double discretisation(int level) const;
  /// True if it rests on an observed order.
  bool is_resolved() const { return is_resolved_; }
  int first_pilot() const;
  int last_pilot() const { return pilot_; }

  /// Solves pilots on a path; nothing where they do not tell.  Throws BadValue if it is refused.
  std::optional<RoundingTrend> trend(const PrecisionPath& path) const;
  /// Solves pilots for the time of a path's iteration to the discretisation error, where memory
  /// moves so many bytes in a second; nothing on level 1.  Throws as trend().
  std::optional<TimeForecast> time(const PrecisionPath& path, double plain_rate) const;

 private:
  /// Takes what the solutions of pilots on this path tell; false if one of them is none.
  bool ask_pilots(const PrecisionPath& path);
  std::vector<TensorGrid> grids_to(int level) const;
  PilotTime time_of_pilot(const PrecisionPath& path, int level) const;

  Problem problem_;
  std::vector<TensorGrid> grids_;
  SolverOptions options_;
  BackendKind where_;
  int pilot_;
  std::vector<double> told_;  ///< of the levels from first_pilot() on
  double order_ = 0;
  bool is_resolved_ = false;
};

}  // namespace ninefold
