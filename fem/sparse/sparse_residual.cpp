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

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// The power of two that brings it to about 1, as far as 2^e itself has one; 0 of 0 and infinity.
int exponent_to_one(double largest) {
  constexpr int most = 1000;
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  return std::clamp(-std::ilogb(largest), -most, most);
}

/// Exact powers of two by which A, x and b are multiplied, so that no product of an entry and a
/// value leaves the range: what a product of two doubles lacks is 2^-106 of it.
struct Units {
  int matrix, solution;

  Units(double largest_entry, double largest_value, double largest_right)
      : matrix(exponent_to_one(largest_entry)), solution(exponent_to_one(largest_value)) {
    if (!(largest_right > 0) || !std::isfinite(largest_right)) return;
    constexpr int room = 1000;  // of b, which may be larger than A x
    solution = std::min(solution, room - std::ilogb(largest_right) - matrix);
    solution = std::max(solution, -room);
  }
  int right() const { return matrix + solution; }
};

/// The sums of pieces of rows, added in their order: the same for any number of threads.
struct Sums {
  double residual = 0, scaled = 0, right = 0, right_scaled = 0, sizes = 0, worst = 0, energy = 0;
};

}  // namespace

SparseResidual sparse_residual(const SparseMatrix& A, const WideVector& b, const WideVector& x,
                               WideVector* residual) {
  const int n = A.pattern.n_rows;
  const int pieces = (n + rows_at_once - 1) / rows_at_once;
  const double largest = largest_size(b.high);
  const int exponent = largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
  const Units units(largest_size(A.values), largest_size(x.high), largest);
  const double of_matrix = std::ldexp(1.0, units.matrix);
  const double of_solution = std::ldexp(1.0, units.solution);
  const auto moved = [](const DoubleDouble& value, int by) {
    return DoubleDouble(std::ldexp(value.high, by), std::ldexp(value.low, by));
  };
  std::vector<Sums> sums(at(pieces));
  if (residual != nullptr) *residual = {std::vector<double>(at(n)), std::vector<double>(at(n))};
  for_pieces(pieces, [&](int piece) {
    Sums& sum = sums[at(piece)];
    for (int i = piece * rows_at_once; i < std::min((piece + 1) * rows_at_once, n); ++i) {
      DoubleDouble r = moved(b[at(i)], units.right());
      const double right = std::ldexp(static_cast<double>(b[at(i)]), exponent);
      double size = std::abs(static_cast<double>(r)), diagonal = 0;
      for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
        const double a = A.values[at(k)];
        const std::size_t j = at(A.pattern.columns[at(k)]);
        if (j == at(i)) diagonal = a;
        const double entry = a * of_matrix;
        const DoubleDouble own = x[j];
        const DoubleDouble value(own.high * of_solution, own.low * of_solution);
        r = r - DoubleDouble(entry) * value;
        size += std::abs(entry) * std::abs(value.high);
      }
      if (residual != nullptr) {
        const DoubleDouble own = moved(r, -units.right());
        residual->high[at(i)] = own.high;
        residual->low[at(i)] = own.low;
      }
      const auto unscaled = static_cast<double>(r);
      if (unscaled != 0) sum.worst = std::max(sum.worst, std::abs(unscaled) / size);
      if (!std::isfinite(unscaled)) sum.worst = std::abs(unscaled);
      const double left = std::ldexp(unscaled, exponent - units.right());
      size = std::ldexp(size, exponent - units.right());
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
