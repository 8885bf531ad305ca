#pragma once
// The Q1 matrix on one tensor-product grid, stored as nine bands, in plain or difference form.
//
// Mathematics.  Bilinear elements couple a node with itself and its eight neighbours.  With
// k = j nx + i and band numbers
//
//         NW  N  NE       6 7 8
//         W   C  E        3 4 5
//         SW  S  SE       0 1 2
//
//     plain form        (A x)(i,j) = sum over s,t in {-1,0,1} of a_st(i,j) x(i+s, j+t)
//     difference form   (A x)(i,j) = sum over (s,t) /= 0 of a_st(i,j) (x(i+s, j+t) - x(i,j))
//                                    + s(i,j) x(i,j),      s = row sum = integral of c phi_i
//
// Neighbouring values of a smooth x agree in their leading digits, so the differences are small
// and nearly exact, and the rounding of one product falls from u |A||x| to about u |A| h |grad x|.
//
// Shape.  Nine arrays of nx ny values each; i runs fastest.  Band 4 holds the diagonal in plain
// form and the row sum in difference form; the other eight are the same.  Entries that would reach
// across the edge of the grid are exact zeros.  Rows of Dirichlet nodes, which lie outside the box
// `unknowns`, are unit rows; the couplings of other rows *to* Dirichlet nodes stay stored, so that
// row sums remain exact.  Operations visit the rows of `unknowns` only.
//
// Indices.  The offset of a row of nodes has 64 bits.  Sums over rows find entries at one 32-bit
// index, so that a stored matrix has fewer than 2^31 nodes (level 15): IndexedBand.
//
// Units.  gx hy/hx + ...: the units of the coefficients; areas are in the load, never here.
//
// Cost.  11 values move per row (nine bands, x once through cache, one result).
//
// Rounding.  Computed in Arithmetic<T>.  Terms are added in band order by ProductSum (one fused
// multiply-add each, but for pairs), the centre last in difference form.  Host and device agree to
// the last bit; keep the order when you tune a kernel.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 5.1.
// Tests.      tests/fem/matrix/nine_band_test.cpp, tests/gpu/operations/operations_test.cpp (50
// digits).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"

namespace ninefold {

enum class OperatorForm { plain, difference };

inline constexpr std::int64_t max_stored_nodes = 0x7fffffff;  ///< see Indices

/// "plain" or "difference".
constexpr std::string_view to_string(OperatorForm form) {
  return form == OperatorForm::plain ? "plain" : "difference";
}

/// The entries of one row of a stored matrix.
template <class T>
struct StoredRow {
  T* const* band;
  std::ptrdiff_t start;  ///< of the row of nodes
  int i;

  HOST_DEVICE T operator[](int m) const { return (band[m] + start)[i]; }
  HOST_DEVICE T diagonal() const { return (*this)[4]; }  ///< in plain form
  HOST_DEVICE T row_sum() const { return (*this)[4]; }   ///< in difference form
};

/// A non-owning view of the nine bands; `NineBand<const T>` is the read-only one.
template <class T>
struct NineBand {
  using Value = std::remove_const_t<T>;
  static constexpr bool is_read_only = std::is_const_v<T>;
  static constexpr int stored_values = 9;

  T* band[9];
  int nx, ny;
  OperatorForm form;
  Box unknowns;
  bool has_free_constant = false;  ///< A x = 0 for constants: no Dirichlet side, no reaction

  /// Nothing is checked.
  HOST_DEVICE StoredRow<T> row(int i, int j) const { return {band, std::ptrdiff_t{j} * nx, i}; }

  template <std::same_as<const T> U>
  HOST_DEVICE operator NineBand<U>() const {
    return {{band[0], band[1], band[2], band[3], band[4], band[5], band[6], band[7], band[8]},
            nx,
            ny,
            form,
            unknowns,
            has_free_constant};
  }
};

/// The same matrix with its entries at band[m][k]: what sums over rows read.  On an H200 they take
/// 3 to 7 % longer in double and 9 to 38 % in single with offsets of 64 bits, other operations do
/// not (docs/performance.md).
template <class T>
struct IndexedBand : NineBand<const T> {
  struct Entries {
    const T* const* band;
    int k;

