// Devices as ranks, of one process or of several.  On one machine each writes what others need into
// boxes in their memory, or, where that is much, takes it from theirs; else, or where that is
// wanted, it goes by way of the hosts (gpu/backend/transfers_by_host.cuh).

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda/atomic>

#include "gpu/backend/device.cuh"
#include "gpu/backend/ranks_by_host.hpp"
#include "gpu/backend/shared_places.cuh"
#include "gpu/backend/transfers_by_host.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold {

namespace {

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
struct Transfer {
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
__device__ inline void begin_transfer(const Transfer& transfer) {
  if (transfer.lets_next_start) kernels::let_next_start();
  kernels::wait_for_kernels_before();
}

/// True if this thread speaks with a rank, the one of its number.
__device__ inline bool has_part(const Transfer& transfer) {
  const int other = static_cast<int>(threadIdx.x);
  return other < transfer.ranks && other != transfer.rank && transfer.board[other] != nullptr;
}

/// From the others' own memory.  Each block waits for the blocks of its number of the others: first
/// until what they give is there, then until they have taken what this one gives.
__global__ void __launch_bounds__(transfer_threads) take_kernel(const Transfer transfer) {
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
__global__ void __launch_bounds__(transfer_threads) post_kernel(const Transfer transfer) {
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

}  // namespace

struct Cuda::Peers {
  Peers(const Cuda& on, std::shared_ptr<const Ranks> among) : ranks(std::move(among)) {
    if (const auto* const those = dynamic_cast<const RanksByHost*>(ranks.get())) {
      by_host = std::make_unique<TransfersByHost>(those->channel(), stream_of(on));
      return;
    }
    if (ranks->size() > most_ranks) {
      throw std::runtime_error(std::to_string(ranks->size()) + " devices, of at most "
                               + std::to_string(most_ranks));
    }
    on.use();
    const std::size_t boxes = 2 * boxes_bytes * static_cast<std::size_t>(ranks->size());
    NINEFOLD_CHECK_CUDA(cudaMalloc(&board, boxes_at + boxes));
    NINEFOLD_CHECK_CUDA(cudaMemset(board, 0, boxes_at));
    NINEFOLD_CHECK_CUDA(cudaDeviceSynchronize());  // others write there as soon as they know it
    void* word = nullptr;
    NINEFOLD_CHECK_CUDA(cudaHostAlloc(&word, sizeof(int), cudaHostAllocPortable));
    has_failed = std::shared_ptr<int>(static_cast<int*>(word), [](int* p) { cudaFreeHost(p); });
    *has_failed = 0;
    ranks->when_failed([failed = has_failed] { *static_cast<volatile int*>(failed.get()) = 1; });
    const std::vector<std::int64_t> processes = ranks->statements(SharedPlaces::this_process());
    for (const std::int64_t process : processes) {
      if (process != SharedPlaces::this_process()) places.tell_processes();
    }
    struct Place {
      int device;
      SharedPlace board;
    };
    const std::vector<Place> all = ranks->statements(Place{on.device(), places.of(board)});
    for (std::size_t r = 0; r < all.size(); ++r) {
      allow_access(on.device(), all[r].device);
      boards[r] = reinterpret_cast<Board*>(const_cast<char*>(places.address(all[r].board)));
      const bool is_other = static_cast<int>(r) != ranks->rank();
      shares_device = shares_device || (is_other && all[r].device == on.device());
      for (std::size_t q = 0; q < r; ++q) {
        const bool is_same = all[q].device == all[r].device && processes[q] == processes[r];
        any_share_device = any_share_device || is_same;
      }
    }
    // Before anybody reads: all boards are empty, and all may be read.
    (void)ranks->statements(0);
  }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  /// Where a rank has failed others may be about to write there: it is left to the process's end.
  ~Peers() {
    if (board != nullptr && *has_failed == 0 && std::uncaught_exceptions() == 0) cudaFree(board);
  }

  /// What is taken from those ranks, and what they take; nobody else takes from this rank, or gives
  /// to it.  All state the same number of bytes, at least those of all parts between two ranks.
  void trade(const Cuda& on, const std::vector<int>& others, std::vector<Part> taken,
             std::vector<Part> given, std::size_t bytes) const {
    const unsigned blocks = blocks_for(bytes, most_posting_blocks);
    if ((units_each(bytes, blocks) + 2 * most_vectors) * unit > box_bytes) {
      return take(on, others, taken, bytes);
    }
    // The shares of a pair's parts lie one behind the other in a block's box.
    const auto place_in_boxes = [&](std::vector<Part>& parts, const auto& place) {
      std::array<std::size_t, most_ranks> next{};
      for (Part& part : parts) {
        std::size_t& at = next[static_cast<std::size_t>(part.other)];
        place(part, at);
        at += units_each(part.bytes, blocks) * unit;
      }
    };
    place_in_boxes(taken, [&](Part& part, std::size_t at) {
      part.from = boxes_of(ranks->rank(), part.other) + at;
    });
    place_in_boxes(given, [&](Part& part, std::size_t at) {
      part.to = boxes_of(part.other, ranks->rank()) + at;
    });
    Transfer transfer = with(others, taken);
    transfer.n_given = static_cast<int>(given.size());
    std::copy(given.begin(), given.end(), transfer.given);
    kernels::launch<post_kernel>(on, blocks, transfer_threads, 0, transfer);
  }

  /// The same of several arrays, `apart` bytes from one to the next, from the others' memory; bytes
  /// are those of one array.
  void take(const Cuda& on, const std::vector<int>& others, const std::vector<Part>& taken,
            std::size_t bytes, int arrays = 1, std::size_t apart = 0) const {
    Transfer transfer = with(others, taken);
    transfer.arrays = arrays;
    transfer.apart = apart;
    const unsigned each = blocks_for(bytes, static_cast<unsigned>(most_blocks / arrays));
    kernels::launch<take_kernel>(on, each * static_cast<unsigned>(arrays), transfer_threads, 0,
                                 transfer);
  }

  /// After what waits for other ranks has been given, called by all: where any share a device,
  /// waits until it has ended on all, unless it is recorded.  A kernel that must be loaded when it
  /// is launched waits for all work of its device, and keeps what another rank gives meanwhile from
  /// beginning.
  void settle(const Cuda& on) const {
    if (!any_share_device) return;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    NINEFOLD_CHECK_CUDA(cudaStreamIsCapturing(stream_of(on), &status));
    if (status != cudaStreamCaptureStatusNone) return;
    NINEFOLD_CHECK_CUDA(cudaStreamSynchronize(stream_of(on)));
    (void)ranks->statements(0);
  }

  std::shared_ptr<const Ranks> ranks;
  std::unique_ptr<TransfersByHost> by_host;  ///< null, or then nothing of what follows is there
  SharedPlaces places;
  Board* board = nullptr;
  std::array<Board*, most_ranks> boards{};
  bool shares_device = false;       ///< this rank, with another
  bool any_share_device = false;    ///< some of one process: said by all
  std::shared_ptr<int> has_failed;  ///< page-locked

 private:
  Transfer with(const std::vector<int>& others, const std::vector<Part>& taken) const {
    Transfer transfer{};
    transfer.rank = ranks->rank();
    transfer.ranks = ranks->size();
    transfer.lets_next_start = !shares_device;
    transfer.has_failed = has_failed.get();
    transfer.board[ranks->rank()] = board;
    for (const int r : others) transfer.board[r] = boards[static_cast<std::size_t>(r)];
    transfer.n_taken = static_cast<int>(taken.size());
    std::copy(taken.begin(), taken.end(), transfer.taken);
    return transfer;
  }

  /// Those at `rank` that `writer` writes to.
  char* boxes_of(int rank, int writer) const {
    auto* const all = reinterpret_cast<char*>(boards[static_cast<std::size_t>(rank)]) + boxes_at;
    return all + 2 * boxes_bytes * static_cast<std::size_t>(writer);
  }

  static unsigned blocks_for(std::size_t bytes, unsigned most) {
    const std::size_t wanted = (bytes + bytes_of_block - 1) / bytes_of_block;
    return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, most));
  }

