#include "gpu/backend/free_ranges.hpp"

#include <map>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

constexpr std::size_t unit = FreeRanges::alignment;

TEST_CASE("ranges of a block are apart, and join when they are put back", "[gpu][memory_ranges]") {
  FreeRanges block(10 * unit + 7);
  CHECK(block.take(0) == 0);  // of no bytes
  CHECK(block.take(1) == unit);
  CHECK(block.take(2 * unit + 1) == 2 * unit);
  CHECK(block.take(5 * unit) == 5 * unit);
  CHECK(!block.take(1));
  CHECK(block.used() == 10 * unit);
  block.put_back(unit);
  block.put_back(2 * unit);
  CHECK(block.take(4 * unit) == unit);
  block.put_back(5 * unit);
  block.put_back(0);
  block.put_back(unit);
  CHECK(block.take(10 * unit) == 0);
}

TEST_CASE("a block that is too short has no ranges", "[gpu][memory_ranges]") {
  FreeRanges block(unit - 1);
  CHECK(!block.take(1));
  CHECK(block.used() == 0);
}

// Against a map of who has which unit.
TEST_CASE("ranges in any order are nobody else's, and none are lost", "[gpu][memory_ranges]") {
  std::mt19937_64 random(7);
  constexpr std::size_t units = 64;
  FreeRanges block(units * unit);
  std::vector<int> owner(units, 0);
  std::map<std::size_t, std::size_t> taken;
  int refused = 0;
  for (int id = 1; id < 4000; ++id) {
    if (random() % 2 == 0 && !taken.empty()) {
      const auto which =
          std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      for (std::size_t k = 0; k < which->second; ++k) owner[which->first + k] = 0;
      block.put_back(which->first * unit);
      taken.erase(which);
      continue;
    }
    const std::size_t length = 1 + random() % 9;
    const auto begin = block.take(length * unit - random() % unit);
    if (!begin) {
      // True where no stretch is as long.
      std::size_t stretch = 0;
      for (std::size_t k = 0; k < units; ++k) {
        stretch = owner[k] == 0 ? stretch + 1 : 0;
        REQUIRE(stretch < length);
      }
      ++refused;
      continue;
    }
    REQUIRE(*begin % unit == 0);
    for (std::size_t k = 0; k < length; ++k) {
      int& own = owner.at(*begin / unit + k);
      REQUIRE(own == 0);
      own = id;
    }
    taken[*begin / unit] = length;
  }
  CHECK(refused > 50);
}

}  // namespace
}  // namespace ninefold
