#include "fem/sparse/row_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

constexpr int most_parts = 1024;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// The row, a multiple of `multiple` or the end, before which about `goal` entries lie.
int nearest_row(const SparsePattern& pattern, std::int64_t goal, std::int64_t multiple) {
  const auto& starts = pattern.row_starts;
  const auto place = std::lower_bound(starts.begin(), starts.end(), goal) - starts.begin();
  const std::int64_t above =
      std::min<std::int64_t>((place + multiple - 1) / multiple * multiple, pattern.n_rows);
  const std::int64_t below = std::max<std::int64_t>(0, (place - 1) / multiple * multiple);
  return static_cast<int>(goal - starts[at(below)] < starts[at(above)] - goal ? below : above);
}

}  // namespace

std::vector<RowPart> row_parts(const SparsePattern& pattern, int P, int multiple) {
  require(P >= 1 && P <= most_parts,
          [&] { return fmt::format("{} parts: they are from 1 to {}", P, most_parts); });
  require(pattern.is_square(), [&] {
    return fmt::format("parts that exchange values need a square matrix, not {} x {}",
                       pattern.n_rows, pattern.n_columns);
  });
  std::vector<RowPart> parts(at(P));
  for (int p = 0; p < P; ++p) {
    RowPart& part = parts[at(p)];
    part.first_row = p == 0 ? 0 : parts[at(p - 1)].last_row;
    // In floating point, since entries times parts may be beyond 64 bits.
    const auto goal =
        static_cast<std::int64_t>(static_cast<double>(pattern.entries()) * (p + 1) / P);
    part.last_row = p + 1 == P ? pattern.n_rows
                               : std::max(part.first_row, nearest_row(pattern, goal, multiple));
    part.entries = pattern.start(part.last_row) - pattern.start(part.first_row);
  }
  std::vector<std::vector<std::int64_t>> from(at(P), std::vector<std::int64_t>(at(P), 0));
  for_pieces(P, [&](int p) {
    RowPart& part = parts[at(p)];
    std::vector<bool> needed(at(pattern.n_columns), false);
    for (int i = part.first_row; i < part.last_row; ++i) {
      for (const std::int32_t j : pattern.row(i)) {
        if ((j >= part.first_row && j < part.last_row) || needed[at(j)]) continue;
        needed[at(j)] = true;
        ++part.received;
        const auto owner = std::upper_bound(
            parts.begin(), parts.end(), j,
            [](std::int32_t column, const RowPart& other) { return column < other.last_row; });
        ++from[at(p)][at(owner - parts.begin())];
      }
    }
  });
  for (int p = 0; p < P; ++p) {
    for (int q = 0; q < P; ++q) parts[at(q)].sent += from[at(p)][at(q)];
  }
  return parts;
}

}  // namespace ninefold
