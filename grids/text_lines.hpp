#pragma once
// A text by lines and words, whatever its bytes, and words as messages show them.
//
// Tests.  tests/fem/sparse/matrix_market_test.cpp, tests/grids/mesh/mesh_file_test.cpp

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "precision/shortened.hpp"

namespace ninefold {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// The lines of a text, without what ends them.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}

  /// False at the end of the text.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }

  std::size_t number() const { return number_; }  ///< of the last one, from 1 on
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Takes the first word off a line; empty at its end.
inline std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// In quotation marks; bytes that a terminal may not show, as their numbers.
inline std::string shown(std::string_view word) {
  std::string text;
  for (const char c : word.substr(0, 100)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte >= 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  if (word.size() > 100) text += "...";
  return '"' + shortened(text, 60) + '"';
}

}  // namespace ninefold