    HOST_DEVICE T operator[](int m) const { return band[m][k]; }
    HOST_DEVICE T diagonal() const { return (*this)[4]; }
    HOST_DEVICE T row_sum() const { return (*this)[4]; }
  };

  explicit IndexedBand(const NineBand<const T>& A) : NineBand<const T>(A) {}
  HOST_DEVICE Entries row(int i, int j) const { return {this->band, j * this->nx + i}; }
};

/// The rows of any matrix as sums over rows read them.
template <class T>
IndexedBand<T> indexed(const NineBand<const T>& A) {
  return IndexedBand<T>(A);
}
template <class Rows>
Rows indexed(const Rows& A) {
  return A;
}
template <class Rows>
using Indexed = decltype(indexed(std::declval<const Rows&>()));

/// One row of A x, and the row's diagonal entry to the digits that smoothers need (Leading<T>).
template <class T>
struct RowValue {
  Arithmetic<T> product;
  Leading<T> diagonal;
};

/// A row of the tridiagonal part along a line: the coupling to the node before, zero at the line's
/// first one, and the row's sum within the line.
template <class D>
struct InLine {
  D coupling, sum;
};

/// Row (i,j) of a matrix in plain form; nothing is checked.  `Bands` is NineBand, or ComputedBands
/// of fem/matrix/computed_bands.hpp.
template <class Bands, class T>
HOST_DEVICE inline RowValue<T> plain_row(const Bands& A, const Field<const T>& x, int i, int j) {
  using C = Arithmetic<T>;
  const auto a = A.row(i, j);
  const T* centre = x.row(j) + i;
  const T *south = centre - x.pitch, *north = centre + x.pitch;
  const C diagonal = a.diagonal();
  ProductSum<C> sum(a[0], south[-1]);
  sum.add(a[1], south[0]);
  sum.add(a[2], south[1]);
  sum.add(a[3], centre[-1]);
  sum.add(diagonal, centre[0]);
  sum.add(a[5], centre[1]);
  sum.add(a[6], north[-1]);
  sum.add(a[7], north[0]);
  sum.add(a[8], north[1]);
  return {sum.value(), static_cast<Leading<T>>(diagonal)};
}

/// Row (i,j) of a matrix in difference form; nothing is checked.
template <class Bands, class T>
HOST_DEVICE inline RowValue<T> difference_row(const Bands& A, const Field<const T>& x, int i,
                                              int j) {
  using C = Arithmetic<T>;
  const auto a = A.row(i, j);
  const T* centre = x.row(j) + i;
  const T *south = centre - x.pitch, *north = centre + x.pitch;
  const C here = centre[0];
  // Each entry is read once, for the product and, soon after, for the diagonal: registers are few.
  using D = Leading<T>;
  const C a0 = a[0], a1 = a[1];
  ProductSum<C> sum(a0, south[-1] - here);
  sum.add(a1, south[0] - here);
  const D two = D(a0) + D(a1);
  const C a2 = a[2], a3 = a[3];
  sum.add(a2, south[1] - here);
  sum.add(a3, centre[-1] - here);
  const D four = two + (D(a2) + D(a3));
  const C a5 = a[5], a6 = a[6];
  sum.add(a5, centre[1] - here);
  sum.add(a6, north[-1] - here);
  const D next_two = D(a5) + D(a6);
  const C a7 = a[7], a8 = a[8];
  sum.add(a7, north[0] - here);
  sum.add(a8, north[1] - here);
  const D others = four + (next_two + (D(a7) + D(a8)));
  const C row_sum = a.row_sum();
  sum.add(row_sum, here);
  return {sum.value(), D(row_sum) - others};
}

/// The diagonal entry of row (i,j) of a matrix in difference form, row sum minus the other entries,
/// computed in D; added in the order of difference_row, whose bits it has for D = Leading<T>.
template <class D, class Bands>
HOST_DEVICE inline D difference_diagonal_in(const Bands& A, int i, int j) {
  const auto a = A.row(i, j);
  const auto entry = [&](int m) { return static_cast<D>(a[m]); };
  const D others = ((entry(0) + entry(1)) + (entry(2) + entry(3)))
                   + ((entry(5) + entry(6)) + (entry(7) + entry(8)));
  return static_cast<D>(a.row_sum()) - others;
}

/// The same to all digits.
template <class Bands>
HOST_DEVICE inline auto difference_diagonal(const Bands& A, int i, int j) {
  return difference_diagonal_in<Arithmetic<typename Bands::Value>>(A, i, j);
}

/// The form as a compile-time choice, so that kernels hold no branch on it.
template <OperatorForm form>
struct Row {
  /// (A x)(i,j) with the diagonal; nothing is checked.
  template <class Bands, class T>
  HOST_DEVICE static RowValue<T> value(const Bands& A, const Field<const T>& x, int i, int j) {
    if constexpr (requires { A.without_reaction(); }) {
      if (!A.has_reaction()) return value(A.without_reaction(), x, i, j);
    }
    if constexpr (form == OperatorForm::plain) {
      return plain_row(A, x, i, j);
    } else {
      return difference_row(A, x, i, j);
    }
  }

