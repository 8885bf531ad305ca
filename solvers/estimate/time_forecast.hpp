#pragma once
// How long full multigrid will take on a fine level?  What coarse ones tell.
//
// Mathematics.  The iteration of level l takes
//
//     a l + c n(l),       n the unknowns, which grow by 4:
//
// a is what each level costs in launches and waiting, c what an unknown costs.  Two pilots tell
// both on a host.  On a device pilots are all launches, and c is the memory that the iteration
// declares to move, at this part of the rate of plain movement.
//
// Effectivity.  docs/which-precision.md.
//
// Tests.  tests/solvers/estimate/time_forecast_test.cpp

#include <optional>

namespace ninefold {

/// The iteration of a solve.
struct PilotTime {
  int level;
  double seconds;
  double bytes;  ///< that it declares to move
};

class TimeForecast {
 public:
  /// The part of the rate of plain movement that passes of full multigrid reach where memory
  /// decides.
  static constexpr double share_of_plain_rate = 0.5;

  /// Of two pilots on a host; requires first.level < last.level.
  TimeForecast(const PilotTime& first, const PilotTime& last);
  /// Of a device that moves this many bytes in a second.
  TimeForecast(const PilotTime& pilot, double plain_rate);

  /// Seconds.
  double at(int level) const;

 private:
  double for_each_level_;
  double for_unknowns_;  ///< of the pilot's level
  int level_;
};

}  // namespace ninefold
