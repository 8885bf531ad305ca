#include "fem/discrete/small_eigenvectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ninefold {

namespace {

/// A matrix, column after column.
struct Square {
  std::size_t n;
  double* data;
  double& operator()(std::size_t i, std::size_t j) const { return data[j * n + i]; }
};

/// The rotation of p and q that makes A(p, q) zero, in A and in the vectors.
void rotate(const Square& A, const Square& vectors, std::size_t p, std::size_t q) {
  const double theta = (A(q, q) - A(p, p)) / (2 * A(p, q));
  const double size = std::abs(theta);
  // For a theta whose square is too large the tangent is 1 / (2 theta) to all digits.
  const double t = (theta < 0 ? -1 : 1) / (size + std::sqrt(std::fma(size, size, 1.0)));
  const double c = 1 / std::sqrt(std::fma(t, t, 1.0)), s = t * c;
  const auto turn = [&](double& a, double& b) {
    const double before = a;
    a = c * before - s * b;
    b = s * before + c * b;
  };
  for (std::size_t k = 0; k < A.n; ++k) turn(A(k, p), A(k, q));
  for (std::size_t k = 0; k < A.n; ++k) turn(A(p, k), A(q, k));
  A(p, q) = A(q, p) = 0;
  for (std::size_t k = 0; k < A.n; ++k) turn(vectors(k, p), vectors(k, q));
}

}  // namespace

void diagonalise_small(int n, double* matrix) {
  const auto size = static_cast<std::size_t>(n);
  const Square A{size, matrix};
  std::vector<double> storage(size * size, 0.0);
  const Square vectors{size, storage.data()};
  for (std::size_t k = 0; k < size; ++k) vectors(k, k) = 1;
  // Each sweep squares what is left: 50 are never needed.
  for (int sweep = 0; sweep < 50; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        const double largest = std::sqrt(std::abs(A(p, p))) * std::sqrt(std::abs(A(q, q)));
        if (std::abs(A(p, q)) <= 0x1p-54 * largest || A(p, q) == 0) continue;
        rotate(A, vectors, p, q);
        rotated = true;
      }
    }
    if (!rotated) break;
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return A(a, a) < A(b, b); });
  std::vector<double> sorted;
  for (const std::size_t k : order) {
    sorted.insert(sorted.end(), storage.begin() + static_cast<std::ptrdiff_t>(k * size),
                  storage.begin() + static_cast<std::ptrdiff_t>((k + 1) * size));
  }
  std::copy(sorted.begin(), sorted.end(), matrix);
}

LineBasis line_basis(const Line& line, const HeldEnds& held) {
  const int n = count_unknowns(line, held);
  LineBasis basis{n, {}, std::vector<double>(static_cast<std::size_t>(n) * n)};
  const Wave wave = wave_of(line, held);
  if (wave == Wave::computed) {
    standard_matrix(line, held, basis.vectors.data());
    diagonalise_small(n, basis.vectors.data());
    basis.value = line_eigenvectors(line, held, basis.vectors.data());
  } else {
    basis.value = wave_spectrum(line, wave).value;
    wave_vectors(line, wave, basis.vectors.data());
  }
  return basis;
}

}  // namespace ninefold
