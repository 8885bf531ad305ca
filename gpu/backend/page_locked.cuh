#pragma once
// Page-locked memory of the host that serves one backend after the other: to take it, or to give it
// back, takes the driver a millisecond.
//
// Tests.  tests/gpu/device/copies_test.cpp

#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/backend/device.cuh"

namespace ninefold {

/// A piece of it, which all devices can write to; what is in it is what the one before has left, or
/// zeros.  Pieces stay page-locked until the process ends.
class PageLocked {
 public:
  PageLocked() = default;
  /// Throws std::runtime_error if there is none; the device must be the thread's.
  explicit PageLocked(std::size_t bytes) : bytes_(bytes) {
    {
      const std::lock_guard lock(idle().mutex);
      std::vector<void*>& pieces = idle().pieces[bytes];
      pieces.reserve(++idle().made[bytes]);  // so that none that is given back needs memory
      if (!pieces.empty()) {
        --idle().made[bytes];
        data_ = pieces.back();
        pieces.pop_back();
        return;
      }
    }
    const cudaError_t status =
        cudaHostAlloc(&data_, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
    if (status != cudaSuccess) cudaGetLastError();  // or the next launch would report it again
    check_cuda(status, "cudaHostAlloc");
    std::memset(data_, 0, bytes);
  }
  PageLocked(PageLocked&& other) noexcept { swap(other); }
  PageLocked& operator=(PageLocked&& other) noexcept {
    swap(other);
    return *this;
  }
  /// No work may be left that uses it.
  ~PageLocked() {
    if (data_ == nullptr) return;
    const std::lock_guard lock(idle().mutex);
    idle().pieces[bytes_].push_back(data_);
  }

  void* data() const { return data_; }
  /// Where the thread's device finds it.
  void* on_device() const {
    void* device = nullptr;
    NINEFOLD_CHECK_CUDA(cudaHostGetDevicePointer(&device, data_, 0));
    return device;
  }

 private:
  struct Idle {
    std::mutex mutex;
    std::map<std::size_t, std::vector<void*>> pieces;  ///< by their size
    std::map<std::size_t, std::size_t> made;           ///< how many there are
  };
  static Idle& idle() {
    static Idle& pieces = *new Idle;  // the driver may be gone when static objects are destroyed
    return pieces;
  }
  void swap(PageLocked& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ninefold
