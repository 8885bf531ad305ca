// Vectors of zeros.
#include "fem/discrete/zeros.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "precision/double_word.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("zeros are zeros, of any number", "[fem]") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000},
                              (std::size_t{1} << 20) - 1, (std::size_t{5} << 20) + 3}) {
    CAPTURE(n);
    {
      std::vector<double> before(n, 7.0);
      REQUIRE(std::count(before.begin(), before.end(), 7.0) == static_cast<std::ptrdiff_t>(n));
    }
    const std::vector<double> values = zeros<double>(n);
    CHECK(values.size() == n);
    CHECK(values.capacity() == n);
    CHECK(std::count(values.begin(), values.end(), 0.0) == static_cast<std::ptrdiff_t>(n));
  }
  const std::vector<DoubleDouble> pairs = zeros<DoubleDouble>(1 << 20);
  CHECK(std::all_of(pairs.begin(), pairs.end(),
                    [](const DoubleDouble& v) { return v.high == 0 && v.low == 0; }));
}

TEST_CASE("pages are prepared within their bytes", "[fem]") {
  constexpr std::size_t bytes = (std::size_t{12} << 20) + 5, guard = 64;
  for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{4095}}) {
    CAPTURE(offset);
    std::vector<char> memory(guard + offset + bytes + guard, 'a');
    char* const begin = memory.data() + guard + offset;
    prepare_pages(begin, bytes);
    CHECK(std::count(memory.data(), begin, 'a') == begin - memory.data());
    CHECK(std::count(begin + bytes, memory.data() + memory.size(), 'a') == guard);
    // One write to each page at least.
    CHECK(std::count(begin, begin + bytes, '\0') >= static_cast<std::ptrdiff_t>(bytes / 4096));
  }
}

}  // namespace
}  // namespace ninefold
