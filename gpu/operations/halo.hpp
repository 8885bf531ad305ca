#pragma once
// What ranks give each other before a product with a matrix of which each has a part
// (fem/sparse/matrix_part.hpp).  Products do so themselves, but those with a matrix that
// SparseOperator::of_met_vectors() gives.
//
// Cost.  One kernel that packs what others need, and one that takes theirs; both are recorded. What
// goes from rank to rank is no part of the bytes that are counted, as on grids.
//
// Tests.  tests/solvers/matrix_parts_test.cpp, tests/gpu/device/matrix_parts_test.cpp

#include <cstdint>
#include <vector>

#include "fem/sparse/matrix_part.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

template <class T>
struct Halo {
  const std::vector<HaloShare>* shares;  ///< in the host's memory
  int count;                             ///< of own values that others need
  const std::int32_t* sent;  ///< which, in the order of `shares`, counted from the first
  T* packed;                 ///< their place
  OwnRange kept{};  ///< own values between which nobody needs one, from a multiple of 64 on
};

/// Makes others' values beside x, of which rows of A meet some, what they are at their ranks.  Of a
/// square matrix that is a part; x has its rank's values.
template <Backend B, Number T>
void exchange_halo(const B& on, const SparseRows<T>& A, In<Field, T> x);

}  // namespace ninefold
