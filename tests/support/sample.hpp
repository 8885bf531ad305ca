#pragma once
// Random matrices and vectors in host memory, and textbook rows of them in 50 digits.
//
// The rows are written from the definition of a nine-point stencil and share no line with
// fem/matrix/nine_band.hpp.  Their magnitudes are the sums of absolute values that bounds are made
// of.

#include <algorithm>
#include <array>
#include <vector>

#include "grids/field.hpp"

#include "fem/matrix/nine_band.hpp"

#include "tests/support/exact.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold::testing {

/// One value per node with the margin that the stencil may read; all of it checkable memory.
template <class T>
class NodeValues {
 public:
  NodeValues(int nx, int ny, const T& fill = T(0))
      : nx_(nx), ny_(ny), memory_(std::size_t(nx * ny + 2 * (nx + 1)), T(0)) {
    for (int k = 0; k < nx * ny; ++k) view().data[k] = fill;
  }
  NodeValues(int nx, int ny, std::uint64_t seed, Range range) : NodeValues(nx, ny) {
    const auto values = random_values<T>(std::size_t(nx * ny), seed, range);
    std::copy(values.begin(), values.end(), view().data);
  }
  /// Each value of another format, rounded to this one.
  template <class U>
  explicit NodeValues(const NodeValues<U>& other) : NodeValues(other.read().nx, other.read().ny) {
    std::transform(other.read().data, other.read().data + nx_ * ny_, view().data,
                   [](const U& value) { return static_cast<T>(value); });
  }

  Field<T> view() { return {memory_.data() + nx_ + 1, nx_, ny_}; }
  Field<const T> read() const { return {memory_.data() + nx_ + 1, nx_, ny_}; }
  T operator()(int i, int j) const { return read()(i, j); }
  Exact exact(int i, int j) const { return to_exact(read()(i, j)); }

  /// True if no bit outside the nodes of `box` differs from `before`; the margin counts.
  bool differs_only_in(const Box& box, const NodeValues& before) const {
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      const int node = static_cast<int>(k) - (nx_ + 1);
      const bool is_node = node >= 0 && node < nx_ * ny_;
      if (is_node && box.contains(node % nx_, node / nx_)) continue;
      if (!same_bits(memory_[k], is_node ? before.memory_[k] : T(0))) return false;
    }
    return true;
  }

  /// True if no bit differs.
  bool equals(const NodeValues& other) const { return differs_only_in({0, 0, 0, 0}, other); }

 private:
  int nx_, ny_;
  std::vector<T> memory_;
};

/// The signs of random bands: any, or those of a diagonally dominant matrix (off-diagonals not
/// positive, row sums not negative), whose diagonal suffers no cancellation; such a matrix may be
/// symmetric, too.
enum class Signs { any, dominant, symmetric };

/// A random nine-band matrix; entries across the edge of the grid are zero.
template <class T>
class RandomMatrix {
 public:
  RandomMatrix(int nx, int ny, OperatorForm form, const Box& unknowns, std::uint64_t seed,
               Range range, Signs signs = Signs::any)
      : nx_(nx), ny_(ny), form_(form), unknowns_(unknowns) {
    for (int m = 0; m < 9; ++m) {
      auto& band = bands_[std::size_t(m)];
      band = random_values<T>(std::size_t(nx * ny), 100 * seed + std::uint64_t(m), range);
      const int s = m % 3 - 1, t = m / 3 - 1;
      for (int k = 0; k < nx * ny; ++k) {
        T& entry = band[std::size_t(k)];
        if (!inside(k % nx + s, k / nx + t)) entry = T(0);
        if (signs == Signs::any) continue;
        const T size = entry < T(0) ? T(-entry) : entry;
        entry = m == 4 ? size : T(-size);
      }
    }
    if (signs == Signs::symmetric) {
      for (int m = 0; m < 4; ++m) {
        const int s = m % 3 - 1, t = m / 3 - 1;
        for (int k = 0; k < nx * ny; ++k) {
          if (!inside(k % nx + s, k / nx + t)) continue;
          bands_[std::size_t(8 - m)][std::size_t(k + t * nx + s)] =
              bands_[std::size_t(m)][std::size_t(k)];
        }
      }
    }
    if (signs == Signs::any || form == OperatorForm::difference) return;
    // Plain: the centre dominates, also after it was rounded.
    const double margin = 1 + std::max(16 * unit_roundoff<T>(), 0x1p-50);
    for (int k = 0; k < nx * ny; ++k) {
      Arithmetic<T> centre = bands_[4][std::size_t(k)];
      for (int m = 0; m < 9; ++m) {
        if (m != 4) centre = centre - bands_[std::size_t(m)][std::size_t(k)];
      }
      bands_[4][std::size_t(k)] = T(centre * Arithmetic<T>(margin));
    }
  }
  /// The entries of a matrix of another format, rounded to this one.
  template <class U>
  explicit RandomMatrix(const RandomMatrix<U>& other)
      : nx_(other.view().nx),
        ny_(other.view().ny),
        form_(other.view().form),
        unknowns_(other.view().unknowns) {
    for (std::size_t m = 0; m < 9; ++m) {
      const U* const band = other.view().band[m];
      for (int k = 0; k < nx_ * ny_; ++k) bands_[m].push_back(static_cast<T>(band[k]));
    }
  }

