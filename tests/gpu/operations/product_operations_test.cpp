// Sums of products at the nodes of a grid: against 50 digits, on rows longer than a chunk of a sum.
#include "gpu/operations/product_operations.hpp"

#include <type_traits>
#include <vector>

#include "fem/discrete/load.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::loss;
using testing::NodeValues;
using testing::random_values;
using testing::Range;
using testing::stored;
using testing::to_exact;

template <class W>
std::vector<NodeProduct<W>> random_products(int terms, int nx, int ny) {
  std::vector<NodeProduct<W>> products;
  for (int k = 0; k < terms; ++k) {
    products.push_back({random_values<W>(std::size_t(nx), 2 * unsigned(k) + 1, Range::tame),
                        random_values<W>(std::size_t(ny), 2 * unsigned(k) + 2, Range::tame)});
  }
  return products;
}

}  // namespace

TEMPLATE_TEST_CASE("sums of products are right to the roundoffs of products and sums",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const testing::InFormat<TestType> format;
  using T = typename testing::InFormat<TestType>::T;
  using W = Assembly<T>;
  const Host on;
  const int nx = 1200, ny = 5, terms = GENERATE(0, 1, 3);
  const Box box{1, nx, 0, ny - 1};
  const auto products = random_products<W>(terms, nx, ny);
  const ProductTables<Host, W> tables(on, 3, nx, ny);
  NodeValues<T> b(nx, ny, T(7));
  const NodeValues<T> before = b;
  const int exponent = GENERATE(0, -5);
  set_products<Host, T>(on, box, tables.fill(on, products), PowerOfTwo(exponent), b.view());
  REQUIRE(b.differs_only_in(box, before));
  const Load<W> load(box, products);
  const Exact scale = to_exact(std::ldexp(1.0, exponent)), u(unit_roundoff<W>());
  int beyond = 0;
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      Exact sum = 0, size = 0;
      for (const NodeProduct<W>& term : products) {
        const Exact product =
            to_exact(term.x[std::size_t(i)]) * to_exact(term.y[std::size_t(j)]) * scale;
        sum += product;
        size += abs(product);
      }
      Exact error = Exact(loss<W>.product + terms * loss<W>.sum + 1) * u * size;
      // Rounded to the format that T is computed in: once, a pair is cut.
      if (!std::is_same_v<Arithmetic<T>, W>) {
        error += Exact(2 * unit_roundoff<Arithmetic<T>>()) * (abs(sum) + error);
      }
      beyond += abs(Exact(b.exact(i, j) - sum)) > stored<T>(sum, error);
      // What the host knows of a load are the same numbers.
      beyond +=
          !testing::same_bits(b(i, j), static_cast<T>(PowerOfTwo(exponent).times(load.at(i, j))));
    }
  }
  REQUIRE(beyond == 0);
}

TEST_CASE("products that cancel leave nothing", "[gpu][operations]") {
  const std::vector<double> x{0.1, 1.0 / 3, 7e-9}, minus{-0.1, -1.0 / 3, -7e-9}, y{0.7, 1e5, 0.3};
  const Load<double> load(Box{0, 3, 0, 3}, {{x, y}, {minus, y}});
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) REQUIRE(load.at(i, j) == 0);
  }
}

TEST_CASE("tables take the products that they are made for", "[gpu][operations]") {
  const Host on;
  const ProductTables<Host, double> tables(on, 2, 3, 3);
  REQUIRE_THROWS_AS(tables.fill(on, random_products<double>(3, 3, 3)), std::invalid_argument);
  REQUIRE_THROWS_AS(tables.fill(on, random_products<double>(1, 4, 3)), std::invalid_argument);
  REQUIRE(tables.fill(on, random_products<double>(2, 3, 3)).terms == 2);
}

// Bits: what several rows and columns share is read once, and nothing else is different.
TEMPLATE_TEST_CASE("several columns of several rows have the sums of each", "[gpu][operations]",
                   double, DoubleDouble) {
  const Host on;
  constexpr int m = 2, n = 3, nx = 40, ny = 7;
  const int terms = GENERATE(0, 1, 4);
  const ProductTables<Host, TestType> tables(on, 4, nx, ny);
  const Products<TestType> sums = tables.fill(on, random_products<TestType>(terms, nx, ny));
  for (int j = 0; j + m <= ny; ++j) {
    for (int i = 0; i + n <= nx; i += n) {
      TestType values[m][n];
      sums.at_rows(i, j, values);
      for (int r = 0; r < m; ++r) {
        for (int c = 0; c < n; ++c) {
          CHECK(testing::same_bits(values[r][c], sums.at(i + c, j + r)));
        }
      }
    }
  }
}

}  // namespace ninefold
