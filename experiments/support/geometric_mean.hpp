#pragma once

#include <cmath>
#include <cstdint>

namespace ninefold {

/// Of ratios; there must be one before it is asked for.
class GeometricMean {
 public:
  void take(double ratio) {
    logarithm_ += std::log(ratio);
    ++count_;
  }
  std::int64_t count() const { return count_; }
  double value() const { return std::exp(logarithm_ / static_cast<double>(count_)); }

 private:
  double logarithm_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace ninefold
