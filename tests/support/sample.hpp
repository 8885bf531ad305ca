#pragma once
// Random matrices and vectors in host memory, and textbook rows of them in 50 digits.
//
// The rows are written from the definition of a nine-point stencil and share no line with
// fem/nine_band.hpp.  Their magnitudes are the sums of absolute values that bounds are made of.

#include <array>
#include <vector>

#include "grids/field.hpp"

#include "fem/nine_band.hpp"

#include "tests/support/exact.hpp"

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

  Field<T> view() { return {memory_.data() + nx_ + 1, nx_, ny_}; }
  Field<const T> read() const { return {memory_.data() + nx_ + 1, nx_, ny_}; }
  T operator()(int i, int j) const { return read()(i, j); }
  Exact exact(int i, int j) const { return Exact(read()(i, j)); }

  /// True if nothing but the nodes of `box` differs from `before`; the margin counts.
  bool differs_only_in(const Box& box, const NodeValues& before) const {
    const Field<const T> mine = read(), theirs = before.read();
    for (int k = 0; k < nx_ * ny_; ++k) {
      if (!box.contains(k % nx_, k / nx_) && mine.data[k] != theirs.data[k]) return false;
    }
    for (int k = 0; k <= nx_; ++k) {
      if (memory_[std::size_t(k)] != 0 || memory_[memory_.size() - 1 - std::size_t(k)] != 0) {
        return false;
      }
    }
    return true;
  }

 private:
  int nx_, ny_;
  std::vector<T> memory_;
};

/// The signs of random bands: any, or those of a diagonally dominant matrix (off-diagonals not
/// positive, row sums not negative), whose diagonal suffers no cancellation.
enum class Signs { any, dominant };

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
        if (!inside(k % nx + s, k / nx + t)) entry = 0;
        if (signs == Signs::any) continue;
        const T size = entry < 0 ? -entry : entry;
        entry = m == 4 ? size : -size;
      }
    }
    if (signs == Signs::any || form == OperatorForm::difference) return;
    for (int k = 0; k < nx * ny; ++k) {  // plain: the centre dominates
      for (int m = 0; m < 9; ++m) {
        if (m != 4) bands_[4][std::size_t(k)] -= bands_[std::size_t(m)][std::size_t(k)];
      }
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
    return Exact(bands_[std::size_t(3 * (t + 1) + s + 1)][std::size_t(j * nx_ + i)]);
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

inline std::vector<Case> cases() {
  std::vector<Case> all;
  const std::array<std::array<int, 2>, 6> shapes{
      {{3, 3}, {5, 3}, {33, 17}, {31, 7}, {257, 5}, {129, 65}}};
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
