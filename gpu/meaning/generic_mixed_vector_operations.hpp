#pragma once
// The meaning of the operations on vectors in mixed precision; see
// gpu/meaning/generic_vector_operations.hpp.

#include <cmath>

#include "gpu/meaning/between_formats.hpp"
#include "gpu/meaning/generic_cg_operations.hpp"
#include "gpu/operations/mixed_vector_operations.hpp"

namespace ninefold {

// --- refinement -------------------------------------------------------------------------------

template <class High, class Low>
struct AddCorrection {
  static constexpr int batch = 2;
  const RefinementState<Arithmetic<High>>* state;
  Field<const Low> c;
  Field<High> x;
  HOST_DEVICE High read(int i, int j) const {
    const Arithmetic<High> before = x(i, j);
    return High(fused(state->up, widened<High>(c(i, j)), before));
  }
  HOST_DEVICE High write(int i, int j, High value) const { return x(i, j) = value; }
};

template <Backend B, Number High, Number Low>
void add_correction(const B& on, const Extent& extent, const RefinementState<Scalar<High>>* state,
                    In<Field, Low> c, const Field<High>& x) {
  require_shape("add_correction", x, c);
  require_inside("add_correction", extent, x);
  count_mixed<High, Low>(on, extent, 2, 1);
  for_nodes(on, own_part(on, x.ny, extent), AddCorrection<High, Low>{state, c, x});
}

template <class C>
struct BeginScales {
  const C* square;
  RefinementState<C>* state;
  HOST_DEVICE void operator()(int) const {
    state->square = *square;
    state->corrections = 0;
  }
};

template <Backend B, Computable C>
void begin_scales(const B& on, const C* square, RefinementState<C>* state) {
  for_each(on, 1, BeginScales<C>{square, state});
}

template <class C>
struct SetScale {
  RefinementScaling scaling;
  int exponent;
  RefinementState<C>* state;
  OverCorrections overs = {};
  HOST_DEVICE void operator()(int) const {
    const double over = overs.of[state->corrections % overs.count];
    ++state->corrections;
    for (int k = RefinementState<C>::squares_before - 1; k > 0; --k) {
      state->before[k] = state->before[k - 1];
    }
    state->before[0] = state->square;
    const auto square = static_cast<double>(state->square);
    if (!(square > 0 && square <= 0x1.fffffffffffffp1023)) return;
    if (scaling == RefinementScaling::power_of_two) {
      // 2^e <= square < 2^(e+1): the power of two nearest to the norm is 2^floor((e+1)/2).
      const int e = std::ilogb(square) + 1;
      const int n = exponent - (e >= 0 ? e / 2 : -((1 - e) / 2));
      state->down = static_cast<C>(std::ldexp(1.0, n));
      state->up = static_cast<C>(std::ldexp(over, -n));
    } else {
      const double norm = std::ldexp(std::sqrt(square), -exponent);
      state->down = static_cast<C>(1 / norm);
      state->up = static_cast<C>(over * norm);
    }
  }
};

template <Backend B, Computable C>
void set_scale(const B& on, RefinementScaling scaling, int exponent, RefinementState<C>* state,
               const OverCorrections& over) {
  for_each(on, 1, SetScale<C>{scaling, exponent, state, over});
}

// --- flexible conjugate gradients -------------------------------------------------------------

template <class High, class Low>
struct DotWidened {
  static constexpr int batch = 4;
  Field<const High> r;
  Field<const Low> c;
  const RefinementState<Arithmetic<High>>* state;
  struct Read {
    High r;
    Low c;
  };
  HOST_DEVICE Read read(int i, int j) const { return {r(i, j), c(i, j)}; }
  HOST_DEVICE Arithmetic<High> write(int, int, const Read& v) const {
    return v.r * (state->up * widened<High>(v.c));
  }
};

template <Backend B, Number High, Number Low>
void dot_widened(const B& on, const Extent& extent, In<Field, High> r, In<Field, Low> c,
                 const RefinementState<Scalar<High>>* state, Scalar<High>* result) {
  require_shape("dot_widened", r, c);
  require_inside_and_some("dot_widened", extent, r);
  count_mixed<High, Low>(on, extent, 1, 1);
  sum_own(on, r.ny, extent, DotWidened<High, Low>{r, c, state}, result);
}

template <class High, class Low>
struct XpbyWidened {
  static constexpr int batch = 2;
  const Arithmetic<High>* beta;
  Field<const Low> c;
  const RefinementState<Arithmetic<High>>* state;
  Field<High> p;
  HOST_DEVICE High read(int i, int j) const {
    return High(fused(*beta, p(i, j), state->up * widened<High>(c(i, j))));
  }
  HOST_DEVICE High write(int i, int j, High value) const { return p(i, j) = value; }
};

template <Backend B, Number High, Number Low>
void xpby_widened(const B& on, const Extent& extent, const Scalar<High>* beta, In<Field, Low> c,
                  const RefinementState<Scalar<High>>* state, const Field<High>& p) {
  require_shape("xpby_widened", p, c);
  require_inside("xpby_widened", extent, p);
  count_mixed<High, Low>(on, extent, 2, 1);
  for_nodes(on, own_part(on, p.ny, extent), XpbyWidened<High, Low>{beta, c, state, p});
}

template <class High, class Low>
struct CgUpdateRounded {
  static constexpr int batch = 2;
  CgUpdate<High> update;
  Field<Low> s;
  const RefinementState<Arithmetic<High>>* scale;
  HOST_DEVICE Pair<High> read(int i, int j) const { return update.read(i, j); }
  HOST_DEVICE Arithmetic<High> write(int i, int j, const Pair<High>& v) const {
    s(i, j) = narrowed<Low>(scale->down * v.second);
    return update.write(i, j, v);
  }
};

template <class High, class Low>
struct CgResidualRounded {
  static constexpr int batch = 2;
  CgResidual<High> update;
  Field<Low> s;
  const RefinementState<Arithmetic<High>>* scale;
  HOST_DEVICE High read(int i, int j) const { return update.read(i, j); }
  HOST_DEVICE Arithmetic<High> write(int i, int j, High value) const {
    s(i, j) = narrowed<Low>(scale->down * value);
    return update.write(i, j, value);
  }
};

template <Backend B, Number High, Number Low>
void cg_update_rounded(const B& on, const Extent& of_x, const Extent& of_r, In<Field, High> p,
                       In<Field, High> q, const Field<High>& x, const Field<High>& r,
                       const Field<Low>& s, const RefinementState<Scalar<High>>* scale,
                       CgState<Scalar<High>>* state) {
  require_shape("cg_update_rounded", r, s);
  prepare_cg_update<High>("cg_update_rounded", on, of_x, of_r, p, q, x, r);
  count_mixed<High, Low>(on, of_r, 0, 1);
  if (in_one_pass(of_x, of_r, x, r)) {
    sum_own(on, r.ny, of_r, CgUpdateRounded<High, Low>{{p, q, x, r, state}, s, scale}, &state->rr);
  } else {
    for_nodes(on, own_part(on, x.ny, of_x), CgStep<High>{p, x, state});
    sum_own(on, r.ny, of_r, CgResidualRounded<High, Low>{{q, r, state}, s, scale}, &state->rr);
  }
}

}  // namespace ninefold
