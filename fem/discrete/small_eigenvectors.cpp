#include "fem/discrete/small_eigenvectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ninefold {

namespace {

/// A matrix, column after column.
struct Columns {
  std::size_t rows;
  double* data;
  double* operator[](std::size_t k) const { return data + k * rows; }
};

double product(std::size_t n, const double* a, const double* b) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum = std::fma(a[i], b[i], sum);
  return sum;
}

struct Rotation {
  double c, s;
  void turn(std::size_t n, double* a, double* b) const {
    for (std::size_t i = 0; i < n; ++i) {
      const double before = a[i];
      a[i] = c * before - s * b[i];
      b[i] = s * before + c * b[i];
    }
  }
};

/// That of a and b, whose squares and product are given, which makes them orthogonal.
Rotation rotation(double aa, double bb, double ab) {
  const double theta = (bb - aa) / (2 * ab), size = std::abs(theta);
  // For a theta whose square is too large the tangent is 1 / (2 theta) to all digits.
  const double t = (theta < 0 ? -1 : 1) / (size + std::sqrt(std::fma(size, size, 1.0)));
  const double c = 1 / std::sqrt(std::fma(t, t, 1.0));
  return {c, t * c};
}

}  // namespace

void right_singular_vectors(int rows, int n, double* matrix, double* vectors) {
  const auto m = static_cast<std::size_t>(rows), size = static_cast<std::size_t>(n);
  std::vector<double> turned(size * size, 0.0);
  const Columns F{m, matrix}, V{size, turned.data()};
  std::vector<double> square(size);
  for (std::size_t k = 0; k < size; ++k) {
    V[k][k] = 1;
    square[k] = product(m, F[k], F[k]);
  }
  // Each sweep squares what is left: 50 are never needed.
  for (int sweep = 0; sweep < 50; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        const double both = product(m, F[p], F[q]);
        if (std::abs(both) <= 0x1p-50 * std::sqrt(square[p]) * std::sqrt(square[q])) continue;
        const Rotation turn = rotation(square[p], square[q], both);
        turn.turn(m, F[p], F[q]);
        turn.turn(size, V[p], V[q]);
        square[p] = product(m, F[p], F[p]);
        square[q] = product(m, F[q], F[q]);
        rotated = true;
      }
    }
    if (!rotated) break;
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return square[a] < square[b]; });
  for (const std::size_t k : order) vectors = std::copy(V[k], V[k] + size, vectors);
}

namespace {

/// The eigenvectors of F^T F, n x n values, ascending, where F w = 0 for the w of length one whose
/// values are all positive: F is reflected so that one column is zero, and left out.
void eigenvectors_beside(const std::vector<double>& w, int rows, double* factor, double* vectors) {
  const std::size_t n = w.size(), m = static_cast<std::size_t>(rows);
  const Columns F{m, factor}, V{n, vectors};
  // Of the largest value: its column is the smallest one, and changes no digit of much larger ones.
  const auto k = static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin());
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; j != k && i < m; ++i) F[j][i] -= w[j] / (1 + w[k]) * F[k][i];
  }
  std::copy(F[k] + m, F[n - 1] + m, F[k]);
  std::vector<double> turned((n - 1) * (n - 1));
  right_singular_vectors(rows, static_cast<int>(n) - 1, factor, turned.data());
  std::copy(w.begin(), w.end(), V[0]);
  for (std::size_t p = 1; p < n; ++p) {
    const double* const y = turned.data() + (p - 1) * (n - 1);
    double part = 0;
    for (std::size_t j = 0; j < n; ++j) {
      V[p][j] = j == k ? 0 : y[j < k ? j : j - 1];
      part = std::fma(w[j], V[p][j], part);
    }
    for (std::size_t j = 0; j < n; ++j) V[p][j] -= part * (j == k ? 1 : w[j] / (1 + w[k]));
  }
}

}  // namespace

LineBasis line_basis(const Line& line, const HeldEnds& held) {
  const int n = count_unknowns(line, held);
  LineBasis basis{n, {}, std::vector<double>(static_cast<std::size_t>(n) * n)};
  const Wave wave = wave_of(line, held);
  if (wave == Wave::computed) {
    std::vector<double> factor(static_cast<std::size_t>(line.cells()) * n);
    standard_factor(line, held, factor.data());
    if (held.first || held.last) {
      right_singular_vectors(line.cells(), n, factor.data(), basis.vectors.data());
    } else {
      eigenvectors_beside(standard_constant(line), line.cells(), factor.data(),
                          basis.vectors.data());
    }
    basis.value = line_eigenvectors(line, held, basis.vectors.data());
  } else {
    basis.value = wave_spectrum(line, wave).value;
    wave_vectors(line, wave, basis.vectors.data());
  }
  return basis;
}

}  // namespace ninefold
