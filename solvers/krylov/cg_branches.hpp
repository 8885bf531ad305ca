#pragma once
// Conjugate gradients for several matrices, whose iterations run beside each other on a device.
//
// Cost.  A block of cg_block iterations of all systems is recorded as branches of one graph, so
// that kernels too small to fill a device share it; the host looks at all of them by one transfer.
// A system that has ended takes its part of a block's time, which changes nothing of it, until half
// of those that were recorded have ended: the rest are then recorded anew.
//
// Rounding.  Each system's own operations, and the bits of a solve alone.
//
// Tests.  tests/solvers/sparse/systems_test.cpp, tests/gpu/device/sparse_systems_test.cpp

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "gpu/backend/branches.hpp"
#include "gpu/backend/graph.hpp"
#include "gpu/operations/cg_operations.hpp"

namespace ninefold {

/// A system, or several of one matrix, that have begun.
template <Backend B>
struct CgBranch {
  B on;                           ///< which several of them may share
  std::function<void()> iterate;  ///< gives an iteration
  std::function<void()> look;     ///< at what a block has left
  std::function<bool()> is_open;  ///< whether there is more to do
};

/// Iterates all to their ends.  `read()` reads the scalars of all after a block, for their look().
template <Backend B, class Read>
void iterate_branches(const B& stem, const std::vector<CgBranch<B>>& all, const Read& read) {
  std::vector<const CgBranch<B>*> recorded;
  const auto block_of_all = [&stem, &recorded] {
    for (const CgBranch<B>* one : recorded) follow(one->on, stem);
    for (const CgBranch<B>* one : recorded) {
      const Work before = one->on.work();
      for (int k = 0; k < cg_block; ++k) one->iterate();
      const Work given = one->on.work() - before;
      one->on.count(Work{} - given);
      stem.count(given);  // which replays it
    }
    for (const CgBranch<B>* one : recorded) follow(stem, one->on);
  };
  for (std::optional<Recording<B>> block;;) {
    std::vector<const CgBranch<B>*> open;
    for (const CgBranch<B>& one : all) {
      if (one.is_open()) open.push_back(&one);
    }
    if (open.empty()) return;
    if (!block || 2 * open.size() <= recorded.size()) {
      recorded = open;
      block.emplace(stem, block_of_all);
    }
    // What they were given before: starts, and ends of systems.
    for (const CgBranch<B>* one : recorded) follow(stem, one->on);
    block->replay();
    read();
    for (const CgBranch<B>* one : open) one->look();
  }
}

}  // namespace ninefold
