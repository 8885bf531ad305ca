#pragma once
// Memory of a device for small arrays: a call of the driver takes longer than what is done with
// them.
//
// Tests.  tests/gpu/device/copies_test.cpp

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "gpu/backend/device.cuh"

namespace ninefold {

/// cudaMalloc, which leaves no error behind.
inline cudaError_t allocate_on_device(void** p, std::size_t bytes) {
  const cudaError_t status = cudaMalloc(p, bytes);
  if (status != cudaSuccess) cudaGetLastError();  // or the next launch would report it again
  return status;
}

/// Memory for arrays one after the other, taken again from its start when all are gone: their work
/// comes before that of later ones.  What a block holds beyond its arrays is not counted.
class ArrayPool {
 public:
  static constexpr std::size_t largest_array = std::size_t{1} << 20;  ///< bytes

  ArrayPool() = default;
  ArrayPool(const ArrayPool&) = delete;
  ArrayPool& operator=(const ArrayPool&) = delete;
  ~ArrayPool() {
    for (const Block& block : blocks_) cudaFree(block.data);
  }

  cudaError_t take(void** p, std::size_t bytes) {
    constexpr std::size_t alignment = 512;  // cudaMalloc has 256
    // An empty array has an address of its own, too.
    const std::size_t rounded =
        (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    for (Block& block : blocks_) {
      if (block.used + rounded <= pool_block) return block.take(p, rounded);
    }
    blocks_.reserve(blocks_.size() + 1);
    Block block;
    if (allocate_on_device(reinterpret_cast<void**>(&block.data), pool_block) != cudaSuccess) {
      return allocate_on_device(p, bytes);  // memory is scarce
    }
    blocks_.push_back(block);
    return blocks_.back().take(p, rounded);
  }
  /// False if the array is in none of the blocks.
  bool put_back(void* p) {
    const std::less_equal<> is_before;
    const char* const at = static_cast<char*>(p);
    for (Block& block : blocks_) {
      if (is_before(block.data, at) && !is_before(block.data + pool_block, at)) {
        if (--block.arrays == 0) block.used = 0;
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t pool_block = std::size_t{1} << 24;

  struct Block {
    char* data = nullptr;
    std::size_t used = 0;
    int arrays = 0;

    cudaError_t take(void** p, std::size_t bytes) {
      *p = data + used;
      used += bytes;
      ++arrays;
      return cudaSuccess;
    }
  };

  std::vector<Block> blocks_;
};

}  // namespace ninefold
