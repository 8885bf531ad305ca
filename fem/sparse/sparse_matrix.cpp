#include "fem/sparse/sparse_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// f(row, column, value) for each entry in its order, mirrored ones behind their originals.
template <class F>
void for_entries(std::span<const std::vector<SparseEntry>> pieces, bool mirrored, const F& f) {
  for (const std::vector<SparseEntry>& piece : pieces) {
    for (const SparseEntry& entry : piece) {
      f(entry.row, entry.column, entry.value);
      if (mirrored && entry.row != entry.column) f(entry.column, entry.row, entry.value);
    }
  }
}

/// Lengths, of which [k + 1] holds the k-th, become starts.
void accumulate(std::vector<std::int64_t>& starts) {
  for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
}

/// Rows [first, last) for each of `parts`, with about the same number of entries.
std::vector<int> row_ranges(const std::vector<std::int64_t>& starts, int parts) {
  std::vector<int> ends{0};
  for (int p = 1; p < parts; ++p) {
    const std::int64_t goal = starts.back() / parts * p;
    const auto place = std::lower_bound(starts.begin(), starts.end() - 1, goal);
    ends.push_back(std::max(ends.back(), static_cast<int>(place - starts.begin())));
  }
  ends.push_back(static_cast<int>(starts.size()) - 1);
  return ends;
}

/// One row by ascending columns, entries of one column in the order in which they are.
void sort_row(std::int32_t* columns, double* values, std::size_t n) {
  if (std::is_sorted(columns, columns + n)) return;
  std::vector<std::pair<std::int32_t, double>> row(n);
  for (std::size_t k = 0; k < n; ++k) row[k] = {columns[k], values[k]};
  std::stable_sort(row.begin(), row.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < n; ++k) std::tie(columns[k], values[k]) = row[k];
}

/// Entries of sorted rows that share a place become their sum.
void add_repeated(SparseMatrix& A, SummedEntries& summed) {
  std::vector<std::int64_t>& starts = A.pattern.row_starts;
  std::int64_t write = 0, begin = 0;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const std::int64_t end = starts[at(i + 1)], first = write;
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int32_t column = A.pattern.columns[at(k)];
      if (write > first && A.pattern.columns[at(write - 1)] == column) {
        A.values[at(write - 1)] += A.values[at(k)];
        if (summed.repeated++ == 0) summed.row = i, summed.column = column;
        continue;
      }
      A.pattern.columns[at(write)] = column;
      A.values[at(write++)] = A.values[at(k)];
    }
    begin = end;
    starts[at(i + 1)] = write;
  }
  A.pattern.columns.resize(at(write));
  A.values.resize(at(write));
}

}  // namespace

std::int64_t SparseMatrix::find(int row, int column) const {
  const auto columns = pattern.row(row);
  const auto place = std::lower_bound(columns.begin(), columns.end(), column);
  if (place == columns.end() || *place != column) return -1;
  return pattern.start(row) + (place - columns.begin());
}

double SparseMatrix::operator()(int row, int column) const {
  const std::int64_t k = find(row, column);
  return k < 0 ? 0.0 : values[at(k)];
}

SparseMatrix assemble_sparse(int n_rows, int n_columns,
                             std::span<const std::vector<SparseEntry>> pieces, bool mirrored,
                             SummedEntries* summed) {
  if (n_rows < 0 || n_columns < 0) {
    throw std::invalid_argument(fmt::format("a matrix of {} x {}", n_rows, n_columns));
  }
  SparseMatrix A;
  SparsePattern& pattern = A.pattern;
  pattern.n_rows = n_rows;
  pattern.n_columns = n_columns;
  pattern.row_starts.assign(at(n_rows) + 1, 0);
  for_entries(pieces, mirrored, [&](int i, int, double) { ++pattern.row_starts[at(i) + 1]; });
  accumulate(pattern.row_starts);
  pattern.columns.resize(at(pattern.entries()));
  A.values.resize(at(pattern.entries()));

  // Each thread looks at all entries and keeps those of its rows: their order needs no other care.
  std::vector<std::int64_t> next(pattern.row_starts.begin(), pattern.row_starts.end() - 1);
  const int parts = pattern.entries() < 100'000 ? 1 : omp_get_max_threads();
  const std::vector<int> ends = row_ranges(pattern.row_starts, parts);
  std::atomic<std::int64_t> repeated = 0;
  for_pieces(parts, [&](int p) {
    const int first = ends[at(p)], last = ends[at(p + 1)];
    for_entries(pieces, mirrored, [&](int i, int j, double value) {
      if (i < first || i >= last) return;
      const std::int64_t k = next[at(i)]++;
      pattern.columns[at(k)] = j;
      A.values[at(k)] = value;
    });
    for (int i = first; i < last; ++i) {
      // Before repeated entries are added a row may hold more of them than an int counts.
      const std::int64_t start = pattern.start(i), n = pattern.start(i + 1) - start;
      std::int32_t* const columns = pattern.columns.data() + start;
      sort_row(columns, A.values.data() + start, at(n));
      for (std::int64_t k = 1; k < n; ++k) {
        if (columns[k] == columns[k - 1]) repeated.fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
  SummedEntries found;
  if (repeated > 0) add_repeated(A, found);
  if (summed) *summed = found;
  return A;
}

SparseMatrix assemble_sparse(int n_rows, int n_columns, const std::vector<SparseEntry>& entries,
                             bool mirrored, SummedEntries* summed) {
  return assemble_sparse(n_rows, n_columns, std::span(&entries, 1), mirrored, summed);
}

SparsePattern transposed(const SparsePattern& pattern) {
  SparsePattern result;
  result.n_rows = pattern.n_columns;
  result.n_columns = pattern.n_rows;
  result.row_starts.assign(at(result.n_rows) + 1, 0);
  for (const std::int32_t j : pattern.columns) ++result.row_starts[at(j) + 1];
  accumulate(result.row_starts);
  result.columns.resize(pattern.columns.size());
  std::vector<std::int64_t> next(result.row_starts.begin(), result.row_starts.end() - 1);
  for (int i = 0; i < pattern.n_rows; ++i) {
    for (const std::int32_t j : pattern.row(i)) result.columns[at(next[at(j)]++)] = i;
  }
  return result;
}

}  // namespace ninefold
