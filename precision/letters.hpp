#pragma once
// Characters of UTF-8, and letters without their case.
//
// Tests.  tests/precision/letters_test.cpp

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace ninefold {

/// True of a byte that goes on with a character instead of beginning one.
constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

inline std::size_t count_characters(std::string_view text) {
  return text.size()
         - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

/// With the letters of ASCII in lower case.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace ninefold
