#pragma once
// Integrals of a finite element function, and the energy norm of its error.
//
// Mathematics.  With u_h bilinear in each cell,
//
//     integral u_h,    |u_h| = (integral u_h^2)^(1/2),
//     a(u_h, u_h) = integral gx (d u_h/dx)^2 + gy (d u_h/dy)^2 + c u_h^2
//
// are exact sums over the cells, whatever their widths.  The energy norm of the error,
// a(u - u_h, u - u_h)^(1/2), is summed by 5 x 5 Gauss points per cell, where the derivatives are
// those of the polynomial of degree 4 in x and 4 in y that has the values of u - u_h at these
// points: all samples of u lie inside of the cell, and no derivative of u need be known.  That is
// exact for polynomials of degree 4 in each direction and otherwise leaves about
// h^4 |u^(5)|/2000 of a derivative, against the error's h |u''|/2; of layers and peaks thinner than
// a cell it tells no more than other rules.
//
// By two levels.  On nested grids, with loads that are integrated exactly and Dirichlet values that
// the coarser level has, too, a(u - u_l, u_l - u_(l-1)) = 0, so that
//
//     |u - u_(l-1)|^2 = |u - u_l|^2 + |u_l - u_(l-1)|^2    in the energy norm,
//
// and |u_l - u_(l-1)|/sqrt(3) is the finer level's error if that is half the coarser one's, as
// for smooth solutions of which the grids resolve all.  Where the error falls by another factor q,
// it is sqrt(3/(q^2 - 1)) times what is told.
//
// Rounding.  In double.  Over a cell of width h rounding of |u| would add about 1e-16 |u|/h to a
// derivative: 1e-16 |u|/h^(1/2) to a norm, which is nothing for cells of 1e-17 and all for those of
// 1e-30. Differences over a cell that are no larger than what rounding leaves, 2e-15 |u| of nodal
// values and 1e-14 |u| of derivatives times h, therefore count as zero; what is lost is below the
// rounding of other cells.  Sums are compensated along a row and over the rows, in one order for
// any number of threads.  Powers of two are taken out where squares would leave the range of
// double.
//
// Reference.  Galerkin orthogonality: Brenner, Scott, The Mathematical Theory of Finite Element
// Methods, section 2.4.
// Tests.      tests/fem/discrete/quantities_test.cpp

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

/// Of u_h itself; `energy` is a(u_h, u_h), no root.  What is beyond the range of double is infinite
/// or zero.
struct Quantities {
  double integral = 0, l2_norm = 0, energy = 0;
};

/// Those of nodal values on `grid`; throws std::invalid_argument if sizes differ.
Quantities measure_quantities(const Problem& problem, const TensorGrid& grid,
                              const NodalValues<double>& u_h);

/// energy^(1/2), which may be inside the range where the energy is not.
double measure_energy_norm(const Problem& problem, const TensorGrid& grid,
                           const NodalValues<double>& u_h);

/// a(u - u_h, u - u_h)^(1/2), u the analytic solution; not finite where that is not.  Throws
/// std::invalid_argument if sizes differ or there is no such solution.
double measure_energy_error(const Problem& problem, const TensorGrid& grid,
                            const NodalValues<double>& u_h);

/// The same as the next coarser level's nodal values tell it: |u_l - u_(l-1)|/sqrt(3) in the energy
/// norm.  Throws std::invalid_argument if sizes differ.
double estimate_energy_error(const Problem& problem, const TensorGrid& grid,
                             const NodalValues<double>& u_h, const NodalValues<double>& coarser);

}  // namespace ninefold
