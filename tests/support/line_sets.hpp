#pragma once
// Sets of lines for tests of line relaxation, and their nodes.

#include <utility>
#include <vector>

#include "grids/field.hpp"

#include "gpu/operations/lines.hpp"

namespace ninefold::testing {

/// The sets of lines that smoothers ask for, and others.
inline std::vector<Lines> sets_of_lines(const Box& unknowns) {
  std::vector<Lines> all;
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    const int lines = Lines{direction}.count(unknowns);
    for (const auto& [first, stride] : {std::pair{0, 1}, {1, 2}, {0, 2}, {0, lines}, {1, 3}}) {
      if (stride != 1 && unknowns.width() * unknowns.height() > 2000 && first == 0)
        continue;  // 50 digits take time
      if (first < lines) all.push_back({direction, first, stride});
    }
  }
  return all;
}

/// The nodes of each line of a set.
struct Node {
  int i, j;
};
inline std::vector<std::vector<Node>> nodes_of(const Lines& lines, const Box& box) {
  std::vector<std::vector<Node>> all;
  const bool along_x = lines.direction == LineDirection::x;
  const int end = along_x ? box.j1 : box.i1;
  for (int across = (along_x ? box.j0 : box.i0) + lines.first; across < end;
       across += lines.stride) {
    std::vector<Node> line;
    if (along_x) {
      for (int i = box.i0; i < box.i1; ++i) line.push_back({i, across});
    } else {
      for (int j = box.j0; j < box.j1; ++j) line.push_back({across, j});
    }
    all.push_back(line);
  }
  return all;
}

}  // namespace ninefold::testing
