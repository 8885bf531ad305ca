#pragma once
// Places in a device's memory that ranks tell each other: those of this process as they are, those
// of another one by way of the driver (CUDA's interprocess communication).
//
// An allocation of another process stays mapped as long as this object is there, and its memory is
// taken as long, also if its owner has freed it.
//
// Reference.  CUDA Programming Guide, "Interprocess Communication".
// Tests.      tests/gpu/device/ranks_test.cpp (one process), tests/experiments/ranks.py (processes)

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>

#include <cuda.h>
#include <unistd.h>

#include "gpu/backend/device.cuh"
#include "gpu/backend/unrecorded.cuh"

namespace ninefold {

/// Null, or where something is.
struct SharedPlace {
  const void* at;
  std::int64_t process;
  cudaIpcMemHandle_t allocation;  ///< that it is in, unless all ranks are of one process
  std::size_t offset;             ///< in that
};

class SharedPlaces {
 public:
  SharedPlaces() = default;
  SharedPlaces(const SharedPlaces&) = delete;
  SharedPlaces& operator=(const SharedPlaces&) = delete;
  ~SharedPlaces() {
    for (const auto& [allocation, at] : opened_) cudaIpcCloseMemHandle(at);
  }

  static std::int64_t this_process() { return static_cast<std::int64_t>(getpid()); }
  /// Other processes are told of what follows.
  void tell_processes() { tells_processes_ = true; }
  bool tells_processes() const { return tells_processes_; }

  /// What others are to be told of memory of this process.
  SharedPlace of(const void* at) const {
    SharedPlace place{at, this_process(), {}, 0};
    if (at == nullptr || !tells_processes_) return place;
    CUdeviceptr begin = 0;
    if (address_range()(&begin, nullptr, reinterpret_cast<CUdeviceptr>(at)) != CUDA_SUCCESS) {
      throw std::logic_error("ranks share what is no device's memory");
    }
    const Unrecorded unrecorded;
    NINEFOLD_CHECK_CUDA(cudaIpcGetMemHandle(&place.allocation, reinterpret_cast<void*>(begin)));
    place.offset = reinterpret_cast<CUdeviceptr>(at) - begin;
    return place;
  }

  /// Where that is for this process.
  const char* address(const SharedPlace& place) const {
    if (place.at == nullptr || place.process == this_process()) {
      return static_cast<const char*>(place.at);
    }
    Bytes bytes{};
    std::memcpy(bytes.data(), &place.allocation, bytes.size());
    const auto [entry, is_new] = opened_.try_emplace(bytes, nullptr);
    if (is_new) {
      const Unrecorded unrecorded;
      const cudaError_t status =
          cudaIpcOpenMemHandle(&entry->second, place.allocation, cudaIpcMemLazyEnablePeerAccess);
      if (status != cudaSuccess) {
        opened_.erase(entry);
        cudaGetLastError();
      }
      check_cuda(status, "cudaIpcOpenMemHandle (memory of another process's device)");
    }
    return static_cast<const char*>(entry->second) + place.offset;
  }

 private:
  using Bytes = std::array<char, sizeof(cudaIpcMemHandle_t)>;
  using AddressRange = CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr);

  /// Of the driver, which the runtime knows, so that nothing else is linked.
  static AddressRange address_range() {
    static const AddressRange function = [] {
      void* address = nullptr;
      cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
      NINEFOLD_CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &address, 12000,
                                                           cudaEnableDefault, &result));
#else
      NINEFOLD_CHECK_CUDA(
          cudaGetDriverEntryPoint("cuMemGetAddressRange", &address, cudaEnableDefault, &result));
#endif
      if (address == nullptr) throw std::runtime_error("the driver has no cuMemGetAddressRange");
      return reinterpret_cast<AddressRange>(address);
    }();
    return function;
  }

  mutable std::map<Bytes, void*> opened_;
  bool tells_processes_ = false;
};

}  // namespace ninefold
