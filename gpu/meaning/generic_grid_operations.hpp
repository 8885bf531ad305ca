#pragma once
// The meaning of the operations between two grids and on the coarsest one; see
// gpu/meaning/generic_row_operations.hpp.

#include <stdexcept>
#include <string>

#include "grids/slabs.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/meaning/transfer_columns.hpp"

namespace ninefold {

template <class T>
struct RestrictResidual {
  Transfer<Arithmetic<T>> transfer;
  Box fine;
  Field<const T> r;
  Field<T> b;
  HOST_DEVICE void operator()(int i, int j) const {
    b(i, j) = T(restrict_at(transfer, r, fine, i, j));
  }
};

template <Backend B, Number T>
void restrict_residual(const B& on, const Box& coarse_box, const Box& fine_box,
                       const Transfer<Scalar<T>>& transfer, In<Field, T> r, const Field<T>& b,
                       int rows_asked) {
  require_shape("restrict_residual", Field<const T>{nullptr, 2 * b.nx - 1, 2 * b.ny - 1}, r);
  require_inside("restrict_residual", coarse_box, b);
  require_inside("restrict_residual", fine_box, r);
  count(on, restrict_traffic, coarse_box, sizeof(T));
  if (rows_asked < 0 || rows_asked > Slabs::ghost_rows) {
    throw std::invalid_argument("restrict_residual: " + std::to_string(rows_asked)
                                + " rows of other ranks, of which there are places for "
                                + std::to_string(Slabs::ghost_rows));
  }
  if (rows_asked > 0) share_borders(on, r, rows_asked);
  const Box own = own_coarse_part(on, r.ny, coarse_box);
  for_nodes_or_columns(on, own, RestrictResidual<T>{transfer, fine_box, r, b}, own,
                       RestrictColumn<T>{transfer, fine_box, r, b});
  gather_if_whole(on, r.ny, b);
}

/// One of double and of pairs takes less time than four; of what is computed in single it is the
/// other way round.
template <class T>
struct AddProlongated {
  static constexpr int batch = sizeof(Arithmetic<T>) > 4 ? 1 : 4;
  Transfer<Arithmetic<T>> transfer;
  Field<const T> c;
  Field<T> x;
  using C = Arithmetic<T>;
  HOST_DEVICE C read(int i, int j) const { return x(i, j) + prolong_at(transfer, c, i, j); }
  HOST_DEVICE C write(int i, int j, const C& sum) const {
    x(i, j) = T(sum);
    return sum;
  }
  HOST_DEVICE void operator()(int i, int j) const { (void)write(i, j, read(i, j)); }
};

template <Backend B, Number T>
void add_prolongated(const B& on, const Box& fine_box, const Transfer<Scalar<T>>& transfer,
                     In<Field, T> c, const Field<T>& x) {
  require_shape("add_prolongated", Field<const T>{nullptr, 2 * c.nx - 1, 2 * c.ny - 1}, x);
  require_inside("add_prolongated", fine_box, x);
  count(on, prolong_traffic, fine_box, sizeof(T));
  using Columns = ProlongColumns<T>;
  share_borders(on, c);
  const Box own = own_part(on, x.ny, fine_box).box;
  for_nodes_or_columns(on, own, AddProlongated<T>{transfer, c, x}, Columns::columns(own),
                       Columns{transfer, own, c, x});
}

/// The upper triangle and the right-hand side after elimination without pivoting; n <= 9.
template <class C>
HOST_DEVICE void eliminate(int n, C (&matrix)[9][9], C (&y)[9]) {
  for (int pivot = 0; pivot < n; ++pivot) {
    for (int row = pivot + 1; row < n; ++row) {
      const C factor = matrix[row][pivot] / matrix[pivot][pivot];
      for (int column = pivot + 1; column < n; ++column) {
        matrix[row][column] = fused(-factor, matrix[pivot][column], matrix[row][column]);
      }
      y[row] = fused(-factor, y[pivot], y[row]);
    }
  }
}

/// Then the solution, in y; quotient(rest, pivot) solves one equation for its own unknown.
template <class C, class Quotient>
HOST_DEVICE void substitute(int n, C (&matrix)[9][9], C (&y)[9], const Quotient& quotient) {
  for (int row = n - 1; row >= 0; --row) {
    for (int column = row + 1; column < n; ++column) {
      y[row] = fused(-matrix[row][column], y[column], y[row]);
    }
    y[row] = quotient(y[row], matrix[row][row]);
  }
}

template <class T, class Rows = NineBand<const T>>
struct SolveCoarsest {
  Rows A;
  Field<const T> b;
  Field<T> x;
  using C = Arithmetic<T>;

  HOST_DEVICE C entry(int row, int column) const {
    const int s = column % 3 - row % 3, t = column / 3 - row / 3;
    if (s < -1 || s > 1 || t < -1 || t > 1) return C(0);
    if (s != 0 || t != 0) return A.band[3 * (t + 1) + (s + 1)][row];
    return A.form == OperatorForm::plain ? A.band[4][row]
                                         : difference_diagonal(A, row % 3, row / 3);
  }

