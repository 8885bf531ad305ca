#pragma once
// The inverse of a tensor-product matrix, by the eigenvectors of its two directions.
//
// Mathematics.  A = gx Kx (x) My + gy Mx (x) Ky + c Mx (x) My, with Kx V = Mx V Lx, V^T Mx V = 1
// and the same in y, W and Ly:
//
//     u = V [(V^T f W) / (gx lx_i + gy ly_j + c)] W^T.
//
// f and u have a column for each row of nodes.
//
// Where a constant is free, its part of f and u is left out.
//
// Cost.  Four products with dense matrices, 4 n^3 multiplications for n x n unknowns; on a device,
// in a direction of equal cells, two transforms of n log n instead (gpu/direct/wave_rows.hpp), and
// with both by waves 22 values moved for each unknown.
//
// Memory.  Two planes of the unknowns (a quarter more by waves), and the matrices.
//
// Rounding.  In T.  One solve is as good as its format where eigenvectors are waves.  Computed ones
// leave u times computed_span() of an error, so that residuals and further solves are due:
// solvers/drivers/direct_solve.hpp.
//
// Reference.  Lynch, Rice, Thomas, Direct solution of partial difference equations by tensor
//             product methods, Numer. Math. 6, 1964.
// Tests.      tests/solvers/direct, tests/gpu/device/direct_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "precision/number.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/line_spectrum.hpp"
#include "fem/discrete/q1_element.hpp"
#include "fem/problem/problems.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/direct/dense_product.hpp"
#include "gpu/direct/line_vectors.hpp"
#include "gpu/direct/wave_transforms.hpp"
#include "gpu/operations/tensor_inverse.hpp"

namespace ninefold {

/// The formats that there are direct solvers for: those of the libraries.
template <class T>
inline constexpr bool is_direct_format = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <Backend B, Number T>
class FastDiagonalisation {
 public:
  /// Of the matrix with these coefficients.  Throws BadValue where a library is missing that this
  /// grid needs.
  FastDiagonalisation(const B& on, const TensorGrid& grid, const Boundary& boundary,
                      const Coefficients<Assembly<T>>& g, int fewest_waves = fewest_wave_cells)
      : on_(on),
        box_(unknown_nodes(grid, boundary)),
        x_(on, grid.x, held_ends_x(boundary), std::ldexp(g.gx, mass_exponent(grid.y)), 0,
           fewest_waves),
        y_(on, grid.y, held_ends_y(boundary), std::ldexp(g.gy, mass_exponent(grid.x)),
           std::ldexp(g.c, mass_exponent(grid.x) + mass_exponent(grid.y)), fewest_waves),
        plane_{Array<B, T>(on, plane_values()), Array<B, T>(on, plane_values())} {
    if (!x_.by_waves() || !y_.by_waves()) products_.emplace(on);
    if constexpr (!std::is_same_v<B, Host>) make_transforms();
  }
  FastDiagonalisation(const FastDiagonalisation&) = delete;
  FastDiagonalisation& operator=(const FastDiagonalisation&) = delete;

  /// u = A^-1 f at the unknowns; u may be f.  Can be recorded.
  void apply(const Field<const T>& f, const Field<T>& u) const {
    on_.count({0, std::int64_t{box_.width()} * box_.height() * std::int64_t{sizeof(T)}
                      * (by_waves() ? 22 : 8)});
    const Dense<const T> from{f.row(box_.j0) + box_.i0, f.row(1) - f.row(0)};
    const Dense<T> to{u.row(box_.j0) + box_.i0, u.row(1) - u.row(0)};
    if constexpr (!std::is_same_v<B, Host>) {
      if (by_waves()) return apply_by_waves(from, to);
    }
    x_forth(from, plane(0));
    divide_in_y(plane(0), plane(1));
    x_back(plane(0), to);
  }

  /// A device loads code when it is first used, and libraries do as they like: here, so that they
  /// need not do it within a recording.  `f` is used up.
  void prepare(const Field<T>& f) const {
    if constexpr (!std::is_same_v<B, Host>) {
      apply(f, f);
      on_.wait();
    }
  }

 private:
  bool by_waves() const { return x_.by_waves() || y_.by_waves(); }
  SpectralSums<T> sums() const { return {x_.sums(), y_.sums(), x_.weights(), y_.weights()}; }

