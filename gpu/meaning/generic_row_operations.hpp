#pragma once
// The meaning of each operation with rows of a matrix on a grid; see
// gpu/meaning/generic_vector_operations.hpp.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "gpu/launch/visited_row.hpp"
#include "gpu/meaning/generic_vector_operations.hpp"
#include "gpu/operations/row_operations.hpp"

namespace ninefold {

/// Calls run(Row<form>{}) for the matrix's form, or with its own one.
template <class Bands, class Run>
void with_form(const Bands& A, const Run& run) {
  if constexpr (requires { typename Bands::Form; }) {
    run(typename Bands::Form{});
  } else if (A.form == OperatorForm::plain) {
    run(Row<OperatorForm::plain>{});
  } else {
    run(Row<OperatorForm::difference>{});
  }
}

// --- assembly ---------------------------------------------------------------------------------

template <class W, class T>
struct AssembleBands {
  Coefficients<W> g;
  const NodeCouplings<W>* x;
  const NodeCouplings<W>* y;
  NineBand<T> A;

  HOST_DEVICE void operator()(int i, int j) const {
    const std::ptrdiff_t k = std::ptrdiff_t{j} * A.nx + i;
    const bool unknown = A.unknowns.contains(i, j);
    for (int t = -1; t <= 1; ++t) {
      for (int s = -1; s <= 1; ++s) {
        const bool centre = s == 0 && t == 0;
        W entry = centre ? W(1) : W(0);
        if (unknown) {
          entry = centre && A.form == OperatorForm::difference ? row_sum(g, x[i], y[j])
                                                               : coupling(g, x[i], y[j], s, t);
        }
        A.band[3 * (t + 1) + (s + 1)][k] = static_cast<T>(entry);
      }
    }
  }
};

template <Backend B, Number W, Number T>
void assemble_bands(const B& on, const Coefficients<W>& g, const NodeCouplings<W>* x,
                    const NodeCouplings<W>* y, const NineBand<T>& A) {
  require_inside("assemble_bands", A.unknowns, A);
  count(on, assemble_bands_traffic, Box{0, A.nx, 0, A.ny}, sizeof(T));
  Box rows = own_part(on, A.ny, Box{0, A.nx, 0, A.ny}).box;
  rows.j1 = std::min(rows.j1 + 1, A.ny);  // which others' lines may end in
  for_nodes(on, rows, AssembleBands<W, T>{g, x, y, A});
}

// --- matrix -----------------------------------------------------------------------------------

template <class Form, class T, class Rows = NineBand<const T>>
struct Product {
  using RowForm = Form;
  Rows A;
  Field<const T> x;
  Field<T> y;
  HOST_DEVICE const Field<T>& result() const { return y; }
  HOST_DEVICE static T value(const VisitedRow<T>& row) { return T(row.product); }
  HOST_DEVICE NoOperands operands(int, int) const { return {}; }
  HOST_DEVICE void finish(int i, int j, NoOperands, const VisitedRow<T>& row) const {
    y(i, j) = value(row);
  }
  HOST_DEVICE void operator()(int i, int j) const { visit_row<Form, T>(*this, i, j); }
};

template <Backend B, Number T, RowsOf<T> Rows>
void product(const B& on, const Rows& A, In<Field, T> x, const Field<T>& y) {
  require_shape("product", y, A, x);
  require_inside("product", A.unknowns, A);
  count(on, with_rows<Rows>(product_traffic), A.unknowns, sizeof(T));
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    for_nodes(on, own_part(on, A.ny, A.unknowns), Product<Form, T, Rows>{A, x, y});
  });
}

/// Rows of the matrix that one thread reads at a time: two, or one where a row fills the registers.
template <class T>
inline constexpr int rows_in_flight = is_double_word<Arithmetic<T>> ? 1 : 2;

template <class Form, class T, class Rows = NineBand<const T>>
struct ProductDot {
  using RowForm = Form;
  static constexpr int batch = rows_in_flight<T>;
  Rows A;
  Field<const T> x;
  Field<T> q;
  HOST_DEVICE NoOperands operands(int, int) const { return {}; }
  HOST_DEVICE Arithmetic<T> finish(int i, int j, NoOperands, const VisitedRow<T>& row) const {
    return write(i, j, {T(row.x), T(row.product)});
  }
  HOST_DEVICE Pair<T> read(int i, int j) const { return {x(i, j), T(Form::product(A, x, i, j))}; }
  HOST_DEVICE Arithmetic<T> write(int i, int j, const Pair<T>& v) const {
    q(i, j) = v.second;
    return v.first * v.second;
  }
};

template <Backend B, Number T, RowsOf<T> Rows>
void product_dot(const B& on, const Rows& A, In<Field, T> p, const Field<T>& q, Scalar<T>* result) {
  require_shape("product_dot", q, A, p);
  require_inside_and_some("product_dot", A.unknowns, A);
  count(on, with_rows<Rows>(product_dot_traffic), A.unknowns, sizeof(T));
  share_borders(on, p);
  with_form(A, [&]<class Form>(Form) {
    sum_own(on, A.ny, A.unknowns, ProductDot<Form, T, Indexed<Rows>>{indexed(A), p, q}, result);
  });
}

