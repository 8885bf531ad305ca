#pragma once
// The meaning of the operations of least squares; see gpu/meaning/generic_vector_operations.hpp.
//
// sum_nodes_then(on, n, f, sum, finished, then) is a launch primitive: *sum = the sum of f(i, 0),
// and then(0), which may read it.

#include <algorithm>
#include <type_traits>

#include "gpu/meaning/generic_sparse_operations.hpp"
#include "gpu/operations/least_squares_operations.hpp"

namespace ninefold {

/// Counts the matrix and what else moves, and calls run(its terms' sum).
template <class T, class Rows, Backend B, class Run>
void with_rectangular_rows(const char* name, const B& on, const Rows& A, const Traffic& of_rows,
                           const Field<const T>& x, const Field<const T>& y, const Run& run) {
  require_shape(name, A, y);
  require_inside_and_some(name, Box{0, x.nx, 0, x.ny}, x);
  count(on, Traffic{1, 0}, Box{0, x.nx, 0, 1}, sizeof(T));
  with_terms<T>(name, on, A, of_rows, [&]<class Sum>(std::type_identity<Sum> sum) {
    if constexpr (!Sum::needs_here) run(sum);  // difference form is for square ones
  });
}

template <class T>
Box all_of(const Field<T>& x) {
  return {0, x.nx, 0, 1};
}

template <Backend B, Number T, SparseRowsOf<T> Rows>
void multiply(const B& on, const Rows& A, In<Field, T> x, const Field<T>& y) {
  with_rectangular_rows<T>("multiply", on, A, {0, 1}, x, y,
                           [&]<class Sum>(std::type_identity<Sum>) {
                             for_sparse_rows<Sum>(on, A, x.data, StoreRow<T>{y.data});
                           });
}

/// What the row of a bound has for x_j: its residual, and whether x_j is outside.
template <class T>
struct BoundResidual {
  T r;
  bool is_outside;
};
template <class T>
HOST_DEVICE BoundResidual<T> bound_residual(const BoundRows<T>& bounds, int j, const T& value) {
  using C = Arithmetic<T>;
  const C x = value;
  C back(0);
  bool is_outside = false;
  if (bounds.upper != nullptr && x > C(bounds.upper[j])) {
    back = C(bounds.upper[j]) - x;
    is_outside = true;
  } else if (bounds.lower != nullptr && x < C(bounds.lower[j])) {
    back = C(bounds.lower[j]) - x;
    is_outside = true;
  }
  return {T(C(*bounds.weight) * back), is_outside};
}

/// Puts it where it belongs, and on which side of its bounds x_j is.
template <class T>
HOST_DEVICE void take_bound(const BoundRows<T>& bounds, int j, const T& value, T* r) {
  const BoundResidual<T> now = bound_residual(bounds, j, value);
  bounds.changed[j] = static_cast<std::uint8_t>(now.is_outside != (bounds.outside[j] != 0));
  bounds.outside[j] = static_cast<std::uint8_t>(now.is_outside);
  r[bounds.first + j] = now.r;
}

template <class T>
struct TakeBound {
  BoundRows<T> bounds;
  const T* x;
  T* r;
  HOST_DEVICE void operator()(int j) const { take_bound(bounds, j, x[j], r); }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void least_squares_residual(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                            const BoundRows<T>& bounds, const Field<T>& r) {
  require_shape("least_squares_residual", b, r);
  with_rectangular_rows<T>("least_squares_residual", on, A, {1, 1}, x, r,
                           [&]<class Sum>(std::type_identity<Sum>) {
                             for_sparse_rows<Sum>(on, A, x.data, StoreResidual<T>{b.data, r.data});
                           });
  if (bounds.used()) for_each(on, x.nx, TakeBound<T>{bounds, x.data, r.data});
}

template <class T>
struct StoreRowAndSquare {
  BoundRows<T> bounds;
  T* q;
  HOST_DEVICE Arithmetic<T> operator()(int i, const Arithmetic<T>& row) const {
    const T value = bounds.takes_part(i) ? T(row) : T(Arithmetic<T>(0));
    q[i] = value;
    return Arithmetic<T>(value) * Arithmetic<T>(value);
  }
};

template <class T>
struct SquareOfValue {
  static constexpr int batch = 4;
  const T* q;
  HOST_DEVICE T read(int i, int) const { return q[i]; }
  HOST_DEVICE Arithmetic<T> write(int, int, const T& value) const {
    return Arithmetic<T>(value) * Arithmetic<T>(value);
  }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_product(const B& on, const Rows& A, In<Field, T> p, const BoundRows<T>& bounds,
                  const Field<T>& q, CglsSums<Scalar<T>>* sums, CgState<Scalar<T>>* state) {
  using C = Arithmetic<T>;
  const StoreRowAndSquare<T> store{bounds, q.data};
  const CgAlpha<C> alpha{state};
  with_rectangular_rows<T>(
      "cgls_product", on, A, {0, 1}, p, q, [&]<class Sum>(std::type_identity<Sum>) {
        if constexpr (sums_rows_apart<B>) {
          for_sparse_rows<Sum>(on, A, p.data, store);
          sum_nodes_then(on, q.nx, SquareOfValue<T>{q.data}, &state->pq, &sums->finished, alpha);
        } else {
          sum_sparse_rows<Sum>(on, A, p.data, store, &state->pq);
          for_each(on, 1, alpha);
        }
      });
}

/// x and r in one pass of as many steps as the longer of them has values.
template <class T>
struct CglsUpdate {
  CgStep<T> of_x;
  CgResidual<T> of_r;
  BoundRows<T> bounds;
  int n, m;
  HOST_DEVICE void operator()(int k) const {
    if (k < n) {
      const T x = of_x.write(k, 0, of_x.read(k, 0));
      if (bounds.used()) take_bound(bounds, k, x, of_r.r.data);
    }
    if (k < m) of_r.write(k, 0, of_r.read(k, 0));
  }
};

template <Backend B, Number T>
void cgls_update(const B& on, In<Field, T> p, In<Field, T> q, const BoundRows<T>& bounds,
                 const Field<T>& x, const Field<T>& r, const CgState<Scalar<T>>* state) {
  require_shape("cgls_update", x, p);
  require_shape("cgls_update", r, q);
  require_inside("cgls_update", Box{0, bounds.first, 0, 1}, r);
  count(on, cgls_update_traffic, all_of(x), sizeof(T));
  count(on, cgls_update_traffic, all_of(r), sizeof(T));
  const CgStep<T> of_x{p, x, state};
  const CgResidual<T> of_r{q, r, state};
  if constexpr (sums_rows_apart<B>) {
    for_each(on, std::max(x.nx, bounds.first),
             CglsUpdate<T>{of_x, of_r, bounds, x.nx, bounds.first});
  } else {
    for_nodes(on, all_of(x), of_x);
    for_nodes(on, Box{0, bounds.first, 0, 1}, of_r);
    if (bounds.used()) for_each(on, x.nx, TakeBound<T>{bounds, x.data, r.data});
  }
}

/// (s, s) and the changes of bounds, of s_i.
template <class T>
HOST_DEVICE TwoSums<Arithmetic<T>> gradient_term(const BoundRows<T>& bounds, int i, const T& s) {
  using C = Arithmetic<T>;
  const bool has_changed = bounds.used() && bounds.changed[i] != 0;
  return {C(s) * C(s), C(has_changed ? 1 : 0)};
}

template <class T>
struct StoreGradient {
  BoundRows<T> bounds;
  const T* c;
  T* s;
  HOST_DEVICE TwoSums<Arithmetic<T>> operator()(int i, const Arithmetic<T>& row) const {
    s[i] = c == nullptr ? T(row) : T(Arithmetic<T>(c[i]) + row);
    return gradient_term(bounds, i, s[i]);
  }
};

template <class T>
struct GradientTerm {
  static constexpr int batch = 4;
  BoundRows<T> bounds;
  const T* s;
  HOST_DEVICE T read(int i, int) const { return s[i]; }
  HOST_DEVICE TwoSums<Arithmetic<T>> write(int i, int, const T& value) const {
    return gradient_term(bounds, i, value);
  }
};

template <class C>
struct CglsNext {
  const TwoSums<C>* sums;
  CgState<C>* state;
  HOST_DEVICE void operator()(int k) const {
    state->rr = sums->first;
    CgCount<C>{state}(k);
    CgBeta<C>{BetaForm::standard, state}(k);
    if (sums->second == C(0) || !state->active) return;
    state->beta = C(0);
    if (state->iterations > 0) state->ratios[(state->iterations - 1) % cg_block] = C(0);
  }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_gradient(const B& on, const Rows& transposed, In<Field, T> r, const T* c,
                   const BoundRows<T>& bounds, const Field<T>& s, CglsSums<Scalar<T>>* sums,
                   CgState<Scalar<T>>* state) {
  using C = Arithmetic<T>;
  const StoreGradient<T> store{bounds, c, s.data};
  const CglsNext<C> next{&sums->gradient, state};
  with_rectangular_rows<T>("cgls_gradient", on, transposed, {c == nullptr ? 0 : 1, 1}, r, s,
                           [&]<class Sum>(std::type_identity<Sum>) {
                             if constexpr (sums_rows_apart<B>) {
                               for_sparse_rows<Sum>(on, transposed, r.data, store);
                               sum_nodes_then(on, s.nx, GradientTerm<T>{bounds, s.data},
                                              &sums->gradient, &sums->finished, next);
                             } else {
                               sum_sparse_rows<Sum>(on, transposed, r.data, store, &sums->gradient);
                               for_each(on, 1, next);
                             }
                           });
}

template <class High, class Low>
struct Narrow {
  Field<const High> s;
  Field<Low> c;
  const RefinementState<Arithmetic<High>>* state;
  HOST_DEVICE void operator()(int i, int j) const {
    c(i, j) = narrowed<Low>(state->down * Arithmetic<High>(s(i, j)));
  }
};

template <Backend B, Number High, Number Low>
void narrow(const B& on, In<Field, High> s, const RefinementState<Scalar<High>>* state,
            const Field<Low>& c) {
  require_shape("narrow", s, c);
  count_mixed<High, Low>(on, all_of(c), 1, 1);
  for_nodes(on, all_of(c), Narrow<High, Low>{s, c, state});
}

}  // namespace ninefold