  std::size_t plane_values() const {
    std::size_t most =
        static_cast<std::size_t>(x_.unknowns()) * static_cast<std::size_t>(y_.unknowns());
    if (x_.by_waves()) most = std::max(most, x_.waves(false, y_.unknowns(), nullptr).values());
    if (y_.by_waves()) most = std::max(most, y_.waves(false, x_.unknowns(), nullptr).values());
    return most;
  }
  /// A column for each row of unknowns.
  Dense<T> plane(std::size_t which) const { return {plane_[which].data(), x_.unknowns()}; }
  static Dense<const T> read(const Dense<T>& matrix) { return {matrix.data, matrix.stride}; }

  // Dense products. ---------------------------------------------------------------------------
  void multiply_by_x(Turned turned, const Dense<const T>& from, const Dense<T>& to) const {
    products_->multiply(x_.unknowns(), y_.unknowns(), x_.unknowns(), x_.matrix(turned), from, to);
  }
  void multiply_by_y(Turned turned, const Dense<const T>& from, const Dense<T>& to) const {
    products_->multiply(x_.unknowns(), y_.unknowns(), y_.unknowns(), from, y_.matrix(turned), to);
  }
  void x_forth(const Dense<const T>& from, const Dense<T>& to) const {
    multiply_by_x(Turned::yes, from, to);
  }
  void x_back(const Dense<T>& from, const Dense<T>& to) const {
    multiply_by_x(Turned::no, read(from), to);
  }
  /// `here` by way of `there`.
  void divide_in_y(const Dense<T>& here, const Dense<T>& there) const {
    multiply_by_y(Turned::no, read(here), there);
    divide_by_sums(on_, sums(), Field<T>{there.data, x_.unknowns(), y_.unknowns()});
    multiply_by_y(Turned::yes, read(there), here);
  }

  // Transforms. -------------------------------------------------------------------------------
  struct Transform {
    WaveRows<T> waves{};
    WaveTransform<T> transform{};
  };
  struct Transforms {
    Transform x_forth, y_forth, y_back, x_back;
  };

  /// In one of the planes; cuFFT works in the other one.
  Transform make_transform(const LineVectors<B, T>& line, bool back, int rows,
                           std::size_t which) const {
    const WaveRows<T> waves = line.waves(back, rows, plane_[which].data());
    const Array<B, T>& area = plane_[1 - which];
    return {waves, WaveTransform<T>(on_, waves, area.data(), area.size() * sizeof(T))};
  }
  void make_transforms() {
    if (x_.by_waves()) {
      transforms_.x_forth = make_transform(x_, false, y_.unknowns(), 0);
      transforms_.x_back = make_transform(x_, true, y_.unknowns(), y_.by_waves() ? 1 : 0);
    }
    if (y_.by_waves()) {
      transforms_.y_forth = make_transform(y_, false, x_.unknowns(), 1);
      transforms_.y_back = make_transform(y_, true, x_.unknowns(), 0);
    }
  }

  static Plane<const T> as_plane(const Dense<const T>& matrix) {
    return {matrix.data, matrix.stride};
  }
  static Plane<T> as_plane(const Dense<T>& matrix) { return {matrix.data, matrix.stride}; }

  /// At least one direction by waves.
  void apply_by_waves(const Dense<const T>& f, const Dense<T>& u) const {
    const auto& [x_waves, y_waves, y_waves_back, x_waves_back] = transforms_;
    if (!x_.by_waves()) {
      x_forth(f, plane(0));
      load_columns(on_, as_plane(read(plane(0))), y_waves.waves);
      divide_by_waves_in_y();
      store_columns(on_, y_waves_back.waves, y_.unknowns(), as_plane(plane(1)));
      return x_back(plane(1), u);
    }
    load_rows(on_, as_plane(f), x_waves.waves);
    x_waves.transform.run();
    if (y_.by_waves()) {
      load_columns(on_, x_waves.waves, y_waves.waves);
      divide_by_waves_in_y();
      load_columns(on_, y_waves_back.waves, x_waves_back.waves);
    } else {
      store_rows(on_, x_waves.waves, x_.unknowns(), as_plane(plane(1)));
      divide_in_y(plane(1), plane(0));
      load_rows(on_, as_plane(read(plane(1))), x_waves_back.waves);
    }
    x_waves_back.transform.run();
    store_rows(on_, x_waves_back.waves, x_.unknowns(), as_plane(u));
  }
  /// From rows that are loaded to those of the way back, transformed.
  void divide_by_waves_in_y() const {
    transforms_.y_forth.transform.run();
    load_divided(on_, transforms_.y_forth.waves, sums(), transforms_.y_back.waves);
    transforms_.y_back.transform.run();
  }

  B on_;
  Box box_;
  LineVectors<B, T> x_, y_;
  std::optional<DenseProducts<B, T>> products_;  ///< where a direction is a matrix
  Array<B, T> plane_[2];
  Transforms transforms_;
};

}  // namespace ninefold
