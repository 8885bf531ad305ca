#pragma once
// A whole iteration of CGLS, of one system or of several with one matrix, side by side.
//
// Mathematics.  That of gpu/operations/least_squares_operations.hpp, whose operations this one
// stands for: cgls_product, cgls_update, cgls_gradient and cg_direction, one after the other.
// Nothing of one system enters another.
//
// Cost.  On a device three kernels for several systems, up to most_columns, where rows are sliced
// and few (may_be_paired(), gpu/kernels/cgls_rows.cuh):
//
//     q = A p, (q, q), alpha          a sum ends in the block that ends last
//     s = c + A'(r - alpha q), beta   r is gathered as it will be
//     x += alpha p, r -= alpha q, p = s + beta p
//
// Rows of more than 2048 entries take two more for each product.  Else six for each system, as
// those operations; a product that several systems share then reads its matrix once for all, unless
// ranks divide it.
//
// One system alone stays in one kernel for many iterations (cgls_iterations()) where it is small:
// no bounds, matrices of 32 MiB at most and vectors of 2, rows of A of 128 entries at most and of
// A' of 2048, 8192 columns, or as many as shared memory holds twice (about 6000 of double-double),
// and as many chunks of rows as the device has multiprocessors (gpu/kernels/resident_cgls.cuh).
// Others take six kernels for an iteration, which is less time than three, whose sums wait for the
// block that ends last (docs/least_squares.md).
//
// Rounding.  The bits of the four operations, for each system alone.
//
// Tests.  tests/gpu/operations/cgls_iteration_test.cpp,
// tests/gpu/device/least_squares_same_bits_test.cpp

#include <cstdint>

#include "gpu/operations/least_squares_operations.hpp"

namespace ninefold {

/// What is gathered together, side by side: one access to memory.
template <class T>
struct alignas(2 * sizeof(T)) BesideEachOther {
  T r, q;
};

/// Up to so many bytes of a vector, r and q lie in pairs: what these move beside an update in a
/// kernel of its own, four values for each row, then takes less time than its start, about 2 us at
/// the rates of an H200.  This is a matter of time alone, and to be measured again for others.
inline constexpr std::int64_t most_paired_bytes = std::int64_t{2} << 20;

/// Whether three kernels may do an iteration of vectors of so many values at most.
template <class T>
constexpr bool may_be_paired(int longest) {
  return std::int64_t{longest} * std::int64_t{sizeof(T)} <= most_paired_bytes;
}

/// What three kernels need beside the vectors of a system, or one that stays (the pairs): null
/// where there are others, as on a host.
template <class T>
struct CglsPlaces {
  BesideEachOther<T>* pairs{};           ///< as many as A has rows
  TwoSums<Arithmetic<T>>* chunk_sums{};  ///< as many as the longer vectors have chunks
  unsigned* finished{};                  ///< one more than that, zero before and after
};

/// The vectors and scalars of one system.
template <class T>
struct CglsSystem {
  Field<T> x, r, p, q, s;
  const T* c{};  ///< of a correction, else null
  BoundRows<T> bounds;
  CglsPlaces<T> places;
  CglsSums<Arithmetic<T>>* sums;
  CgState<Arithmetic<T>>* state;
};

/// Those that are iterated together: shapes are alike, and so is the number of rows before those of
/// bounds.
template <class T>
struct CglsSystems {
  int count;
  CglsSystem<T> of[most_columns];
};

/// An iteration of each; those that are not active stay as they are.  Where vectors are divided
/// among ranks, rows and columns are so each in its own way; else both backends are one.
template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_iteration(const B& on_rows, const B& on_columns, const Rows& A, const Rows& transposed,
                    const CglsSystems<T>& systems);

/// So many iterations of one system, fewer if it ends before; q and s are for its use.
template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_iterations(const B& on_rows, const B& on_columns, const Rows& A, const Rows& transposed,
                     const CglsSystem<T>& system, int iterations);

}  // namespace ninefold
