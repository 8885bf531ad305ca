#pragma once
// The operations with a sparse matrix stored in any way: those of gpu/operations/
// sparse_operations.hpp for what its rows are; as gpu/operations/any_rows.hpp.

#include <stdexcept>

#include "fem/sparse/sparse_operator.hpp"

#include "gpu/operations/sparse_operations.hpp"

namespace ninefold {

template <Backend B, Number T>
void product(const B& on, const SparseOperator<T>& A, In<Field, T> x, const Field<T>& y) {
  A.visit([&](const auto& rows) { product<B, T>(on, rows, x, y); });
}

/// One after the other but of sliced rows.
template <Backend B, Number T>
void products(const B& on, const SparseOperator<T>& A, const Columns<T>& columns) {
  if (A.sliced() != nullptr) {
    products<B, T>(on, *A.sliced(), columns);
    return;
  }
  for (int k = 0; k < columns.count; ++k) {
    product<B, T>(on, A, Field<const T>{columns.x[k], A.nx, 1}, Field<T>{columns.y[k], A.nx, 1});
  }
}

template <Backend B, Number T>
void product_dot(const B& on, const SparseOperator<T>& A, In<Field, T> p, const Field<T>& q,
                 Scalar<T>* result) {
  A.visit([&](const auto& rows) { product_dot<B, T>(on, rows, p, q, result); });
}

template <Backend B, Number T>
void residual(const B& on, const SparseOperator<T>& A, In<Field, T> b, In<Field, T> x,
              const Field<T>& r) {
  A.visit([&](const auto& rows) { residual<B, T>(on, rows, b, x, r); });
}

template <Backend B, Number T>
void residual_square(const B& on, const SparseOperator<T>& A, In<Field, T> b, In<Field, T> x,
                     Scalar<T>* result) {
  A.visit([&](const auto& rows) { residual_square<B, T>(on, rows, b, x, result); });
}

template <Backend B, Number T>
void rounding_scale(const B& on, const SparseOperator<T>& A, In<Field, T> b, In<Field, T> x,
                    Scalar<T>* result) {
  A.visit([&](const auto& rows) { rounding_scale<B, T>(on, rows, b, x, result); });
}

/// Of sliced rows, which outer solvers have.
template <Backend B, Number High, Number Low>
void residual_rounded(const B& on, const SparseOperator<High>& A, In<Field, High> b,
                      In<Field, High> x, const Field<Low>& r,
                      RefinementState<Scalar<High>>* state) {
  if (A.sliced() == nullptr) {
    throw std::logic_error("residual_rounded: the matrix of an outer solver is not sliced");
  }
  residual_rounded<B, High, Low>(on, *A.sliced(), b, x, r, state);
}

}  // namespace ninefold