  NineBand<const T> view() const {
    NineBand<const T> a{};
    for (std::size_t m = 0; m < 9; ++m) a.band[m] = bands_[m].data();
    a.nx = nx_;
    a.ny = ny_;
    a.form = form_;
    a.unknowns = unknowns_;
    return a;
  }

  bool inside(int i, int j) const { return i >= 0 && i < nx_ && j >= 0 && j < ny_; }
  Exact stored(int i, int j, int s, int t) const {
    return to_exact(bands_[std::size_t(3 * (t + 1) + s + 1)][std::size_t(j * nx_ + i)]);
  }

  /// The matrix entry that couples node (i, j) with (i + s, j + t).
  Exact entry(int i, int j, int s, int t) const {
    if (form_ == OperatorForm::plain || s != 0 || t != 0) return stored(i, j, s, t);
    Exact diagonal = stored(i, j, 0, 0);
    for (int v = -1; v <= 1; ++v) {
      for (int w = -1; w <= 1; ++w) {
        if (v != 0 || w != 0) diagonal -= stored(i, j, w, v);
      }
    }
    return diagonal;
  }

  /// Row (i, j) of A x in exact arithmetic, and of the terms' absolute values: |a||x| in plain
  /// form, |a||x - x_centre| + |s||x_centre| in difference form.
  struct Row {
    Exact value = 0, magnitude = 0;
  };
  Row row(const NodeValues<T>& x, int i, int j) const {
    Row result;
    for (int t = -1; t <= 1; ++t) {
      for (int s = -1; s <= 1; ++s) {
        if (!inside(i + s, j + t)) continue;
        const bool centre = s == 0 && t == 0;
        Exact factor = x.exact(i + s, j + t);
        if (form_ == OperatorForm::difference && !centre) factor -= x.exact(i, j);
        const Exact term = stored(i, j, s, t) * factor;
        result.value += term;
        result.magnitude += abs(term);
      }
    }
    return result;
  }

  /// The sum of the absolute values from which a diagonal entry is computed.
  Exact diagonal_magnitude(int i, int j) const {
    Exact sum = 0;
    for (int t = -1; t <= 1; ++t) {
      for (int s = -1; s <= 1; ++s) {
        if (form_ == OperatorForm::difference || (s == 0 && t == 0)) {
          sum += abs(stored(i, j, s, t));
        }
      }
    }
    return sum;
  }

 private:
  int nx_, ny_;
  OperatorForm form_;
  Box unknowns_;
  std::array<std::vector<T>, 9> bands_;
};

/// A shape and its unknowns: all sides Dirichlet, none, or the lower two.
struct Case {
  int nx, ny;
  Box unknowns;
};

/// Few shapes for all but machine numbers, whose loops are the same.
template <class T>
std::vector<Case> cases() {
  std::vector<Case> all;
  std::vector<std::array<int, 2>> shapes{{3, 3}, {5, 3}, {33, 17}};
  if (std::is_floating_point_v<T>) {
    shapes.insert(shapes.end(), {{31, 7}, {257, 5}, {129, 65}});
  }
  for (const auto& [nx, ny] : shapes) {
    all.push_back({nx, ny, {1, nx - 1, 1, ny - 1}});
    if (nx * ny < 2000) {
      all.push_back({nx, ny, {0, nx, 0, ny}});
      all.push_back({nx, ny, {1, nx, 1, ny}});
    }
  }
  return all;
}

}  // namespace ninefold::testing
