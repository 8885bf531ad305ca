// The part of solvers/solve.hpp that counts bytes.

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "gpu/backend.hpp"

#include "solvers/conjugate_gradients.hpp"
#include "solvers/multigrid.hpp"
#include "solvers/solve.hpp"

namespace ninefold {

namespace {

/// The most that is held at once: at the end, or (on the smallest grids) while the finest matrix is
/// assembled from its couplings.
template <Number T>
std::size_t backend_bytes(int level, const SolverOptions& options) {
  const int n = (1 << level) + 1;
  const std::size_t scratch = sum_scratch_bytes(n, n);
  const std::size_t vector = NodeVector<Host, T>::storage(n, n) * sizeof(T);
  const std::size_t matrix = Matrix<Host, T>::bytes(n, n);
  const std::size_t couplings = Matrix<Host, T>::bytes_of_couplings(n, n);
  const std::size_t scalars = sizeof(CgState<Arithmetic<T>>) + sizeof(Arithmetic<T>);
  const auto multigrid_after = [&](std::size_t before, std::size_t after) {
    return before
           + std::max(Multigrid<Host, T>::bytes(level) + after,
                      Multigrid<Host, T>::bytes_of_assembly(level));
  };
  const auto matrix_after = [&](std::size_t before, std::size_t after) {
    return before + matrix + std::max(couplings, after);
  };
  if (options.method == Method::multigrid) return multigrid_after(scratch, sizeof(Arithmetic<T>));
  switch (options.preconditioner) {
    case Preconditioning::none:
      return matrix_after(scratch + 4 * vector, vector + scalars);
    case Preconditioning::jacobi:
      return matrix_after(scratch + 4 * vector, 2 * vector + scalars);
    case Preconditioning::multigrid:
      return multigrid_after(scratch + 4 * vector, scalars);
  }
  throw std::logic_error("a preconditioner without a memory forecast");
}

std::string in_gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

void require_fit(std::size_t needed, std::size_t available, const char* where) {
  if (needed <= available) return;
  throw std::runtime_error("the run needs " + in_gibibytes(needed) + " of memory on the " + where
                           + ", but only " + in_gibibytes(available)
                           + " are free: use fewer levels (grid.levels) or a smaller format "
                             "(solver.precision)");
}

}  // namespace

MemoryForecast forecast_memory(int level, const SolverOptions& options, BackendKind) {
  require(level >= 1 && level <= max_level, "level " + std::to_string(level)
                                                + " is out of range: 1 to "
                                                + std::to_string(max_level) + " are possible");
  const std::size_t n = (std::size_t{1} << level) + 1;
  MemoryForecast forecast;
  with_type(options.precision, [&]<class T>() {
    forecast.backend = backend_bytes<T>(level, options);
    forecast.host =
        3 * n * n * sizeof(Assembly<T>);  // load and start, or solution, exact and error
  });
  return forecast;
}

MemoryForecast forecast_memory(const std::vector<TensorGrid>& grids, const SolverOptions& options,
                               BackendKind where) {
  return forecast_memory(static_cast<int>(grids.size()) - 1, options, where);
}

void require_memory(const MemoryForecast& forecast, BackendKind where) {
  const std::size_t host = describe_host().memory_available;
  if (where == BackendKind::host) {
    require_fit(forecast.backend + forecast.host, host, "host");
  } else {
    require_fit(forecast.backend, describe_cuda().memory_available, "CUDA device");
    require_fit(forecast.host, host, "host");
  }
}

}  // namespace ninefold
