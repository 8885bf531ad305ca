#pragma once
// What the user is told about a setting that cannot be used.
//
// Shape.  A message has up to four parts: the place and what is wrong, the line as written, what is
// allowed, and advice:
//
//     first.toml, line 14: solver.tolerance = 2.0 is out of range
//        14 | tolerance = 2.0
//       allowed: number, greater than 0, less than 1 (default: 1e-10)
//
// Tests.  tests/experiments/config/bad_input_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/settings.hpp"

namespace ninefold {

/// Edits (insert, delete, replace, exchange neighbours) that turn one word into the other.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance, if that is at most a third of the word's length.
/// A candidate that begins with the word, or ends with it after an underscore, counts as one edit
/// away.
std::optional<std::string> near_name(std::string_view word,
                                     const std::vector<std::string>& candidates);

/// `did you mean "candidate"?` for that one, or an empty text.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// The allowed key, or table of keys, nearest to a misspelt or misplaced one, or to another word
/// for it, such as a letter of the equation.
std::string nearest_key(std::string_view key);

/// The nearest ones, the nearest first, that are hardly farther away than it.
std::vector<std::string> nearest_keys(std::string_view key, std::size_t most);

/// The same of those alone whose own name, or another word for them, is near.
std::vector<std::string> near_keys(std::string_view key, std::size_t most);

/// Throws ConfigurationError: the place, the setting, what is wrong with it, and what is allowed.
[[noreturn]] void refuse(const Setting& setting, const std::string& what,
                         const std::string& advice = "");

/// Throws ConfigurationError for a setting whose key does not exist.
[[noreturn]] void refuse_unknown(const Setting& setting);

/// Throws ConfigurationError: the place, what is wrong there, the line, and the lines of advice
/// that are not empty.
[[noreturn]] void refuse_at(const Origin& origin, const std::string& what,
                            const std::vector<std::string>& advice = {});

}  // namespace ninefold
