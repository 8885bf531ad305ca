// Devices of one machine as ranks, of one process or of several: each takes the others' values from
// their memory.

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda/atomic>

#include "gpu/backend/device.cuh"
#include "gpu/backend/shared_places.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold {

namespace {

/// How many exchanges a block has begun, or ended.
using Count = unsigned long long;

constexpr int most_ranks = 16, most_blocks = 96, transfer_threads = 256;
constexpr std::size_t most_vectors = 4, most_parts = most_ranks;
constexpr std::size_t bytes_of_block = std::size_t{1} << 14;

/// Where others say that they have come so far, for each block and rank, and what this rank has
/// counted itself.
struct Board {
  Count ready[most_blocks][most_ranks];
  Count done[most_blocks][most_ranks];
  Count own[most_blocks];
};

struct Part {
  const char* from;
  char* to;
  std::size_t bytes;
};

/// What is taken from others, all of whom have a part in it.  Transfers are counted, so that each
/// rank has as many as the others, also where it takes and gives nothing.
struct Transfer {
  int rank, ranks;
  Board* board[most_ranks];  ///< null for those who have none
  int parts;
  Part part[most_parts];
  int arrays = 1;         ///< that have these parts, each with its share of the blocks
  std::size_t apart = 0;  ///< bytes from one to the next
  const volatile int* has_failed;
};

/// By so many blocks, of which this is one.
template <class Word>
__device__ void copy_words(const Part& part, unsigned block, unsigned blocks) {
  constexpr int at_once = 8;  // on their way together: the other's memory is far
  const std::size_t words = part.bytes / sizeof(Word);
  const std::size_t step = static_cast<std::size_t>(blocks) * blockDim.x;
  const auto* const from = reinterpret_cast<const Word*>(part.from);
  auto* const to = reinterpret_cast<Word*>(part.to);
  for (std::size_t k = static_cast<std::size_t>(block) * blockDim.x + threadIdx.x; k < words;
       k += at_once * step) {
    Word word[at_once];
#pragma unroll
    for (int m = 0; m < at_once; ++m) {
      // Past the cache next to a multiprocessor, which may hold what the other's memory had before.
      if (k + m * step < words) word[m] = __ldcv(from + k + m * step);
    }
#pragma unroll
    for (int m = 0; m < at_once; ++m) {
      if (k + m * step < words) to[k + m * step] = word[m];
    }
  }
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

/// Each block waits for the blocks of its number of the others: first until what they give is
/// there, then until they have taken what this one gives.
__global__ void __launch_bounds__(transfer_threads) transfer_kernel(const Transfer transfer) {
  // The next one starts when this one ends: its blocks would keep the place that another rank's
  // need, if that has the same device.
  kernels::wait_for_kernels_before();
  const int other = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const int rank = transfer.rank;
  Board& own = *transfer.board[rank];
  const Count count = own.own[block] + 1;
  const bool has_part = other < transfer.ranks && other != rank && transfer.board[other] != nullptr;
  bool goes_on = true;
  if (has_part) {
    say(transfer.board[other]->ready[block][rank], count);
    goes_on = wait_until(own.ready[block][other], count, transfer.has_failed);
  }
  if (!__syncthreads_and(goes_on)) return;
  const auto arrays = static_cast<unsigned>(transfer.arrays);
  const unsigned of_array = blockIdx.x / arrays, blocks = gridDim.x / arrays;
  const std::size_t offset = blockIdx.x % arrays * transfer.apart;
  for (int k = 0; k < transfer.parts; ++k) {
    const Part& stated = transfer.part[k];
    const Part part{stated.from + offset, stated.to + offset, stated.bytes};
    const auto all = reinterpret_cast<std::uintptr_t>(part.from)
                     | reinterpret_cast<std::uintptr_t>(part.to) | part.bytes;
    if (all % sizeof(int4) == 0) {
      copy_words<int4>(part, of_array, blocks);
    } else if (all % sizeof(int) == 0) {
      copy_words<int>(part, of_array, blocks);
    } else {
      copy_words<char>(part, of_array, blocks);
    }
  }
  __syncthreads();
  if (has_part) {
    say(transfer.board[other]->done[block][rank], count);
    goes_on = wait_until(own.done[block][other], count, transfer.has_failed);
  }
  if (threadIdx.x == 0) own.own[block] = count;
}

}  // namespace

struct Cuda::Peers {
  Peers(const Cuda& on, std::shared_ptr<const Ranks> among) : ranks(std::move(among)) {
    if (ranks->size() > most_ranks) {
      throw std::runtime_error(std::to_string(ranks->size()) + " devices, of at most "
                               + std::to_string(most_ranks));
    }
    on.use();
    NINEFOLD_CHECK_CUDA(cudaMalloc(&board, sizeof(Board)));
    NINEFOLD_CHECK_CUDA(cudaMemset(board, 0, sizeof(Board)));
    void* word = nullptr;
    NINEFOLD_CHECK_CUDA(cudaHostAlloc(&word, sizeof(int), cudaHostAllocPortable));
    has_failed = std::shared_ptr<int>(static_cast<int*>(word), [](int* p) { cudaFreeHost(p); });
    *has_failed = 0;
    ranks->when_failed([failed = has_failed] { *static_cast<volatile int*>(failed.get()) = 1; });
    for (const std::int64_t process : ranks->statements(SharedPlaces::this_process())) {
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
    }
    // Before anybody reads: all boards are empty, and all may be read.
    (void)ranks->statements(0);
  }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() { cudaFree(board); }

