// The part of solvers/solve.hpp that looks at the machine.

#include <cstdio>
#include <stdexcept>
#include <string>

#include "gpu/backend.hpp"

#include "solvers/solve.hpp"

namespace ninefold {

std::string_view to_string(BackendKind kind) {
  return kind == BackendKind::host ? "host" : "cuda";
}

bool built_with_cuda() {
#ifdef NINEFOLD_HAS_CUDA
  return true;
#else
  return false;
#endif
}

std::vector<DeviceInfo> devices() {
  const HostDescription host = describe_host();
  std::vector<DeviceInfo> found{{BackendKind::host, host.name,
                                 std::to_string(host.threads) + " threads", host.memory_total,
                                 host.memory_available}};
  if (const CudaDescription cuda = describe_cuda(); cuda.present) {
    found.push_back({BackendKind::cuda, cuda.name, cuda.detail + ", driver for " + cuda.driver,
                     cuda.memory_total, cuda.memory_available});
  }
  return found;
}

BackendKind choose_backend(const std::string& name) {
  if (name == "host") return BackendKind::host;
  if (name != "auto" && name != "cuda") {
    throw std::invalid_argument("backend.name = \"" + name
                                + "\" is not possible: \"auto\", \"host\" or \"cuda\"");
  }
  const CudaDescription cuda = describe_cuda();
  if (cuda.present) return BackendKind::cuda;
  if (name == "auto") return BackendKind::host;
  throw std::invalid_argument("backend.name = \"cuda\" is not possible here: " + cuda.reason
                              + "; \"auto\" and \"host\" are");
}

namespace {

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
