#pragma once
// Transfers between devices by way of their hosts (gpu/backend/ranks_by_host.hpp).
//
// Shape.  Three steps in a device's stream, recorded or not: what this rank gives is copied to
// page-locked memory; the host sends it there and receives what others give; that is copied to the
// device.  A transfer of the same places is made once, and stays: recordings hold it.  As one is
// done after the other, all have the same memory: those in the stream of a branch come between a
// fork and a join (gpu/backend/branches.hpp).
//
// Threads.  The driver calls the host's step from a thread of its own, which lets a third one send
// (gpu/backend/messenger.hpp), beside the program's, which may speak with the other ranks
// meanwhile: hence a channel.  Of several streams the driver may call one such step after the
// other, so that no two streams of a process may be ranks that wait for each other.
//
// Tests.  tests/experiments/ranks.py

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/backend/device.cuh"
#include "gpu/backend/messenger.hpp"
#include "gpu/backend/ranks.hpp"
#include "gpu/backend/unrecorded.cuh"

namespace ninefold {

class TransfersByHost {
 public:
  /// Of a stream, which must outlive it, and of branches that it has joined.
  TransfersByHost(std::shared_ptr<const Ranks> channel, cudaStream_t stream)
      : channel_(std::move(channel)), stream_(stream) {}
  TransfersByHost(const TransfersByHost&) = delete;
  TransfersByHost& operator=(const TransfersByHost&) = delete;
  ~TransfersByHost() { cudaStreamSynchronize(stream_); }  // a transfer may be on its way

  /// As Cuda has them (gpu/backend/backend.hpp).
  void exchange(const Cuda& on, const std::vector<BorderRows>& vectors) {
    Places places{0};
    for (const BorderRows& rows : vectors) {
      add(places, rows.lowest, rows.highest, rows.below, rows.above, rows.bytes);
    }
    run(on, places, [&](Transfer& transfer) {
      std::vector<BorderRows> here = vectors;
      for (BorderRows& rows : here) {
        const std::size_t bytes = rows.bytes;
        if (channel_->rank() > 0) {
          rows.lowest = give(transfer, rows.lowest, bytes);
          rows.below = take(transfer, rows.below, bytes);
        }
        if (channel_->rank() + 1 < channel_->size()) {
          rows.highest = give(transfer, rows.highest, bytes);
          rows.above = take(transfer, rows.above, bytes);
        }
      }
      transfer.send = [this, here] { channel_->exchange(here); };
    });
  }

  void gather(const Cuda& on, void* values, const std::vector<std::size_t>& begin, int arrays,
              std::size_t apart) {
    Places places{1};
    add(places, values, arrays, apart);
    for (const std::size_t at : begin) add(places, at);
    run(on, places, [&](Transfer& transfer) {
      const auto own = static_cast<std::size_t>(channel_->rank());
      const std::size_t first = begin.front(), bytes = begin.back() - first;
      std::vector<std::size_t> from_first;
      for (const std::size_t at : begin) from_first.push_back(at - first);
      std::vector<void*> here;
      for (int a = 0; a < arrays; ++a) {
        char* const array =
            static_cast<char*>(values) + first + static_cast<std::size_t>(a) * apart;
        char* const all = place(bytes);
        const std::size_t before = from_first[own], behind = from_first[own + 1];
        transfer.out.push_back({array + before, all + before, behind - before});
        transfer.in.push_back({array, all, before});
        transfer.in.push_back({array + behind, all + behind, bytes - behind});
        here.push_back(all);
      }
      transfer.send = [this, here, from_first] {
        for (void* const all : here) channel_->gather(all, from_first);
      };
    });
  }

  void trade(const Cuda& on, const std::vector<Message>& messages) {
    Places places{2};
    for (const Message& message : messages) {
      add(places, message.other, message.from, message.sent, message.to, message.received);
    }
    run(on, places, [&](Transfer& transfer) {
      std::vector<Message> here = messages;
      for (Message& message : here) {
        message.from = give(transfer, message.from, message.sent);
        message.to = take(transfer, message.to, message.received);
      }
      transfer.send = [this, here] { channel_->trade(here); };
    });
  }

