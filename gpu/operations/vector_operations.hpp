#pragma once
// The vocabulary of vectors: the operations that know neither a matrix nor neighbours, with their
// formulas and their traffic.  For those with rows of a matrix see
// gpu/operations/row_operations.hpp.
//
// First where it runs, then what is read, last what is written.  Results that are single numbers
// stay on the backend (`T* result`), so that whole stretches of a solve can be recorded and
// replayed.
//
// Shape.  Views are fields, and an operation visits the extent that is passed.  Of a vector on a
// grid that is a box of nodes; values outside it, those on Dirichlet sides among them, are never
// written.  A vector without a grid takes part as its rows() and its extent()
// (gpu/backend/vector.hpp).  Shapes must agree and extents lie inside them: this is checked before
// each launch.
//
// Cost.  A `Traffic` counts the values of vectors that must move per node, each counted once.
//
// Rounding.  Values are read as T, computed in Arithmetic<T> and rounded once to T where they are
// stored; sums and scalars stay in Arithmetic<T>.  gpu/backend/summation.hpp for sums; all else as
// written in gpu/meaning/generic_vector_operations.hpp.  Host and device agree to the last bit.
//
// Tests.  tests/gpu/operations/operations_test.cpp (50 digits), tests/gpu/device/same_bits_test.cpp

#include <type_traits>

#include "precision/number.hpp"

#include "grids/field.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/operations/largest.hpp"

namespace ninefold {

/// A read-only argument that converts and takes no part in deduction: the result fixes T.
template <template <class> class V, class T>
using In = const std::type_identity_t<V<const T>>&;

/// A number that is passed to or returned by an operation on vectors of T.
template <class T>
using Scalar = std::type_identity_t<Arithmetic<T>>;

/// Values moved per node.
struct Traffic {
  int reads, writes;
  constexpr int values() const { return reads + writes; }
};

/// x = 0 at all nodes
inline constexpr Traffic set_zero_traffic{0, 1};
template <Backend B, Number T>
void set_zero(const B& on, const Field<T>& x);

/// y = x at all nodes
inline constexpr Traffic copy_traffic{1, 1};
template <Backend B, Number T>
void copy(const B& on, In<Field, T> x, const Field<T>& y);

/// *result = (x, y) over an extent
inline constexpr Traffic dot_traffic{2, 0};
template <Backend B, Number T>
void dot(const B& on, const Extent& extent, In<Field, T> x, In<Field, T> y, Scalar<T>* result);

/// The same in two parts: the first round of the sum, for the rows first <= row < last of the
/// extent in any order and division, and the rounds that follow, once all rows are there.  Between
/// the two the chunk sums lie in the backend's scratch (gpu/backend/summation.hpp), to be copied
/// there if another backend has summed them, and no other sum may be computed.
template <Backend B, Number T>
void dot_rows(const B& on, const Extent& extent, In<Field, T> x, In<Field, T> y, int first,
              int last);
template <Backend B, Computable T>
void finish_sum(const B& on, const Extent& extent, T* result);

/// y = x + *beta y over an extent
inline constexpr Traffic xpby_traffic{2, 1};
template <Backend B, Number T>
void xpby(const B& on, const Extent& extent, const Scalar<T>* beta, In<Field, T> x,
          const Field<T>& y);

/// p = *factor p over an extent
inline constexpr Traffic rescale_traffic{1, 1};
template <Backend B, Number T>
void rescale(const B& on, const Extent& extent, const Scalar<T>* factor, const Field<T>& p);

/// x = x - sum(x)/n over an extent of n values; *sum is for its use
inline constexpr Traffic remove_mean_traffic{2, 1};
template <Backend B, Number T>
void remove_mean(const B& on, const Extent& extent, const Field<T>& x, Scalar<T>* sum);

/// *result = the largest |x| over an extent
inline constexpr Traffic largest_traffic{1, 0};
template <Backend B, Number T>
void largest(const B& on, const Extent& extent, In<Field, T> x, Largest* result);

}  // namespace ninefold