  template <class Bands, class T>
  HOST_DEVICE static Arithmetic<T> product(const Bands& A, const Field<const T>& x, int i, int j) {
    return value(A, x, i, j).product;
  }

  template <class Bands>
  HOST_DEVICE static auto diagonal(const Bands& A, int i, int j) {
    if constexpr (form == OperatorForm::plain) {
      return static_cast<Arithmetic<typename Bands::Value>>(A.row(i, j).diagonal());
    } else {
      return difference_diagonal(A, i, j);
    }
  }

  /// The sizes of what the row sums up.
  template <class Bands, class T>
  HOST_DEVICE static Arithmetic<T> rounding(const Bands& A, const Field<const T>& x, int i, int j) {
    using C = Arithmetic<T>;
    const auto size = [](C v) { return v < C(0) ? -v : v; };
    const auto a = A.row(i, j);
    const C here = x(i, j);
    C sum = size(form == OperatorForm::plain ? C(a.diagonal()) : C(a.row_sum())) * size(here);
    for (int m = 0; m < 9; ++m) {
      if (m == 4) continue;
      const C beside = x(i + m % 3 - 1, j + m / 3 - 1);
      sum = sum + size(a[m]) * size(form == OperatorForm::plain ? beside : C(beside - here));
    }
    return sum;
  }

  /// Row (i,j) along x or y, from its diagonal entry; `first` and `last` nodes of the line have no
  /// neighbour in it.
  template <bool along_x, class D, class Bands>
  HOST_DEVICE static InLine<D> in_line(const Bands& A, const D& diagonal, int i, int j, bool first,
                                       bool last) {
    const auto a = A.row(i, j);
    const D before = first ? D(0) : D(a[along_x ? 3 : 1]);
    const D after = last ? D(0) : D(a[along_x ? 5 : 7]);
    return {before, diagonal + (before + after)};
  }

  /// The diagonal as smoothers need it: to the digits of Leading<T>.
  template <class Bands>
  HOST_DEVICE static auto leading_diagonal(const Bands& A, int i, int j) {
    using D = Leading<typename Bands::Value>;
    if constexpr (form == OperatorForm::plain) {
      return static_cast<D>(A.row(i, j).diagonal());
    } else {
      return difference_diagonal_in<D>(A, i, j);
    }
  }
};

}  // namespace ninefold
