#pragma once
// Values of solutions at places and along lines, as CSV files that grow from level to level.
//
// Shape.  One row for each place on each level, levels after each other.  What is not known is
// empty.
//
// Rounding.  Every double is given back exactly.
//
// Tests.  tests/output/tables/sample_files_test.cpp

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "fem/discrete/point_values.hpp"

namespace ninefold {

/// A file to which whole pieces are added: a reader sees it with a piece or without it.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path file) : file_(std::move(file)) {}

  /// Adds to the file; the first piece replaces what an earlier program has left there.  Throws
  /// std::runtime_error, with the file as it was, if that fails.
  void add(std::string_view piece);

  bool is_empty() const { return is_empty_; }

 private:
  std::filesystem::path file_;
  bool is_empty_ = true;
};

inline constexpr std::string_view point_heading = "level,point,x,y,u,exact,error,change\n";
inline constexpr std::string_view line_heading =
    "level,line,sample,distance,x,y,u,exact,error,change\n";

/// The rows of a level, points counted from 1; requires as many values as places.
std::string point_rows(int level, std::span<const Position> places,
                       std::span<const PointValue> values);

/// Those of a line of this number, samples counted from 0; requires a value for each of its
/// samples.
std::string line_rows(int level, std::size_t number, const SampledLine& line,
                      std::span<const PointValue> values);

}  // namespace ninefold
