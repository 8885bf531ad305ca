#include "solvers/devices.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "precision/require.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/ranks_by_host.hpp"

#include "solvers/options.hpp"
#include "solvers/with_backend.hpp"

namespace ninefold {

std::string_view to_string(BackendKind kind) {
  return kind == BackendKind::host ? "host" : "cuda";
}

bool is_device(BackendKind kind) {
  return kind == BackendKind::cuda;
}

bool built_with_cuda() {
  return has_cuda;
}

std::string why_no_cuda() {
  return built_with_cuda() ? describe_cuda().reason : "";
}

std::vector<DeviceInfo> devices() {
  const HostDescription host = describe_host();
  std::vector<DeviceInfo> found{
      {BackendKind::host, host.name, host.detail, host.memory_total, host.memory_available}};
  if (const CudaDescription cuda = describe_cuda(); cuda.present) {
    found.push_back({BackendKind::cuda, cuda.name, cuda.detail + ", driver for " + cuda.driver,
                     cuda.memory_total, cuda.memory_available});
  }
  return found;
}

int number_of_devices() {
  return count_cuda_devices();
}

int device_of(const Ranks* ranks) {
  if (const auto* const by_host = dynamic_cast<const RanksByHost*>(ranks)) return by_host->device();
  return ranks == nullptr ? 0 : ranks->rank() % std::max(1, count_cuda_devices());
}

BackendKind choose_backend(const std::string& name) {
  if (name == "host") return BackendKind::host;
  if (name != "auto" && name != "cuda") {
    throw BadValue(name, words("{} = \"{}\" is not possible", Parameter::backend, name),
                   words("\"auto\", \"host\" or \"cuda\""));
  }
  const CudaDescription cuda = describe_cuda();
  if (cuda.present) return BackendKind::cuda;
  if (name == "auto") return BackendKind::host;
  throw BadValue(name, words("{} = \"cuda\" is not possible here", Parameter::backend),
                 words("{}; \"auto\" and \"host\" are", cuda.reason));
}

std::optional<Precision> software_format(const SolverOptions& options) {
  if (options.precision.kind() == Precision::Kind::soft) return options.precision;
  for (const Precision inner : options.refinement.inner) {
    if (inner.kind() == Precision::Kind::soft) return inner;
  }
  return {};
}

BackendKind choose_backend(const std::string& name, Precision precision) {
  if (facts(precision).on_device) return choose_backend(name);
  if (name == "cuda") {
    throw BadValue(name,
                   words("{} = \"cuda\" is not possible with the format {}", Parameter::backend,
                         to_string(precision)),
                   words("software formats run on the host only; \"auto\" and \"host\" are"));
  }
  return name == "auto" ? BackendKind::host : choose_backend(name);
}

}  // namespace ninefold
