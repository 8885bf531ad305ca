#pragma once
// Host threads that work and wait as the threads of a block do; see gpu/launch/team.hpp.

#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "gpu/launch/team.hpp"

namespace ninefold::testing {

struct ThreadTeam {
  static inline std::unique_ptr<std::barrier<>> barrier;
  static inline int members = 1;
  static inline thread_local int member = 0;

  static int index() { return member; }
  static int size() { return members; }
  static void wait() { barrier->arrive_and_wait(); }

  using Group = OneWorker;  // each thread one of its own
  static int group() { return member; }
  static int groups() { return members; }

  /// Calls work() on n threads.
  template <class Work>
  static void run(int n, const Work& work) {
    members = n;
    barrier = std::make_unique<std::barrier<>>(n);
    std::vector<std::thread> threads;
    for (int k = 0; k < n; ++k) {
      threads.emplace_back([&work, k] {
        member = k;
        work();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace ninefold::testing
