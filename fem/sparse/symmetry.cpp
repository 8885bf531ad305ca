#include "fem/sparse/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

constexpr int rows_at_once = 1024;

void look_at_row(const SparseMatrix& A, int i, SymmetryFacts& facts) {
  const auto columns = A.pattern.row(i);
  const auto values = A.row_values(i);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int j = columns[k];
    facts.largest_entry = std::max(facts.largest_entry, std::abs(values[k]));
    if (i == j) continue;
    ++(i > j ? facts.below : facts.above);
    const std::int64_t other = A.find(j, i);
    if (other < 0) ++facts.unmatched;
    const double mirrored = other < 0 ? 0.0 : A.values[static_cast<std::size_t>(other)];
    if (values[k] == mirrored) continue;
    ++facts.unequal;
    const double difference = std::abs(values[k] - mirrored);
    if (difference > facts.largest_difference) {
      facts.largest_difference = difference;
      facts.row = i;
      facts.column = j;
    }
  }
}

}  // namespace

SymmetryFacts symmetry_facts(const SparseMatrix& A) {
  std::vector<SymmetryFacts> parts(
      static_cast<std::size_t>((A.pattern.n_rows + std::int64_t{rows_at_once} - 1) / rows_at_once));
  for_pieces(static_cast<int>(parts.size()), [&](int p) {
    const std::int64_t first = std::int64_t{p} * rows_at_once;
    const std::int64_t last = std::min<std::int64_t>(first + rows_at_once, A.pattern.n_rows);
    for (std::int64_t i = first; i < last; ++i) {
      look_at_row(A, static_cast<int>(i), parts[static_cast<std::size_t>(p)]);
    }
  });
  SymmetryFacts all;
  for (const SymmetryFacts& part : parts) {
    all.unmatched += part.unmatched;
    all.unequal += part.unequal;
    all.below += part.below;
    all.above += part.above;
    all.largest_entry = std::max(all.largest_entry, part.largest_entry);
    if (part.largest_difference > all.largest_difference) {
      all.largest_difference = part.largest_difference;
      all.row = part.row;
      all.column = part.column;
    }
  }
  return all;
}

}  // namespace ninefold
