#include "experiments/support/comparison.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Whether the one value agrees that `compare` adds.
template <class F>
bool agrees(F compare) {
  Comparison comparison("test");
  compare(comparison);
  REQUIRE(comparison.values().size() == 1);
  return comparison.values().front().agrees;
}

}  // namespace

TEST_CASE("half a unit belongs to the decade of the value", "[experiments][comparison]") {
  REQUIRE(half_unit(2.620777584e-8, 5) == Approx(0.5e-12).epsilon(1e-12));
  REQUIRE(half_unit(-9.99e-4, 1) == Approx(0.5e-4).epsilon(1e-12));
  REQUIRE(half_unit(1.0, 1) == Approx(0.5).epsilon(1e-12));
  REQUIRE(half_unit(1e-10, 3) == Approx(0.5e-12).epsilon(1e-12));
  REQUIRE(half_unit(1.7387e-34, 5) == Approx(0.5e-38).epsilon(1e-12));
  REQUIRE(half_unit(4321.0, 4) == Approx(0.5).epsilon(1e-12));
}

TEST_CASE("values share the digits up to half a unit", "[experiments][comparison]") {
  REQUIRE(shared_digits(2.607000747e-5, 2.607000747e-5) == 10);
  REQUIRE(shared_digits(2.620376988e-8, 2.620777584e-8) == 4);
  REQUIRE(shared_digits(4.181054014e-7, 4.181056693e-7) == 6);
  REQUIRE(shared_digits(1.0, 2.0) == 0);
  REQUIRE(shared_digits(1.0, 1.0, 3) == 3);
  REQUIRE(shared_digits(1.0, not_a_number) == 0);
}

TEST_CASE("counts agree when equal, or within the margin", "[experiments][comparison]") {
  const auto count = [](int expected, int ours, int margin) {
    return agrees([=](Comparison& c) { c.count("n", Source::paper, expected, ours, margin); });
  };
  REQUIRE(count(8, 8, 0));
  REQUIRE_FALSE(count(8, 7, 0));
  REQUIRE(count(8, 7, 1));
  REQUIRE(count(8, 9, 1));
  REQUIRE_FALSE(count(8, 10, 1));
}

TEST_CASE("counts agree within a share of the expected one where that is more than the margin",
          "[experiments][comparison]") {
  const auto share = [](int expected, int ours) {
    Comparison comparison("test");
    comparison.share("n", Source::paper, expected, ours, 1, 0.25);
    const ComparedValue& value = comparison.values().at(0);
    return value.rule + (value.agrees ? "" : ": NO");
  };
  CHECK(share(4, 5) == "within 1");
  CHECK(share(4, 6) == "within 1: NO");
  CHECK(share(68, 85) == "within 25 %");
  CHECK(share(68, 86) == "within 25 %: NO");
}

TEST_CASE("what is left out is no compared value, and has a reason", "[experiments][comparison]") {
  Comparison comparison("test");
  comparison.begin_row("row", 9);
  comparison.leave_out("inner", std::int64_t{763}, 743.5, "it is a misprint");
  CHECK(comparison.values().empty());
  CHECK(comparison.verdict().empty());
  CHECK(left_out_table({comparison}).to_csv()
        == "table,row,level,quantity,expected,ours,reason\n"
           "test,row,9,inner,763,743.5,it is a misprint\n");
}

TEST_CASE("numbers agree within the stated part of the expected one", "[experiments][comparison]") {
  const auto relative = [](double expected, double ours) {
    return agrees([=](Comparison& c) { c.relative("n", Source::paper, expected, ours, 0.01); });
  };
  REQUIRE(relative(1568, 1583));
  REQUIRE_FALSE(relative(1568, 1584));
  REQUIRE(relative(-2e-34, -1.99e-34));
  REQUIRE_FALSE(relative(2e-34, 1.97e-34));
  REQUIRE_FALSE(relative(1, not_a_number));
  REQUIRE_FALSE(relative(1, std::numeric_limits<double>::infinity()));
}

TEST_CASE("digits agree up to half a unit of the last one", "[experiments][comparison]") {
  const auto digits = [](double expected, double ours) {
    return agrees([=](Comparison& c) { c.digits("n", Source::exact, expected, ours, 5); });
  };
  REQUIRE(digits(2.620777584e-8, 2.620786419e-8));
  REQUIRE_FALSE(digits(2.620777584e-8, 2.620418257e-8));
  REQUIRE(digits(1.2344e-5, 1.23444e-5));
  REQUIRE_FALSE(digits(1.2344e-5, 1.23446e-5));
  REQUIRE_FALSE(digits(1, not_a_number));
}

TEST_CASE("a statement about what is not a number does not agree", "[experiments][comparison]") {
  const auto statement = [](double ours, bool holds) {
    return agrees([=](Comparison& c) { c.statement("n", Source::paper, "rises", ours, holds); });
  };
  REQUIRE(statement(1, true));
  REQUIRE_FALSE(statement(1, false));
  REQUIRE_FALSE(statement(not_a_number, true));
}

TEST_CASE("the verdict of a row names what disagrees in it", "[experiments][comparison]") {
  Comparison comparison("table 0");
  comparison.begin_row("A", 5);
  REQUIRE(comparison.verdict().empty());
  comparison.count("cycles", Source::paper, 8, 9);
  comparison.count("steps", Source::paper, 8, 8);
  comparison.relative("error", Source::exact, 1, 2, 0.1);
  REQUIRE(comparison.verdict() == "NO: cycles, error");
  comparison.begin_row("A", 6);
  comparison.count("cycles", Source::paper, 8, 8);
  REQUIRE(comparison.verdict() == "yes");
  REQUIRE_FALSE(comparison.all_agree());
  REQUIRE(comparison.summary() == "summary: table 0: 2 of 4 values agree");
}

TEST_CASE("the table of comparisons holds every value with its rule", "[experiments][comparison]") {
  Comparison first("one"), second("two");
  first.begin_row("A CG", 5);
  first.count("iterations", Source::paper, 42, 42);
  second.begin_row("B CG", 8);
  second.relative("iterations", Source::paper, 859, 900, 0.01);
  second.digits("error", Source::exact, 1.25e-8, 1.25e-8, 5);
  second.statement("reduction", Source::paper, "below 1", 0.5, true);
  REQUIRE(comparison_table({first, second}).to_csv()
          == "table,row,level,quantity,source,expected,ours,rule,agrees\n"
             "one,A CG,5,iterations,paper,42,42,equal,yes\n"
             "two,B CG,8,iterations,paper,859,900,within 1 %,NO\n"
             "two,B CG,8,error,exact,1.25e-08,1.25e-08,5 digits,yes\n"
             "two,B CG,8,reduction,paper,below 1,0.5,holds,yes\n");
}
