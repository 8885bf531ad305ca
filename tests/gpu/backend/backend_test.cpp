#include "gpu/backend/backend.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/row_operations.hpp"

#include "tests/support/catch.hpp"

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

TEST_CASE("a host that counts holds what was asked of it, and does no work", "[gpu][backend]") {
  const Host on(CountedMemory::host, 1024);
  REQUIRE(on.only_counts());
  CHECK_FALSE(on.has_device_memory());
  CHECK(Host(CountedMemory::device, 1024).has_device_memory());
  constexpr int n = 32769;  // 64 GiB in all, which the process does not get
  {
    const NodeVector<Host, double> x(on, n, n), y(on, n, n);
    const std::size_t vector = NodeVector<Host, double>::storage(n, n) * sizeof(double);
    CHECK(on.allocated() == 1024 + 2 * vector);
    const Array<Host, double> sum(on, std::vector<double>{7.0});
    copy(on, x.view(), y.view());
    set_zero(on, y.view());
    CHECK(read_value(on, sum.data()) == 0);
    CHECK(on.peak() == 1024 + 2 * vector + sizeof(double));
  }
  CHECK(on.allocated() == 1024);
}

TEST_CASE("the sums of a host that counts ask for the scratch that real ones need",
          "[gpu][backend]") {
  const Host small(CountedMemory::host, 16), enough(CountedMemory::host, sum_scratch_bytes(65, 65));
  const NodeVector<Host, double> x(enough, 65, 65);
  const Array<Host, double> sum(enough, 1);
  const Box all{0, 65, 0, 65};
  CHECK_THROWS_AS((dot<Host, double>(small, all, x.view(), x.view(), sum.data())),
                  std::invalid_argument);
  CHECK_NOTHROW((dot<Host, double>(enough, all, x.view(), x.view(), sum.data())));
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
                    Catch::Matchers::ContainsSubstring("1152921504606846976"));
}

TEST_CASE("views of different shapes are refused with both shapes", "[gpu][operations]") {
  const Host on;
  const NodeVector<Host, float> x(on, 5, 3), y(on, 3, 5);
  CHECK_THROWS_WITH(
      copy(on, x.view(), y.view()),
      Catch::Matchers::ContainsSubstring("5 x 3") && Catch::Matchers::ContainsSubstring("3 x 5"));
}

TEST_CASE("recorded work on the host runs at each replay", "[gpu][graph]") {
  int runs = 0;
  const Recording<Host> recording(Host(1024), [&] { ++runs; });
  CHECK(runs == 0);
  recording.replay();
  recording.replay();
  CHECK(runs == 2);
}
