// Segments of lines, reduced systems, and where their numbers lie.

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "gpu/operations/coarse_lines.hpp"
#include "gpu/operations/line_systems.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("segments make up a line", "[gpu][lines]") {
  for (int n = 1; n <= 5000; ++n) {
    for (const auto& [segments, most] :
         {std::pair{line_segments(n), line_segment}, {reduced_segments(n), reduced_segment}}) {
      int sum = 0;
      for (int s = 0; s < segments; ++s) {
        const int size = segment_size(n, s * most, most);
        if (size < 1 || size > most) FAIL("segment " << s << " of " << n << ": " << size);
        sum += size;
      }
      REQUIRE(sum == n);
    }
  }
}

TEST_CASE("reduced systems end in one unknown", "[gpu][lines]") {
  const std::vector<std::vector<int>> all{{1, 1},
                                          {16, 1},
                                          {17, 2, 1},
                                          {128, 8, 1},
                                          {129, 9, 2, 1},
                                          {1025, 65, 9, 2, 1},
                                          {32769, 2049, 257, 33, 5, 1},
                                          {65536, 4096, 512, 64, 8, 1},
                                          {65537, 4097, 513, 65, 9, 2, 1}};
  for (const std::vector<int>& sizes : all) {
    const int n = sizes.front();
    CAPTURE(n);
    REQUIRE(static_cast<int>(sizes.size()) - 1 <= max_reductions);
    ReducedSystems<double> reduced = LineSystems<double>{nullptr, 1, n}.reduced();
    std::size_t values = 0;
    for (std::size_t l = 1; l < sizes.size(); ++l) {
      REQUIRE(reduced.n == sizes[l]);
      values += 5 * std::size_t(reduced.n);
      reduced = reduced.next();
    }
    CHECK(reduced_values(sizes[1]) == values);
    CHECK(line_values(n) == 3 * std::size_t(n) + values);
    if (n > 5000) CHECK(double(line_values(n)) < 3.36 * n);
  }
}

TEST_CASE("the numbers of a line lie where the header says", "[gpu][lines]") {
  const int n = 273, lines = 3;  // 18 segments, then 3, then 1
  const std::size_t values = line_values(n);
  REQUIRE(values == 3 * 273 + 5 * (18 + 3 + 1));
  std::vector<double> memory(values * lines, -1);
  const LineSystems<double> systems{memory.data(), lines, n};
  int writes = 0;
  const auto expect = [&](std::size_t place, int line, double value) {
    REQUIRE(memory[place * lines + std::size_t(line)] == value);
    ++writes;
  };
  double next = 0;
  for (int line = 0; line < lines; ++line) {
    for (int k = 0; k < n; ++k) {
      systems.keep(line, k, {next, next + 1, next + 2});
      for (std::size_t m = 0; m < 3; ++m) expect(m * n + std::size_t(k), line, next + double(m));
      const auto kept = systems.kept(line, k);
      REQUIRE((kept.next == next && kept.separator == next + 1 && kept.value == next + 2));
      next += 3;
    }
    std::size_t begin = 3 * n;
    for (ReducedSystems<double> reduced = systems.reduced();; reduced = reduced.next()) {
      const auto size = std::size_t(reduced.n);
      for (int s = 0; s < reduced.n; ++s) {
        reduced.put(line, s, {{next, next + 1, next + 2}, next + 3, next + 4});
        for (std::size_t m = 0; m < 5; ++m) {
          expect(begin + m * size + std::size_t(s), line, next + double(m));
        }
        next += 5;
      }
      begin += 5 * size;
      if (reduced.n == 1) break;
    }
    REQUIRE(begin == values);
  }
  // No two share a place, and nothing else was written.
  CHECK(writes == int(values) * lines);
  CHECK(std::set<double>(memory.begin(), memory.end()).size() == memory.size());
  CHECK(systems.reduced().solution(0, -1) == 0);
}

TEMPLATE_TEST_CASE("coarse lines begin an odd number of 16 bytes from each other", "[gpu][lines]",
                   float, double) {
  const auto is_odd = [](int values) {
    return values * int(sizeof(TestType)) % 16 == 0 && values * int(sizeof(TestType)) / 16 % 2 == 1;
  };
  for (int n = 1; n <= reduced_segment * line_segment; ++n) {
    for (const int lines : {1, (n + 1) / 2, n}) {
      const auto place = CoarseLines<TestType>::of(n, lines);
      CAPTURE(n, lines);
      REQUIRE(is_odd(place.kept_of_segment));
      REQUIRE(is_odd(place.kept_of_line));
      REQUIRE(is_odd(place.rights_of_line));
      // Room for all that they hold, and a group of 32 for what it takes at once.
      REQUIRE(place.kept_of_segment >= 3 * line_segment);
      REQUIRE(place.kept_of_line >= place.reduced() + kept_reduced_values(n));
      REQUIRE(place.rights_of_line
              >= place.segments * line_segment + reduced_right_values(place.segments));
      REQUIRE(place.segments <= 1 << place.bits);
      REQUIRE(place.at_once >= 1);
      REQUIRE(place.at_once << place.bits <= 32);
    }
  }
}

}  // namespace
}  // namespace ninefold
