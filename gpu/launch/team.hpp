#pragma once
// Teams: workers that run one text together and wait for each other.
//
// On a device a team is a block of threads (gpu/launch/block_team.cuh); on the host it is one
// worker.  A team's members are in groups, teams themselves whose members wait for less: warps on a
// device.

#include "precision/host_device.hpp"

namespace ninefold {

/// The team of the host.
struct OneWorker {
  HOST_DEVICE static int index() { return 0; }
  HOST_DEVICE static int size() { return 1; }
  HOST_DEVICE static void wait() {}  ///< until all workers are here, and see what others wrote

  /// Copies a value into the team's memory; seen by this worker after wait_for_copies(), and by the
  /// others after the wait() behind it.
  template <class V>
  HOST_DEVICE static void copy(V* to, const V* from) {
    *to = *from;
  }
  HOST_DEVICE static void wait_for_copies() {}

  using Group = OneWorker;
  static constexpr int most_turns = 32;         ///< of a group's workers at 32 pieces of work
  HOST_DEVICE static int group() { return 0; }  ///< this worker's
  HOST_DEVICE static int groups() { return 1; }
};

/// f(k) for 0 <= k < n, each by one worker of the team; waits for nobody.
template <class Team, class F>
HOST_DEVICE void for_workers(int n, const F& f) {
  // A worker has few turns; nvcc would write each text four times.
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int k = Team::index(); k < n; k += Team::size()) f(k);
}

}  // namespace ninefold