  /// Throws std::runtime_error if the one cannot reach the other's memory.
  static void allow_access(int device, int other) {
    if (device == other) return;
    int can = 0;
    NINEFOLD_CHECK_CUDA(cudaDeviceCanAccessPeer(&can, device, other));
    if (can == 0) {
      throw std::runtime_error("device " + std::to_string(device)
                               + " cannot read the memory of device " + std::to_string(other)
                               + "; processes that mpirun starts go by way of the host");
    }
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
    } else {
      NINEFOLD_CHECK_CUDA(status);
    }
  }
};

bool devices_reach_each_other(int count) {
  for (int device = 0; device < count; ++device) {
    for (int other = 0; other < count; ++other) {
      if (device == other) continue;
      int can = 0;
      NINEFOLD_CHECK_CUDA(cudaDeviceCanAccessPeer(&can, device, other));
      if (can == 0) return false;
    }
  }
  return true;
}

Cuda Cuda::among(const std::shared_ptr<const Ranks>& ranks) const {
  Cuda one = *this;
  one.peers_ = ranks == nullptr ? nullptr : std::make_shared<Peers>(*this, ranks);
  return one;
}

const Ranks* Cuda::ranks() const {
  return peers_ == nullptr ? nullptr : peers_->ranks.get();
}

bool Cuda::shares_device() const {
  return peers_ != nullptr && peers_->shares_device;
}