template <class Form, class T, class Rows = NineBand<const T>>
struct Residual {
  using RowForm = Form;
  static constexpr bool reads_ahead = true;
  Rows A;
  Field<const T> b, x;
  Field<T> r;
  HOST_DEVICE const Field<const T>& right() const { return b; }
  HOST_DEVICE const Field<T>& result() const { return r; }
  HOST_DEVICE Arithmetic<T> operands(int i, int j) const { return b(i, j); }
  HOST_DEVICE static T value(const Arithmetic<T>& right, const VisitedRow<T>& row) {
    return T(right - row.product);
  }
  HOST_DEVICE void finish(int i, int j, const Arithmetic<T>& right,
                          const VisitedRow<T>& row) const {
    r(i, j) = value(right, row);
  }
  HOST_DEVICE void operator()(int i, int j) const { visit_row<Form, T>(*this, i, j); }
};

template <Backend B, Number T, RowsOf<T> Rows>
void residual(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, const Field<T>& r) {
  require_shape("residual", r, A, b, x);
  require_inside("residual", A.unknowns, A);
  count(on, with_rows<Rows>(residual_traffic), A.unknowns, sizeof(T));
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    for_nodes(on, own_part(on, A.ny, A.unknowns), Residual<Form, T, Rows>{A, b, x, r});
  });
}

template <class Form, class T, class Rows = NineBand<const T>>
struct ResidualSquare {
  using RowForm = Form;
  static constexpr bool stores_nothing = true;
  static constexpr int batch = rows_in_flight<T>;
  Rows A;
  Field<const T> b, x;
  using C = Arithmetic<T>;  // the residual is not stored, hence not rounded to T
  HOST_DEVICE C operands(int i, int j) const { return b(i, j); }
  HOST_DEVICE C finish(int i, int j, const C& right, const VisitedRow<T>& row) const {
    return write(i, j, right - row.product);
  }
  HOST_DEVICE C read(int i, int j) const { return b(i, j) - Form::product(A, x, i, j); }
  HOST_DEVICE C write(int, int, C r) const { return r * r; }
};

template <Backend B, Number T, RowsOf<T> Rows>
void residual_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                     Scalar<T>* result) {
  require_shape("residual_square", x, A, b);
  require_inside_and_some("residual_square", A.unknowns, A);
  count(on, with_rows<Rows>(residual_square_traffic), A.unknowns, sizeof(T));
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    sum_own(on, A.ny, A.unknowns, ResidualSquare<Form, T, Indexed<Rows>>{indexed(A), b, x}, result);
  });
}

template <class Form, class T, class Rows = NineBand<const T>>
struct RoundingScale {
  static constexpr int batch = 1;
  Rows A;
  Field<const T> b, x;
  using C = Arithmetic<T>;
  HOST_DEVICE static C magnitude(C v) { return v < C(0) ? -v : v; }
  HOST_DEVICE C read(int i, int j) const {
    const auto a = A.row(i, j);
    C sum = magnitude(b(i, j)) + magnitude(Form::diagonal(A, i, j)) * magnitude(x(i, j));
    for (int t = -1; t <= 1; ++t) {
      for (int s = -1; s <= 1; ++s) {
        if (s == 0 && t == 0) continue;
        sum = sum + magnitude(a[3 * (t + 1) + (s + 1)]) * magnitude(x(i + s, j + t));
      }
    }
    return sum;
  }
  HOST_DEVICE C write(int, int, C sum) const { return sum * sum; }
};

/// What rounding may leave of a row's residual, in unit roundoffs, as its form evaluates it.
template <class Form, class T, class Rows = NineBand<const T>>
struct RoundingOfRow {
  static constexpr int batch = 1;
  Rows A;
  Field<const T> b, x;
  using C = Arithmetic<T>;
  HOST_DEVICE C read(int i, int j) const {
    const C right = b(i, j);
    return (right < C(0) ? -right : right) + Form::rounding(A, x, i, j);
  }
  HOST_DEVICE C write(int, int, C sum) const { return sum * sum; }
};

template <class Form, class T, class Rows = NineBand<const T>>
struct StoreRounding {
  RoundingOfRow<Form, T, Rows> rows;
  Field<T> m;
  HOST_DEVICE void operator()(int i, int j) const { m(i, j) = T(rows.read(i, j)); }
};

template <Backend B, Number T, RowsOf<T> Rows>
void rounding_of_rows(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                      const Field<T>& m) {
  require_shape("rounding_of_rows", m, A, b, x);
  require_inside("rounding_of_rows", A.unknowns, A);
  count(on, with_rows<Rows>(rounding_of_rows_traffic), A.unknowns, sizeof(T));
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    for_nodes(on, own_part(on, A.ny, A.unknowns), StoreRounding<Form, T, Rows>{{A, b, x}, m});
  });
}

