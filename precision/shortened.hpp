#pragma once
// What somebody wrote, as messages show it: whole, or enough of it to know it again.
//
// Tests.  tests/precision/shortened_test.cpp

#include <cstddef>
#include <string>
#include <string_view>

namespace ninefold {

/// The text, or its beginning, three dots and how long it is: "aaa... (5000 characters)".  A
/// character of UTF-8 is not cut in two.
std::string shortened(std::string_view text, std::size_t longest = 120);

/// The text, or what is around its character `position` between dots: "...x + z*...".
std::string excerpt_around(std::string_view text, std::size_t position, std::size_t longest = 120);

/// A number by 12 digits, where that is all of it but for rounding: 0.8 for 0.1 + 0.7; else as it
/// is.
std::string shortened(double number);

}  // namespace ninefold
