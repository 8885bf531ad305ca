#pragma once
// What devices that are ranks take from each other, as kernels: by way of boxes in the other's
// memory or, where that is much, from the other's own.  Included by gpu/backend/cuda_ranks.cu.
//
// Tests.  tests/gpu/device/transfers_between_ranks_test.cpp

#include <cstddef>
#include <cstdint>

#include <cuda/atomic>

#include "gpu/launch/launch.cuh"

namespace ninefold::transfers {

/// How many transfers a block has begun, or ended, with a rank.
using Count = unsigned long long;

constexpr int most_ranks = 16, most_blocks = 96, transfer_threads = 256;
constexpr std::size_t most_vectors = 4, most_parts = most_ranks;
constexpr std::size_t bytes_of_block = std::size_t{1} << 14;
/// Of what a rank writes for another: a block's own box, and those of all blocks that do so.
constexpr int most_posting_blocks = 32;
constexpr std::size_t box_bytes = 2 * bytes_of_block, boxes_bytes = most_posting_blocks * box_bytes;

/// Where others say that they have come so far, for each block and rank, and what this rank has
/// counted itself.
struct Board {
  Count ready[most_blocks][most_ranks];
  Count done[most_blocks][most_ranks];
  Count own[most_blocks][most_ranks];
};

/// Behind a board lie the boxes of each rank that writes there, all twice.
constexpr std::size_t boxes_at = (sizeof(Board) + 255) / 256 * 256;

struct Part {
  int other;  ///< who gives or takes it
  const char* from;
  char* to;
  std::size_t bytes;
};

/// What ranks take from each other, all of whom have a part in it.  Transfers of two ranks are
/// counted, so that each has as many as the other, also where it takes and gives nothing.
struct RankTransfer {
  int rank, ranks;
  Board* board[most_ranks];  ///< null for those who have none
  int n_taken, n_given;
  Part taken[most_parts], given[most_parts];
  int arrays = 1;         ///< that have these parts, each with its share of the blocks
  std::size_t apart = 0;  ///< bytes from one to the next
  bool lets_next_start;   ///< no other rank has this device
  const volatile int* has_failed;
};

/// The bytes of a part that are one block's.
struct Share {
  std::size_t first, bytes;
};

constexpr std::size_t unit = sizeof(int4);  // of shares, so that words of any size begin there

/// The most units that a block has of so many bytes.
__host__ __device__ constexpr std::size_t units_each(std::size_t bytes, std::size_t blocks) {
  return ((bytes + unit - 1) / unit + blocks - 1) / blocks;
}
__device__ inline Share share_of(std::size_t bytes, unsigned block, unsigned blocks) {
  const std::size_t each = units_each(bytes, blocks) * unit;
  const std::size_t first = min(bytes, block * each);
  return {first, min(bytes, first + each) - first};
}

/// The whole words of so many bytes; returns how many bytes those are.
template <class Word>
__device__ std::size_t copy_words(char* to, const char* from, std::size_t bytes) {
  constexpr int at_once = 8;  // on their way together: the other's memory is far
  const auto* const source = reinterpret_cast<const Word*>(from);
  auto* const target = reinterpret_cast<Word*>(to);
  const std::size_t step = blockDim.x, words = bytes / sizeof(Word);
  for (std::size_t k = threadIdx.x; k < words; k += at_once * step) {
    Word word[at_once];
#pragma unroll
    for (int m = 0; m < at_once; ++m) {
      // Past the cache next to a multiprocessor, which may hold what the other's memory had before.
      if (k + m * step < words) word[m] = __ldcv(source + k + m * step);
    }
#pragma unroll
    for (int m = 0; m < at_once; ++m) {
      if (k + m * step < words) target[k + m * step] = word[m];
    }
  }
  return words * sizeof(Word);
}

/// By all threads of a block.
__device__ inline void copy_bytes(char* to, const char* from, std::size_t bytes) {
  const auto both = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const std::size_t done = both % sizeof(int4) == 0   ? copy_words<int4>(to, from, bytes)
                           : both % sizeof(int2) == 0 ? copy_words<int2>(to, from, bytes)
                           : both % sizeof(int) == 0  ? copy_words<int>(to, from, bytes)
                                                      : 0;
  copy_words<char>(to + done, from + done, bytes - done);
}

/// False if a rank has failed.
__device__ inline bool wait_until(Count& place, Count count, const volatile int* has_failed) {
  constexpr int tries_between_looks = 4096;
  const cuda::atomic_ref<Count, cuda::thread_scope_system> said(place);
  for (int tries = 1;; ++tries) {
    if (said.load(cuda::memory_order_acquire) >= count) return true;
    if (tries % tries_between_looks == 0 && *has_failed != 0) return false;
  }
}

__device__ inline void say(Count& place, Count count) {
  cuda::atomic_ref<Count, cuda::thread_scope_system>(place).store(count,
                                                                  cuda::memory_order_release);
}

/// The first thing of a transfer.  Where ranks share a device, the next kernel starts when this one
/// ends: its blocks would keep the place that another rank's need.
__device__ inline void begin_transfer(const RankTransfer& transfer) {
  if (transfer.lets_next_start) kernels::let_next_start();
  kernels::wait_for_kernels_before();
}

/// True if this thread speaks with a rank, the one of its number.
__device__ inline bool has_part(const RankTransfer& transfer) {
  const int other = static_cast<int>(threadIdx.x);
  return other < transfer.ranks && other != transfer.rank && transfer.board[other] != nullptr;
}

/// From the others' own memory.  Each block waits for the blocks of its number of the others: first
/// until what they give is there, then until they have taken what this one gives.
__global__ void __launch_bounds__(transfer_threads) take_kernel(const RankTransfer transfer) {
  begin_transfer(transfer);
  const int other = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const int rank = transfer.rank;
  Board& own = *transfer.board[rank];
  const bool speaks = has_part(transfer);
  const Count count = speaks ? own.own[block][other] + 1 : 0;
  bool goes_on = true;
  if (speaks) {
    say(transfer.board[other]->ready[block][rank], count);
    goes_on = wait_until(own.ready[block][other], count, transfer.has_failed);
  }
  if (!__syncthreads_and(goes_on)) return;
  const auto arrays = static_cast<unsigned>(transfer.arrays);
  const std::size_t offset = blockIdx.x % arrays * transfer.apart;
  for (int k = 0; k < transfer.n_taken; ++k) {
    const Part& part = transfer.taken[k];
    const Share share = share_of(part.bytes, blockIdx.x / arrays, gridDim.x / arrays);
    copy_bytes(part.to + offset + share.first, part.from + offset + share.first, share.bytes);
  }
  __syncthreads();
  if (speaks) {
    say(transfer.board[other]->done[block][rank], count);
    goes_on = wait_until(own.done[block][other], count, transfer.has_failed);
    own.own[block][other] = count;
  }
}

/// By way of boxes: each block writes its share of what this rank gives into its boxes at the
/// others, says so, and takes its share of what they give from the boxes that theirs of its number
/// have here.  It waits for the others once, not twice, and reads nothing over the bus.
///
/// Why each box is there twice.  A block that writes for the c-th time has been told that the
/// other's block of its number had come to c - 1, hence was done with c - 2, whose box it writes
/// to.
__global__ void __launch_bounds__(transfer_threads) post_kernel(const RankTransfer transfer) {
  begin_transfer(transfer);
  __shared__ Count counts[most_ranks];
  const int other = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const int rank = transfer.rank;
  Board& own = *transfer.board[rank];
  const bool speaks = has_part(transfer);
  if (speaks) counts[other] = own.own[block][other] + 1;
  __syncthreads();
  const auto box = [&](const Part& part) {
    return counts[part.other] % 2 * boxes_bytes + blockIdx.x * box_bytes;
  };
  for (int k = 0; k < transfer.n_given; ++k) {
    const Part& part = transfer.given[k];
    const Share share = share_of(part.bytes, blockIdx.x, gridDim.x);
    copy_bytes(part.to + box(part), part.from + share.first, share.bytes);
  }
  __syncthreads();
  bool goes_on = true;
  if (speaks) {
    say(transfer.board[other]->ready[block][rank], counts[other]);
    goes_on = wait_until(own.ready[block][other], counts[other], transfer.has_failed);
  }
  if (!__syncthreads_and(goes_on)) return;
  for (int k = 0; k < transfer.n_taken; ++k) {
    const Part& part = transfer.taken[k];
    const Share share = share_of(part.bytes, blockIdx.x, gridDim.x);
    copy_bytes(part.to + share.first, part.from + box(part), share.bytes);
  }
  if (speaks) own.own[block][other] = counts[other];
}

}  // namespace ninefold::transfers