template <Backend B, Number T, RowsOf<T> Rows>
void rounding_scale(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, Scalar<T>* result) {
  require_shape("rounding_scale", x, A, b);
  require_inside_and_some("rounding_scale", A.unknowns, A);
  count(on, with_rows<Rows>(rounding_scale_traffic), A.unknowns, sizeof(T));
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    sum_own(on, A.ny, A.unknowns, RoundingScale<Form, T, Indexed<Rows>>{indexed(A), b, x}, result);
  });
}

// --- smoothing --------------------------------------------------------------------------------

template <class Rows>
inline constexpr bool is_factored = false;
template <class T>
inline constexpr bool is_factored<FactoredRows<T>> = true;

template <class Rows>
void require_divisor(const char* operation, Divisor divisor) {
  if (divisor == Divisor::bound && !is_factored<Rows>) {
    throw std::invalid_argument(std::string(operation)
                                + ": the bound of the diagonal is one of factored rows");
  }
}

template <class Form, class T, class Rows = NineBand<const T>>
struct JacobiStep {
  using RowForm = Form;
  Rows A;
  Field<const T> b, x;
  Relaxation<Leading<T>> relaxation;
  Field<T> y;
  HOST_DEVICE const Field<const T>& right() const { return b; }
  HOST_DEVICE const Field<T>& result() const { return y; }
  HOST_DEVICE Arithmetic<T> operands(int i, int j) const { return b(i, j); }
  HOST_DEVICE static Leading<T> residual(const Arithmetic<T>& right, const VisitedRow<T>& row) {
    return static_cast<Leading<T>>(right - row.product);
  }
  /// x and a part of the residual: omega times its quotient by the diagonal, or omega times the
  /// inverse of a bound times itself.
  HOST_DEVICE static T value(const Leading<T>& part, const Leading<T>& of, const Arithmetic<T>& x) {
    return T(fused(part, of, x));
  }
  HOST_DEVICE T value(const Arithmetic<T>& right, const VisitedRow<T>& row) const {
    const Leading<T> r = residual(right, row);
    return relaxation.divisor == Divisor::bound
               ? value(relaxation.damping * row.diagonal, r, row.x)
               : value(relaxation.damping, r / row.diagonal, row.x);
  }
  HOST_DEVICE void finish(int i, int j, const Arithmetic<T>& right,
                          const VisitedRow<T>& row) const {
    y(i, j) = value(right, row);
  }
  HOST_DEVICE void operator()(int i, int j) const { visit_row<Form, T>(*this, i, j); }
};

template <Backend B, Number T, RowsOf<T> Rows>
void jacobi_step(const B& on, const Rows& A, In<Field, T> b, StepRelaxation<T> relaxation,
                 In<Field, T> x, const Field<T>& y) {
  require_shape("jacobi_step", y, A, b, x);
  require_inside("jacobi_step", A.unknowns, A);
  if (x.data == y.data) throw std::invalid_argument("jacobi_step: x and y are the same vector");
  require_divisor<Rows>("jacobi_step", relaxation.divisor);
  count(on, with_rows<Rows>(jacobi_step_traffic), A.unknowns, sizeof(T));
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    for_nodes(on, own_part(on, A.ny, A.unknowns),
              JacobiStep<Form, T, Rows>{A, b, x, relaxation, y});
  });
}

template <class Form, class T, class Rows = NineBand<const T>>
struct JacobiStart {
  Rows A;
  Field<const T> b;
  Relaxation<Leading<T>> relaxation;
  Field<T> y;
  template <class Of>
  HOST_DEVICE static T value(const Leading<T>& part, const Of& of) {
    return T(part * of);
  }
  HOST_DEVICE void operator()(int i, int j) const {
    if constexpr (std::is_same_v<Form, FactoredForm>) {
      if (relaxation.divisor == Divisor::bound) {
        const Leading<T> inverse = Form::template inverse_bound_in<Leading<T>>(A.row(i, j));
        y(i, j) = value(relaxation.damping * inverse, Arithmetic<T>(b(i, j)));
        return;
      }
    }
    y(i, j) = value(relaxation.damping, b(i, j) / Form::leading_diagonal(A, i, j));
  }
};

template <Backend B, Number T, RowsOf<T> Rows>
void jacobi_start(const B& on, const Rows& A, In<Field, T> b, StepRelaxation<T> relaxation,
                  const Field<T>& y) {
  require_shape("jacobi_start", y, A, b);
  require_divisor<Rows>("jacobi_start", relaxation.divisor);
  require_inside("jacobi_start", A.unknowns, A);
  count(on, with_diagonal<Rows>(jacobi_start_traffic, A.form), A.unknowns, sizeof(T));
  with_form(A, [&]<class Form>(Form) {
    for_nodes(on, own_part(on, A.ny, A.unknowns), JacobiStart<Form, T, Rows>{A, b, relaxation, y});
  });
}

}  // namespace ninefold
