#include "fem/sparse/row_lengths.hpp"

#include <algorithm>
#include <map>

namespace ninefold {
namespace {

constexpr std::size_t few = 8;

/// The range of lengths that ends at the power of two from `length` on.
std::int64_t range_end(std::int64_t length) {
  if (length <= 2) return length;
  std::int64_t end = 4;
  while (end < length) end *= 2;
  return end;
}

}  // namespace

RowLengths row_lengths(const SparsePattern& pattern) {
  std::map<std::int64_t, std::int64_t> counts;
  for (int i = 0; i < pattern.n_rows; ++i) ++counts[pattern.length(i)];
  RowLengths result;
  if (counts.empty()) return result;
  result.least = counts.begin()->first;
  result.most = counts.rbegin()->first;
  result.mean = static_cast<double>(pattern.entries()) / pattern.n_rows;
  const bool each = counts.size() <= few;
  for (const auto& [length, rows] : counts) {
    const std::int64_t end = each ? length : range_end(length);
    if (!result.histogram.empty() && result.histogram.back().last == end) {
      result.histogram.back().rows += rows;
    } else {
      const std::int64_t first = each || length <= 2 ? length : end / 2 + 1;
      result.histogram.push_back({first, end, rows});
    }
  }
  return result;
}

}  // namespace ninefold
