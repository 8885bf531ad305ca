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

}  // namespace

SparseResidual sparse_residual(const SparseMatrix& A, const WideVector& b, const WideVector& x,
                               WideVector* residual) {
  const int n = A.pattern.n_rows;
  const int pieces = (n + rows_at_once - 1) / rows_at_once;
  double largest = 0;
  for (const double value : b.high) largest = std::max(largest, std::abs(value));
  const int exponent = largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
  std::vector<Sums> sums(at(pieces));
  if (residual != nullptr) *residual = {std::vector<double>(at(n)), std::vector<double>(at(n))};
  for_pieces(pieces, [&](int piece) {
    Sums& sum = sums[at(piece)];
    for (int i = piece * rows_at_once; i < std::min((piece + 1) * rows_at_once, n); ++i) {
      DoubleDouble r = b[at(i)];
      const double right = std::ldexp(static_cast<double>(r), exponent);
      double size = std::abs(static_cast<double>(r)), diagonal = 0;
      for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
        const double a = A.values[at(k)];
        const std::size_t j = at(A.pattern.columns[at(k)]);
        if (j == at(i)) diagonal = a;
        r = r - DoubleDouble(a) * x[j];
        size += std::abs(a) * std::abs(x.high[j]);
      }
      if (residual != nullptr) {
        residual->high[at(i)] = r.high;
        residual->low[at(i)] = r.low;
      }
      const auto unscaled = static_cast<double>(r);
      if (unscaled != 0) sum.worst = std::max(sum.worst, std::abs(unscaled) / size);
      if (!std::isfinite(unscaled)) sum.worst = std::abs(unscaled);
      const double left = std::ldexp(unscaled, exponent);
      size = std::ldexp(size, exponent);
      sum.residual += left * left;
      sum.scaled += left * left / diagonal;
      sum.right += right * right;
      sum.right_scaled += right * right / diagonal;
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
