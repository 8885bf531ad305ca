#pragma once
// A few values of a device, brought to the host without a call that waits.
//
// Why.  An iteration looks at a norm before it goes on.  With a copy and cudaStreamSynchronize the
// device is idle for 15 us; with a kernel of one warp, which writes the values into page-locked
// memory of the host, and after them a number for which the host looks there, for 6 (H200).
//
// Tests.  tests/gpu/device/copies_test.cpp

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "gpu/backend/device.cuh"
#include "gpu/backend/page_locked.cuh"

namespace ninefold {

namespace detail {

/// to := from, unit by unit.
template <class Unit>
__device__ void post_units(const void* from, int bytes, void* to) {
  for (int k = static_cast<int>(threadIdx.x); k * static_cast<int>(sizeof(Unit)) < bytes;
       k += static_cast<int>(blockDim.x)) {
    static_cast<Unit*>(to)[k] = static_cast<const Unit*>(from)[k];
  }
}

/// to := from, then *ticket := number: whoever sees that sees all of them.
static __global__ void post_values(const void* from, int bytes, void* to,
                                   volatile std::uint64_t* ticket, std::uint64_t number) {
  if ((reinterpret_cast<std::uintptr_t>(from) | static_cast<std::uintptr_t>(bytes)) % 8 == 0) {
    post_units<std::uint64_t>(from, bytes, to);
  } else {
    post_units<unsigned char>(from, bytes, to);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    *ticket = number;
  }
}

}  // namespace detail

/// For one stream at a time; the device must be the thread's.
class PostedValues {
 public:
  static constexpr std::size_t most_bytes = 1024;

  /// Throws std::runtime_error if the host has no memory that a device can write to.
  PostedValues() {
    // Loaded now: where ranks share a device, a kernel that is loaded at its first launch waits
    // for theirs, which may wait for this one's.
    cudaFuncAttributes attributes{};
    NINEFOLD_CHECK_CUDA(cudaFuncGetAttributes(&attributes, detail::post_values));
    page_ = PageLocked(sizeof(Page));
    host_ = static_cast<Page*>(page_.data());
    device_ = static_cast<Page*>(page_.on_device());
    posted_ = host_->ticket;  // of who had the page before
  }
  PostedValues(const PostedValues&) = delete;
  PostedValues& operator=(const PostedValues&) = delete;

  /// Waits for the stream's work and reads what `from` then holds, at most most_bytes.  Throws
  /// std::runtime_error if some of that work has failed.
  void read(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return NINEFOLD_CHECK_CUDA(cudaStreamSynchronize(stream));
    const std::uint64_t number = ++posted_;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(1);
    configuration.blockDim = dim3(32);
    configuration.stream = stream;
    const cudaError_t status =
        cudaLaunchKernelEx(&configuration, detail::post_values, from, static_cast<int>(bytes),
                           static_cast<void*>(device_->values),
                           static_cast<volatile std::uint64_t*>(&device_->ticket), number);
    if (status != cudaSuccess) cudaGetLastError();
    check_cuda(status, "cudaLaunchKernelEx");
    wait_for(stream, number);
    std::memcpy(to, host_->values, bytes);
  }

 private:
  struct Page {
    alignas(128) unsigned char values[most_bytes];
    std::uint64_t ticket;
  };

  bool is_there(std::uint64_t number) const {
    return std::atomic_ref<std::uint64_t>(host_->ticket).load(std::memory_order_acquire) == number;
  }

  /// Only the driver knows whether a kernel has failed: it is asked now and then.
  void wait_for(cudaStream_t stream, std::uint64_t number) const {
    constexpr int looks_between = 1 << 16;  // tens of microseconds
    while (true) {
      for (int look = 0; look < looks_between; ++look) {
        if (is_there(number)) return;
      }
      const cudaError_t status = cudaStreamQuery(stream);
      if (status == cudaSuccess && !is_there(number)) {
        throw std::runtime_error("values that a CUDA device has written do not reach the host");
      }
      if (status != cudaErrorNotReady) check_cuda(status, "a kernel on the CUDA device");
      std::this_thread::yield();
    }
  }

  PageLocked page_;
  Page *host_ = nullptr, *device_ = nullptr;
  std::uint64_t posted_ = 0;
};

}  // namespace ninefold
