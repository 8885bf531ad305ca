#include "fem/sparse/sparse_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

constexpr int rows_at_once = 1024;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// The sums of pieces of rows, added in their order: the same for any number of threads.
struct Sums {
  double residual = 0, scaled = 0, right = 0, right_scaled = 0, sizes = 0, worst = 0, energy = 0;
};

/// Row i of b - A x, and what it is made of.
struct RowLeft {
  DoubleDouble r;
  double size;      ///< of |b| + |A||x|
  double diagonal;  ///< of A
};

RowLeft row_left(const SparseMatrix& A, const WideVector& b, const WideVector& x, int i) {
  const DoubleDouble right = b[at(i)];
  RowLeft left{right, std::abs(static_cast<double>(right)), 0};
  for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
    const double a = A.values[at(k)];
    const std::size_t j = at(A.pattern.columns[at(k)]);
    if (j == at(i)) left.diagonal = a;
    left.r = left.r - DoubleDouble(a) * x[j];
    left.size += std::abs(a) * std::abs(x.high[j]);
  }
  return left;
}

}  // namespace

SparseResidual sparse_residual(const SparseMatrix& A, const WideVector& b, const WideVector& x) {
  const int n = A.pattern.n_rows;
  const int pieces = (n + rows_at_once - 1) / rows_at_once;
  double largest = 0;
  for (const double value : b.high) largest = std::max(largest, std::abs(value));
  const int exponent = largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
  std::vector<Sums> sums(at(pieces));
  for_pieces(pieces, [&](int piece) {
    Sums& sum = sums[at(piece)];
    for (int i = piece * rows_at_once; i < std::min((piece + 1) * rows_at_once, n); ++i) {
      const double right = std::ldexp(static_cast<double>(b[at(i)]), exponent);
      const RowLeft row = row_left(A, b, x, i);
      const auto unscaled = static_cast<double>(row.r);
      if (unscaled != 0) sum.worst = std::max(sum.worst, std::abs(unscaled) / row.size);
      if (!std::isfinite(unscaled)) sum.worst = std::abs(unscaled);
      const double left = std::ldexp(unscaled, exponent);
      const double size = std::ldexp(row.size, exponent);
      sum.residual += left * left;
      sum.scaled += left * left / row.diagonal;
      sum.right += right * right;
      sum.right_scaled += right * right / row.diagonal;
      sum.sizes += size * size;
      sum.energy += x.high[at(i)] * (right - left);
    }
  });
  Sums all;
  for (const Sums& sum : sums) {
    all.residual += sum.residual;
    all.scaled += sum.scaled;
    all.right += sum.right;
    all.right_scaled += sum.right_scaled;
    all.sizes += sum.sizes;
    all.energy += sum.energy;
    // A NaN stays.
    all.worst = std::isnan(sum.worst) || sum.worst > all.worst ? sum.worst : all.worst;
  }
  return {.exponent = exponent,
          .norm = std::sqrt(all.residual),
          .scaled_square = all.scaled,
          .right_norm = std::sqrt(all.right),
          .right_scaled_square = all.right_scaled,
          .backward_error = all.worst,
          .row_sizes = std::sqrt(all.sizes),
          .energy_square = all.energy};
}

WideVector residual_vector(const SparseMatrix& A, const WideVector& b, const WideVector& x) {
  const int n = A.pattern.n_rows;
  WideVector r{std::vector<double>(at(n)), std::vector<double>(at(n))};
  for_pieces((n + rows_at_once - 1) / rows_at_once, [&](int piece) {
    for (int i = piece * rows_at_once; i < std::min((piece + 1) * rows_at_once, n); ++i) {
      const DoubleDouble row = row_left(A, b, x, i).r;
      r.high[at(i)] = row.high;
      r.low[at(i)] = row.low;
    }
  });
  return r;
}

WideVector sparse_product(const SparseMatrix& A, const std::vector<double>& x) {
  const int n = A.pattern.n_rows;
  WideVector y{std::vector<double>(at(n)), std::vector<double>(at(n))};
  for_pieces((n + rows_at_once - 1) / rows_at_once, [&](int piece) {
    for (int i = piece * rows_at_once; i < std::min((piece + 1) * rows_at_once, n); ++i) {
      DoubleDouble sum(0.0);
      for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
        sum = sum + DoubleDouble(A.values[at(k)]) * DoubleDouble(x[at(A.pattern.columns[at(k)])]);
      }
      y.high[at(i)] = sum.high;
      y.low[at(i)] = sum.low;
    }
  });
  return y;
}

}  // namespace ninefold
