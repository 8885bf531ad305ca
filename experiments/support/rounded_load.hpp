#pragma once
// A right-hand side rounded to a number format, as data of lower precision are.
//
// Rounding.  Each value times 2^exponent, once to the nearest number of the format; the result
// times 2^-exponent is a double again, exactly unless that is below double's own numbers.
//
// Tests.  tests/experiments/support/rounded_load_test.cpp

#include <vector>

#include "precision/precision.hpp"

namespace ninefold {

struct RoundedLoad {
  std::vector<double> values;
  double denormal = 0;  ///< part of the values other than 0 that lie below the normal numbers
  double lost = 0;      ///< part of the values other than 0 that became 0
};

RoundedLoad round_load(const std::vector<double>& load, Precision precision, int exponent);

}  // namespace ninefold
