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

#include "gpu/backend/device.cuh"
#include "gpu/backend/rank_transfers.cuh"
#include "gpu/backend/ranks_by_host.hpp"
#include "gpu/backend/shared_places.cuh"
#include "gpu/backend/transfers_by_host.cuh"
#include "gpu/backend/unrecorded.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold {

using namespace transfers;

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
    RankTransfer transfer = with(others, taken);
    transfer.n_given = static_cast<int>(given.size());
    std::copy(given.begin(), given.end(), transfer.given);
    kernels::launch<post_kernel>(on, blocks, transfer_threads, 0, transfer);
  }

  /// The same of several arrays, `apart` bytes from one to the next, from the others' memory; bytes
  /// are those of one array.
  void take(const Cuda& on, const std::vector<int>& others, const std::vector<Part>& taken,
            std::size_t bytes, int arrays = 1, std::size_t apart = 0) const {
    RankTransfer transfer = with(others, taken);
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
    if (end_unless_recorded(stream_of(on))) (void)ranks->statements(0);
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
  RankTransfer with(const std::vector<int>& others, const std::vector<Part>& taken) const {
    RankTransfer transfer{};
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
