// Vectors of zeros, whose memory may have been others' before.
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

}  // namespace
}  // namespace ninefold
