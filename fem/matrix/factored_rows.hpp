#pragma once
// The Q1 matrix of fem/matrix/nine_band.hpp by its one-dimensional factors, in the format itself.
//
// Mathematics.  A = K_x (x) M_y + M_x (x) K_y + c M_x (x) M_y, the coefficients in the stiffnesses.
// With k(i) the stiffness 1/h and m(i) the mass h/6 of the cell before node i, and likewise l(j),
// n(j) along y, a row is
//
//     q_t  = k(i) (x_i - x_i-1) - k(i+1) (x_i+1 - x_i)   in row j + t, t = -1, 0, 1
//            + c (m(i) x_i-1 + 2 (m(i) + m(i+1)) x_i + m(i+1) x_i+1)
//     F(j) = l(j) (m(i) d_i-1 + 2 (m(i) + m(i+1)) d_i + m(i+1) d_i+1),    d_s = x(s,j) - x(s,j-1)
//
//     (A x)(i,j) = n(j) q_-1 + 2 (n(j) + n(j+1)) q_0 + n(j+1) q_1 + (F(j) - F(j+1)).
//
// Why.  Entry by entry, the parts of thin cells' couplings that cancel in a row lose what they
// leave: an entry of size 1/h, rounded, is a source of u/h that has to leave through the whole
// domain, so that cells below u (6e-8 in single) are lost if no Dirichlet side holds them.  Here
// what flows from a cell into the next is one number, the same in both of their rows: the rounding
// of a coupling perturbs the coefficient of one cell by 2u, whatever its width, and that of a sum
// is relative to differences of flows.
//
// Shape.  Two numbers per cell and one cell more at each end, whose stiffness and mass are zero;
// x is read at all eight neighbours; beyond an end, where what is there is a margin or the next
// row, times zero.  The form is `difference`: A x is zero for constants but for the reaction.
//
// Cost.  Nothing moves but vectors; 38 operations a row by itself, 20 where rows are climbed
// (FactoredColumn, gpu/launch/climbing.hpp); the difference form of stored entries takes 17.
//
// Rounding.  Computed in Arithmetic<T> from factors rounded once to it; in the order above, t and s
// rising.  Products are added by ProductSum (one fused multiply-add each; pairs normalise a sum
// of three once), but for the two flows of q, which are rounded, so that both of their rows have
// the same bits.  Not the bits of stored entries.
//
// Tests.  tests/fem/matrix/factored_rows_test.cpp (50 digits), tests/gpu/device/same_bits_test.cpp

#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"

#include "fem/discrete/q1_element.hpp"
#include "fem/matrix/nine_band.hpp"

namespace ninefold {

/// The factors of one node in one direction.
template <class C>
struct NodeFactors {
  C before, after;            ///< stiffness of the cells before and after the node
  C mass_before, mass_after;  ///< their masses

  HOST_DEVICE C stiffness() const { return before + after; }
  HOST_DEVICE C mass() const { return twice(mass_before + mass_after); }
  HOST_DEVICE C stiffness(int s) const { return s == 0 ? stiffness() : s < 0 ? -before : -after; }
  HOST_DEVICE C mass(int s) const { return s == 0 ? mass() : s < 0 ? mass_before : mass_after; }
};

/// The entries of one row, each to a few roundoffs.
template <class T>
struct FactoredEntries {
  using C = Arithmetic<T>;
  NodeFactors<C> x, y;
  C reaction;

  HOST_DEVICE C entry(int m) const {
    const int s = m % 3 - 1, t = m / 3 - 1;
    const C along = fused(reaction, x.mass(s), x.stiffness(s));
    return fused(along, y.mass(t), x.mass(s) * y.stiffness(t));
  }
  HOST_DEVICE T operator[](int m) const { return static_cast<T>(entry(m)); }
  HOST_DEVICE T diagonal() const { return (*this)[4]; }
  HOST_DEVICE T row_sum() const {
    const C mx = x.mass() + (x.mass_before + x.mass_after);
    const C my = y.mass() + (y.mass_before + y.mass_after);
    return static_cast<T>(reaction * (mx * my));
  }
};

/// What one direction gives to the inverse of a bound of the diagonal
/// (FactoredForm::inverse_bound).
template <class D>
struct InverseFactors {
  D stiffness;  ///< 1 / (2 s + 3/2 c m), s the node's stiffness, m its mass
  D mass;       ///< 1 / m
};

/// The factors of all nodes of a line, which may be read by fours as line_factor_pitch says.
template <class C>
struct LineFactors {
  const C* stiffness;  ///< [i] of the cell between nodes i - 1 and i, 0 <= i <= nodes
  const C* mass;

