#include <memory>
#include <stdexcept>
#include <string>

#include "gpu/backend/vector.hpp"
#include "gpu/direct/eigenvectors.hpp"
#include "gpu/direct/libraries.cuh"

namespace ninefold {

namespace {

std::shared_ptr<void> make_handle(const Cuda& on) {
  on.use();
  cusolverDnHandle_t handle = nullptr;
  check_library(NINEFOLD_CUSOLVER(cusolverDnCreate)(&handle), "cusolverDnCreate");
  std::shared_ptr<void> owner(handle, [](void* p) {
    (void)NINEFOLD_CUSOLVER(cusolverDnDestroy)(static_cast<cusolverDnHandle_t>(p));
  });
  check_library(NINEFOLD_CUSOLVER(cusolverDnSetStream)(handle, stream_of(on)),
                "cusolverDnSetStream");
  return owner;
}

}  // namespace

void diagonalise(const Cuda& on, int n, double* matrix) {
  if (!is_diagonalised_on_device(n)) return diagonalise(Host(std::size_t{0}), n, matrix);
  const std::size_t rows = static_cast<std::size_t>(n);
  const std::shared_ptr<void> owner = make_handle(on);
  const auto handle = static_cast<cusolverDnHandle_t>(owner.get());
  const Array<Cuda, double> there(on, rows * rows), values(on, rows);
  const Array<Cuda, double> work(on, device_eigenvector_values(rows));
  int needed = 0;
  check_library(NINEFOLD_CUSOLVER(cusolverDnDsyevd_bufferSize)(
                    handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, there.data(), n,
                    values.data(), &needed),
                "cusolverDnDsyevd_bufferSize");
  // The last value is for what it reports.
  if (needed < 0 || static_cast<std::size_t>(needed) >= work.size()) {
    throw std::runtime_error("cusolverDnDsyevd asks for " + std::to_string(needed)
                             + " values to work with, and has " + std::to_string(work.size()));
  }
  int* const info = reinterpret_cast<int*>(work.data() + work.size() - 1);
  on.copy_in(there.data(), matrix, rows * rows * sizeof(double));
  check_library(NINEFOLD_CUSOLVER(cusolverDnDsyevd)(handle, CUSOLVER_EIG_MODE_VECTOR,
                                                    CUBLAS_FILL_MODE_LOWER, n, there.data(), n,
                                                    values.data(), work.data(), needed, info),
                "cusolverDnDsyevd");
  if (const int failed = read_value(on, info); failed != 0) {
    throw std::runtime_error("cusolverDnDsyevd has found no eigenvectors of a matrix of "
                             + std::to_string(n) + " rows: info = " + std::to_string(failed));
  }
  on.read(matrix, there.data(), rows * rows * sizeof(double));
}

}  // namespace ninefold
