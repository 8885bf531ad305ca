#include "experiments/measure/energy.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

namespace ninefold {
namespace {

/// NVML's declarations (nvml.h), of those that are called.
using Device = void*;
constexpr int success = 0;

/// libnvidia-ml, begun.
class Library {
 public:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) fail("libnvidia-ml.so.1, which comes with the driver, is not there");
    call<int (*)()>("nvmlInit_v2", "the driver does not answer");
  }
  ~Library() {
    if (const auto end = reinterpret_cast<int (*)()>(dlsym(handle_.get(), "nvmlShutdown"))) {
      (void)end();
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Calls one of its functions; its status must be success.
  template <class F, class... Arguments>
  void call(const char* name, const char* otherwise, Arguments... arguments) const {
    const F function = reinterpret_cast<F>(dlsym(handle_.get(), name));
    if (function == nullptr || function(arguments...) != success) fail(otherwise);
  }

  [[noreturn]] static void fail(const std::string& why) {
    throw std::runtime_error("the energy cannot be measured: " + why);
  }

 private:
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
};

}  // namespace

EnergyCounter::EnergyCounter() {
  const auto library = std::make_shared<Library>();
  unsigned devices = 0;
  library->call<int (*)(unsigned*)>("nvmlDeviceGetCount_v2", "no device is seen", &devices);
  if (devices != 1) Library::fail(std::to_string(devices) + " devices, and one is possible");
  Device device = nullptr;
  library->call<int (*)(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2", "no device is seen",
                                            0U, &device);
  read_ = [library, device] {
    unsigned long long millijoules = 0;
    library->call<int (*)(Device, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption",
                                                        "this device does not count it", device,
                                                        &millijoules);
    return 1e-3 * static_cast<double>(millijoules);
  };
  (void)read_();
}

double EnergyCounter::joules() const {
  return read_();
}

}  // namespace ninefold