  HOST_DEVICE NodeFactors<C> operator[](int i) const {
    return {stiffness[i], stiffness[i + 1], mass[i], mass[i + 1]};
  }
};

/// The values of three neighbours in a row.
template <class C>
struct ThreeNodes {
  C west, middle, east;

  template <class T>
  HOST_DEVICE static ThreeNodes around(const T* at) {
    return {C(at[-1]), C(at[0]), C(at[1])};
  }
  HOST_DEVICE C operator()(int s) const { return s < 0 ? west : s == 0 ? middle : east; }
};

struct FactoredForm;

/// What rows that follow each other along y share, of one column: each is computed once by who goes
/// upwards.
template <class C>
struct FactoredColumn {
  C below, here;  ///< q of the rows j - 1 and j
  C flow;         ///< F(j)
};

/// A view of the factors of both directions.
template <class T>
struct FactoredRows {
  using Value = T;
  using C = Arithmetic<T>;
  using Form = FactoredForm;
  static constexpr bool is_read_only = true;
  static constexpr int stored_values = 0;

  LineFactors<C> x, y;
  C reaction;
  int nx, ny;
  Box unknowns;
  OperatorForm form = OperatorForm::difference;

  /// Of an unknown; nothing is checked.
  HOST_DEVICE FactoredEntries<T> row(int i, int j) const { return {x[i], y[j], reaction}; }

  HOST_DEVICE bool has_reaction() const { return !(reaction == C(0)); }
};

/// What operations ask of a row: as Row<form> of fem/matrix/nine_band.hpp.
struct FactoredForm {
  /// Row i of M, times v of its three nodes.
  template <class C>
  HOST_DEVICE static C of_masses(const NodeFactors<C>& f, const C& before, const C& here,
                                 const C& after) {
    ProductSum<C> sum(f.mass_before, before);
    sum.add(f.mass(), here);
    sum.add(f.mass_after, after);
    return sum.value();
  }

  /// q: row i of (K_x + c M_x) x; x(s) is x_i+s.
  template <class C>
  HOST_DEVICE static C along(const NodeFactors<C>& f, C reaction, const ThreeNodes<C>& x) {
    const C flow = f.before * (x(0) - x(-1)) - f.after * (x(1) - x(0));
    if (reaction == C(0)) return flow;
    return fused(reaction, of_masses(f, x(-1), x(0), x(1)), flow);
  }

  /// F: from the row of `below` to the one of `above`.
  template <class C>
  HOST_DEVICE static C across(const NodeFactors<C>& f, C stiffness, const ThreeNodes<C>& below,
                              const ThreeNodes<C>& above) {
    const auto difference = [&](int s) { return above(s) - below(s); };
    return stiffness * of_masses(f, difference(-1), difference(0), difference(1));
  }

  /// The column before row j, of the nodes of rows j - 1 and j.
  template <class C, class T>
  HOST_DEVICE static FactoredColumn<C> column(const FactoredEntries<T>& a,
                                              const ThreeNodes<C>& south,
                                              const ThreeNodes<C>& here) {
    return {along(a.x, a.reaction, south), along(a.x, a.reaction, here),
            across(a.x, a.y.before, south, here)};
  }

  /// The product of row j, from the nodes of rows j and j + 1; the column is then that before row
  /// j + 1.
  template <class C, class T>
  HOST_DEVICE static C climb(const FactoredEntries<T>& a, const ThreeNodes<C>& here,
                             const ThreeNodes<C>& north, FactoredColumn<C>& column) {
    const C above = along(a.x, a.reaction, north), flow = across(a.x, a.y.after, here, north);
    const C sum = of_masses(a.y, column.below, column.here, above);
    const C product = sum + (column.flow - flow);
    column = {column.here, above, flow};
    return product;
  }

  template <class T>
  HOST_DEVICE static Arithmetic<T> product(const FactoredRows<T>& A, const Field<const T>& x, int i,
                                           int j) {
    using C = Arithmetic<T>;
    const FactoredEntries<T> a = A.row(i, j);
    const T* const at = x.row(j) + i;
    const auto here = ThreeNodes<C>::around(at);
    FactoredColumn<C> before = column(a, ThreeNodes<C>::around(at - x.pitch), here);
    return climb(a, here, ThreeNodes<C>::around(at + x.pitch), before);
  }

