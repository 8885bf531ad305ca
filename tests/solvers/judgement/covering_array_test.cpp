// That the covering sample covers: every pair of values that go together occurs.
#include "tests/solvers/judgement/covering_array.hpp"

#include <set>
#include <tuple>

#include "solvers/options.hpp"

#include "tests/solvers/judgement/covering_samples.hpp"
#include "tests/support/catch.hpp"

namespace ninefold::testing {
namespace {

/// Of all rows, by counting: shares nothing with the array's own books.
std::set<std::tuple<int, int, int, int>> pairs_in(const std::vector<Combination>& rows) {
  std::set<std::tuple<int, int, int, int>> pairs;
  for (const Combination& row : rows) {
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) {
        pairs.insert({static_cast<int>(f), row[f], static_cast<int>(g), row[g]});
      }
    }
  }
  return pairs;
}

TEST_CASE("a covering array has every pair, in few rows", "[covering-array]") {
  const Factors factors({3, 3, 3, 3});
  const CoveringArray array(factors, 1);
  CHECK(pairs_in(array.rows()).size() == 6 * 9);
  CHECK(array.rows().size() <= 15);  // 9 is the best there is
  CHECK(array.rows() == CoveringArray(factors, 1).rows());
}

TEST_CASE("pairs that do not go together do not occur, nor do those that nothing completes",
          "[covering-array]") {
  Factors factors({2, 2, 2});
  factors.exclude(0, 1, [](int v, int w) { return v == 0 && w == 0; });
  factors.exclude(1, 2, [](int v, int w) { return v == 1 && w == 1; });
  // (0, -, 1) would need a value of the second factor, of which neither goes with both.
  const auto pairs = pairs_in(CoveringArray(factors, 1).rows());
  CHECK(pairs.size() == 12 - 3);
  CHECK(factors.possible_pairs().size() == 12 - 3);
  CHECK_FALSE(pairs.count({0, 0, 1, 0}));
  CHECK_FALSE(pairs.count({0, 0, 2, 1}));
}

TEST_CASE("the covering sample of solves has every pair of values that go together",
          "[covering-array]") {
  const Factors& factors = sample_factors();
  const std::vector<Combination>& samples = covering_samples();
  const auto pairs = pairs_in(samples);
  for (int f = 0; f < factors.count(); ++f) {
    for (int v = 0; v < factors.size(f); ++v) {
      for (int g = f + 1; g < factors.count(); ++g) {
        for (int w = 0; w < factors.size(g); ++w) {
          const bool possible = factors.can_complete(factors.friends(f, v) & factors.friends(g, w));
          CAPTURE(to_words(ValuePair{f, v, g, w}));
          CHECK(pairs.count({f, v, g, w}) == (possible ? 1 : 0));
        }
      }
    }
  }
  for (const Combination& sample : samples) {
    CAPTURE(to_words(sample));
    CHECK_NOTHROW(validate(configuration_of(sample).solver));
  }
  CHECK(samples.size() < 450);
}

}  // namespace
}  // namespace ninefold::testing
