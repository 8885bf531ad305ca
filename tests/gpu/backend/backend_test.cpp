#include "gpu/backend/backend.hpp"

#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/row_operations.hpp"

using namespace ninefold;

TEST_CASE("host memory is counted, zeroed and copied", "[gpu][backend]") {
  const Host on(1024);
  CHECK(on.allocated() == 1024);
  {
    const Array<Host, double> a(on, 1000), b(on, 1000);
    CHECK(on.allocated() == 1024 + 16000);
    std::vector<double> values(1000, 1.0);
    on.read(values.data(), a.data(), 8000);
    CHECK(values == std::vector<double>(1000, 0.0));
    std::iota(values.begin(), values.end(), 0.0);
    on.copy_in(a.data(), values.data(), 8000);
    on.copy_within(b.data(), a.data(), 8000);
    std::vector<double> back(1000);
    on.read(back.data(), b.data(), 8000);
    CHECK(back == values);
  }
  CHECK(on.allocated() == 1024);
  CHECK(on.peak() == 1024 + 16000);
}

TEST_CASE("an array can be moved, and frees its memory once", "[gpu][backend]") {
  const Host on(1024);
  {
    Array<Host, int> a(on, 10);
    Array<Host, int> b(std::move(a));
    a = Array<Host, int>(on, 20);
    CHECK(on.allocated() == 1024 + 120);
    b = std::move(a);
    CHECK(b.size() == 20);
  }
  CHECK(on.allocated() == 1024);
}

TEST_CASE("impossible amounts of memory are refused with the number", "[gpu][backend]") {
  const Host on(1024);
  CHECK_THROWS_WITH(on.allocate(std::size_t{1} << 60),
                    Catch::Matchers::Contains("1152921504606846976"));
}

TEST_CASE("views of different shapes are refused with both shapes", "[gpu][operations]") {
  const Host on;
  const NodeVector<Host, float> x(on, 5, 3), y(on, 3, 5);
  CHECK_THROWS_WITH(copy(on, x.view(), y.view()),
                    Catch::Matchers::Contains("5 x 3") && Catch::Matchers::Contains("3 x 5"));
}

TEST_CASE("recorded work on the host runs at each replay", "[gpu][graph]") {
  int runs = 0;
  const Recording<Host> recording(Host(1024), [&] { ++runs; });
  CHECK(runs == 0);
  recording.replay();
  recording.replay();
  CHECK(runs == 2);
}
