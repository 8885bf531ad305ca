#pragma once
// A peer to measure sparse products against on the host: oneMKL's, by compressed rows that it
// inspects and rearranges beforehand, in its OpenMP threads.  Nothing but measurements uses it.
//
// Loading.  No part of the build: libmkl_rt is loaded where the system's loader finds it
// (LD_LIBRARY_PATH, the loader's cache), with g++'s OpenMP, so that its threads are those of this
// program.
//
// Preparation.  mkl_sparse_set_mv_hint and mkl_sparse_optimize are called before the first product;
// neither counts.
//
// Reference.  Developer Reference for Intel oneMKL: Inspector-executor Sparse BLAS.
// Tests.      experiments/measure/sparse_product compares each result with ours.

#include <memory>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// Whether the library can be loaded.
bool has_mkl();

/// T is float or double.
template <class T>
class MklMatrix {
 public:
  /// Of fewer than 2^31 entries.  Throws std::runtime_error if the library is not there or refuses.
  MklMatrix(const SparseMatrix& A, int threads);

  /// y = A x
  void product(const T* x, T* y) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ninefold
