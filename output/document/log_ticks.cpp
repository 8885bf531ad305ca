#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>

#include "output/document/figure.hpp"

namespace ninefold {
namespace {

constexpr std::size_t least_ticks = 3;

/// All that begin with one of these digits.
std::vector<double> ticks_of(double least, double largest, std::initializer_list<double> digits) {
  std::vector<double> values;
  const int last = static_cast<int>(std::floor(std::log10(largest)));
  for (int power = static_cast<int>(std::floor(std::log10(least))); power <= last; ++power) {
    for (const double digit : digits) {
      const double value = digit * std::pow(10.0, power);
      if (value >= least && value <= largest) values.push_back(value);
    }
  }
  return values;
}

}  // namespace

LogTicks log_ticks(double least, double largest) {
  constexpr double narrow = 1.1;
  // Beside the range of normal numbers powers of ten are 0 and infinite.
  least = std::clamp(least, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
  largest = std::clamp(largest, least, std::numeric_limits<double>::max());
  if (largest < narrow * least) return log_ticks(least / narrow, largest * narrow);
  constexpr double most_decades = 10;
  const double first = std::ceil(std::log10(least)),
               decades = std::log10(largest) - std::log10(least);
  const double step = std::max(1.0, std::ceil(decades / most_decades));
  LogTicks ticks;
  for (double power = std::ceil(first / step) * step; power <= std::log10(largest); power += step) {
    ticks.values.push_back(std::pow(10.0, power));
  }
  if (ticks.values.size() >= least_ticks) return ticks;
  ticks.are_powers = false;
  for (const auto& digits : {std::initializer_list<double>{1, 2, 5},
                             std::initializer_list<double>{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}}) {
    ticks.values = ticks_of(least, largest, digits);
    if (ticks.values.size() >= least_ticks) return ticks;
  }
  // Less than a factor of two: even steps.
  const double wanted = (largest - least) / (least_ticks + 1);
  double even = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * even <= wanted) {
      even *= factor;
      break;
    }
  }
  ticks.values.clear();
  for (double k = std::ceil(least / even); k * even <= largest; ++k) {
    ticks.values.push_back(k * even);
  }
  return ticks;
}

}  // namespace ninefold
