#pragma once
// What is asked once of each device and kept for all backends of it.  Included by
// gpu/backend/cuda.cu.
//
// Tests.  tests/gpu/device/pass_sizes_test.cpp

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "gpu/backend/cuda_devices.hpp"
#include "gpu/backend/device.cuh"
#include "gpu/backend/pass_sizes.hpp"

namespace ninefold {

/// What the runtime says of kernels, asked once for each device: a question takes ten microseconds.
class KernelFacts {
 public:
  /// The fact of this kernel on the device, by `find` where it is not known yet.
  template <class Find>
  static int of(int device, const void* kernel, int which, const Find& find) {
    static KernelFacts& all = *new KernelFacts;  // backends may outlive static objects
    const Key key{device, kernel, which};
    {
      const std::lock_guard lock(all.mutex_);
      const auto known = all.facts_.find(key);
      if (known != all.facts_.end()) return known->second;
    }
    // Not under the lock: it may load the kernel, which may wait for the device, and that for what
    // another thread is to launch.  Two that ask at once are told the same.
    const int fact = find();
    const std::lock_guard lock(all.mutex_);
    return all.facts_.emplace(key, fact).first->second;
  }

 private:
  using Key = std::tuple<int, const void*, int>;

  std::mutex mutex_;
  std::map<Key, int> facts_;
};

/// The pass sizes of each device, asked for once.
class DeviceSizes {
 public:
  static PassSizes of(int device, int multiprocessors) {
    DeviceSizes& all = the();
    KeptPassSizes who;
    int times_said = 0;
    {
      const std::lock_guard lock(all.mutex_);
      const auto known = all.sizes_.find(device);
      if (known != all.sizes_.end()) return known->second;
      who = all.kept_;
      times_said = all.times_said_;
    }
    // Not under the lock: who is asked may make a backend of another device.
    std::optional<PassSizes> kept;
    if (who) {
      cudaDeviceProp properties{};
      NINEFOLD_CHECK_CUDA(cudaGetDeviceProperties(&properties, device));
      kept = who(properties.name, multiprocessors);
    }
    const PassSizes sizes = kept.value_or(PassSizes::by_rule(multiprocessors));
    const std::lock_guard lock(all.mutex_);
    // Meanwhile another thread may have said who is to be asked.
    if (times_said != all.times_said_) return sizes;
    return all.sizes_.emplace(device, sizes).first->second;
  }
  static void keep(KeptPassSizes kept) {
    DeviceSizes& all = the();
    const std::lock_guard lock(all.mutex_);
    all.kept_ = std::move(kept);
    ++all.times_said_;
    all.sizes_.clear();
  }

 private:
  static DeviceSizes& the() {
    static DeviceSizes& all = *new DeviceSizes;  // backends may outlive static objects
    return all;
  }

  std::mutex mutex_;
  KeptPassSizes kept_;
  int times_said_ = 0;
  std::map<int, PassSizes> sizes_;
};

}  // namespace ninefold
