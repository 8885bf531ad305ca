#pragma once
// Numbers as decimal text that reads back as the same number.
//
// Shape.  123.5, -0.00125, 1e-12, 1.0000000000000002e+22, inf, -inf, nan: what std::to_chars writes
// and most programs read, with as many digits as a pair needs.  Independent of the locale.
//
// Rounding.  from_text returns the nearest number; for a pair, the nearest word to the text and
// the nearest word to what the first leaves of it, normalised: within u^2 / 2.  Both are decided
// exactly, however many digits the text has.  Text too small for the format reads as zero.
//
// Cost.  Microseconds; hundreds of them for a pair whose words are hundreds of digits apart.
//
// Tests.  tests/support/text_test.cpp

#include <string>
#include <string_view>

#include "precision/double_word.hpp"

namespace ninefold::testing {

/// The shortest text that reads back as x.
std::string to_text(float x);
std::string to_text(double x);

/// Text that reads back as x, without a digit that could be left off; requires a normalised pair,
/// which is not checked.  The sign of a zero low word and the low word beside infinity and NaN are
/// not kept.
std::string to_text(DoubleSingle x);
std::string to_text(DoubleDouble x);

/// The number nearest to the text, for T = float, double, DoubleSingle, DoubleDouble.  Throws
/// std::invalid_argument for what is not one decimal number (spaces around it included), and
/// std::out_of_range for a number that is too large for T.
template <class T>
T from_text(std::string_view text);

}  // namespace ninefold::testing
