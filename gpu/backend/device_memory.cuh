#pragma once
// Memory of a device in few calls of the driver, which take a tenth of a millisecond and more each,
// and longer than what is done with small arrays.
//
// Arrays have their places in blocks: one that is reserved for what somebody is known to take, and
// further ones for small arrays.  What is put back serves later arrays of the same backend, whose
// work comes after that of the earlier ones; a reserved block goes back when its last array does.
//
// Tests.  tests/gpu/device/copies_test.cpp, tests/gpu/backend/free_ranges_test.cpp

#include <cstddef>
#include <functional>
#include <optional>
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
  void reserve(std::size_t bytes, cudaStream_t stream) { add_block(bytes, true, stream); }

  /// *p := an array of zeros, by work that is given to the stream; null if there is none.
  cudaError_t take(void** p, std::size_t bytes, cudaStream_t stream) {
    if (take_from_blocks(p, bytes, stream)) return cudaSuccess;
    if (bytes <= largest_small) {
      add_block(small_block, false, stream);
      if (take_from_blocks(p, bytes, stream)) return cudaSuccess;
    }
    return take_alone(p, bytes, stream);
  }

  /// *p := one that is in no block.
  static cudaError_t take_alone(void** p, std::size_t bytes, cudaStream_t stream) {
    const cudaError_t status = allocate_on_device(p, bytes);
    if (status != cudaSuccess) return status;
    const cudaError_t cleared = clear(*p, bytes, stream);
    if (cleared != cudaSuccess) {
      cudaFree(*p);
      *p = nullptr;
    }
    return cleared;
  }

  /// False if the array is in none of the blocks.  `may_free` says that the device may be waited
  /// for.
  bool put_back(void* p, bool may_free) {
    const std::less<> is_before;
    char* const at = static_cast<char*>(p);
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
      if (is_before(at, block->data) || !is_before(at, block->data + block->bytes)) continue;
      block->ranges.put_back(static_cast<std::size_t>(at - block->data));
      if (block->is_reserved && may_free && block->ranges.is_free()) {
        cudaFree(block->data);
        blocks_.erase(block);
      }
      return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t small_block = std::size_t{1} << 24;

  struct Block {
    char* data;
    std::size_t bytes;
    bool is_reserved;
    FreeRanges ranges;
  };

  static cudaError_t clear(void* p, std::size_t bytes, cudaStream_t stream) {
    const cudaError_t status = cudaMemsetAsync(p, 0, bytes, stream);
    if (status != cudaSuccess) cudaGetLastError();
    return status;
  }

  void add_block(std::size_t bytes, bool is_reserved, cudaStream_t stream) {
    blocks_.reserve(blocks_.size() + 1);
    void* data = nullptr;
    if (take_alone(&data, bytes, stream) != cudaSuccess) return;
    blocks_.push_back({static_cast<char*>(data), bytes, is_reserved, FreeRanges(bytes)});
  }

  bool take_from_blocks(void** p, std::size_t bytes, cudaStream_t stream) {
    for (Block& block : blocks_) {
      const std::size_t used = block.ranges.used();
      const std::optional<std::size_t> begin = block.ranges.take(bytes);
      if (!begin) continue;
      // What nobody has had is still zero.
      if (*begin < used && clear(block.data + *begin, bytes, stream) != cudaSuccess) {
        block.ranges.put_back(*begin);
        return false;
      }
      *p = block.data + *begin;
      return true;
    }
    return false;
  }

  std::vector<Block> blocks_;
};

}  // namespace ninefold
