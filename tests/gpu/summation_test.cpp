#include "gpu/summation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "gpu/operations.hpp"
#include "gpu/vector.hpp"

#include "tests/support/exact.hpp"

using namespace ninefold;
using ninefold::testing::Range;

namespace {

/// One chunk by the definition, written anew: lanes, then the halving tree.
template <class T>
T chunk_by_definition(const std::vector<T>& values, std::size_t first, std::size_t count) {
  std::vector<T> lane(256, T(0));
  for (std::size_t k = 0; k < count; ++k) {
    lane[k % 256] = k < 256 ? values[first + k] : lane[k % 256] + values[first + k];
  }
  for (std::size_t half = 128; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
  }
  return lane[0];
}

template <class T>
T sum_by_definition(const std::vector<T>& values, std::size_t row_length) {
  std::vector<T> partial;
  for (std::size_t row = 0; row < values.size(); row += row_length) {
    for (std::size_t k = 0; k < row_length; k += 1024) {
      partial.push_back(
          chunk_by_definition(values, row + k, std::min<std::size_t>(1024, row_length - k)));
    }
  }
  while (partial.size() > 1) {
    std::vector<T> next;
    for (std::size_t k = 0; k < partial.size(); k += 4096) {
      next.push_back(
          chunk_by_definition(partial, k, std::min<std::size_t>(4096, partial.size() - k)));
    }
    partial = next;
  }
  return partial[0];
}

}  // namespace

TEMPLATE_TEST_CASE("sums are taken in the stated order and within the stated bound",
                   "[gpu][summation]", float, double) {
  const Host on;
  for (const auto& [nx, ny] : {std::pair{1, 1},
                               {3, 2},
                               {255, 3},
                               {256, 3},
                               {257, 3},
                               {1023, 5},
                               {1024, 5},
                               {1025, 5},
                               {4097, 7},
                               {2, 4999}}) {
    CAPTURE(nx, ny);
    const std::size_t n = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    const auto values = ninefold::testing::random_values<TestType>(n, 11, Range{});
    const NodeVector<Host, TestType> x(on, nx, ny), ones(on, nx, ny);
    const Array<Host, TestType> result(on, 1);
    on.copy_in(x.view().data, values.data(), n * sizeof(TestType));
    for (std::size_t k = 0; k < n; ++k) ones.view().data[k] = TestType(1);
    dot(on, Box{0, nx, 0, ny}, x.view(), ones.view(), result.data());
    CHECK(*result.data() == sum_by_definition(values, static_cast<std::size_t>(nx)));

    Exact exact = 0, magnitude = 0;
    for (const TestType value : values) {
      exact += Exact(value);
      magnitude += abs(Exact(value));
    }
    CHECK(abs(Exact(*result.data()) - exact)
          <= 57 * Exact(Format<TestType>::unit_roundoff) * magnitude);
  }
}

TEST_CASE("a sum that outgrows the scratch is refused", "[gpu][summation]") {
  const Host on(sum_scratch_bytes(3, 3));
  const NodeVector<Host, double> x(on, 2049, 9);
  const Array<Host, double> result(on, 1);
  CHECK_THROWS_AS(dot(on, Box{0, 2049, 0, 9}, x.view(), x.view(), result.data()),
                  std::invalid_argument);
}

TEST_CASE("a sum over no nodes, or over nodes that are not there, is refused", "[gpu][summation]") {
  const Host on;
  const NodeVector<Host, double> x(on, 5, 5);
  const Array<Host, double> result(on, 1);
  for (const Box& box : {Box{2, 2, 0, 5}, Box{0, 6, 0, 5}, Box{0, 5, -1, 5}}) {
    CHECK_THROWS_AS(dot(on, box, x.view(), x.view(), result.data()), std::invalid_argument);
  }
}

TEMPLATE_TEST_CASE("an iteration after the end changes no bit", "[gpu][operations]", float,
                   double) {
  const Host on;
  const NodeVector<Host, TestType> x(on, 3, 3), r(on, 3, 3), p(on, 3, 3), q(on, 3, 3);
  const Array<Host, CgState<TestType>> state(on, 1);
  for (int k = 0; k < 9; ++k) {
    x.view().data[k] = TestType(-0.0);
    r.view().data[k] = TestType(-0.0);
    p.view().data[k] = q.view().data[k] = std::numeric_limits<TestType>::infinity();
  }
  cg_update(on, Box{0, 3, 0, 3}, p.view(), q.view(), x.view(), r.view(), state.data());
  for (int k = 0; k < 9; ++k) {
    CHECK(std::signbit(x.view().data[k]));
    CHECK(x.view().data[k] == 0);
    CHECK(std::signbit(r.view().data[k]));
  }
}
