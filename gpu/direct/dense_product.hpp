#pragma once
// Products of dense matrices on a backend.
//
// Shape.  Matrices lie column after column, `stride` values from one column to the next.
//
// Rounding.  On the host in T, fused, in an order that depends on the shapes alone; on a device as
// cuBLAS does it.  Both within k u |A||B| for k terms.
//
// Memory.  A device's product takes cublas_workspace bytes, the host's two blocks a thread for as
// long as it lasts.
//
// Reference.  Goto, van de Geijn, Anatomy of high-performance matrix multiplication, 2008.
// Tests.      tests/gpu/direct/dense_product_test.cpp, tests/gpu/device/direct_test.cpp

#include <cstddef>
#include <memory>

#include "precision/number.hpp"

#include "gpu/backend/vector.hpp"

namespace ninefold {

/// What NVIDIA advises for this generation of devices; owned here, so that recordings may use it.
inline constexpr std::size_t cublas_workspace = std::size_t{32} << 20;

enum class Turned { no, yes };

template <class T>
struct Dense {
  T* data;
  std::ptrdiff_t stride;
  Turned turned = Turned::no;  ///< its transpose is meant; of what is read
};

template <Backend B, Number T>
class DenseProducts;

template <Number T>
class DenseProducts<Host, T> {
 public:
  /// On a host that counts a device's memory, that of the device's products.
  explicit DenseProducts(const Host& on)
      : on_(on),
        workspace_(on.has_device_memory() ? Array<Host, char>(on, cublas_workspace)
                                          : Array<Host, char>()) {}

  /// C = A B, m x n, of k terms each; nothing is checked.
  void multiply(int m, int n, int k, const Dense<const T>& A, const Dense<const T>& B,
                const Dense<T>& C) const;

 private:
  Host on_;
  Array<Host, char> workspace_;
};

template <Number T>
class DenseProducts<Cuda, T> {
 public:
  /// Throws BadValue where cuBLAS is missing.
  explicit DenseProducts(const Cuda& on);
  void multiply(int m, int n, int k, const Dense<const T>& A, const Dense<const T>& B,
                const Dense<T>& C) const;

 private:
  Cuda on_;
  Array<Cuda, char> workspace_;
  std::shared_ptr<void> handle_;
};

}  // namespace ninefold
