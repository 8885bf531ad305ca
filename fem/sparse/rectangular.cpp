#include "fem/sparse/rectangular.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

constexpr int rows_at_once = 1024;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// f(i) for all rows.
template <class F>
void for_rows_of(const SparseMatrix& A, const F& f) {
  const int n = A.pattern.n_rows;
  for_pieces((n + rows_at_once - 1) / rows_at_once, [&](int piece) {
    for (int i = piece * rows_at_once; i < std::min((piece + 1) * rows_at_once, n); ++i) f(i);
  });
}

}  // namespace

SparseMatrix transposed(const SparseMatrix& A) {
  SparseMatrix result{transposed(A.pattern), std::vector<double>(A.values.size())};
  std::vector<std::int64_t> next(result.pattern.row_starts.begin(),
                                 result.pattern.row_starts.end() - 1);
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    result.values[at(next[at(A.pattern.columns[k])]++)] = A.values[k];
  }
  return result;
}

SparseMatrix stacked(SparseMatrix upper, const SparseMatrix& lower, double factor) {
  SparsePattern& pattern = upper.pattern;
  require(pattern.n_columns == lower.pattern.n_columns, [&] {
    return fmt::format("one matrix has {} columns, that below it {}", pattern.n_columns,
                       lower.pattern.n_columns);
  });
  const std::int64_t rows = std::int64_t{pattern.n_rows} + lower.pattern.n_rows;
  require(rows < max_sparse_rows, [&] {
    return fmt::format("{} rows below {} are {}: fewer than {}", lower.pattern.n_rows,
                       pattern.n_rows, rows, max_sparse_rows);
  });
  const std::int64_t before = pattern.entries();
  for (int i = 0; i < lower.pattern.n_rows; ++i) {
    pattern.row_starts.push_back(before + lower.pattern.start(i + 1));
  }
  pattern.n_rows += lower.pattern.n_rows;
  pattern.columns.insert(pattern.columns.end(), lower.pattern.columns.begin(),
                         lower.pattern.columns.end());
  for (const double value : lower.values) upper.values.push_back(factor * value);
  return upper;
}

SparseMatrix identity_matrix(int n) {
  SparseMatrix result{{n, n, {0}, {}}, std::vector<double>(at(n), 1.0)};
  for (int i = 0; i < n; ++i) {
    result.pattern.columns.push_back(i);
    result.pattern.row_starts.push_back(i + 1);
  }
  return result;
}

SparseMatrix difference_matrix(int width, int height) {
  require(width > 0 && height > 0 && std::int64_t{width} * height > 1, [&] {
    return fmt::format("there are no differences of neighbours among {} x {} values", width,
                       height);
  });
  const std::int64_t values = std::int64_t{width} * height;
  require(2 * values < max_sparse_rows, [&] {
    return fmt::format(
        "the differences of {} values in two directions are {} or more: fewer than {}", values,
        2 * values, max_sparse_rows);
  });
  SparseMatrix result;
  result.pattern.n_columns = width * height;
  const auto add = [&](int first, int second) {
    result.pattern.columns.insert(result.pattern.columns.end(), {first, second});
    result.values.insert(result.values.end(), {-1.0, 1.0});
    result.pattern.row_starts.push_back(static_cast<std::int64_t>(result.values.size()));
    ++result.pattern.n_rows;
  };
  for (int j = 0; j < height; ++j) {
    for (int i = 0; i + 1 < width; ++i) add(j * width + i, j * width + i + 1);
  }
  for (int j = 0; j + 1 < height; ++j) {
    for (int i = 0; i < width; ++i) add(j * width + i, (j + 1) * width + i);
  }
  return result;
}

std::optional<int> first_empty_row(const SparseMatrix& A) {
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const auto values = A.row_values(i);
    if (std::all_of(values.begin(), values.end(), [](double value) { return value == 0; }))
      return i;
  }
  return {};
}

std::optional<int> first_empty_column(const SparseMatrix& A) {
  std::vector<char> is_there(at(A.pattern.n_columns), 0);
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    if (A.values[k] != 0) is_there[at(A.pattern.columns[k])] = 1;
  }
  const auto found = std::find(is_there.begin(), is_there.end(), 0);
  if (found == is_there.end()) return {};
  return static_cast<int>(found - is_there.begin());
}

WideVector wide_residual(const SparseMatrix& A, const WideVector& b, const WideVector& x) {
  const std::size_t n = at(A.pattern.n_rows);
  WideVector r{std::vector<double>(n), std::vector<double>(n)};
  for_rows_of(A, [&](int i) {
    DoubleDouble sum = b.high.empty() ? DoubleDouble(0.0) : b[at(i)];
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    for (std::size_t k = 0; k < values.size(); ++k) {
      sum = sum - DoubleDouble(values[k]) * x[at(columns[k])];
    }
    r.high[at(i)] = sum.high;
    r.low[at(i)] = sum.low;
  });
  return r;
}

std::vector<double> size_product(const SparseMatrix& A, const std::vector<double>& x) {
  std::vector<double> y(at(A.pattern.n_rows));
  for_rows_of(A, [&](int i) {
    double sum = 0;
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    for (std::size_t k = 0; k < values.size(); ++k) sum += std::abs(values[k]) * x[at(columns[k])];
    y[at(i)] = sum;
  });
  return y;
}

double norm_of(const WideVector& x) {
  double largest = 0;
  for (const double value : x.high) {
    if (!std::isfinite(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) return 0;
  const int exponent = std::ilogb(largest);
  double sum = 0;
  for (const double value : x.high) {
    const double scaled = std::ldexp(value, -exponent);
    sum += scaled * scaled;
  }
  return std::ldexp(std::sqrt(sum), exponent);
}

}  // namespace ninefold
