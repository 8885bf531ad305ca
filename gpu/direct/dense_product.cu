#include <type_traits>

#include "gpu/direct/dense_product.hpp"
#include "gpu/direct/libraries.cuh"

namespace ninefold {

template <Number T>
DenseProducts<Cuda, T>::DenseProducts(const Cuda& on) : on_(on), workspace_(on, cublas_workspace) {
  on.use();
  cublasHandle_t handle = nullptr;
  check_library(NINEFOLD_CUBLAS(cublasCreate)(&handle), "cublasCreate");
  handle_ = std::shared_ptr<void>(handle, [](void* p) {
    (void)NINEFOLD_CUBLAS(cublasDestroy)(static_cast<cublasHandle_t>(p));
  });
  check_library(NINEFOLD_CUBLAS(cublasSetStream)(handle, stream_of(on)), "cublasSetStream");
  // After the stream, which sets cuBLAS' own.
  check_library(NINEFOLD_CUBLAS(cublasSetWorkspace)(handle, workspace_.data(), cublas_workspace),
                "cublasSetWorkspace");
}

template <Number T>
void DenseProducts<Cuda, T>::multiply(int m, int n, int k, const Dense<const T>& A,
                                      const Dense<const T>& B, const Dense<T>& C) const {
  on_.use();
  const auto handle = static_cast<cublasHandle_t>(handle_.get());
  const auto turned = [](const Dense<const T>& matrix) {
    return matrix.turned == Turned::yes ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  const auto stride = [](std::ptrdiff_t values) { return static_cast<int>(values); };
  const T one(1), zero(0);
  const auto run = [&](auto* gemm) {
    check_library(gemm(handle, turned(A), turned(B), m, n, k, &one, A.data, stride(A.stride),
                       B.data, stride(B.stride), &zero, C.data, stride(C.stride)),
                  "cuBLAS' matrix product");
  };
  if constexpr (std::is_same_v<T, double>) {
    run(NINEFOLD_CUBLAS(cublasDgemm));
  } else {
    run(NINEFOLD_CUBLAS(cublasSgemm));
  }
}

template class DenseProducts<Cuda, float>;
template class DenseProducts<Cuda, double>;

}  // namespace ninefold
