#include "fem/sparse/diagonal_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

constexpr int blocks_at_once = 256;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

int count_blocks(int rows, int size) {
  return (rows + size - 1) / size;
}

/// Replaces the `rows` x `rows` block by its inverse; false if it is not positive definite.
bool invert(DoubleDouble* block, int rows, int stride) {
  const auto entry = [=](int i, int j) -> DoubleDouble& { return block[i * stride + j]; };
  for (int k = 0; k < rows; ++k) {
    const DoubleDouble pivot = entry(k, k);
    if (!(pivot > DoubleDouble(0.0))) return false;
    entry(k, k) = DoubleDouble(1.0);
    for (int j = 0; j < rows; ++j) entry(k, j) = entry(k, j) / pivot;
    for (int i = 0; i < rows; ++i) {
      if (i == k) continue;
      const DoubleDouble factor = entry(i, k);
      entry(i, k) = DoubleDouble(0.0);
      for (int j = 0; j < rows; ++j) entry(i, j) = entry(i, j) - factor * entry(k, j);
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < i; ++j) entry(j, i) = entry(i, j);
  }
  return true;
}

/// Each becomes its inverse; the first one that is not positive definite, or nothing.
std::optional<int> invert_all(std::vector<DoubleDouble>& all, int size) {
  const int n = static_cast<int>(all.size() / at(size)), blocks = count_blocks(n, size);
  const int pieces = (blocks + blocks_at_once - 1) / blocks_at_once;
  std::vector<int> first_bad(at(pieces), blocks);
  for_pieces(pieces, [&](int piece) {
    const int end = std::min((piece + 1) * blocks_at_once, blocks);
    for (int block = piece * blocks_at_once; block < end; ++block) {
      const int first = block * size;
      DoubleDouble* const values = all.data() + std::int64_t{first} * size;
      if (invert(values, std::min(size, n - first), size)) continue;
      first_bad[at(piece)] = block;
      break;
    }
  });
  const auto bad = std::min_element(first_bad.begin(), first_bad.end());
  if (bad == first_bad.end() || *bad == blocks) return {};
  return *bad;
}

}  // namespace

std::vector<DoubleDouble> block_inverses(const SparseMatrix& A, int size) {
  const SparsePattern& pattern = A.pattern;
  const int n = pattern.n_rows;
  std::vector<DoubleDouble> blocks(at(std::int64_t{n} * size), DoubleDouble(0.0));
  const int rows_at_once = blocks_at_once * size;  // no block is in two pieces
  for_pieces((n + rows_at_once - 1) / rows_at_once, [&](int piece) {
    for (int i = piece * rows_at_once; i < std::min((piece + 1) * rows_at_once, n); ++i) {
      const int first = i / size * size;
      for (std::int64_t k = pattern.start(i); k < pattern.start(i + 1); ++k) {
        const int j = pattern.columns[at(k)] - first;
        if (j < 0 || j > i - first) continue;
        const DoubleDouble value(A.values[at(k)]);
        blocks[at(std::int64_t{i} * size + j)] = value;
        blocks[at(std::int64_t{first + j} * size + (i - first))] = value;
      }
    }
  });
  const std::optional<int> bad = invert_all(blocks, size);
  require(!bad, [&] {
    return fmt::format("the block of rows {} to {} of the matrix is not positive definite",
                       *bad * size + 1, std::min((*bad + 1) * size, n));
  });
  return blocks;
}

std::optional<int> first_not_definite(std::vector<DoubleDouble> blocks, int size) {
  return invert_all(blocks, size);
}

double block_square(const std::vector<DoubleDouble>& inverses, int size, const WideVector& v,
                    int exponent) {
  const int n = static_cast<int>(v.high.size()), blocks = count_blocks(n, size);
  const int pieces = (blocks + blocks_at_once - 1) / blocks_at_once;
  std::vector<double> sums(at(pieces), 0.0);
  for_pieces(pieces, [&](int piece) {
    const int end = std::min((piece + 1) * blocks_at_once * size, n);
    for (int i = piece * blocks_at_once * size; i < end; ++i) {
      const int first = i / size * size;
      double row = 0;
      for (int j = first; j < std::min(first + size, n); ++j) {
        const auto entry = static_cast<double>(inverses[at(std::int64_t{i} * size + j - first)]);
        row += entry * std::ldexp(static_cast<double>(v[at(j)]), exponent);
      }
      sums[at(piece)] += std::ldexp(static_cast<double>(v[at(i)]), exponent) * row;
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace ninefold
