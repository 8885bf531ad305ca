#pragma once
// What a text that is no formula should have been: people write mathematics and other languages.
//
// Tests.  tests/fem/problem/expression_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ninefold {

/// The first comma up to this position that may be a decimal one, "0,5", inside the parentheses
/// that are open there; nothing if there is none.
std::optional<std::size_t> find_decimal_comma(std::string_view text, std::size_t position);

/// "write 0.5 for 0,5" of the comma at this position, with an if inside the parentheses of a
/// function, whose arguments it may part; nothing if it is not a decimal one.
std::string advice_on_comma(std::string_view text, std::size_t comma);

/// The parenthesis that has no other one: the last open one that is not closed, else the first that
/// closes none.
std::optional<std::size_t> find_unmatched(std::string_view text);

/// The first byte that is not ASCII, of which formulas are; nothing if there is none.
std::optional<std::size_t> find_foreign(std::string_view text);

/// The character of UTF-8 that begins at this position.
std::string_view character_at(std::string_view text, std::size_t position);

/// "write ^2 for ²" of such a character.
std::string advice_on_foreign(std::string_view character);

/// "write 2*y" where a factor begins at this position behind another one, "2y", and "write ^" for
/// the second asterisk of "**"; else nothing.
std::string advice_on_operator(std::string_view text, std::size_t position);

/// How to write what begins with a name that is not known: "xy", "2exp(x)", "sin x", "e^x", "|x|",
/// "PI", "pow(x, 2)"; nothing if that is not known either.  `is_function` tells of a name.
std::string advice_on_name(std::string_view text, std::size_t position,
                           bool (*is_function)(const std::string&));

}  // namespace ninefold
