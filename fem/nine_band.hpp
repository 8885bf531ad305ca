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
// Units.  gx hy/hx + ...: the units of the coefficients; areas are in the load, never here.
//
// Cost.  11 values move per row (nine bands, x once through cache, one result).
//
// Rounding.  Terms are added in band order with one fused multiply-add each, the centre last in
// difference form.  Host and device agree to the last bit; keep the order when you tune a kernel.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 5.1.
// Tests.      tests/fem/nine_band_test.cpp, tests/gpu/operations_test.cpp (50 digits).

#include <concepts>
#include <string_view>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"

#include "grids/field.hpp"

namespace ninefold {

enum class OperatorForm { plain, difference };

/// "plain" or "difference".
constexpr std::string_view to_string(OperatorForm form) {
  return form == OperatorForm::plain ? "plain" : "difference";
}

/// A non-owning view of the nine bands; `NineBand<const T>` is the read-only one.
template <class T>
struct NineBand {
  T* band[9];
  int nx, ny;
  OperatorForm form;
  Box unknowns;

  template <std::same_as<const T> U>
  HOST_DEVICE operator NineBand<U>() const {
    return {{band[0], band[1], band[2], band[3], band[4], band[5], band[6], band[7], band[8]},
            nx,
            ny,
            form,
            unknowns};
  }
};

/// (A x)(i,j) of a matrix in plain form; nothing is checked.
template <class T>
HOST_DEVICE inline T plain_row_product(const NineBand<const T>& A, const Field<const T>& x, int i,
                                       int j) {
  const int k = j * A.nx + i;
  const T* south = x.data + (k - A.nx);
  const T* centre = x.data + k;
  const T* north = x.data + (k + A.nx);
  T sum = A.band[0][k] * south[-1];
  sum = fused(A.band[1][k], south[0], sum);
  sum = fused(A.band[2][k], south[1], sum);
  sum = fused(A.band[3][k], centre[-1], sum);
  sum = fused(A.band[4][k], centre[0], sum);
  sum = fused(A.band[5][k], centre[1], sum);
  sum = fused(A.band[6][k], north[-1], sum);
  sum = fused(A.band[7][k], north[0], sum);
  return fused(A.band[8][k], north[1], sum);
}

/// (A x)(i,j) of a matrix in difference form; nothing is checked.
template <class T>
HOST_DEVICE inline T difference_row_product(const NineBand<const T>& A, const Field<const T>& x,
                                            int i, int j) {
  const int k = j * A.nx + i;
  const T* south = x.data + (k - A.nx);
  const T* centre = x.data + k;
  const T* north = x.data + (k + A.nx);
  const T here = centre[0];
  T sum = A.band[0][k] * (south[-1] - here);
  sum = fused(A.band[1][k], south[0] - here, sum);
  sum = fused(A.band[2][k], south[1] - here, sum);
  sum = fused(A.band[3][k], centre[-1] - here, sum);
  sum = fused(A.band[5][k], centre[1] - here, sum);
  sum = fused(A.band[6][k], north[-1] - here, sum);
  sum = fused(A.band[7][k], north[0] - here, sum);
  sum = fused(A.band[8][k], north[1] - here, sum);
  return fused(A.band[4][k], here, sum);
}

/// The diagonal entry of row (i,j) of a matrix in difference form: row sum minus the other entries.
template <class T>
HOST_DEVICE inline T difference_diagonal(const NineBand<const T>& A, int i, int j) {
  const int k = j * A.nx + i;
  const T sum = ((A.band[0][k] + A.band[1][k]) + (A.band[2][k] + A.band[3][k]))
                + ((A.band[5][k] + A.band[6][k]) + (A.band[7][k] + A.band[8][k]));
  return A.band[4][k] - sum;
}

/// The form as a compile-time choice, so that kernels hold no branch on it.
template <OperatorForm form>
struct Row {
  template <class T>
  HOST_DEVICE static T product(const NineBand<const T>& A, const Field<const T>& x, int i, int j) {
    if constexpr (form == OperatorForm::plain) {
      return plain_row_product(A, x, i, j);
    } else {
      return difference_row_product(A, x, i, j);
    }
  }

  template <class T>
  HOST_DEVICE static T diagonal(const NineBand<const T>& A, int i, int j) {
    if constexpr (form == OperatorForm::plain) {
      return A.band[4][j * A.nx + i];
    } else {
      return difference_diagonal(A, i, j);
    }
  }
};

}  // namespace ninefold