 private:
  using Places = std::vector<std::uintptr_t>;
  struct Copy {
    void *device, *host;
    std::size_t bytes;
  };
  struct Freed {
    void operator()(char* p) const { cudaFreeHost(p); }
  };

  struct Transfer {
    std::vector<Copy> out, in;
    std::function<void()> send;  ///< and receive
    TransfersByHost* all;
  };
  struct Block {
    std::unique_ptr<char, Freed> memory;
    std::size_t bytes;
  };

  /// Page-locked memory, behind what the transfer that is being made has already.
  char* place(std::size_t bytes) {
    constexpr std::size_t least = std::size_t{1} << 20, begin = 256;
    const std::size_t wanted = (bytes + begin - 1) / begin * begin;
    while (block_ < blocks_.size() && used_ + wanted > blocks_[block_].bytes) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const Unrecorded unrecorded;
      void* p = nullptr;
      const std::size_t size = std::max(wanted, least);
      NINEFOLD_CHECK_CUDA(cudaMallocHost(&p, size));
      blocks_.push_back({std::unique_ptr<char, Freed>(static_cast<char*>(p)), size});
    }
    char* const found = blocks_[block_].memory.get() + used_;
    used_ += wanted;
    return found;
  }
  const void* give(Transfer& transfer, const void* from, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    transfer.out.push_back({const_cast<void*>(from), place(bytes), bytes});
    return transfer.out.back().host;
  }
  void* take(Transfer& transfer, void* to, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    transfer.in.push_back({to, place(bytes), bytes});
    return transfer.in.back().host;
  }

  /// The host's step.
  static void CUDART_CB call(void* transfer) noexcept {
    const auto& self = *static_cast<const Transfer*>(transfer);
    try {
      self.all->messenger_.run(self.send);
    } catch (const std::exception& error) {
      self.all->channel_->fail(error.what());
    }
  }

  template <class... Values>
  static void add(Places& places, const Values&... values) {
    const auto number = [](const auto& value) {
      if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
        return reinterpret_cast<std::uintptr_t>(value);
      } else {
        return static_cast<std::uintptr_t>(value);
      }
    };
    (places.push_back(number(values)), ...);
  }

  /// The transfer of these places, which `make` makes the first time.
  template <class Make>
  void run(const Cuda& on, const Places& places, const Make& make) {
    on.use();
    const cudaStream_t stream = stream_of(on);
    std::unique_ptr<Transfer>& transfer = transfers_[places];
    if (transfer == nullptr) {
      auto made = std::make_unique<Transfer>();
      made->all = this;
      block_ = used_ = 0;
      make(*made);
      transfer = std::move(made);
    }
    for (const Copy& copy : transfer->out) {
      if (copy.bytes == 0) continue;
      NINEFOLD_CHECK_CUDA(
          cudaMemcpyAsync(copy.host, copy.device, copy.bytes, cudaMemcpyDeviceToHost, stream));
    }
    NINEFOLD_CHECK_CUDA(cudaLaunchHostFunc(stream, &TransfersByHost::call, transfer.get()));
    for (const Copy& copy : transfer->in) {
      if (copy.bytes == 0) continue;
      NINEFOLD_CHECK_CUDA(
          cudaMemcpyAsync(copy.device, copy.host, copy.bytes, cudaMemcpyHostToDevice, stream));
    }
  }

  std::shared_ptr<const Ranks> channel_;
  cudaStream_t stream_;
  Messenger messenger_;
  std::map<Places, std::unique_ptr<Transfer>> transfers_;
  std::vector<Block> blocks_;
  std::size_t block_ = 0, used_ = 0;  ///< bytes of that block
};

}  // namespace ninefold
