#pragma once
// Eigenvalues and eigenvectors of the linear elements of one direction: what diagonalises the
// bilinear matrix of a tensor-product grid.
//
// Mathematics.  With K and M of fem/discrete/q1_element.hpp, rows and columns of Dirichlet ends
// left out,
//
//     K v = lambda (2^-e M) v,        e = mass_exponent(line),
//
// so that lambda is as large as the cells are many, whatever the units.  Where all cells have the
// width h, the eigenvectors are waves, whatever the ends: with s = sin(theta / 2)
//
//     lambda = (4 s^2 / h) / (2^-e h (1 - 2/3 s^2)).
//
//     ends (first, last)     unknowns i   v(i)                 theta            k
//     Dirichlet, Dirichlet   1 ... n-1    sin(theta i)         pi k / n         1 ... n-1
//     natural, natural       0 ... n      cos(theta i)         pi k / n         0 ... n
//     natural, Dirichlet     0 ... n-1    cos(theta i)         pi (k+1/2) / n   0 ... n-1
//     Dirichlet, natural     1 ... n      cos(theta (n - i))   pi (k+1/2) / n   0 ... n-1
//
// Of any other widths the eigenvectors are computed: with M = L L^T those of C = L^-1 K L^-T.  An
// eigenvalue is then a Rayleigh quotient, in differences, which is as exact as the square of its
// vector's error.
//
// Rounding.  In double.  A computed eigenvector is that of C + E, |E| about u |C|: it is off by u
// times the largest over its own eigenvalue.  Hence computed_span().  By the factor of C, without
// C, it is off by the root of that times u (fem/discrete/small_eigenvectors.hpp).
//
// Tests.  tests/fem/discrete/line_spectrum_test.cpp

#include <cstddef>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold {

/// The eigenvectors of a direction, by its ends.
enum class Wave { computed, sine, cosine, quarter, reversed_quarter };

/// Which ends of a line are Dirichlet sides.
struct HeldEnds {
  bool first = true, last = true;
};
HeldEnds held_ends_x(const Boundary& boundary);
HeldEnds held_ends_y(const Boundary& boundary);

/// True if all cells have the same width, to the bit.
bool has_equal_cells(const Line& line);

/// Wave::computed unless all cells are equal.
Wave wave_of(const Line& line, const HeldEnds& held);

/// The unknowns of a line.
inline int count_unknowns(const Line& line, const HeldEnds& held) {
  return line.nodes() - (held.first ? 1 : 0) - (held.last ? 1 : 0);
}

/// One number for each eigenvector, in ascending order of `value`.
struct LineSpectrum {
  std::vector<double> value;   ///< lambda
  std::vector<double> weight;  ///< 1 / (v, 2^-e M v) of the waves as above
};

/// That of a line of equal cells; `wave` is not Wave::computed.
LineSpectrum wave_spectrum(const Line& line, Wave wave);

/// The waves as above times the root of their weight, column after column; n x n values are
/// written.
void wave_vectors(const Line& line, Wave wave, double* vectors);

/// C = L^-1 K L^-T of the unknowns, column after column; n x n values are written.
void standard_matrix(const Line& line, const HeldEnds& held, double* C);

/// F = W^(1/2) D L^-T, so that F^T F = C: D are the differences of a cell's nodes and W the inverse
/// widths; cells x n values are written, column after column.  No entry suffers from cancellation.
void standard_factor(const Line& line, const HeldEnds& held, double* F);

/// Of a line between natural ends L^T 1, of length one: C's eigenvector for zero.
std::vector<double> standard_constant(const Line& line);

/// From C's orthonormal eigenvectors (columns of `vectors`, ascending eigenvalues) to those of the
/// line, with (v, 2^-e M v) = 1, in place; returns the eigenvalues.  Between natural ends the first
/// is the constant, exactly, and no other has a part of it.
std::vector<double> line_eigenvectors(const Line& line, const HeldEnds& held, double* vectors);

/// A bound of the largest eigenvalue of A x = lambda M x that directions with computed eigenvectors
/// contribute, over the smallest one of all that is not zero: by 12 / h^2 of the thinnest cells and
/// the eigenvalues of the differential operator, which are below those of any grid.  0 if all
/// eigenvectors are waves.
double computed_span(const Problem& problem, const TensorGrid& grid);

/// u times the span is what a correction by computed eigenvectors may leave of an error.  Beyond
/// this span that is more than 1/64, and soon nothing is gained.
inline constexpr double widest_span = 0x1p53 / 64;

}  // namespace ninefold
