#include "gpu/backend/summation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/cg_operations.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/put.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::loss;
using testing::same_bits;
using testing::to_exact;
using testing::within;

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

TEMPLATE_TEST_CASE("sums are taken in the stated order and within the stated bound",
                   "[gpu][summation]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
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
    const auto stored = testing::random_values<T>(n, 11);
    // Sums are taken in the format that is computed in.
    const std::vector<Arithmetic<T>> values(stored.begin(), stored.end());
    const NodeVector<Host, T> x(on, nx, ny), ones(on, nx, ny);
    const Array<Host, Arithmetic<T>> result(on, 1);
    testing::put(on, stored, x.view());
    testing::put(on, std::vector<T>(n, T(1)), ones.view());
    dot<Host, T>(on, Box{0, nx, 0, ny}, x.view(), ones.view(), result.data());
    const Arithmetic<T> expected = sum_by_definition(values, static_cast<std::size_t>(nx));
    CHECK(same_bits(*result.data(), expected));

    Exact exact = 0, magnitude = 0;
    for (const T& value : stored) {
      exact += to_exact(value);
      magnitude += abs(to_exact(value));
    }
    CHECK(within(*result.data(), exact, 57 * loss<T>.sum, magnitude));
  }
}

/// Rows in pieces, the later ones first, and no row twice.
std::vector<std::vector<std::pair<int, int>>> divisions(int rows) {
  std::vector<std::vector<std::pair<int, int>>> result;
  if (rows >= 2) result.push_back({{rows / 2, rows}, {0, rows / 2}});
  if (rows >= 3) result.push_back({{rows - 1, rows}, {0, 1}, {1, rows - 1}});
  return result;
}

TEMPLATE_TEST_CASE("a sum of rows in pieces has the bits of the whole", "[gpu][summation]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  const Host on;
  for (const auto& [nx, ny] : {std::pair{5, 2}, {257, 3}, {1027, 5}, {4, 4999}}) {
    const NodeVector<Host, T> x(on, nx, ny), y(on, nx, ny);
    const std::size_t n = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    testing::put(on, testing::random_values<T>(n, 11), x.view());
    testing::put(on, testing::random_values<T>(n, 12), y.view());
    const Box box{1, nx - 1, 0, ny};
    const Array<Host, C> whole(on, 1), parts(on, 1);
    dot<Host, T>(on, box, x.view(), y.view(), whole.data());
    for (const auto& division : divisions(ny)) {
      CAPTURE(nx, ny, division.size());
      std::fill_n(static_cast<C*>(on.scratch()), sum_partials(nx, ny), C(NAN));
      for (const auto& [first, last] : division) {
        dot_rows<Host, T>(on, box, x.view(), y.view(), first, last);
      }
      finish_sum(on, box, parts.data());
      CHECK(same_bits(*parts.data(), *whole.data()));
    }
  }
}

TEST_CASE("rows that a box does not have are refused", "[gpu][summation]") {
  const Host on;
  const NodeVector<Host, double> x(on, 5, 5);
  const Box box{1, 4, 1, 4};
  for (const auto& [first, last] : {std::pair{-1, 2}, {0, 4}, {2, 2}, {3, 1}}) {
    CHECK_THROWS_AS((dot_rows<Host, double>(on, box, x.view(), x.view(), first, last)),
                    std::invalid_argument);
  }
}

TEMPLATE_TEST_CASE("the scratch of a grid suffices for sums in every format", "[gpu][summation]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  for (const auto& [nx, ny] : {std::pair{3, 3}, {1025, 3}, {3, 4097}}) {
    const Host on(sum_scratch_bytes(nx, ny));
    const NodeVector<Host, T> x(on, nx, ny);
    const Array<Host, Arithmetic<T>> result(on, 1);
    CHECK_NOTHROW(dot<Host, T>(on, Box{0, nx, 0, ny}, x.view(), x.view(), result.data()));
  }
}

TEST_CASE("a sum that outgrows the scratch is refused", "[gpu][summation]") {
  const Host on(sum_scratch_bytes(3, 3));
  const NodeVector<Host, double> x(on, 2049, 9);
  const Array<Host, double> result(on, 1);
  CHECK_THROWS_AS((dot<Host, double>(on, Box{0, 2049, 0, 9}, x.view(), x.view(), result.data())),
                  std::invalid_argument);
}

TEST_CASE("a sum over no nodes, or over nodes that are not there, is refused", "[gpu][summation]") {
  const Host on;
  const NodeVector<Host, double> x(on, 5, 5);
  const Array<Host, double> result(on, 1);
  for (const Box& box : {Box{2, 2, 0, 5}, Box{0, 6, 0, 5}, Box{0, 5, -1, 5}}) {
    CHECK_THROWS_AS((dot<Host, double>(on, box, x.view(), x.view(), result.data())),
                    std::invalid_argument);
  }
}

TEMPLATE_TEST_CASE("an iteration after the end changes no bit", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  const NodeVector<Host, T> x(on, 3, 3), r(on, 3, 3), p(on, 3, 3), q(on, 3, 3);
  const Array<Host, CgState<Arithmetic<T>>> state(on, 1);
  for (const auto& v : {x.view(), r.view()}) testing::put(on, std::vector<T>(9, T(-0.0)), v);
  for (const auto& v : {p.view(), q.view()}) testing::put(on, std::vector<T>(9, T(INFINITY)), v);
  cg_update(on, Box{0, 3, 0, 3}, p.view(), q.view(), x.view(), r.view(), state.data());
  for (int k = 0; k < 9; ++k) {
    CHECK(same_bits(x.view()(k % 3, k / 3), T(-0.0)));
    CHECK(same_bits(r.view()(k % 3, k / 3), T(-0.0)));
  }
}

}  // namespace
}  // namespace ninefold
