#pragma once
// The meaning of gpu/operations/cgls_iteration.hpp: the operations of least squares in a row.
//
// iterate_in_few_kernels(on, A, transposed, systems) and iterate_in_one_kernel(on, A, transposed,
// system, iterations), launch primitives of devices, do the same where they return true.

#include <stdexcept>
#include <string>

#include "gpu/meaning/generic_least_squares_operations.hpp"
#include "gpu/operations/cgls_iteration.hpp"

namespace ninefold {

/// y_k = A x_k, n values each; the matrix is read once where it is sliced and has no long rows.
template <class T, class Rows, Backend B>
void multiply_all(const B& on, const Rows& A, const Columns<T>& columns, int n) {
  const auto field = [](auto* data, int size) {
    return Field<std::remove_pointer_t<decltype(data)>>{data, size, 1};
  };
  if constexpr (is_sliced<Rows>) {
    if (A.longer.count == 0) {
      count(on, Traffic{columns.count, 0}, Box{0, n, 0, 1}, sizeof(T));
      with_terms<T>("multiply", on, A, {0, columns.count}, [&]<class Sum>(std::type_identity<Sum>) {
        if constexpr (!Sum::needs_here) {
          for_columns_of<Sum, StoreRow<T>>(on, A, columns);
        }
      });
      return;
    }
  }
  for (int k = 0; k < columns.count; ++k) {
    multiply<B, T, Rows>(on, A, field(columns.x[k], n), field(columns.y[k], A.nx));
  }
}

/// (q, q), q being zero in the rows of bounds that x keeps.
template <class T>
struct SquareOfTaking {
  static constexpr int batch = 4;
  BoundRows<T> bounds;
  T* q;
  HOST_DEVICE T read(int i, int) const { return q[i]; }
  HOST_DEVICE Arithmetic<T> write(int i, int, const T& value) const {
    return StoreRowAndSquare<T>{bounds, q}(i, Arithmetic<T>(value));
  }
};

/// *result = the sum of f over n values, and then(0); `finished` as in sum_nodes_then().
template <Backend B, class F, class C, class Then>
void sum_and_then(const B& on, int n, const F& f, C* result, unsigned* finished, const Then& then) {
  if constexpr (sums_rows_apart<B>) {
    sum_nodes_then(on, n, f, result, finished, then);
  } else {
    sum_nodes(on, Box{0, n, 0, 1}, f, result);
    for_each(on, 1, then);
  }
}

/// As iterations of each alone, but for the products.
template <class T, class Rows, Backend B>
void iterate_with_columns(const B& on, const Rows& A, const Rows& transposed,
                          const CglsSystems<T>& systems) {
  using C = Arithmetic<T>;
  Columns<T> directions{systems.count, {}, {}}, residuals = directions;
  for (int k = 0; k < systems.count; ++k) {
    const CglsSystem<T>& of = systems.of[k];
    directions.x[k] = of.p.data;
    directions.y[k] = of.q.data;
    residuals.x[k] = of.r.data;
    residuals.y[k] = of.s.data;
  }
  multiply_all<T>(on, A, directions, transposed.nx);
  for (int k = 0; k < systems.count; ++k) {
    const CglsSystem<T>& of = systems.of[k];
    sum_and_then(on, of.q.nx, SquareOfTaking<T>{of.bounds, of.q.data}, &of.state->pq,
                 &of.sums->finished, CgAlpha<C>{of.state});
    cgls_update<B, T>(on, of.p, of.q, of.bounds, of.x, of.r, of.state);
  }
  multiply_all<T>(on, transposed, residuals, A.nx);
  for (int k = 0; k < systems.count; ++k) {
    const CglsSystem<T>& of = systems.of[k];
    sum_and_then(on, of.s.nx, GradientTerm<T>{of.bounds, of.s.data}, &of.sums->gradient,
                 &of.sums->finished, CglsNext<C>{&of.sums->gradient, of.state});
    cg_direction<B, T>(on, all_of(of.p), of.s, of.state, of.p);
  }
}

/// Checks what is iterated together.
template <class T, class Rows>
void require_systems(const Rows& A, const Rows& transposed, const CglsSystems<T>& systems) {
  if (systems.count < 1 || systems.count > most_columns) {
    throw std::logic_error("cgls_iteration: " + std::to_string(systems.count)
                           + " systems are iterated together, not 1 to "
                           + std::to_string(most_columns));
  }
  for (int k = 0; k < systems.count; ++k) {
    const CglsSystem<T>& of = systems.of[k];
    require_shape("cgls_iteration", A, of.r, of.q);
    require_shape("cgls_iteration", transposed, of.x, of.p, of.s);
    require_inside("cgls_iteration", Box{0, of.bounds.first, 0, 1}, of.r);
    if (of.bounds.first != systems.of[0].bounds.first) {
      throw std::logic_error("cgls_iteration: systems with other rows of bounds");
    }
  }
}

template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_iteration(const B& on_rows, const B& on_columns, const Rows& A, const Rows& transposed,
                    const CglsSystems<T>& systems) {
  require_systems(A, transposed, systems);
  const bool is_divided = on_rows.part() != nullptr || on_columns.part() != nullptr;
  if constexpr (is_sliced<Rows> && sums_rows_apart<B>) {
    if (!is_divided && iterate_in_few_kernels(on_columns, A, transposed, systems)) return;
  }
  bool corrects = false;
  for (int k = 0; k < systems.count; ++k) corrects = corrects || systems.of[k].c != nullptr;
  if (systems.count > 1 && !corrects && !is_divided) {
    iterate_with_columns<T>(on_columns, A, transposed, systems);
    return;
  }
  for (int k = 0; k < systems.count; ++k) {
    const CglsSystem<T>& of = systems.of[k];
    cgls_product<B, T, Rows>(on_rows, A, of.p, of.bounds, of.q, of.sums, of.state);
    cgls_update<B, T>(on_columns, of.p, of.q, of.bounds, of.x, of.r, of.state);
    cgls_gradient<B, T, Rows>(on_columns, transposed, of.r, of.c, of.bounds, of.s, of.sums,
                              of.state);
    cg_direction<B, T>(on_columns, all_of(of.p), of.s, of.state, of.p);
  }
}

template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_iterations(const B& on_rows, const B& on_columns, const Rows& A, const Rows& transposed,
                     const CglsSystem<T>& system, int iterations) {
  const CglsSystems<T> systems{1, {system}};
  require_systems(A, transposed, systems);
  if (iterations < 1) {
    throw std::logic_error("cgls_iterations: " + std::to_string(iterations) + " iterations");
  }
  if constexpr (is_sliced<Rows> && sums_rows_apart<B>) {
    const bool is_divided = on_rows.part() != nullptr || on_columns.part() != nullptr;
    if (!is_divided && iterate_in_one_kernel(on_columns, A, transposed, system, iterations)) return;
  }
  for (int k = 0; k < iterations; ++k) {
    if constexpr (!sums_rows_apart<B>) {
      if (!on_rows.only_counts() && !system.state->active) return;
    }
    cgls_iteration<B, T, Rows>(on_rows, on_columns, A, transposed, systems);
  }
}

}  // namespace ninefold
