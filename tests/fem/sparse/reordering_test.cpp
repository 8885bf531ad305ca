#include "fem/sparse/reordering.hpp"

#include <algorithm>
#include <numeric>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/properties.hpp>

#include "fem/sparse/generators.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

std::vector<std::int32_t> natural(int n) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Boost's reversed order.
std::vector<std::int32_t> boost_order(const SparsePattern& pattern) {
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                            boost::property<boost::vertex_color_t, boost::default_color_type,
                                            boost::property<boost::vertex_degree_t, int>>>;
  Graph graph(static_cast<std::size_t>(pattern.n_rows));
  for (int i = 0; i < pattern.n_rows; ++i) {
    for (const std::int32_t j : pattern.row(i)) {
      if (j < i) boost::add_edge(static_cast<std::size_t>(i), static_cast<std::size_t>(j), graph);
    }
  }
  std::vector<std::size_t> order(static_cast<std::size_t>(pattern.n_rows));
  boost::cuthill_mckee_ordering(graph, order.rbegin(), boost::get(boost::vertex_color, graph),
                                boost::make_degree_map(graph));
  return {order.begin(), order.end()};
}

}  // namespace

TEST_CASE("bandwidth and profile are those of their definitions", "[fem][sparse][reordering]") {
  const SparseMatrix A = assemble_sparse(
      5, 5, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 1, 1}, {4, 0, 1}, {3, 3, 1}}, true);
  CHECK(band_facts(A.pattern).bandwidth == 4);
  CHECK(band_facts(A.pattern).profile == 2 + 4);
  CHECK(band_facts(A.pattern, {0, 4, 1, 3, 2}).bandwidth == 1);
  CHECK(band_facts(A.pattern, {0, 4, 1, 3, 2}).profile == 2);
  CHECK_THROWS_AS(band_facts(A.pattern, {0, 4, 1, 3, 3}), std::invalid_argument);
  CHECK_THROWS_AS(band_facts(A.pattern, {0, 4, 1, 3}), std::invalid_argument);
}

TEST_CASE("a shuffled chain is put into order", "[fem][sparse][reordering]") {
  const int n = 101;
  std::vector<SparseEntry> entries;
  for (int k = 0; k < n; ++k) {
    const int node = 37 * k % n, next = 37 * (k + 1) % n;
    entries.push_back({node, node, 2});
    if (k + 1 < n) entries.push_back({std::max(node, next), std::min(node, next), -1});
  }
  const SparseMatrix A = assemble_sparse(n, n, entries, true);
  CHECK(band_facts(A.pattern).bandwidth > 30);
  const auto order = reverse_cuthill_mckee(A.pattern);
  CHECK(band_facts(A.pattern, order).bandwidth == 1);
  const SparseMatrix B = reordered(A, order);
  CHECK(band_facts(B.pattern).bandwidth == 1);
  CHECK(reordered(A.pattern, order) == B.pattern);
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) {
      REQUIRE(B(k, l) == A(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(l)]));
    }
  }
}

TEST_CASE("the order is as good as Boost's", "[fem][sparse][reordering]") {
  for (const char* name : {"laplace-3d-7", "triangles-shuffled", "elasticity-2d", "rows"}) {
    CAPTURE(name);
    GeneratorOptions options{.name = name, .size = 8};
    if (options.name == "triangles-shuffled") options.size = 40;
    if (options.name == "rows") options.size = 900, options.mean = 6, options.bandwidth = 40;
    const SparsePattern pattern = generate_sparse(options).pattern;
    const BandFacts ours = band_facts(pattern, reverse_cuthill_mckee(pattern));
    const BandFacts boosts = band_facts(pattern, boost_order(pattern));
    CHECK(static_cast<double>(ours.bandwidth) <= 1.1 * static_cast<double>(boosts.bandwidth));
    CHECK(static_cast<double>(ours.profile) <= 1.1 * static_cast<double>(boosts.profile));
  }
}

TEST_CASE("parts without connection, single rows and missing diagonals have an order",
          "[fem][sparse][reordering]") {
  const SparseMatrix A = assemble_sparse(7, 7, {{3, 0, 1}, {5, 0, 1}, {6, 1, 1}, {4, 4, 1}}, true);
  auto order = reverse_cuthill_mckee(A.pattern);
  CHECK(band_facts(A.pattern, order).bandwidth == 1);
  std::sort(order.begin(), order.end());
  CHECK(order == natural(7));
  CHECK(reverse_cuthill_mckee(assemble_sparse(3, 3, std::vector<SparseEntry>{}).pattern).size()
        == 3);
}

TEST_CASE("100 000 rows without neighbours take no time", "[fem][sparse][reordering]") {
  const int n = 100'000;
  CHECK(reverse_cuthill_mckee(assemble_sparse(n, n, std::vector<SparseEntry>{}).pattern).size()
        == static_cast<std::size_t>(n));
}

TEST_CASE("a pattern that is not symmetric is ordered with its transposed one",
          "[fem][sparse][reordering]") {
  const SparseMatrix one = assemble_sparse(5, 5, {{4, 0, 1}, {0, 2, 1}, {1, 2, 1}, {3, 1, 1}});
  const SparseMatrix both =
      assemble_sparse(5, 5, {{4, 0, 1}, {2, 0, 1}, {2, 1, 1}, {3, 1, 1}}, true);
  CHECK(reverse_cuthill_mckee(one.pattern) == reverse_cuthill_mckee(both.pattern));
  CHECK_THROWS_AS(reverse_cuthill_mckee(assemble_sparse(2, 3, {{0, 0, 1}}).pattern),
                  std::invalid_argument);
}