void Cuda::replay(const std::shared_ptr<void>& recording) const {
  // What waits for other devices must not begin while their threads may still wait for this one, in
  // a call of the driver.
  if (const Ranks* const all = ranks()) (void)all->any(false);
  use();
  NINEFOLD_CHECK_CUDA(
      cudaGraphLaunch(static_cast<cudaGraphExec_t>(recording.get()), stream_of(*this)));
  if (peers_ != nullptr) peers_->settle(*this);
}

void Cuda::exchange(const std::vector<BorderRows>& vectors) const {
  if (peers_->by_host) return peers_->by_host->exchange(*this, vectors);
  if (vectors.size() > most_vectors) {
    throw std::logic_error("borders of " + std::to_string(vectors.size()) + " vectors at once");
  }
  struct Borders {
    SharedPlace lowest, highest;
  };
  std::array<Borders, most_vectors> own{};
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    own[v] = {peers_->places.of(vectors[v].lowest), peers_->places.of(vectors[v].highest)};
  }
  const auto all = ranks()->statements(own);
  const int rank = ranks()->rank();
  std::vector<int> from;
  if (rank > 0) from.push_back(rank - 1);
  if (rank + 1 < ranks()->size()) from.push_back(rank + 1);
  std::vector<Part> taken, given;
  std::size_t bytes = 0;
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    const BorderRows& mine = vectors[v];
    for (const int r : from) {
      const Borders& theirs = all[static_cast<std::size_t>(r)][v];
      const bool is_below = r < rank;
      taken.push_back({r, peers_->places.address(is_below ? theirs.highest : theirs.lowest),
                       static_cast<char*>(is_below ? mine.below : mine.above), mine.bytes});
      given.push_back({r, static_cast<const char*>(is_below ? mine.lowest : mine.highest), nullptr,
                       mine.bytes});
    }
    bytes += mine.bytes;
  }
  peers_->trade(*this, from, std::move(taken), std::move(given), bytes);
  peers_->settle(*this);
}

void Cuda::gather(void* values, const std::vector<std::size_t>& begin, int arrays,
                  std::size_t apart) const {
  if (peers_->by_host) return peers_->by_host->gather(*this, values, begin, arrays, apart);
  const std::vector<SharedPlace> all = ranks()->statements(peers_->places.of(values));
  const auto own = static_cast<std::size_t>(ranks()->rank());
  std::vector<Part> taken, given;
  std::vector<int> from;
  std::size_t most = 0;
  for (int r = 0; r < ranks()->size(); ++r) {
    const auto k = static_cast<std::size_t>(r);
    const std::size_t bytes = begin[k + 1] - begin[k];
    most = std::max(most, bytes);
    if (k == own) continue;
    from.push_back(r);
    taken.push_back({r, peers_->places.address(all[k]) + begin[k],
                     static_cast<char*>(values) + begin[k], bytes});
    given.push_back(
        {r, static_cast<const char*>(values) + begin[own], nullptr, begin[own + 1] - begin[own]});
  }
  if (arrays > 1) {
    peers_->take(*this, from, taken, most, arrays, apart);
  } else {
    peers_->trade(*this, from, std::move(taken), std::move(given), most);
  }
  peers_->settle(*this);
}

void Cuda::trade(const std::vector<Message>& messages) const {
  if (peers_->by_host) return peers_->by_host->trade(*this, messages);
  struct Gift {
    SharedPlace from;
    std::size_t bytes;
  };
  std::array<Gift, most_ranks> own{};
  for (const Message& message : messages) {
    own[static_cast<std::size_t>(message.other)] = {
        peers_->places.of(message.sent > 0 ? message.from : nullptr), message.sent};
  }
  const auto all = ranks()->statements(own);
  // As many blocks on all: those of the longest message between any two.
  std::size_t most = 0;
  for (const auto& gifts : all) {
    for (const Gift& gift : gifts) most = std::max(most, gift.bytes);
  }
  std::vector<int> from;
  std::vector<Part> taken, given;
  for (const Message& message : messages) {
    from.push_back(message.other);
    if (message.sent > 0) {
      given.push_back(
          {message.other, static_cast<const char*>(message.from), nullptr, message.sent});
    }
    const Gift& gift =
        all[static_cast<std::size_t>(message.other)][static_cast<std::size_t>(ranks()->rank())];
    if (gift.bytes != message.received) {
      throw std::logic_error("rank " + std::to_string(ranks()->rank()) + " expects "
                             + std::to_string(message.received) + " bytes of rank "
                             + std::to_string(message.other) + ", which gives "
                             + std::to_string(gift.bytes));
    }
    if (gift.bytes == 0) continue;
    taken.push_back({message.other, peers_->places.address(gift.from),
                     static_cast<char*>(message.to), message.received});
  }
  if (most > 0) peers_->trade(*this, from, std::move(taken), std::move(given), most);
  peers_->settle(*this);
}

}  // namespace ninefold
