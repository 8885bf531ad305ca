#pragma once
// The vocabulary of conjugate gradients: their scalars, which stay on the backend, and the fused
// steps of their vectors.  For all else see gpu/operations/vector_operations.hpp.
//
// Tests.  tests/gpu/operations/cg_operations_test.cpp (50 digits),
// tests/gpu/device/same_bits_test.cpp

#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// Iterations between two looks of the host at a CG solve, at most.
inline constexpr int cg_block = 32;

/// The scalars of a CG solve; they live on the backend.  Once `active` is 0, an iteration leaves x
/// and the history as they are: a block may run on past convergence without changing a bit of
/// them.  (r too, unless a preconditioner takes away its mean.)  For vectors of T it is a
/// CgState<Arithmetic<T>>.
template <Computable T>
struct CgState {
  T rr;      ///< (r, r)
  T rz;      ///< (r, z), z = M^-1 r
  T pq;      ///< (p, A p)
  T rz_new;  ///< (r, z) of the next iteration
  T qz;      ///< (A p, z), used with a multigrid preconditioner
  T alpha, beta;
  T alpha_before;  ///< of the iteration before, where steps of x are taken two at a time
  T target;        ///< iterate until rr <= target
  int iterations, max_iterations;
  int active;           ///< 1 until the target or max_iterations is reached or rr is not a number
  T history[cg_block];  ///< rr after iteration k at k mod cg_block
  T steps[cg_block];    ///< alpha of it
  T ratios[cg_block];   ///< beta after it, unless it was the last one
};

/// How beta follows from the scalars: (r,z)new / (r,z), or with the flexible form -alpha (q,z) /
/// (r,z), which tolerates a preconditioner that is not symmetric, such as an F-cycle.
enum class BetaForm { standard, flexible };

/// alpha = rz / pq, or 0 if not active or pq has underflowed
template <Backend B, Computable T>
void cg_alpha(const B& on, CgState<T>* state);

/// x += alpha p over one extent, r -= alpha q over another, rr = (r, r).  p has the shape of x and
/// q that of r; where extents and shapes agree it is one pass, with the same bits.
inline constexpr Traffic cg_update_traffic{4, 2};  // per node of both extents, half of one
template <Backend B, Number T>
void cg_update(const B& on, const Extent& of_x, const Extent& of_r, In<Field, T> p, In<Field, T> q,
               const Field<T>& x, const Field<T>& r, CgState<Scalar<T>>* state);
template <Backend B, Number T>
void cg_update(const B& on, const Extent& extent, In<Field, T> p, In<Field, T> q, const Field<T>& x,
               const Field<T>& r, CgState<Scalar<T>>* state) {
  cg_update(on, extent, extent, p, q, x, r, state);
}

/// Counts the iteration, decides whether to go on.  rr must be set.  Sets rz_new = rr, which is
/// right without a preconditioner; with one, dot(r, z) overwrites it.
template <Backend B, Computable T>
void cg_count(const B& on, CgState<T>* state);

/// beta from rz_new (and qz), or 0 if rz has underflowed; then rz = rz_new.  If not active, beta =
/// 0 and rz stays.
template <Backend B, Computable T>
void cg_beta(const B& on, BetaForm form, CgState<T>* state);

/// p = r + beta p over an extent, or p as it is if not active
inline constexpr Traffic cg_direction_traffic{2, 1};
template <Backend B, Number T>
void cg_direction(const B& on, const Extent& extent, In<Field, T> r,
                  const CgState<Scalar<T>>* state, const Field<T>& p);

}  // namespace ninefold
