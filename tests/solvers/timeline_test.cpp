#include "solvers/timeline.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

TEST_CASE("parts of a time that come again add up", "[solvers][timeline]") {
  const Clock::time_point start;
  const auto after = [&](int milliseconds) {
    return start + std::chrono::milliseconds(milliseconds);
  };
  Timeline timeline;
  timeline.resume(start);
  timeline.mark(part::data, after(3));
  timeline.mark(part::matrix, after(5));
  timeline.resume(after(100));  // what lies between is nobody's
  timeline.mark(part::data, after(101));
  timeline.mark(part::iteration, after(109));
  REQUIRE(timeline.parts().size() == 3);
  CHECK(timeline.parts()[0].name == part::data);
  CHECK(timeline.parts()[0].seconds == Approx(0.004));
  CHECK(timeline.parts()[1].seconds == Approx(0.002));
  CHECK(timeline.parts()[2].name == part::iteration);
  CHECK(timeline.parts()[2].seconds == Approx(0.008));
}

}  // namespace
}  // namespace ninefold
