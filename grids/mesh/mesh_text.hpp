#pragma once
// What the readers of all formats share: refusals by place, numbers, polygons.
//
// Tests.  tests/grids/mesh/mesh_file_test.cpp

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "precision/shortened.hpp"

#include "grids/mesh/triangle_mesh.hpp"
#include "grids/text_lines.hpp"

namespace ninefold {

[[noreturn]] inline void refuse_in_mesh(const std::string& name, const std::string& place,
                                        const std::string& what) {
  throw std::invalid_argument(
      fmt::format("{}{}{}: {}", shortened(name, 300), place.empty() ? "" : ", ", place, what));
}

/// "1 face", "2 faces"
inline std::string counted(std::uint64_t n, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", n, n == 1 ? one : more);
}

inline std::string few_corners(std::int64_t n) {
  return fmt::format("a face of {} corner{}: it has three or more", n, n == 1 ? "" : "s");
}

/// The lines of a file that hold something, without what '#' begins.
class MeshLines {
 public:
  MeshLines(std::string_view text, std::string name) : lines_(text), name_(std::move(name)) {}

  /// False at the end of the text.
  bool next(std::string_view& line) {
    while (lines_.next(line)) {
      line = line.substr(0, line.find('#'));
      std::string_view rest = line;
      if (!take_word(rest).empty()) return true;
    }
    return false;
  }

  /// The next one; refused if there is none.  What is then missing a function says, which is not
  /// called in vain.
  template <std::invocable What>
  std::string_view need(const What& what) {
    std::string_view line;
    if (!next(line)) refuse(fmt::format("the file ends where {} is expected", what()));
    return line;
  }
  std::string_view need(std::string_view what) {
    return need([&] { return what; });
  }

  [[noreturn]] void refuse(const std::string& what) const {
    refuse_in_mesh(name_, fmt::format("line {}", lines_.number()), what);
  }

  double coordinate(std::string_view word) const {
    if (word.starts_with('+')) word.remove_prefix(1);  // from_chars takes none
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range && stop == word.data() + word.size()) {
      refuse(fmt::format("{} is out of range for double", shown(word)));
    }
    if (error != std::errc() || stop != word.data() + word.size() || word.empty()) {
      refuse(word.empty() ? "three coordinates are expected: one is missing"
                          : fmt::format("{} is no number", shown(word)));
    }
    if (!std::isfinite(value)) refuse(fmt::format("{}: coordinates are finite", shown(word)));
    return value;
  }

  std::int64_t integer(std::string_view word, std::string_view what) const {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || stop != word.data() + word.size()) {
      refuse(word.empty() ? fmt::format("{} is missing", what)
                          : fmt::format("{} is not {}, a whole number", shown(word), what));
    }
    return value;
  }

  std::string_view rest() const { return lines_.rest(); }
  std::size_t number() const { return lines_.number(); }

 private:
  TextLines lines_;
  std::string name_;
};

/// Adds the fan of a polygon.
class PolygonFans {
 public:
  explicit PolygonFans(TriangleMesh& mesh) : mesh_(&mesh) {}

  /// Requires three corners or more, which is not checked.
  void add(const std::vector<std::int32_t>& corners) {
    for (std::size_t k = 2; k < corners.size(); ++k) {
      mesh_->triangles.push_back({corners[0], corners[k - 1], corners[k]});
    }
    if (corners.size() > 3) ++cut_;
  }

  std::vector<std::string> remarks() const {
    if (cut_ == 0) return {};
    return {fmt::format("{} of more than three corners {} cut into triangles from the first corner",
                        cut_ == 1 ? "1 polygon" : fmt::format("{} polygons", cut_),
                        cut_ == 1 ? "was" : "were")};
  }

 private:
  TriangleMesh* mesh_;
  std::int64_t cut_ = 0;
};

}  // namespace ninefold