  /// Parts of those ranks, of several arrays; nobody else takes from this rank, or gives to it. All
  /// state the same number of bytes, of one array.
  void take(const Cuda& on, const std::vector<int>& from, const std::vector<Part>& parts,
            std::size_t bytes, int arrays = 1, std::size_t apart = 0) const {
    Transfer transfer{};
    transfer.rank = ranks->rank();
    transfer.ranks = ranks->size();
    transfer.has_failed = has_failed.get();
    transfer.board[ranks->rank()] = board;
    for (const int r : from) transfer.board[r] = boards[static_cast<std::size_t>(r)];
    transfer.parts = static_cast<int>(parts.size());
    std::copy(parts.begin(), parts.end(), transfer.part);
    transfer.arrays = arrays;
    transfer.apart = apart;
    const auto each =
        static_cast<int>(std::clamp<std::size_t>((bytes + bytes_of_block - 1) / bytes_of_block, 1,
                                                 static_cast<std::size_t>(most_blocks / arrays)));
    kernels::launch<transfer_kernel>(on, static_cast<unsigned>(each * arrays), transfer_threads, 0,
                                     transfer);
  }

  std::shared_ptr<const Ranks> ranks;
  SharedPlaces places;
  Board* board = nullptr;
  std::array<Board*, most_ranks> boards{};
  bool shares_device = false;
  std::shared_ptr<int> has_failed;  ///< page-locked

 private:
  /// Throws std::runtime_error if the one cannot reach the other's memory.
  static void allow_access(int device, int other) {
    if (device == other) return;
    int can = 0;
    NINEFOLD_CHECK_CUDA(cudaDeviceCanAccessPeer(&can, device, other));
    if (can == 0) {
      throw std::runtime_error("device " + std::to_string(device)
                               + " cannot read the memory of device " + std::to_string(other));
    }
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
    } else {
      NINEFOLD_CHECK_CUDA(status);
    }
  }
};

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

void Cuda::exchange(const std::vector<BorderRows>& vectors) const {
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
  std::vector<Part> parts;
  std::size_t bytes = 0;
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    const BorderRows& mine = vectors[v];
    for (const int r : from) {
      const Borders& theirs = all[static_cast<std::size_t>(r)][v];
      const bool is_below = r < rank;
      parts.push_back({peers_->places.address(is_below ? theirs.highest : theirs.lowest),
                       static_cast<char*>(is_below ? mine.below : mine.above), mine.bytes});
    }
    bytes += mine.bytes;
  }
  peers_->take(*this, from, parts, bytes);
}

void Cuda::gather(void* values, const std::vector<std::size_t>& begin, int arrays,
                  std::size_t apart) const {
  const std::vector<SharedPlace> all = ranks()->statements(peers_->places.of(values));
  std::vector<Part> parts;
  std::vector<int> from;
  std::size_t most = 0;
  for (int r = 0; r < ranks()->size(); ++r) {
    const auto k = static_cast<std::size_t>(r);
    const std::size_t bytes = begin[k + 1] - begin[k];
    most = std::max(most, bytes);
    if (r == ranks()->rank()) continue;
    from.push_back(r);
    parts.push_back(
        {peers_->places.address(all[k]) + begin[k], static_cast<char*>(values) + begin[k], bytes});
  }
  peers_->take(*this, from, parts, most, arrays, apart);
}

void Cuda::trade(const std::vector<Message>& messages) const {
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
  std::vector<Part> parts;
  for (const Message& message : messages) {
    from.push_back(message.other);
    const Gift& gift =
        all[static_cast<std::size_t>(message.other)][static_cast<std::size_t>(ranks()->rank())];
    if (gift.bytes != message.received) {
      throw std::logic_error("rank " + std::to_string(ranks()->rank()) + " expects "
                             + std::to_string(message.received) + " bytes of rank "
                             + std::to_string(message.other) + ", which gives "
                             + std::to_string(gift.bytes));
    }
    if (gift.bytes == 0) continue;
    parts.push_back(
        {peers_->places.address(gift.from), static_cast<char*>(message.to), message.received});
  }
  if (most > 0) peers_->take(*this, from, parts, most);
}

}  // namespace ninefold
