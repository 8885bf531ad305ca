#pragma once
// Ranks whose devices tell each other everything by way of their hosts: those of several machines,
// or of one where a device cannot reach another's memory.
//
// Tests.  gpu_tests, started by mpirun; tests/experiments/ranks.py, where there are two devices

#include <memory>
#include <utility>

#include "gpu/backend/ranks_with_slabs.hpp"

namespace ninefold {

/// True if each of a machine's first `count` CUDA devices can reach the memory of all others.
bool devices_reach_each_other(int count);

class RanksByHost final : public RanksWithSlabs {
 public:
  /// `channel` are the same ranks, whose messages may be sent beside those of `ranks`, by another
  /// thread.  `device` is this rank's, of its machine.
  RanksByHost(std::shared_ptr<const Ranks> ranks, int cells_each,
              std::shared_ptr<const Ranks> channel, int device)
      : RanksWithSlabs(std::move(ranks), cells_each),
        channel_(std::move(channel)),
        device_(device) {}

  const std::shared_ptr<const Ranks>& channel() const { return channel_; }
  int device() const { return device_; }

 private:
  std::shared_ptr<const Ranks> channel_;
  int device_;
};

}  // namespace ninefold
