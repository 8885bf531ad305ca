#include "solvers/estimate/time_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "precision/require.hpp"

namespace ninefold {

TimeForecast::TimeForecast(const PilotTime& first, const PilotTime& last) : level_(last.level) {
  require(first.level < last.level, "the first pilot's level must be the coarser one");
  // Two equations for a and c, neither of them negative.
  const double levels = static_cast<double>(last.level) / first.level;
  const double unknowns = std::exp2(2.0 * (last.level - first.level));
  const double grown = (last.seconds - levels * first.seconds) / (1 - levels / unknowns);
  for_unknowns_ = std::clamp(grown, 0.0, last.seconds);
  for_each_level_ = (last.seconds - for_unknowns_) / last.level;
}

TimeForecast::TimeForecast(const PilotTime& pilot, double plain_rate)
    : for_unknowns_(pilot.bytes / (share_of_plain_rate * plain_rate)), level_(pilot.level) {
  for_each_level_ = std::max(0.0, pilot.seconds - for_unknowns_) / pilot.level;
}

double TimeForecast::at(int level) const {
  return for_each_level_ * level + for_unknowns_ * std::exp2(2.0 * (level - level_));
}

}  // namespace ninefold
