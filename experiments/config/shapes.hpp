#pragma once
// What values a key takes, as data: for the schema of config files, completion and help.
//
// The readers of keys decide what is accepted and say what is wrong; a shape says the same to those
// who only look: editors and shells.  What depends on other keys is known to the readers alone.
//
// Tests.  tests/experiments/config/shapes_test.cpp: readers and shapes accept the same values.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace ninefold {

/// Finite numbers between two ends, each of which belongs to them or not.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_least = false, has_most = false;

  constexpr Range below(double end) const { return {least, end, has_least, false}; }
  constexpr Range at_most(double end) const { return {least, end, has_least, true}; }

  bool contains(double value) const {
    return std::isfinite(value) && (has_least ? value >= least : value > least)
           && (has_most ? value <= most : value < most);
  }

  /// "greater than 0, less than 1"
  std::string words() const {
    std::string text = fmt::format("{} {}", has_least ? "at least" : "greater than", least);
    if (std::isfinite(most))
      text += fmt::format(", {} {}", has_most ? "at most" : "less than", most);
    return text;
  }
};

constexpr Range above(double end) {
  return Range{.least = end};
}

constexpr Range at_least(double end) {
  return Range{.least = end, .has_least = true};
}

struct Shape;
using Shapes = std::vector<Shape>;  ///< a value has one of them

struct NumberShape {
  Range range;
};

struct IntegerShape {
  std::int64_t least, most;
};

struct FlagShape {};

/// One of these words.
struct WordShape {
  std::vector<std::string> words;
};

/// Any text that the regular expression matches as a whole, or any at all if there is none.
struct TextShape {
  std::string pattern{};
};

struct ListShape {
  Shapes element;
  std::size_t fewest = 0, most = std::numeric_limits<std::size_t>::max();
  bool distinct = false;
};

/// A list of so many elements, each with shapes of its own.
struct TupleShape {
  std::vector<Shapes> elements;
};

struct Shape {
  std::variant<NumberShape, IntegerShape, FlagShape, WordShape, TextShape, ListShape, TupleShape>
      content;
};

}  // namespace ninefold
