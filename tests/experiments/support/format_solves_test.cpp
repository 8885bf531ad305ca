#include "experiments/support/format_solves.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Approx;

TEST_CASE("solves in all formats: what they share with hardware, and the bits that levels need",
          "[experiments][format-solves]") {
  const TemporaryDirectory folder;
  const FormatSolves solves({3, 4}, folder.path());
  REQUIRE(solves.results().runs.size() == 4 * (43 + 3));
  for (const SolveWay& way : solve_ways()) {
    CAPTURE(way.name);
    for (const int level : {3, 4}) {
      const LevelResult &in_double = solves.at(way, Precision::double_, level),
                        &soft = solves.at(way, Precision::soft(52, 11), level);
      REQUIRE(soft.level == level);
      REQUIRE(soft.iterations == in_double.iterations);
      REQUIRE(soft.error_rms == in_double.error_rms);
      REQUIRE(solves.over_exact(way, Precision::double_, level) == Approx(1).epsilon(1e-8));
      const int needed = solves.needed_bits(way, level).value();
      for (int bits = needed; bits <= FormatSolves::most_bits; ++bits) {
        REQUIRE(solves.suffices(way, bits, level));
      }
      if (needed > FormatSolves::least_bits) {
        REQUIRE_FALSE(solves.suffices(way, needed - 1, level));
      }
    }
  }
  // Four bits a level in plain form: level 4 needs more than the least, in difference form fewer.
  REQUIRE(solves.needed_bits(solve_ways()[2], 4) > solves.needed_bits(solve_ways()[3], 4));
  REQUIRE_THROWS_AS(solves.at(solve_ways()[0], Precision::double_, 5), std::logic_error);
  REQUIRE_THROWS_AS(solves.at(solve_ways()[0], Precision::half, 3), std::logic_error);
  REQUIRE(folder.entries()
          == std::vector<std::string>{"report.html", "results.csv", "results.json", "results.md",
                                      "results.tex"});
}
