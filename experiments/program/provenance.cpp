#include "experiments/program/provenance.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "gpu/backend/backend.hpp"

#include "ninefold/version.hpp"

namespace ninefold {
namespace {

/// The present time in UTC, as ISO 8601 writes it.
std::string now() {
  const auto seconds =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(seconds));
}

}  // namespace

std::string times_words(const Ranks* ranks) {
  return ranks == nullptr || ranks->size() == 1 ? "" : fmt::format("{} x ", ranks->size());
}

std::string device_name(BackendKind where) {
  if (!is_device(where)) {  // devices() would look for all
    const HostDescription host = describe_host();
    return fmt::format("{}, {}", host.name, host.detail);
  }
  for (const DeviceInfo& device : devices()) {
    if (device.kind == where) return fmt::format("{}, {}", device.name, device.detail);
  }
  throw std::runtime_error(fmt::format("there is no {} device", to_string(where)));
}

std::string devices_name(BackendKind where, const Ranks* ranks) {
  return times_words(ranks) + device_name(where);
}

Meta make_meta(const std::set<BackendKind>& used) {
  Meta meta;
  meta.program = "ninefold";
  meta.version = version;
  meta.commit = commit;
  meta.compiler = compiler;
  meta.cuda = cuda_compiler;
  for (const BackendKind where : used) {
    meta.device += (meta.device.empty() ? "" : "; ") + device_name(where);
  }
  if (std::any_of(used.begin(), used.end(), is_device)) meta.driver = describe_cuda().driver;
  meta.date = now();
  return meta;
}

}  // namespace ninefold
