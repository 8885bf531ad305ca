#pragma once
// The meaning of the operations of conjugate gradients; see
// gpu/meaning/generic_vector_operations.hpp.

#include "gpu/meaning/generic_vector_operations.hpp"
#include "gpu/operations/cg_operations.hpp"

namespace ninefold {

template <class T>
HOST_DEVICE inline T alpha_of(const CgState<T>& state) {
  // Numbers that have underflowed say nothing: x then stays as it is.
  const bool known = state.active && !(state.pq == T(0));
  return known ? state.rz / state.pq : T(0);
}

template <class T>
struct CgAlpha {
  CgState<T>* state;
  HOST_DEVICE void operator()(int) const { state->alpha = alpha_of(*state); }
};

template <Backend B, Computable T>
void cg_alpha(const B& on, CgState<T>* state) {
  for_each(on, 1, CgAlpha<T>{state});
}

template <class T>
struct CgUpdate {
  static constexpr int batch = 4;
  Field<const T> p, q;
  Field<T> x, r;
  const CgState<Arithmetic<T>>* state;
  HOST_DEVICE Pair<T> read(int i, int j) const {
    // All is read at once; waiting for `active` first would cost a third of the rate.
    const Arithmetic<T> alpha = state->alpha;
    const T x_old = x(i, j), r_old = r(i, j);
    const T x_new = T(fused(alpha, p(i, j), x_old)), r_new = T(fused(-alpha, q(i, j), r_old));
    return state->active ? Pair<T>{x_new, r_new} : Pair<T>{x_old, r_old};
  }
  HOST_DEVICE Arithmetic<T> write(int i, int j, const Pair<T>& v) const {
    x(i, j) = v.first;
    r(i, j) = v.second;
    return v.second * v.second;
  }
};

/// The part of x alone.
template <class T>
struct CgStep {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  Field<const T> p;
  Field<T> x;
  const CgState<Arithmetic<T>>* state;
  HOST_DEVICE T read(int i, int j) const {
    const T before = x(i, j), next = T(fused(state->alpha, p(i, j), before));
    return state->active ? next : before;
  }
  HOST_DEVICE T write(int i, int j, T value) const { return x(i, j) = value; }
};

/// The part of r alone.
template <class T>
struct CgResidual {
  static constexpr int batch = 4;
  Field<const T> q;
  Field<T> r;
  const CgState<Arithmetic<T>>* state;
  HOST_DEVICE T read(int i, int j) const {
    const T before = r(i, j), next = T(fused(-state->alpha, q(i, j), before));
    return state->active ? next : before;
  }
  HOST_DEVICE Arithmetic<T> write(int i, int j, T value) const {
    r(i, j) = value;
    return value * value;
  }
};

/// Checks and counts an update of x and r, of High also where r is rounded to another format.
template <class T, Backend B>
void prepare_cg_update(const char* name, const B& on, const Extent& of_x, const Extent& of_r,
                       const Field<const T>& p, const Field<const T>& q, const Field<T>& x,
                       const Field<T>& r) {
  require_shape(name, x, p);
  require_shape(name, r, q);
  require_inside(name, of_x, x);
  require_inside_and_some(name, of_r, r);
  constexpr Traffic half{cg_update_traffic.reads / 2, cg_update_traffic.writes / 2};
  count(on, half, of_x, sizeof(T));
  count(on, half, of_r, sizeof(T));
}

/// True if x and r can be updated node by node together.
template <class T>
bool in_one_pass(const Extent& of_x, const Extent& of_r, const Field<T>& x, const Field<T>& r) {
  return of_x == of_r && x.nx == r.nx && x.ny == r.ny;
}

template <Backend B, Number T>
void cg_update(const B& on, const Extent& of_x, const Extent& of_r, In<Field, T> p, In<Field, T> q,
               const Field<T>& x, const Field<T>& r, CgState<Scalar<T>>* state) {
  prepare_cg_update<T>("cg_update", on, of_x, of_r, p, q, x, r);
  if (in_one_pass(of_x, of_r, x, r)) {
    sum_own(on, r.ny, of_r, CgUpdate<T>{p, q, x, r, state}, &state->rr);
  } else {
    for_nodes(on, own_part(on, x.ny, of_x), CgStep<T>{p, x, state});
    sum_own(on, r.ny, of_r, CgResidual<T>{q, r, state}, &state->rr);
  }
}

template <class T>
struct CgCount {
  CgState<T>* state;
  HOST_DEVICE void operator()(int) const {
    if (!state->active) return;
    state->rz_new = state->rr;
    state->history[state->iterations % cg_block] = state->rr;
    state->steps[state->iterations % cg_block] = state->alpha;
    ++state->iterations;
    // A NaN compares false and ends the iteration, too.
    state->active = state->rr > state->target && state->iterations < state->max_iterations;
  }
};

template <Backend B, Computable T>
void cg_count(const B& on, CgState<T>* state) {
  for_each(on, 1, CgCount<T>{state});
}

template <class T>
struct CgBeta {
  BetaForm form;
  CgState<T>* state;
  HOST_DEVICE void operator()(int) const {
    if (!state->active) {
      state->beta = T(0);
      return;
    }
    const bool known = !(state->rz == T(0));
    if (form == BetaForm::standard) {
      state->beta = known ? state->rz_new / state->rz : T(0);
    } else {
      state->beta = known ? -state->alpha * state->qz / state->rz : T(0);
    }
    if (state->iterations > 0) state->ratios[(state->iterations - 1) % cg_block] = state->beta;
    state->rz = state->rz_new;
  }
};

template <Backend B, Computable T>
void cg_beta(const B& on, BetaForm form, CgState<T>* state) {
  for_each(on, 1, CgBeta<T>{form, state});
}

template <class T>
struct CgDirection {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  Field<const T> r;
  Field<T> p;
  const CgState<Arithmetic<T>>* state;
  HOST_DEVICE T read(int i, int j) const {
    const T before = p(i, j), next = T(fused(state->beta, before, r(i, j)));
    return state->active ? next : before;
  }
  HOST_DEVICE T write(int i, int j, T value) const { return p(i, j) = value; }
};

template <Backend B, Number T>
void cg_direction(const B& on, const Extent& extent, In<Field, T> r,
                  const CgState<Scalar<T>>* state, const Field<T>& p) {
  require_shape("cg_direction", p, r);
  require_inside("cg_direction", extent, p);
  count(on, cg_direction_traffic, extent, sizeof(T));
  for_nodes(on, own_part(on, p.ny, extent), CgDirection<T>{r, p, state});
}

}  // namespace ninefold
