#pragma once
// Interpolation on the host, row by row; the meaning is that of
// gpu/meaning/generic_nested_operations.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/launch/launch_host.hpp"
#include "gpu/meaning/generic_nested_operations.hpp"

namespace ninefold {

/// Fine rows of a box, upwards: coarse rows, interpolated along x, are kept as long as the rows
/// between them need them.
template <class T, class Store>
class InterpolateRows {
 public:
  using C = Arithmetic<T>;

  InterpolateRows(const Interpolate<T, Store>& f, const Box& box) : f_(f), box_(box) {
    const int width = box.width();
    for (Kept& kept : kept_) kept.value.resize(static_cast<std::size_t>(width), C(0));
  }

  void row(int j) {
    const int J = j / 2, ny = f_.c.ny;
    if (j % 2 == 0) return store(j, along(J));
    const C* const before = along(cubic_before(J, ny));
    const C* const here = along(J);
    const C* const above = along(J + 1);
    const C* const after = along(cubic_after(J, ny));
    const CubicWeights<C> y = f_.cubic.y[J];
    const int width = box_.width();
    C* const sum = sum_.data();
#pragma omp simd
    for (int k = 0; k < width; ++k) sum[k] = y.combine(before[k], here[k], above[k], after[k]);
    store(j, sum);
  }

 private:
  struct Kept {
    int row = -1;
    std::vector<C> value;
  };
  static constexpr int places = 8;  // four that follow each other, or at an end

  /// Coarse row J at the fine columns of the box.
  const C* along(int J) {
    Kept& kept = kept_[static_cast<std::size_t>(J % places)];
    C* const to = kept.value.data();
    if (kept.row == J) return to;
    kept.row = J;
    const T* const at = f_.c.row(J);
    const int nx = f_.c.nx, i0 = box_.i0;
    const CubicWeights<C>* const x = f_.cubic.x;
    for (int I = (i0 + 1) / 2; 2 * I < box_.i1; ++I) to[2 * I - i0] = C(at[I]);
    const auto between = [&](int I) {
      to[2 * I + 1 - i0] = x[I].combine(C(at[cubic_before(I, nx)]), C(at[I]), C(at[I + 1]),
                                        C(at[cubic_after(I, nx)]));
    };
    const int first = i0 / 2, end = box_.i1 / 2;  // 2 I + 1 in the box
    const int inner = std::max(first, 1), inner_end = std::min(end, nx - 2);
    for (int I = first; I < std::min(inner, end); ++I) between(I);
#pragma omp simd
    for (int I = inner; I < inner_end; ++I) {
      to[2 * I + 1 - i0] = x[I].combine(C(at[I - 1]), C(at[I]), C(at[I + 1]), C(at[I + 2]));
    }
    for (int I = std::max(inner, inner_end); I < end; ++I) between(I);
    return to;
  }

  void store(int j, const C* values) const {
    const int width = box_.width();
#pragma omp simd
    for (int k = 0; k < width; ++k) f_.to.store(box_.i0 + k, j, T(values[k]));
  }

  const Interpolate<T, Store>& f_;
  Box box_;
  Kept kept_[places];
  std::vector<C> sum_ = std::vector<C>(static_cast<std::size_t>(box_.width()), C(0));
};

template <class T, class Store>
void for_interpolated(const Host& on, const Box& box, const Interpolate<T, Store>& f) {
  if (on.only_counts() || box.empty()) return;
  constexpr int rows = 64, columns = 1024;
  const int blocks = (box.height() + rows - 1) / rows;
  const int pieces = (box.width() + columns - 1) / columns;
  const bool parallel = std::int64_t{box.width()} * box.height() > serial_nodes;
#pragma omp parallel for collapse(2) if (parallel)
  for (int block = 0; block < blocks; ++block) {
    for (int piece = 0; piece < pieces; ++piece) {
      const int i = box.i0 + piece * columns, j = box.j0 + block * rows;
      const Box part{i, std::min(i + columns, box.i1), j, std::min(j + rows, box.j1)};
      InterpolateRows<T, Store> march(f, part);
      for (int row = part.j0; row < part.j1; ++row) march.row(row);
    }
  }
}

}  // namespace ninefold
