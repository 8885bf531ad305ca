#pragma once
// Random bits that are a function of a seed and a counter: the same on every machine, in any order.
//
// Reference.  Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014: the mixing
// function of SplitMix64.
//
// Tests.  tests/fem/sparse/generators_test.cpp

#include <cstdint>

namespace ninefold {

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed) : state_(mixed(seed + step)) {}

  /// 64 random bits of this counter.
  std::uint64_t bits(std::uint64_t counter) const { return mixed(state_ + (counter + 1) * step); }
  /// 0 <= n < size, for a size of far less than 2^64.
  std::uint64_t below(std::uint64_t size, std::uint64_t counter) const {
    return bits(counter) % size;
  }
  /// 0 <= x < 1, a multiple of 2^-53.
  double unit(std::uint64_t counter) const {
    return static_cast<double>(bits(counter) >> 11) * 0x1p-53;
  }

 private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15;

  static constexpr std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace ninefold