  HOST_DEVICE void operator()(int) const {
    int node[9];
    int n = 0;
    for (int k = 0; k < 9; ++k) {
      if (A.unknowns.contains(k % 3, k / 3)) node[n++] = k;
    }
    C matrix[9][9], y[9];
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column)
        matrix[row][column] = entry(node[row], node[column]);
      y[row] = b(node[row] % 3, node[row] / 3);
      // Couplings to Dirichlet nodes, whose values are given.
      for (int k = 0; k < 9; ++k) {
        if (!A.unknowns.contains(k % 3, k / 3)) {
          y[row] = fused(-entry(node[row], k), x(k % 3, k / 3), y[row]);
        }
      }
    }
    eliminate(n, matrix, y);
    // The last pivot is that of the constants, if no side is Dirichlet: nothing, or what rounding
    // has left of a small reaction.  Any value then solves the last equation.
    if (A.has_free_constant || (n == 9 && matrix[n - 1][n - 1] <= C(0))) {
      matrix[n - 1][n - 1] = C(1);
      y[n - 1] = C(0);
    }
    substitute(n, matrix, y, [](const C& rest, const C& pivot) { return rest / pivot; });
    for (int row = 0; row < n; ++row) x(node[row] % 3, node[row] / 3) = T(y[row]);
  }
};

/// In the basis of step functions, which jump in one cell each: stiffness is then diagonal and mass
/// positive, so that nothing cancels in the matrix.  Nor does it in the pivots, since elimination
/// does not depend on the basis functions' sizes, and no two of these are nearly the same,
/// whichever cells are thin.
template <class T>
struct SolveCoarsest<T, FactoredRows<T>> {
  FactoredRows<T> A;
  Field<const T> b;
  Field<T> x;
  using C = Arithmetic<T>;

  /// One at nodes first <= i < last; its stiffness is that of the cell which it jumps in.
  struct Step {
    int first, last;
    C stiffness;
    HOST_DEVICE bool covers(int i) const { return first <= i && i < last; }
  };

  /// Step p of unknowns from i0 to i1: they end at the side that is not Dirichlet; with no such
  /// side the first is constant, and one stands at each end.
  HOST_DEVICE static Step step(const LineFactors<C>& line, int i0, int i1, int p) {
    if (i0 == 0 && i1 == 3) {
      if (p == 0) return {0, 3, C(0)};
      return p == 1 ? Step{0, 1, line[0].after} : Step{2, 3, line[2].before};
    }
    if (i1 == 3) return {i0 + p, i1, line[i0 + p].before};
    return {i0, i1 - p, i0 == 1 ? line[1].stiffness() : line[i1 - 1 - p].after};
  }

  /// The integral of the product of two steps.
  HOST_DEVICE static C mass(const LineFactors<C>& line, const Step& a, const Step& b) {
    C sum(0);
    for (int i = a.first; i < a.last; ++i) {
      for (int s = -1; s <= 1; ++s) {
        if (b.covers(i + s)) sum = sum + line[i].mass(s);
      }
    }
    return sum;
  }

  HOST_DEVICE void operator()(int) const {
    const Box& box = A.unknowns;
    const int nx = box.width(), n = nx * box.height();
    if (n == 1) return solve_one();
    for (int k = 0; k < n; ++k) x(box.i0 + k % nx, box.j0 + k / nx) = T(0);
    C matrix[9][9], y[9];
    for (int row = 0; row < n; ++row) {
      // The constant comes last: where nothing holds it, its pivot is an exact zero.
      const int p = (n - 1 - row) % nx, q = (n - 1 - row) / nx;
      const Step px = step(A.x, box.i0, box.i1, p), py = step(A.y, box.j0, box.j1, q);
      for (int column = 0; column < n; ++column) {
        const int p2 = (n - 1 - column) % nx, q2 = (n - 1 - column) / nx;
        const C mx = mass(A.x, px, step(A.x, box.i0, box.i1, p2));
        const C my = mass(A.y, py, step(A.y, box.j0, box.j1, q2));
        C along = A.reaction * mx;
        if (p == p2) along = along + px.stiffness;
        matrix[row][column] = along * my;
        if (q == q2) matrix[row][column] = fused(mx, py.stiffness, matrix[row][column]);
      }
      y[row] = C(0);
      for (int j = py.first; j < py.last; ++j) {
        for (int i = px.first; i < px.last; ++i) y[row] = y[row] + right(i, j);
      }
    }
    eliminate(n, matrix, y);
    substitute(n, matrix, y,
               [](const C& rest, const C& pivot) { return pivot == C(0) ? C(0) : rest / pivot; });
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) {
        C sum(0);
        for (int row = 0; row < n; ++row) {
          const int p = (n - 1 - row) % nx, q = (n - 1 - row) / nx;
          if (step(A.x, box.i0, box.i1, p).covers(i) && step(A.y, box.j0, box.j1, q).covers(j)) {
            sum = sum + y[row];
          }
        }
        x(i, j) = T(sum);
      }
    }
  }

 private:
  /// The same operations where all sides are Dirichlet, which take a device much less time by
  /// themselves.
  HOST_DEVICE void solve_one() const {
    const NodeFactors<C> fx = A.x[1], fy = A.y[1];
    const C mx = fx.mass(), my = fy.mass();
    const C along = C(A.reaction * mx) + fx.stiffness();
    const C pivot = fused(mx, fy.stiffness(), along * my);
    x(1, 1) = T(0);
    const C y = C(0) + right(1, 1);
    x(1, 1) = T(C(0) + (pivot == C(0) ? C(0) : y / pivot));
  }

  /// b without what comes from Dirichlet nodes, whose values are given; those of unknowns are zero.
  HOST_DEVICE C right(int i, int j) const {
    return b(i, j) - FactoredForm::product(A, Field<const T>(x), i, j);
  }
};

template <Backend B, Number T, RowsOf<T> Rows>
void solve_coarsest(const B& on, const Rows& A, In<Field, T> b, const Field<T>& x) {
  require_shape("solve_coarsest", Field<const T>{nullptr, 3, 3}, A, b, x);
  for_each(on, 1, SolveCoarsest<T, Rows>{A, b, x});
}

}  // namespace ninefold
