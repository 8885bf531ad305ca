#pragma once
// What sparse products on a device were measured against before there were libraries: plain loops,
// one thread a row.  Nothing but measurements uses them; built with CUDA.
//
// Shape.  Compressed rows; or all rows sorted by length, longest first, their entries by jagged
// diagonals: diagonal d holds the d-th entries of all rows that have so many.  Neighbouring threads
// then read neighbouring entries.  As they are, or each diagonal beginning at a multiple of 16
// entries, so that what a group of threads reads begins where memory is fetched from.
//
// Rounding.  A row is one chain, entries ascending, a * b + c in two roundings.
//
// Reference.  Cevahir, Nukada, Matsuoka, Fast conjugate gradients with multiple GPUs, ICCS 2009
//             (LNCS 5544), pp. 893-903, section 2 and figure 4.
// Tests.      experiments/measure/sparse_product compares each result with ours.

#include <memory>
#include <string_view>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

enum class NaiveFormat { compressed, jagged, jagged_16 };

/// "crs, naive", "jagged, naive", "jagged by 16, naive".
std::string_view to_string(NaiveFormat format);
const std::vector<NaiveFormat>& naive_formats();

/// T is float or double.
template <class T>
class NaiveMatrix {
 public:
  /// Throws std::runtime_error for 2^31 entries and more, or if memory does not suffice.
  NaiveMatrix(const Cuda& on, const SparseMatrix& A, NaiveFormat format);

  /// y = A x, asynchronous.
  void product(const T* x, T* y) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace ninefold