  /// The sizes of what the row sums up; the flows in q are the same in the next row.
  template <class T>
  HOST_DEVICE static Arithmetic<T> rounding(const FactoredRows<T>& A, const Field<const T>& x,
                                            int i, int j) {
    using C = Arithmetic<T>;
    const auto size = [](C v) { return v < C(0) ? -v : v; };
    const FactoredEntries<T> a = A.row(i, j);
    const T* const at = x.row(j) + i;
    const auto here = ThreeNodes<C>::around(at), north = ThreeNodes<C>::around(at + x.pitch);
    const FactoredColumn<C> before = column(a, ThreeNodes<C>::around(at - x.pitch), here);
    const C change = before.flow - across(a.x, a.y.after, here, north);
    return a.y.mass_before * size(before.below) + a.y.mass() * size(before.here)
           + a.y.mass_after * size(along(a.x, a.reaction, north)) + size(change);
  }

  /// To the digits of D; all terms have one sign.
  template <class D, class T>
  HOST_DEVICE static D diagonal_in(const FactoredEntries<T>& a) {
    const NodeFactors<D> fx = leading<D>(a.x), fy = leading<D>(a.y);
    const D along = fused(D(a.reaction), fx.mass(), fx.stiffness());
    return fused(along, fy.mass(), fx.mass() * fy.stiffness());
  }
  /// What a node of one direction gives to inverse_bound, to the digits of D.
  template <class D, class C>
  HOST_DEVICE static InverseFactors<D> inverse_in(const NodeFactors<C>& f, const C& reaction) {
    const NodeFactors<D> own = leading<D>(f);
    const D mass = own.mass(), half = fused(D(0.75) * D(reaction), mass, own.stiffness());
    return {D(1) / (half + half), D(1) / mass};
  }
  /// 1 / (2 max(dx, dy) + 3/2 c m) (gpu/operations/relaxation.hpp) of a node: with the reaction's
  /// part in both directions' stiffnesses it is the smaller one of two products, and who goes along
  /// a line divides once.
  template <class D>
  HOST_DEVICE static D inverse_bound(const InverseFactors<D>& x, const InverseFactors<D>& y) {
    const D along_x = x.stiffness * y.mass, along_y = x.mass * y.stiffness;
    return along_x < along_y ? along_x : along_y;
  }
  template <class D, class T>
  HOST_DEVICE static D inverse_bound_in(const FactoredEntries<T>& a) {
    return inverse_bound(inverse_in<D>(a.x, a.reaction), inverse_in<D>(a.y, a.reaction));
  }
  template <class T>
  HOST_DEVICE static Arithmetic<T> diagonal(const FactoredRows<T>& A, int i, int j) {
    return diagonal_in<Arithmetic<T>>(A.row(i, j));
  }
  template <class T>
  HOST_DEVICE static Leading<T> leading_diagonal(const FactoredRows<T>& A, int i, int j) {
    return diagonal_in<Leading<T>>(A.row(i, j));
  }

  /// (A x)(i,j) with the diagonal; nothing is checked.
  template <class T>
  HOST_DEVICE static RowValue<T> value(const FactoredRows<T>& A, const Field<const T>& x, int i,
                                       int j) {
    return {product(A, x, i, j), leading_diagonal(A, i, j)};
  }

  /// Of the line along x or y through a node; see Row<form>::in_line.
  template <bool along_x, class D, class T>
  HOST_DEVICE static InLine<D> in_line(const FactoredRows<T>& A, const D&, int i, int j, bool first,
                                       bool last) {
    const NodeFactors<D> fx = leading<D>(A.x[i]), fy = leading<D>(A.y[j]);
    const NodeFactors<D>&line = along_x ? fx : fy, &other = along_x ? fy : fx;
    const D stiff = other.mass();
    const D mass = fused(D(A.reaction), other.mass(), other.stiffness());
    // The row sum of the mass matrix, and what holds the line at a Dirichlet node.
    D masses = line.mass();
    D held(0);
    if (first) {
      held = held + line.before;
    } else {
      masses = masses + line.mass_before;
    }
    if (last) {
      held = held + line.after;
    } else {
      masses = masses + line.mass_after;
    }
    const D coupling = fused(mass, line.mass_before, -(stiff * line.before));
    return {first ? D(0) : coupling, fused(mass, masses, stiff * held)};
  }

 private:
  template <class D, class C>
  HOST_DEVICE static NodeFactors<D> leading(const NodeFactors<C>& f) {
    return {D(f.before), D(f.after), D(f.mass_before), D(f.mass_after)};
  }
};

}  // namespace ninefold
