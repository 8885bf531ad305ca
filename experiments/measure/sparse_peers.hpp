#pragma once
// What sparse products are measured against: on a device cuSPARSE's, in each format and algorithm,
// and naive kernels; on the host Eigen's, PETSc's and MKL's; of these, what the build has found.

#include <functional>
#include <string>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

template <class T>
struct SparsePeer {
  using Product = std::function<void(const T* x, T* y)>;

  std::string name, whose, storage;
  int threads = 0;        ///< of the host, that it may use; 0 on a device
  bool is_naive = false;  ///< what a paper compares with: no peer
  /// y = A x, on a device asynchronous, for vectors with four values to spare.  Both may throw
  /// std::runtime_error where a library refuses; from 2^31 entries on, which not all can count, the
  /// first does.
  std::function<Product()> prepare{};
};

/// T is float or double; the matrix must outlive them.
template <class T>
std::vector<SparsePeer<T>> sparse_peers(const Host& on, const SparseMatrix& A);
template <class T>
std::vector<SparsePeer<T>> sparse_peers(const Cuda& on, const SparseMatrix& A);

/// The names of all that this build may have, of the host and of a device.
std::vector<std::string> sparse_peer_names();

/// The names of the naive kernels, by rows first; none in a build without CUDA.
std::vector<std::string> naive_names();

}  // namespace ninefold
