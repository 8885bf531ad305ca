// What ranks tell each other: threads of this process.

#include "gpu/backend/ranks.hpp"

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <omp.h>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr Slabs four{4, Slabs::fewest_cells};

TEST_CASE("ranks give border rows to their neighbours and take theirs", "[backend][ranks]") {
  run_on_ranks(four, [](const std::shared_ptr<const Ranks>& ranks) {
    const int rank = ranks->rank();
    const std::array<int, 2> lowest{10 * rank, 10 * rank + 1}, highest{100 * rank, 100 * rank + 1};
    std::array<int, 2> below{-1, -1}, above{-1, -1};
    ranks->exchange({{lowest.data(), highest.data(), below.data(), above.data(), sizeof lowest}});
    const int no = -1;
    const bool has_below = rank > 0, has_above = rank + 1 < ranks->size();
    // Not by CHECK, which serves one thread.
    if (below
            != (has_below ? std::array{100 * (rank - 1), 100 * (rank - 1) + 1} : std::array{no, no})
        || above
               != (has_above ? std::array{10 * (rank + 1), 10 * (rank + 1) + 1}
                             : std::array{no, no})) {
      throw std::logic_error("rank " + std::to_string(rank) + " has other rows");
    }
  });
}

TEST_CASE("ranks gather what each has, also nothing", "[backend][ranks]") {
  const std::vector<std::size_t> begin{0, 3, 3, 4, 9};
  std::vector<std::string> found(4);
  run_on_ranks(four, [&](const std::shared_ptr<const Ranks>& ranks) {
    const auto rank = static_cast<std::size_t>(ranks->rank());
    std::string all(9, '-');
    for (std::size_t k = begin[rank]; k < begin[rank + 1]; ++k) all[k] = static_cast<char>('a' + k);
    ranks->gather(all.data(), begin);
    found[rank] = all;
  });
  CHECK(found == std::vector<std::string>(4, "abcdefghi"));
}

TEST_CASE("ranks trade with whom they want, also nothing for something", "[backend][ranks]") {
  // Rank r gives rank s r + s values, but 0 to all from 3 and to all but 1 from 2.
  const auto given = [](int from, int to) {
    return from == 3 || (from == 2 && to != 1) ? 0 : from + to;
  };
  run_on_ranks(four, [&](const std::shared_ptr<const Ranks>& ranks) {
    const int rank = ranks->rank();
    std::vector<std::vector<int>> gifts(4), found(4);
    std::vector<Message> messages;
    for (int other = 0; other < 4; ++other) {
      if (other == rank || given(rank, other) + given(other, rank) == 0) continue;
      const auto k = static_cast<std::size_t>(other);
      gifts[k].assign(static_cast<std::size_t>(given(rank, other)), 10 * rank + other);
      found[k].assign(static_cast<std::size_t>(given(other, rank)), -1);
      messages.push_back({other, gifts[k].data(), gifts[k].size() * sizeof(int), found[k].data(),
                          found[k].size() * sizeof(int)});
    }
    ranks->trade(messages);
    for (int other = 0; other < 4; ++other) {
      const auto k = static_cast<std::size_t>(other);
      if (found[k] != std::vector<int>(found[k].size(), 10 * other + rank)) {
        throw std::logic_error("rank " + std::to_string(rank) + " has other values");
      }
    }
  });
}

TEST_CASE("a trade of which two ranks think otherwise fails", "[backend][ranks]") {
  const auto run = [&] {
    run_on_ranks(four, [&](const std::shared_ptr<const Ranks>& ranks) {
      int own = 1, found = 0;
      std::vector<Message> messages;
      if (ranks->rank() < 2) {
        messages.push_back({1 - ranks->rank(), &own, sizeof own, &found,
                            ranks->rank() == 0 ? sizeof found : 2 * sizeof found});
      }
      ranks->trade(messages);
    });
  };
  CHECK_THROWS_WITH(run(), ContainsSubstring("expects 8 bytes of rank 0, which gives 4"));
}

TEST_CASE("a message that is not met fails", "[backend][ranks]") {
  const auto run = [&] {
    run_on_ranks(four, [&](const std::shared_ptr<const Ranks>& ranks) {
      int own = 1, found = 0;
      std::vector<Message> messages;
      if (ranks->rank() == 0) messages.push_back({3, &own, sizeof own, &found, sizeof found});
      ranks->trade(messages);
    });
  };
  CHECK_THROWS_WITH(run(), ContainsSubstring("expects 4 bytes of rank 3, which gives 0"));
}

TEST_CASE("what one rank says all know", "[backend][ranks]") {
  std::vector<int> heard(4, -1), silence(4, -1);
  run_on_ranks(four, [&](const std::shared_ptr<const Ranks>& ranks) {
    const auto rank = static_cast<std::size_t>(ranks->rank());
    heard[rank] = ranks->any(rank == 2) ? 1 : 0;
    silence[rank] = ranks->any(false) ? 1 : 0;
  });
  CHECK(heard == std::vector<int>(4, 1));
  CHECK(silence == std::vector<int>(4, 0));
}

TEST_CASE("a rank that fails ends all that wait for it", "[backend][ranks]") {
  std::atomic<int> told = 0, failures = 0;
  const auto run = [&] {
    run_on_ranks(four, [&](const std::shared_ptr<const Ranks>& ranks) {
      ranks->when_failed([&] { ++told; });
      if (ranks->rank() == 1) throw std::invalid_argument("too many");
      try {
        for (int k = 0; k < 3; ++k) (void)ranks->any(false);
      } catch (const RankFailure& failure) {
        if (std::string(failure.what()) == "rank 1 has failed: too many") ++failures;
        throw;
      }
    });
  };
  CHECK_THROWS_MATCHES(run(), std::invalid_argument, Catch::Matchers::Message("too many"));
  CHECK(failures == 3);
  CHECK(told >= 4);  // once for each that fails
}

TEST_CASE("ranks share the threads that there are, and give them back", "[backend][ranks]") {
  const int before = omp_get_max_threads();
  omp_set_num_threads(9);
  std::vector<int> threads(4);
  run_on_ranks(four, [&](const std::shared_ptr<const Ranks>& ranks) {
    threads[static_cast<std::size_t>(ranks->rank())] = omp_get_max_threads();
  });
  CHECK(threads == std::vector<int>(4, 2));
  CHECK(omp_get_max_threads() == 9);
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace ninefold
