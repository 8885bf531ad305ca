#include "experiments/measure/sparse_peers.hpp"

#include <limits>
#include <stdexcept>
#include <type_traits>

#include "experiments/measure/peers/mkl_matrix.hpp"

#ifdef NINEFOLD_HAS_EIGEN
#include "experiments/measure/peers/eigen_matrix.hpp"
#endif
#ifdef NINEFOLD_HAS_PETSC
#include "experiments/measure/peers/petsc_matrix.hpp"
#endif
#ifdef NINEFOLD_HAS_CUDA
#include "experiments/measure/peers/naive_rows.hpp"
#endif
#ifdef NINEFOLD_HAS_SPARSE_PEERS
#include "experiments/measure/peers/cusparse_matrix.hpp"
#endif

namespace ninefold {
namespace {

/// A matrix is made of A by `make` when it is prepared.
template <class T, class Make>
std::function<typename SparsePeer<T>::Product()> product_of(const SparseMatrix& A,
                                                            const Make& make) {
  return [&A, make]() -> typename SparsePeer<T>::Product {
    if (A.pattern.entries() > std::numeric_limits<int>::max()) {
      throw std::runtime_error("2^31 entries and more: not tried");
    }
    return [matrix = make()](const T* x, T* y) { matrix.product(x, y); };
  };
}

}  // namespace

template <class T>
std::vector<SparsePeer<T>> sparse_peers(const Host&, const SparseMatrix& A) {
  const int threads = describe_host().threads;
  std::vector<SparsePeer<T>> peers;
#ifdef NINEFOLD_HAS_EIGEN
  peers.push_back({.name = "Eigen",
                   .whose = "Eigen",
                   .storage = "CSR",
                   .threads = threads,
                   .prepare = product_of<T>(A, [&A] { return EigenMatrix<T>(A); })});
#endif
#ifdef NINEFOLD_HAS_PETSC
  if constexpr (std::is_same_v<T, double>) {
    peers.push_back({.name = "PETSc",
                     .whose = "PETSc",
                     .storage = "AIJ",
                     .threads = 1,
                     .prepare = product_of<T>(A, [&A] { return PetscMatrix(A); })});
  }
#endif
  if (has_mkl()) {
    peers.push_back(
        {.name = "MKL",
         .whose = "MKL",
         .storage = "CSR, optimised",
         .threads = threads,
         .prepare = product_of<T>(A, [&A, threads] { return MklMatrix<T>(A, threads); })});
  }
  return peers;
}

template <class T>
std::vector<SparsePeer<T>> sparse_peers([[maybe_unused]] const Cuda& on,
                                        [[maybe_unused]] const SparseMatrix& A) {
  std::vector<SparsePeer<T>> peers;
#ifdef NINEFOLD_HAS_CUDA
  for (const NaiveFormat format : naive_formats()) {
    const std::string name(to_string(format));
    peers.push_back(
        {.name = name,
         .whose = "naive",
         .storage = name,
         .is_naive = true,
         .prepare = product_of<T>(A, [on, &A, format] { return NaiveMatrix<T>(on, A, format); })});
  }
#endif
#ifdef NINEFOLD_HAS_SPARSE_PEERS
  for (const CusparseFormat format : cusparse_formats()) {
    const std::string name(to_string(format));
    peers.push_back({.name = name,
                     .whose = "cuSPARSE",
                     .storage = name,
                     .prepare = product_of<T>(
                         A, [on, &A, format] { return CusparseMatrix<T>(on, A, format); })});
  }
#endif
  return peers;
}

std::vector<std::string> sparse_peer_names() {
  std::vector<std::string> names = naive_names();
#ifdef NINEFOLD_HAS_EIGEN
  names.emplace_back("Eigen");
#endif
#ifdef NINEFOLD_HAS_PETSC
  names.emplace_back("PETSc");
#endif
  names.emplace_back("MKL");
#ifdef NINEFOLD_HAS_SPARSE_PEERS
  for (const CusparseFormat format : cusparse_formats()) names.emplace_back(to_string(format));
#endif
  return names;
}

std::vector<std::string> naive_names() {
  std::vector<std::string> names;
#ifdef NINEFOLD_HAS_CUDA
  for (const NaiveFormat format : naive_formats()) names.emplace_back(to_string(format));
#endif
  return names;
}

template std::vector<SparsePeer<float>> sparse_peers(const Host& on, const SparseMatrix& A);
template std::vector<SparsePeer<double>> sparse_peers(const Host& on, const SparseMatrix& A);
template std::vector<SparsePeer<float>> sparse_peers(const Cuda& on, const SparseMatrix& A);
template std::vector<SparsePeer<double>> sparse_peers(const Cuda& on, const SparseMatrix& A);

}  // namespace ninefold
