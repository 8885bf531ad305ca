#pragma once
// Memory of a device in few calls of the driver, which take a tenth of a millisecond and more each,
// and longer than what is done with small arrays.
//
// Arrays have their places in blocks: one that is reserved for what somebody is known to take, and
// further ones for small arrays.  What is put back serves later arrays of the same backend, whose
// work comes after that of the earlier ones.
//
// Tests.  tests/gpu/device/copies_test.cpp, tests/gpu/backend/free_ranges_test.cpp

#include <cstddef>
#include <functional>
#include <vector>

#include "gpu/backend/device.cuh"
#include "gpu/backend/free_ranges.hpp"

namespace ninefold {

/// cudaMalloc, which leaves no error behind.
inline cudaError_t allocate_on_device(void** p, std::size_t bytes) {
  const cudaError_t status = cudaMalloc(p, bytes);
  if (status != cudaSuccess) cudaGetLastError();  // or the next launch would report it again
  return status;
}

/// For the arrays of one stream.
class DeviceMemory {
 public:
  static constexpr std::size_t largest_small = std::size_t{1} << 20;  ///< bytes

  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    for (const Block& block : blocks_) cudaFree(block.data);
  }

  /// A block of so many bytes, if the device has them; otherwise nothing happens.
  void reserve(std::size_t bytes, cudaStream_t stream) {
    blocks_.reserve(blocks_.size() + 1);
    void* data = nullptr;
    if (allocate_on_device(&data, bytes) != cudaSuccess) return;
    if (cudaMemsetAsync(data, 0, bytes, stream) != cudaSuccess) {
      cudaGetLastError();
      cudaFree(data);
      return;
    }
    blocks_.push_back({static_cast<char*>(data), bytes, FreeRanges(bytes)});
  }

  /// *p := an array of zeros, by work that is given to the stream.
  cudaError_t take(void** p, std::size_t bytes, cudaStream_t stream) {
    if (take_from_blocks(p, bytes, stream)) return cudaSuccess;
    if (bytes <= largest_small) {
      reserve(small_block, stream);
      if (take_from_blocks(p, bytes, stream)) return cudaSuccess;
    }
    return take_alone(p, bytes, stream);
  }

  /// *p := one that is in no block.
  static cudaError_t take_alone(void** p, std::size_t bytes, cudaStream_t stream) {
    cudaError_t status = allocate_on_device(p, bytes);
    if (status == cudaSuccess) status = cudaMemsetAsync(*p, 0, bytes, stream);
    return status;
  }

  /// False if the array is in none of the blocks.
  bool put_back(void* p) {
    const std::less<> is_before;
    char* const at = static_cast<char*>(p);
    for (Block& block : blocks_) {
      if (is_before(at, block.data) || !is_before(at, block.data + block.bytes)) continue;
      block.ranges.put_back(static_cast<std::size_t>(at - block.data));
      return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t small_block = std::size_t{1} << 24;

  struct Block {
    char* data;
    std::size_t bytes;
    FreeRanges ranges;
  };

  bool take_from_blocks(void** p, std::size_t bytes, cudaStream_t stream) {
    for (Block& block : blocks_) {
      const std::size_t used = block.ranges.used();
      const std::optional<std::size_t> begin = block.ranges.take(bytes);
      if (!begin) continue;
      *p = block.data + *begin;
      // What nobody has had is still zero.
      if (*begin >= used) return true;
      if (cudaMemsetAsync(*p, 0, bytes, stream) == cudaSuccess) return true;
      cudaGetLastError();
      block.ranges.put_back(*begin);
      return false;
    }
    return false;
  }

  std::vector<Block> blocks_;
};

}  // namespace ninefold
