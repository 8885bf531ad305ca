#include "experiments/support/rounded_load.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ninefold {

RoundedLoad round_load(const std::vector<double>& load, Precision precision, int exponent) {
  RoundedLoad rounded{std::vector<double>(load.size())};
  const double smallest = std::ldexp(1.0, facts(precision).min_exponent - exponent);
  std::size_t entries = 0, denormal = 0, lost = 0;
  with_format(precision, [&]<class T>() {
    for (std::size_t k = 0; k < load.size(); ++k) {
      const T value = static_cast<T>(std::ldexp(load[k], exponent));
      rounded.values[k] = std::ldexp(static_cast<double>(value), -exponent);
      if (load[k] == 0) continue;
      ++entries;
      if (std::abs(load[k]) < smallest) ++denormal;
      if (rounded.values[k] == 0) ++lost;
    }
  });
  const double all = static_cast<double>(std::max<std::size_t>(entries, 1));
  rounded.denormal = static_cast<double>(denormal) / all;
  rounded.lost = static_cast<double>(lost) / all;
  return rounded;
}

}  // namespace ninefold
