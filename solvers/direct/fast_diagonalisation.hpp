#pragma once
// The inverse of a tensor-product matrix, by the eigenvectors of its two directions.
//
// Mathematics.  A = gx Kx (x) My + gy Mx (x) Ky + c Mx (x) My, with Kx V = Mx V Lx, V^T Mx V = 1
// and the same in y, W and Ly:
//
//     u = V [(V^T f W) / (gx lx_i + gy ly_j + c)] W^T.
//
// f and u have a column for each row of nodes.  By matrices alone a device multiplies f and u as
// they lie, where whole accesses of memory begin, nodes without unknowns among them, of which V and
// W have rows of zeros: every product is then of a transpose and a matrix, which cuBLAS is fastest
// with, and nothing is brought over.  (In double cuBLAS takes 7, with 1023 unknowns, to 33 percent,
// with 2047, more time where the terms of a sum are no whole accesses of memory.)
//
// Where a constant is free, its part of f and u is left out.
//
// Cost.  Four products with dense matrices, 4 n^3 multiplications for n x n unknowns; in a
// direction of equal cells two transforms of n log n instead (gpu/direct/wave_lines.hpp): with both
// by waves 6 to 12 values are moved for each unknown on a device (DivisionWay), 6 on the host.
//
// Ranks.  By waves, of a grid whose rows are divided, each rank has its rows, and its share of the
// columns (solvers/direct/plane_among_ranks.hpp); not by matrices.
//
// Memory.  Two planes of the unknowns and the matrices, on a device by matrices alone with their
// transposes; by waves on the host one plane, and for as long as a solve lasts some lines for each
// thread that has any (gpu/direct/wave_lines.hpp), 1 MB on level 12.
//
// Rounding.  In T.  By waves alone the order is fixed, and bits are those of any backend.  One
// solve is as good as its format where eigenvectors are waves.  Computed ones leave u times
// computed_span() of an error, so that residuals and further solves are due:
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
#include <utility>
#include <vector>

#include "precision/number.hpp"
#include "precision/require.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/line_spectrum.hpp"
#include "fem/discrete/q1_element.hpp"
#include "fem/problem/problems.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/direct/dense_product.hpp"
#include "gpu/direct/line_vectors.hpp"
#include "gpu/direct/wave_lines.hpp"
#include "gpu/operations/tensor_inverse.hpp"

#include "solvers/direct/plane_among_ranks.hpp"

namespace ninefold {

/// The formats that there are direct solvers for: those of the libraries and of the transforms.
template <class T>
inline constexpr bool is_direct_format = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <Backend B, Number T>
class FastDiagonalisation {
  using Vectors = LineVectors<B, T>;

 public:
  /// Of the matrix with these coefficients.  Throws BadValue where a library is missing that this
  /// grid needs.
  FastDiagonalisation(const B& on, const TensorGrid& grid, const Boundary& boundary,
                      const Coefficients<Assembly<T>>& g, int fewest_waves = fewest_line_cells)
      : on_(on),
        box_(unknown_nodes(grid, boundary)),
        is_among_nodes_(on.has_device_memory()
                        && !Vectors::is_by_waves(grid.x, held_ends_x(boundary), fewest_waves)
                        && !Vectors::is_by_waves(grid.y, held_ends_y(boundary), fewest_waves)),
        nodes_x_(is_among_nodes_ ? std::min(whole(box_.i1), NodeVector<B, T>::pitch_of(grid.nx()))
                                 : 0),
        nodes_y_(is_among_nodes_ ? std::min(whole(box_.j1), grid.ny()) : 0),
        x_(on, grid.x, held_ends_x(boundary), std::ldexp(g.gx, mass_exponent(grid.y)), 0,
           fewest_waves, nodes_x_),
        y_(on, grid.y, held_ends_y(boundary), std::ldexp(g.gy, mass_exponent(grid.x)),
           std::ldexp(g.c, mass_exponent(grid.x) + mass_exponent(grid.y)), fewest_waves, nodes_y_),
        plane_(on, plane_values()) {
    divide_among_ranks(grid.ny());
    if (!by_waves()) products_.emplace(on);
    if (!by_waves() || on.has_device_memory()) other_plane_ = Array<B, T>(on, plane_values());
  }
  FastDiagonalisation(const FastDiagonalisation&) = delete;
  FastDiagonalisation& operator=(const FastDiagonalisation&) = delete;

