#pragma once
// Which number formats hold all values of a matrix exactly.
//
// Mathematics.  A double other than 0 is m 2^e with an odd m.  A format of p bits holds values
// after they were all multiplied by one power of two, if no m has more than p bits and the
// exponents, from that of the lowest bit of any to that of the highest bit of any, span no more
// than its own from the smallest subnormal number to the largest.
//
// Tests.  tests/fem/sparse/analysis_test.cpp

#include <cstdint>
#include <span>

#include "precision/precision.hpp"

namespace ninefold {

struct ValueRange {
  std::int64_t zeros = 0, others = 0;
  double smallest = 0, largest = 0;  ///< of |a|, zeros left out
  int bits = 0;                      ///< of the longest m
  int lowest_bit = 0, highest_bit = 0;

  /// Whether the format holds all of them, as they are or after a multiplication by a power of two.
  bool fits(Precision format, bool scaled) const;
};

ValueRange value_range(std::span<const double> values);

/// The narrowest of half, bfloat16, single and double that holds them after such a multiplication.
Precision narrowest_format(const ValueRange& range);

}  // namespace ninefold
