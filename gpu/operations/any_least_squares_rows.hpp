#pragma once
// The operations of least squares with a sparse matrix stored in any way that takes other shapes
// than squares; as gpu/operations/any_sparse_rows.hpp.

#include <stdexcept>
#include <type_traits>

#include "fem/sparse/sparse_operator.hpp"

#include "gpu/operations/cgls_iteration.hpp"

namespace ninefold {

/// use(rows), for rows that may have any shape.
template <Number T, class Use>
void with_any_shape(const SparseOperator<T>& A, const Use& use) {
  A.visit([&]<class Rows>(const Rows& rows) {
    constexpr bool is_possible =
        std::is_same_v<
            Rows,
            SlicedRows<
                T>> || std::is_same_v<Rows, CompressedRows<T>> || std::is_same_v<Rows, JaggedRows<T>>;
    if constexpr (is_possible) {
      use(rows);
    } else {
      throw std::logic_error("least squares: blocks are for square matrices");
    }
  });
}

template <Backend B, Number T>
void multiply(const B& on, const SparseOperator<T>& A, In<Field, T> x, const Field<T>& y) {
  with_any_shape(A, [&](const auto& rows) { multiply<B, T>(on, rows, x, y); });
}

template <Backend B, Number T>
void least_squares_residual(const B& on, const SparseOperator<T>& A, In<Field, T> b, In<Field, T> x,
                            const BoundRows<T>& bounds, const Field<T>& r) {
  with_any_shape(
      A, [&](const auto& rows) { least_squares_residual<B, T>(on, rows, b, x, bounds, r); });
}

template <Backend B, Number T>
void cgls_product(const B& on, const SparseOperator<T>& A, In<Field, T> p,
                  const BoundRows<T>& bounds, const Field<T>& q, CglsSums<Scalar<T>>* sums,
                  CgState<Scalar<T>>* state) {
  with_any_shape(
      A, [&](const auto& rows) { cgls_product<B, T>(on, rows, p, bounds, q, sums, state); });
}

template <Backend B, Number T>
void cgls_gradient(const B& on, const SparseOperator<T>& transposed, In<Field, T> r, const T* c,
                   const BoundRows<T>& bounds, const Field<T>& s, CglsSums<Scalar<T>>* sums,
                   CgState<Scalar<T>>* state) {
  with_any_shape(transposed, [&](const auto& rows) {
    cgls_gradient<B, T>(on, rows, r, c, bounds, s, sums, state);
  });
}

/// use(A, transposed), both of which must have one storage.
template <Number T, class Use>
void with_one_storage(const SparseOperator<T>& A, const SparseOperator<T>& transposed,
                      const Use& use) {
  with_any_shape(A, [&]<class Rows>(const Rows& rows) {
    with_any_shape(transposed, [&]<class Others>(const Others& columns) {
      if constexpr (std::is_same_v<Rows, Others>) {
        use(rows, columns);
      } else {
        throw std::logic_error("least squares: two storages");
      }
    });
  });
}

template <Backend B, Number T>
void cgls_iteration(const B& on_rows, const B& on_columns, const SparseOperator<T>& A,
                    const SparseOperator<T>& transposed, const CglsSystems<T>& systems) {
  with_one_storage(A, transposed, [&]<class Rows>(const Rows& rows, const Rows& columns) {
    cgls_iteration<B, T, Rows>(on_rows, on_columns, rows, columns, systems);
  });
}

template <Backend B, Number T>
void cgls_iterations(const B& on_rows, const B& on_columns, const SparseOperator<T>& A,
                     const SparseOperator<T>& transposed, const CglsSystem<T>& system,
                     int iterations) {
  with_one_storage(A, transposed, [&]<class Rows>(const Rows& rows, const Rows& columns) {
    cgls_iterations<B, T, Rows>(on_rows, on_columns, rows, columns, system, iterations);
  });
}

}  // namespace ninefold
