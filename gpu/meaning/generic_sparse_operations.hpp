#pragma once
// The meaning of the operations with rows of a general sparse matrix: what each one makes of a
// row's value; see gpu/meaning/generic_vector_operations.hpp.
//
// Sliced rows have launch primitives of their own (for_rows_of, sum_rows_of), whose chunks of rows
// are those of a sum.  One more is sum_nodes_then(on, extent, f, sum, then): *sum = the sum of f(i,
// 0), and then(0), which may read it.  Of the other storages each row is visited like a node.

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "gpu/meaning/between_formats.hpp"
#include "gpu/meaning/generic_cg_operations.hpp"
#include "gpu/meaning/met_values.hpp"
#include "gpu/operations/sparse_operations.hpp"

namespace ninefold {

/// The rows of a matrix one by one, for an `Of` that makes something of their values.
template <class Sum, class Rows, class Of>
struct RowByRow {
  static constexpr int batch = 1;
  using T = typename Rows::Value;
  Rows A;
  const T* x;
  Of of;
  HOST_DEVICE Arithmetic<T> read(int i, int) const { return row_of<Sum>(A, x, i); }
  HOST_DEVICE auto write(int i, int, const Arithmetic<T>& row) const { return of(i, row); }
};

/// Of jagged rows the k-th.
template <class Sum, class T, class Of>
struct RowByRow<Sum, JaggedRows<T>, Of> {
  static constexpr int batch = 1;
  JaggedRows<T> A;
  const T* x;
  Of of;
  HOST_DEVICE Arithmetic<T> read(int k, int) const { return row_of<Sum>(A, x, k); }
  HOST_DEVICE auto write(int k, int, const Arithmetic<T>& row) const { return of(A.rows[k], row); }
};

/// The rows' values are kept for a sum in the order of rows.
template <class C>
struct KeepRow {
  C* rows;
  HOST_DEVICE C operator()(int i, const C& row) const { return rows[i] = row; }
};
template <class C, class Of>
struct FromKept {
  static constexpr int batch = 4;
  const C* rows;
  Of of;
  HOST_DEVICE C read(int i, int) const { return rows[i]; }
  HOST_DEVICE auto write(int i, int, const C& row) const { return of(i, row); }
};

template <class T>
inline constexpr bool is_sliced = false;
template <class T>
inline constexpr bool is_sliced<SlicedRows<T>> = true;
template <class T>
inline constexpr bool is_jagged = false;
template <class T>
inline constexpr bool is_jagged<JaggedRows<T>> = true;

/// of(i, row i of A x) for all rows, in no fixed order.
template <class Sum, class Of, class Rows, Backend B>
void for_sparse_rows(const B& on, const Rows& A, const typename Rows::Value* x, const Of& of) {
  const auto* const met = met_values(on, A, x);
  if constexpr (is_sliced<Rows>) {
    for_rows_of<Sum>(on, A, met, of);
  } else {
    sum_long_rows<Sum>(on, A, met);
    for_nodes(on, A.unknowns, RowByRow<Sum, Rows, Of>{A, met, of});
  }
}

/// *result = the sum over i of of(i, row i of A x)
template <class Sum, class Of, class Rows, Backend B, class C>
void sum_sparse_rows(const B& on, const Rows& A, const typename Rows::Value* x, const Of& of,
                     C* result) {
  if constexpr (is_jagged<Rows>) {
    using R = Arithmetic<typename Rows::Value>;
    for_sparse_rows<Sum>(on, A, x, KeepRow<R>{A.kept});
    sum_nodes(on, A.unknowns, FromKept<R, Of>{A.kept, of}, result);
  } else {
    const auto* const met = met_values(on, A, x);
    sum_long_rows<Sum>(on, A, met);
    if constexpr (is_sliced<Rows>) {
      sum_rows_of<Sum>(on, A, met, of, result);
    } else {
      sum_nodes(on, A.unknowns, RowByRow<Sum, Rows, Of>{A, met, of}, result);
    }
  }
}

/// Checks shapes, counts the matrix and what else moves, and calls run(A's form as a TermSum).
template <class T, class Rows, Backend B, class Run>
void with_terms(const char* name, const B& on, const Rows& A, const Traffic& vectors,
                const Run& run) {
  require_inside_and_some(name, A.unknowns, A);
  count(on, vectors, A.unknowns, sizeof(T));
  on.count({0, A.moved_bytes});
  using C = Arithmetic<T>;
  if (A.form == OperatorForm::plain) {
    run(std::type_identity<TermSum<OperatorForm::plain, C>>{});
  } else if (A.components == 1) {
    run(std::type_identity<TermSum<OperatorForm::difference, C>>{});
  } else {
    run(std::type_identity<TermSum<OperatorForm::difference, C, true>>{});
  }
}

template <class T>
struct StoreRow {
  T* y;
  HOST_DEVICE T operator()(int i, const Arithmetic<T>& row) const { return y[i] = T(row); }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void product(const B& on, const Rows& A, In<Field, T> x, const Field<T>& y) {
  require_shape("product", A, x, y);
  with_terms<T>("product", on, A, product_traffic, [&]<class Sum>(std::type_identity<Sum>) {
    for_sparse_rows<Sum>(on, A, x.data, StoreRow<T>{y.data});
  });
}

template <Backend B, Number T>
void products(const B& on, const SlicedRows<T>& A, const Columns<T>& columns) {
  if (columns.count < 1 || columns.count > most_columns) {
    throw std::logic_error("products: " + std::to_string(columns.count)
                           + " vectors are multiplied together, not 1 to "
                           + std::to_string(most_columns));
  }
  if (A.longer.count > 0) {  // their sums have one place
    for (int k = 0; k < columns.count; ++k) {
      product<B, T>(on, A, Field<const T>{columns.x[k], A.nx, 1}, Field<T>{columns.y[k], A.nx, 1});
    }
    return;
  }
  const Traffic vectors{product_traffic.reads * columns.count,
                        product_traffic.writes * columns.count};
  with_terms<T>("products", on, A, vectors, [&]<class Sum>(std::type_identity<Sum>) {
    Columns<T> met = columns;
    for (int k = 0; k < columns.count; ++k) met.x[k] = met_values(on, A, columns.x[k]);
    for_columns_of<Sum, StoreRow<T>>(on, A, met);
  });
}

/// On a device rows and a sum of them take less time in two passes than in one: to wait for a whole
/// chunk costs more than to read two vectors again, also where the blocks of a chunk are a cluster
/// whose first one alone waits (three times as long on an H200).
template <Backend B>
inline constexpr bool sums_rows_apart = !std::is_same_v<B, Host>;

template <class T>
struct StoreRowAndDot {
  const T* p;
  T* q;
  HOST_DEVICE Arithmetic<T> operator()(int i, const Arithmetic<T>& row) const {
    const T value = T(row);
    q[i] = value;
    return Arithmetic<T>(p[i]) * Arithmetic<T>(value);
  }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void product_dot(const B& on, const Rows& A, In<Field, T> p, const Field<T>& q, Scalar<T>* result) {
  require_shape("product_dot", A, p, q);
  with_terms<T>("product_dot", on, A, product_dot_traffic, [&]<class Sum>(std::type_identity<Sum>) {
    if constexpr (sums_rows_apart<B>) {
      for_sparse_rows<Sum>(on, A, p.data, StoreRow<T>{q.data});
      sum_nodes(on, A.unknowns, Dot<T>{p, q}, result);
    } else {
      sum_sparse_rows<Sum>(on, A, p.data, StoreRowAndDot<T>{p.data, q.data}, result);
    }
  });
}

template <class T>
struct StoreResidual {
  const T* b;
  T* r;
  HOST_DEVICE T operator()(int i, const Arithmetic<T>& row) const {
    return r[i] = T(Arithmetic<T>(b[i]) - row);
  }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void residual(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, const Field<T>& r) {
  require_shape("residual", A, b, x, r);
  with_terms<T>("residual", on, A, residual_traffic, [&]<class Sum>(std::type_identity<Sum>) {
    for_sparse_rows<Sum>(on, A, x.data, StoreResidual<T>{b.data, r.data});
  });
}

template <class T>
struct SquareOfResidual {
  const T* b;
  HOST_DEVICE Arithmetic<T> operator()(int i, const Arithmetic<T>& row) const {
    const Arithmetic<T> r = Arithmetic<T>(b[i]) - row;
    return r * r;
  }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void residual_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                     Scalar<T>* result) {
  require_shape("residual_square", A, b, x);
  with_terms<T>("residual_square", on, A, residual_square_traffic,
                [&]<class Sum>(std::type_identity<Sum>) {
                  sum_sparse_rows<Sum>(on, A, x.data, SquareOfResidual<T>{b.data}, result);
                });
}

template <class T>
struct SquareOfSizes {
  const T* b;
  HOST_DEVICE Arithmetic<T> operator()(int i, const Arithmetic<T>& row) const {
    const Arithmetic<T> size = SizeSum<Arithmetic<T>>::size(b[i]) + row;
    return size * size;
  }
};

template <Backend B, Number T, SparseRowsOf<T> Rows>
void rounding_scale(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, Scalar<T>* result) {
  require_shape("rounding_scale", A, b, x);
  with_terms<T>("rounding_scale", on, A, rounding_scale_traffic, [&](auto) {
    sum_sparse_rows<SizeSum<Arithmetic<T>>>(on, A, x.data, SquareOfSizes<T>{b.data}, result);
  });
}

template <class High, class Low>
struct NarrowResidual {
  using C = Arithmetic<High>;
  const High* b;
  Low* r;
  const RefinementState<C>* state;
  HOST_DEVICE C operator()(int i, const C& row) const {
    const C value = C(b[i]) - row;
    r[i] = narrowed<Low>(state->down * value);
    return value * value;
  }
};

template <Backend B, Number High, Number Low, SparseRowsOf<High> Rows>
void residual_rounded(const B& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                      const Field<Low>& r, RefinementState<Scalar<High>>* state) {
  require_shape("residual_rounded", A, b, x, r);
  count_mixed<High, Low>(on, A.unknowns, 0, 1);
  with_terms<High>("residual_rounded", on, A, {2, 0}, [&]<class Sum>(std::type_identity<Sum>) {
    sum_sparse_rows<Sum>(on, A, x.data, NarrowResidual<High, Low>{b.data, r.data, state},
                         &state->square);
  });
}

/// z at a row.
template <class T>
HOST_DEVICE inline T divided(const T& r, const T& d) {
  return T(Arithmetic<T>(r) / static_cast<Leading<T>>(Arithmetic<T>(d)));
}

template <class T>
struct Divide {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  Field<const T> r;
  const T* d;
  Field<T> z;
  HOST_DEVICE T read(int i, int j) const { return divided(r(i, j), d[i]); }
  HOST_DEVICE T write(int i, int j, T value) const { return z(i, j) = value; }
};

template <Backend B, Number T>
void divide(const B& on, In<Field, T> r, const T* d, const Field<T>& z) {
  require_shape("divide", z, r);
  const Box all{0, z.nx, 0, z.ny};
  count(on, divide_traffic, all, sizeof(T));
  for_nodes(on, all, Divide<T>{r, d, z});
}

template <class T>
struct MultiplyBlock {
  DiagonalBlocks<T> M;
  Field<const T> r;
  Field<T> z;
  HOST_DEVICE void operator()(int i, int) const {
    using C = Arithmetic<T>;
    const int first = i / M.size * M.size;
    const int terms = M.size < r.nx - first ? M.size : r.nx - first;
    const T* const row = M.values + std::int64_t{i} * M.size;
    C sum = C(row[0]) * C(r(first, 0));
    for (int k = 1; k < terms; ++k) sum = fused(C(row[k]), C(r(first + k, 0)), sum);
    z(i, 0) = T(sum);
  }
};

template <Backend B, Number T>
void multiply_blocks(const B& on, const DiagonalBlocks<T>& M, In<Field, T> r, const Field<T>& z) {
  require_shape("multiply_blocks", z, r);
  const Box all{0, z.nx, 0, z.ny};
  count(on, Traffic{1 + M.size, 1}, all, sizeof(T));
  for_nodes(on, all, MultiplyBlock<T>{M, r, z});
}

/// Alpha is computed at each node where that costs less than a kernel of its own.
template <class T, bool computes_alpha>
struct UpdateByDiagonal {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  static constexpr int sum_blocks = sizeof(T) > 8 ? 1 : 6;  // to hide quotients
  using C = Arithmetic<T>;
  const T* d;
  Field<T> q, r;
  const CgState<C>* state;
  HOST_DEVICE Pair<T> read(int i, int j) const {
    const C alpha = computes_alpha ? alpha_of(*state) : state->alpha;
    const T before = r(i, j), next = T(fused(-alpha, q(i, j), before));
    return {state->active ? next : before, d[i]};
  }
  HOST_DEVICE TwoSums<C> write(int i, int j, const Pair<T>& v) const {
    const T z = divided(v.first, v.second);
    r(i, j) = v.first;
    q(i, j) = z;
    return {v.first * v.first, v.first * z};
  }
};

template <class T>
struct CountPreconditioned {
  const T *rr, *rz;
  CgState<T>* state;
  HOST_DEVICE void operator()(int k) const {
    state->rr = *rr;
    CgCount<T>{state}(k);
    state->rz_new = *rz;
  }
};

/// Alpha, the one before being kept.
template <class T>
struct NextAlpha {
  CgState<T>* state;
  HOST_DEVICE void operator()(int k) const {
    state->alpha_before = state->alpha;
    CgAlpha<T>{state}(k);
  }
};

/// All scalars of an iteration after its product, or after its alpha.
template <class T, bool computes_alpha>
struct EndIteration {
  const TwoSums<T>* sums;
  IterationEnd end;
  CgState<T>* state;
  HOST_DEVICE void operator()(int k) const {
    if constexpr (computes_alpha) NextAlpha<T>{state}(k);
    CountPreconditioned<T>{end.by_rz ? &sums->second : &sums->first, &sums->second, state}(k);
    if (end.has_beta) CgBeta<T>{BetaForm::standard, state}(k);
  }
};

template <Backend B, Number T>
void update_by_diagonal(const B& on, const T* d, const Field<T>& q, const Field<T>& r,
                        const IterationEnd& end, TwoSums<Scalar<T>>* sums,
                        CgState<Scalar<T>>* state) {
  require_shape("update_by_diagonal", r, q);
  const Box all{0, r.nx, 0, r.ny};
  require_inside_and_some("update_by_diagonal", all, r);
  count(on, update_by_diagonal_traffic, all, sizeof(T));
  using C = Scalar<T>;
  constexpr int few = 1 << 18;
  if constexpr (!std::is_same_v<B, Host>) {
    if (r.nx < few) {
      sum_nodes_then(on, all, UpdateByDiagonal<T, true>{d, q, r, state}, sums,
                     EndIteration<C, true>{sums, end, state});
      return;
    }
  }
  for_each(on, 1, NextAlpha<C>{state});
  sum_nodes_then(on, all, UpdateByDiagonal<T, false>{d, q, r, state}, sums,
                 EndIteration<C, false>{sums, end, state});
}

template <Backend B, Computable T>
void count_preconditioned(const B& on, const T* rr, const T* rz, CgState<T>* state) {
  for_each(on, 1, CountPreconditioned<T>{rr, rz, state});
}

/// x += alpha p.
template <class T>
struct Step {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  Field<const T> p;
  Field<T> x;
  const CgState<Arithmetic<T>>* state;
  /// `before` after a step by alpha.
  HOST_DEVICE static T moved(const T& before, const Arithmetic<T>& alpha, const T& direction) {
    const T next = T(fused(alpha, direction, before));
    return alpha == Arithmetic<T>(0) ? before : next;
  }
  HOST_DEVICE T read(int i, int j) const { return moved(x(i, j), state->alpha, p(i, j)); }
  HOST_DEVICE T write(int i, int j, T value) const { return x(i, j) = value; }
};

template <Backend B, Number T>
void step(const B& on, In<Field, T> p, const CgState<Scalar<T>>* state, const Field<T>& x) {
  require_shape("step", x, p);
  const Box all{0, x.nx, 0, x.ny};
  count(on, step_traffic, all, sizeof(T));
  for_nodes(on, all, Step<T>{p, x, state});
}

/// z + beta p, or p where nothing is active.
template <class T>
HOST_DEVICE inline T next_direction(const CgState<Arithmetic<T>>& state, const T& z, const T& p) {
  const T next = T(fused(state.beta, p, z));
  return state.active ? next : p;
}

template <class T>
struct StepAndDirection {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  Step<T> step;
  Field<const T> z;
  Field<T> p;
  HOST_DEVICE Pair<T> read(int i, int j) const {
    const T direction = p(i, j);
    return {Step<T>::moved(step.x(i, j), step.state->alpha, direction),
            next_direction(*step.state, z(i, j), direction)};
  }
  HOST_DEVICE Pair<T> write(int i, int j, const Pair<T>& v) const {
    step.x(i, j) = v.first;
    p(i, j) = v.second;
    return v;
  }
};

template <Backend B, Number T>
void step_and_direction(const B& on, In<Field, T> z, const CgState<Scalar<T>>* state,
                        const Field<T>& x, const Field<T>& p) {
  require_shape("step_and_direction", x, p, z);
  const Box all{0, p.nx, 0, p.ny};
  count(on, step_and_direction_traffic, all, sizeof(T));
  for_nodes(on, all, StepAndDirection<T>{{p, x, state}, z, p});
}

template <class T>
struct NextDirection {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  Field<const T> z, p;
  const CgState<Arithmetic<T>>* state;
  Field<T> next;
  HOST_DEVICE T read(int i, int j) const { return next_direction(*state, z(i, j), p(i, j)); }
  HOST_DEVICE T write(int i, int j, T value) const { return next(i, j) = value; }
};

template <Backend B, Number T>
void next_direction(const B& on, In<Field, T> z, In<Field, T> p, const CgState<Scalar<T>>* state,
                    const Field<T>& next) {
  require_shape("next_direction", next, z, p);
  const Box all{0, next.nx, 0, next.ny};
  count(on, next_direction_traffic, all, sizeof(T));
  for_nodes(on, all, NextDirection<T>{z, p, state, next});
}

template <class T>
struct TwoStepsAndDirection {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  Field<const T> z, p;
  const CgState<Arithmetic<T>>* state;
  Field<T> x, p_before;
  HOST_DEVICE Pair<T> read(int i, int j) const {
    const T direction = p(i, j);
    const T once = Step<T>::moved(x(i, j), state->alpha_before, p_before(i, j));
    return {Step<T>::moved(once, state->alpha, direction),
            next_direction(*state, z(i, j), direction)};
  }
  HOST_DEVICE Pair<T> write(int i, int j, const Pair<T>& v) const {
    x(i, j) = v.first;
    p_before(i, j) = v.second;
    return v;
  }
};

template <Backend B, Number T>
void two_steps_and_direction(const B& on, In<Field, T> z, In<Field, T> p,
                             const CgState<Scalar<T>>* state, const Field<T>& x,
                             const Field<T>& p_before) {
  require_shape("two_steps_and_direction", x, p_before, z, p);
  const Box all{0, p.nx, 0, p.ny};
  count(on, two_steps_and_direction_traffic, all, sizeof(T));
  for_nodes(on, all, TwoStepsAndDirection<T>{z, p, state, x, p_before});
}

}  // namespace ninefold
