#include "gpu/direct/eigenvectors.hpp"

#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <dlfcn.h>

#include "gpu/backend/vector.hpp"

#ifdef NINEFOLD_HAS_LAPACK
extern "C" void dsyevd_(const char* job, const char* half, const int* n, double* a,
                        const int* stride, double* w, double* work, const int* work_size,
                        int* integers, const int* integers_size, int* info, std::size_t,
                        std::size_t);
#endif

namespace ninefold {

bool has_lapack() {
#ifdef NINEFOLD_HAS_LAPACK
  return true;
#else
  return false;
#endif
}

std::string lapack_library() {
#ifdef NINEFOLD_HAS_LAPACK
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&dsyevd_), &found) == 0 || found.dli_fname == nullptr) {
    return "of an unknown file";
  }
  std::error_code error;
  const auto file = std::filesystem::canonical(found.dli_fname, error);  // behind alternatives
  return (error ? std::filesystem::path(found.dli_fname) : file).filename().string();
#else
  return "";
#endif
}

namespace {

#ifdef NINEFOLD_HAS_LAPACK
void run_lapack(const Host& on, int n, double* matrix) {
  const std::size_t needed = host_eigenvector_values(static_cast<std::size_t>(n));
  if (needed > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("LAPACK's dsyevd does not count the " + std::to_string(needed)
                             + " values that it works with for " + std::to_string(n) + " unknowns");
  }
  const Array<Host, double> work(on, needed);
  const int work_size = static_cast<int>(needed), integers_size = 3 + 5 * n;
  std::vector<int> integers(static_cast<std::size_t>(integers_size));
  std::vector<double> values(static_cast<std::size_t>(n));
  int info = 0;
  dsyevd_("V", "L", &n, matrix, &n, values.data(), work.data(), &work_size, integers.data(),
          &integers_size, &info, 1, 1);
  if (info != 0) {
    throw std::runtime_error("LAPACK's dsyevd has found no eigenvectors of a matrix of "
                             + std::to_string(n) + " rows: info = " + std::to_string(info));
  }
}
#else
void run_lapack(const Host&, int, double*) {
  throw std::logic_error("this build has no LAPACK");
}
#endif

}  // namespace

void diagonalise(const Host& on, int n, double* matrix) {
  const std::size_t rows = static_cast<std::size_t>(n);
  if (!on.only_counts()) return run_lapack(on, n, matrix);
  if (!on.has_device_memory()) {
    (void)Array<Host, double>(on, host_eigenvector_values(rows));
  } else if (is_diagonalised_on_device(n)) {
    const Array<Host, double> there(on, rows * rows), values(on, rows);
    (void)Array<Host, double>(on, device_eigenvector_values(rows));
  }
}

}  // namespace ninefold
