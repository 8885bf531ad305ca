#include "fem/sparse/nine_band_matrix.hpp"

#include "precision/require.hpp"

namespace ninefold {

SparseMatrix sparse_matrix(const NineBand<const double>& A) {
  require(A.form == OperatorForm::plain,
          [] { return "a sparse matrix is made of a nine-band matrix in plain form"; });
  const Box& box = A.unknowns;
  const std::int64_t n = std::int64_t{box.width()} * box.height();
  require(n <= max_sparse_rows, [&] {
    return fmt::format("{} unknowns: a sparse matrix has at most {}", n, max_sparse_rows);
  });
  SparseMatrix result;
  result.pattern.n_rows = result.pattern.n_columns = static_cast<int>(n);
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      const auto row = A.row(i, j);
      for (int m = 0; m < 9; ++m) {
        const int p = i + m % 3 - 1, q = j + m / 3 - 1;
        if (!box.contains(p, q)) continue;
        result.pattern.columns.push_back((q - box.j0) * box.width() + p - box.i0);
        result.values.push_back(row[m]);
      }
      result.pattern.row_starts.push_back(static_cast<std::int64_t>(result.values.size()));
    }
  }
  return result;
}

}  // namespace ninefold