  /// u = A^-1 f at the unknowns; u may be f.  Both belong to a NodeVector, and what f has at other
  /// nodes is finite.  By matrices alone a device may set u to 0 there, or to NaN where u is not
  /// finite.  Can be recorded.
  void apply(const Field<const T>& f, const Field<T>& u) const {
    const std::int64_t in_y = !y_.by_waves()            ? 4
                              : on_.has_device_memory() ? division_traffic(y_way())
                                                        : 2;
    on_.count({0, std::int64_t{sizeof(T)}
                      * (4 * std::int64_t{x_.unknowns()} * rows().count()
                         + in_y * columns().count() * y_.unknowns())});
    const Dense<T> here{plane_.data(), plane_pitch(x_.unknowns())};
    const Dense<T> there{other_plane_.data(), here.stride};
    if (is_among_nodes_) return apply_among_nodes(f, u);
    const Field<T> plane{here.data, x_.unknowns(), y_.unknowns(), static_cast<int>(here.stride)};
    x_forth({f.row(box_.j0) + box_.i0, f.pitch}, here);
    if (among_ranks_) among_ranks_->to_columns(plane);
    divide_in_y(here, there);
    if (among_ranks_) among_ranks_->to_rows(plane);
    x_back(read(here), {u.row(box_.j0) + box_.i0, u.pitch});
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
  void divide_among_ranks(int ny) {
    const Ranks* const all = on_.ranks();
    if (all == nullptr || !all->slabs().divide(ny)) return;
    require(by_waves(), "a direct solver by matrices among ranks");
    std::vector<RowRange> rows;
    for (int r = 0; r < all->size(); ++r) {
      const RowRange of = all->slabs().rows(ny, r);
      rows.push_back({std::clamp(of.first, box_.j0, box_.j1) - box_.j0,
                      std::clamp(of.last, box_.j0, box_.j1) - box_.j0});
    }
    among_ranks_.emplace(on_, std::move(rows), x_.unknowns());
  }
  /// Those of the plane that are transformed here.
  RowRange rows() const {
    return among_ranks_ ? among_ranks_->own_rows() : RowRange{0, y_.unknowns()};
  }
  RowRange columns() const {
    return among_ranks_ ? among_ranks_->own_columns() : RowRange{0, x_.unknowns()};
  }

  DivisionWay y_way() const { return division_way<T>(y_.waves().cells, columns().count()); }
  SpectralSums<T> sums() const { return {x_.sums(), y_.sums(), x_.weights(), y_.weights()}; }

  bool by_waves() const { return x_.by_waves() && y_.by_waves(); }

  std::size_t plane_values() const {
    const auto of = [](int columns, int rows) {
      return static_cast<std::size_t>(plane_pitch(columns)) * static_cast<std::size_t>(rows);
    };
    const int x = x_.unknowns(), y = y_.unknowns();
    if (!is_among_nodes_) return std::max(of(x, y), of(y, x));
    return std::max({of(nodes_y_, plane_pitch(x)), of(y, plane_pitch(x)), of(x, nodes_y_)});
  }
  static Dense<const T> read(const Dense<T>& matrix) { return {matrix.data, matrix.stride}; }
  static Dense<const T> turned(const Dense<const T>& matrix) {
    return {matrix.data, matrix.stride, Turned::yes};
  }
  /// Terms of a sum are whole accesses of memory.
  static int whole(int values) { return (values + 15) / 16 * 16; }

  void apply_among_nodes(const Field<const T>& f, const Field<T>& u) const {
    const int x = plane_pitch(x_.unknowns()), y = plane_pitch(y_.unknowns());
    const Dense<T> by_node{plane_.data(), plane_pitch(nodes_y_)}, parts{other_plane_.data(), y},
        of_rows{plane_.data(), x};
    products_->multiply(nodes_y_, x, nodes_x_, turned({f.row(0), f.pitch}), x_.matrix(Turned::no),
                        by_node);
    products_->multiply(y, x, nodes_y_, y_.matrix(Turned::yes), read(by_node), parts);
    divide_by_sums(on_, {y_.sums(), x_.sums(), y_.weights(), x_.weights()},
                   Field<T>{parts.data, y_.unknowns(), x_.unknowns(), y});
    products_->multiply(x, nodes_y_, y, turned(read(parts)), y_.transpose(), of_rows);
    // What lies between two rows is read, and is zero, but not written.
    products_->multiply(std::min(nodes_x_, u.nx), nodes_y_, x, turned(x_.transpose()),
                        read(of_rows), {u.row(0), u.pitch});
  }

  // A plane has a column for each row of unknowns.
  template <class V>
  PlaneLines<V> own_lines(const Dense<V>& plane) const {
    return {plane.data + rows().first * plane.stride, plane.stride, 1, rows().count()};
  }
  void sum_rows(bool back, const Dense<const T>& from, const Dense<T>& to) const {
    if (rows().count() > 0) sum_waves(on_, x_.waves(), back, own_lines(from), own_lines(to));
  }

  void x_forth(const Dense<const T>& from, const Dense<T>& to) const {
    if (x_.by_waves()) return sum_rows(false, from, to);
    multiply_by_x(Turned::yes, from, to);
  }
  void x_back(const Dense<const T>& from, const Dense<T>& to) const {
    if (x_.by_waves()) return sum_rows(true, from, to);
    multiply_by_x(Turned::no, from, to);
  }
  void multiply_by_x(Turned turned, const Dense<const T>& from, const Dense<T>& to) const {
    products_->multiply(x_.unknowns(), y_.unknowns(), x_.unknowns(), x_.matrix(turned), from, to);
  }

  /// To the eigenvectors of y, the division, and back, in `here` by way of `there`.
  void divide_in_y(const Dense<T>& here, const Dense<T>& there) const {
    if (y_.by_waves()) {
      const RowRange own = columns();
      SpectralSums<T> of_own = sums();
      of_own.x += own.first;
      of_own.x_weight += own.first;
      return divide_among_waves(on_, y_.waves(), of_own,
                                PlaneLines<T>{here.data + own.first, 1, here.stride, own.count()},
                                there.data, y_way());
    }
    multiply_by_y(Turned::no, read(here), there);
    divide_by_sums(
        on_, sums(),
        Field<T>{there.data, x_.unknowns(), y_.unknowns(), static_cast<int>(there.stride)});
    multiply_by_y(Turned::yes, read(there), here);
  }
  void multiply_by_y(Turned turned, const Dense<const T>& from, const Dense<T>& to) const {
    products_->multiply(x_.unknowns(), y_.unknowns(), y_.unknowns(), from, y_.matrix(turned), to);
  }

  B on_;
  Box box_;
  bool is_among_nodes_;
  int nodes_x_, nodes_y_;  ///< that take part in products: the first ones of rows and of columns
  Vectors x_, y_;
  std::optional<PlaneAmongRanks<B, T>> among_ranks_;  ///< of rows that are divided
  std::optional<DenseProducts<B, T>> products_;       ///< where a direction is a matrix
  Array<B, T> plane_, other_plane_;                   ///< the latter where there is need of it
};

}  // namespace ninefold
