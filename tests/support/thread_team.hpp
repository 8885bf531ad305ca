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

  template <class V>
  static void copy(V* to, const V* from) {
    *to = *from;
  }
  static void wait_for_copies() {}

  /// Threads side by side, fewer than the team's.
  struct Group {
    static constexpr int most_turns = 32;
    static inline std::vector<std::unique_ptr<std::barrier<>>> barriers;

    static int size() { return members % 4 == 0 ? 4 : members % 2 == 0 ? 2 : 1; }
    static int index() { return member % size(); }
    static void wait() { barriers[static_cast<std::size_t>(group())]->arrive_and_wait(); }
  };
  static int group() { return member / Group::size(); }
  static int groups() { return members / Group::size(); }

  /// Calls work() on n threads.
  template <class Work>
  static void run(int n, const Work& work) {
    members = n;
    barrier = std::make_unique<std::barrier<>>(n);
    Group::barriers.clear();
    for (int k = 0; k < groups(); ++k) {
      Group::barriers.push_back(std::make_unique<std::barrier<>>(Group::size()));
    }
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
