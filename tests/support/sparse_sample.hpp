#pragma once
// Random sparse matrices with rows of every class, and a matrix stored on a backend.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fem/sparse/row_layouts.hpp"
#include "fem/sparse/sparse_matrix.hpp"

#include "solvers/sparse/matrix_on_backend.hpp"

#include "tests/support/exact.hpp"

namespace ninefold::testing {

inline constexpr SparseStorage sparse_storages[] = {
    SparseStorage::compressed, SparseStorage::sliced,   SparseStorage::jagged,
    SparseStorage::blocks_2,   SparseStorage::blocks_3, SparseStorage::blocks_4};
inline constexpr OperatorForm operator_forms[] = {OperatorForm::plain, OperatorForm::difference};

/// n x n with random entries: rows of 0 to 12, every 37th of 90 to 128 and, as far as n allows,
/// some of each longer class.  Entries lie around the diagonal where n is beyond 70000, so that
/// slices have columns of 16 bits, too.
inline SparseMatrix random_sparse(int n, std::uint64_t seed, Range range) {
  std::mt19937_64 bits(seed);
  const auto below = [&](int limit) { return static_cast<int>(bits() % std::uint64_t(limit)); };
  SparsePattern pattern{.n_rows = n, .n_columns = n};
  for (int i = 0; i < n; ++i) {
    int length = below(13);
    if (i % 37 == 5) length = 90 + below(39);
    if (i % 101 == 7) length = 129 + below(900);
    if (i == n / 2) length = 2049 + below(3000);
    if (i == n / 3) length = 1024 * 4 + 17;
    const int reach = n < 70000 || i % 64 == 0 ? n : 20000;
    const int left = std::clamp(i - reach / 2, 0, n - reach);
    std::vector<std::int32_t> columns;
    for (int k = 0; k < std::min(length, reach); ++k) columns.push_back(left + below(reach));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    pattern.columns.insert(pattern.columns.end(), columns.begin(), columns.end());
    pattern.row_starts.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  std::vector<double> values = random_values<double>(pattern.columns.size(), seed, range);
  return {std::move(pattern), std::move(values)};
}

/// A matrix in one storage, form and format.
template <Backend B, class T>
SparseMatrixOn<B, T> stored_on(const B& on, const SparseMatrix& A, SparseStorage storage,
                               OperatorForm form, bool only_wide = false, int components = 1) {
  return {on,
          std::make_shared<const LayoutOnBackend<B>>(on, row_layout(A.pattern, storage, only_wide)),
          A.pattern,
          A.values,
          form,
          components};
}

}  // namespace ninefold::testing
