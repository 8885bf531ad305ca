#pragma once
// The operations with a matrix of any kind: those of gpu/operations for what its rows are.
//
// Why.  Solvers are compiled for backends and formats; how a matrix is held is decided here, at
// each launch.

#include <stdexcept>
#include <type_traits>

#include "fem/matrix/operator.hpp"

#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/measure_operations.hpp"
#include "gpu/operations/mixed_operations.hpp"
#include "gpu/operations/nested_operations.hpp"
#include "gpu/operations/row_operations.hpp"

namespace ninefold {

template <Backend B, Number T>
void product(const B& on, const Operator<T>& A, In<Field, T> x, const Field<T>& y) {
  A.visit([&](const auto& rows) { product<B, T>(on, rows, x, y); });
}

template <Backend B, Number T>
void product_dot(const B& on, const Operator<T>& A, In<Field, T> p, const Field<T>& q,
                 Scalar<T>* result) {
  A.visit([&](const auto& rows) { product_dot<B, T>(on, rows, p, q, result); });
}

template <Backend B, Number T>
void residual(const B& on, const Operator<T>& A, In<Field, T> b, In<Field, T> x,
              const Field<T>& r) {
  A.visit([&](const auto& rows) { residual<B, T>(on, rows, b, x, r); });
}

template <Backend B, Number T>
void residual_square(const B& on, const Operator<T>& A, In<Field, T> b, In<Field, T> x,
                     Scalar<T>* result) {
  A.visit([&](const auto& rows) { residual_square<B, T>(on, rows, b, x, result); });
}

template <Backend B, Number T>
void rounding_scale(const B& on, const Operator<T>& A, In<Field, T> b, In<Field, T> x,
                    Scalar<T>* result) {
  A.visit([&](const auto& rows) { rounding_scale<B, T>(on, rows, b, x, result); });
}

template <Backend B, Number T>
void rounding_of_rows(const B& on, const Operator<T>& A, In<Field, T> b, In<Field, T> x,
                      const Field<T>& m) {
  A.visit([&](const auto& rows) { rounding_of_rows<B, T>(on, rows, b, x, m); });
}

template <Backend B, Number T>
void weighted_residual_square(const B& on, const Operator<T>& A, In<Field, T> b, In<Field, T> x,
                              const NodeWeights& weights, double* result) {
  A.visit(
      [&](const auto& rows) { weighted_residual_square<B, T>(on, rows, b, x, weights, result); });
}

template <Backend B, Number T>
void weighted_rounding_square(const B& on, const Operator<T>& A, In<Field, T> b, In<Field, T> x,
                              const NodeWeights& weights, double* result) {
  A.visit(
      [&](const auto& rows) { weighted_rounding_square<B, T>(on, rows, b, x, weights, result); });
}

template <Backend B, Number T>
void jacobi_step(const B& on, const Operator<T>& A, In<Field, T> b, StepRelaxation<T> relaxation,
                 In<Field, T> x, const Field<T>& y) {
  A.visit([&](const auto& rows) { jacobi_step<B, T>(on, rows, b, relaxation, x, y); });
}

template <Backend B, Number T>
void jacobi_start(const B& on, const Operator<T>& A, In<Field, T> b, StepRelaxation<T> relaxation,
                  const Field<T>& y) {
  A.visit([&](const auto& rows) { jacobi_start<B, T>(on, rows, b, relaxation, y); });
}

/// Of a coarsest level, whose entries are not computed.
template <Backend B, Number T>
void solve_coarsest(const B& on, const Operator<T>& A, In<Field, T> b, const Field<T>& x) {
  if (const auto* stored = A.template as<NineBand<const T>>()) {
    solve_coarsest<B, T>(on, *stored, b, x);
  } else if (const auto* factored = A.template as<FactoredRows<T>>()) {
    solve_coarsest<B, T>(on, *factored, b, x);
  } else {
    throw std::logic_error("solve_coarsest: the entries of this matrix are computed");
  }
}

template <Number T, Backend B>
void line_step(const B& on, const Operator<T>& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>& scratch, const Field<T>& y) {
  A.visit([&](const auto& rows) { line_step<T>(on, rows, b, omega, lines, x, scratch, y); });
}

template <Number T, Backend B>
void line_start(const B& on, const Operator<T>& A, In<Field, T> b,
                std::type_identity_t<Leading<T>> omega, const Lines& lines,
                const LineScratch<Leading<T>>& scratch, const Field<T>& y) {
  A.visit([&](const auto& rows) { line_start<T>(on, rows, b, omega, lines, scratch, y); });
}

template <Number T, Backend B>
void keep_lines(const B& on, const Operator<T>& A, LineDirection direction, Leading<T>* kept) {
  A.visit([&](const auto& rows) { keep_lines<T>(on, rows, direction, kept); });
}

template <Backend B, Number High, Number Low>
void residual_rounded(const B& on, const Operator<High>& A, In<Field, High> b, In<Field, High> x,
                      const Field<Low>& r, RefinementState<Scalar<High>>* state) {
  A.visit([&](const auto& rows) { residual_rounded<B, High, Low>(on, rows, b, x, r, state); });
}

template <Backend B, Number High, Number Low>
void residual_narrowed(const B& on, const Operator<High>& A, In<Field, High> b, In<Field, High> x,
                       const RefinementState<Scalar<High>>* state, const Field<Low>& r) {
  A.visit([&](const auto& rows) { residual_narrowed<B, High, Low>(on, rows, b, x, state, r); });
}

template <Number High, Number Low>
void residual_rounded_rows(const Host& on, const Operator<High>& A, In<Field, High> b,
                           In<Field, High> x, const Field<Low>& r,
                           const RefinementState<Scalar<High>>* state, int first, int last) {
  A.visit([&](const auto& rows) {
    residual_rounded_rows<High, Low>(on, rows, b, x, r, state, first, last);
  });
}

}  // namespace ninefold
