#pragma once
// The picture of the accuracy wall; part of accuracy_wall.

#include <filesystem>

#include "output/plots/gnuplot.hpp"
#include "output/tables/results.hpp"

namespace ninefold {

/// Error against level: formats that work alone as lines, plain form dashed; mixed paths, which lie
/// on each other as long as they follow the exact errors, as symbols that take turns.
Picture draw_walls(const Results& results, const std::filesystem::path& directory);

}  // namespace ninefold
