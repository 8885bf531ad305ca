// The operations on vectors and with the matrix on Host, against 50 digits, with the componentwise
// bounds that tests/README.md derives; and that they write to their box only.
#include "gpu/operations.hpp"

#include <cmath>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "tests/support/bound.hpp"
#include "tests/support/operation_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;
using testing::Sample;
using testing::Signs;
using testing::sum_roundoffs;
using testing::within;
using testing::Worst;

TEMPLATE_TEST_CASE("set_zero and copy reach every node and nothing else", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  copy(Host(), s.x.view(), s.y.view());
  for (int k = 0; k < s.c.nx * s.c.ny; ++k) REQUIRE(s.y.read().data[k] == s.x.read().data[k]);
  REQUIRE(s.y.differs_only_in({0, s.c.nx, 0, s.c.ny}, before));
  set_zero(Host(), s.y.view());
  for (int k = 0; k < s.c.nx * s.c.ny; ++k) REQUIRE(s.y.read().data[k] == 0);
  REQUIRE(s.y.differs_only_in({0, s.c.nx, 0, s.c.ny}, before));
}

TEMPLATE_TEST_CASE("dot is the sum over its box to the roundings of the summation tree",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact term = s.x.exact(i, j) * s.b.exact(i, j);
    exact += term;
    magnitude += abs(term);
  });
  TestType result = -77;
  dot(Host(), s.box, s.x.view(), s.b.view(), &result);
  REQUIRE(within(result, exact, sum_roundoffs, magnitude));
}

TEMPLATE_TEST_CASE("dot adds rows of more than one chunk and more rows than one chunk",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  const auto [nx, ny] = GENERATE(std::array{4099, 3}, std::array{3, 4201}, std::array{8193, 2});
  CAPTURE(nx, ny);
  const NodeValues<TestType> x(nx, ny, 5, Range::tame), y(nx, ny, 6, Range::hurtful);
  Exact exact = 0, magnitude = 0;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const Exact term = x.exact(i, j) * y.exact(i, j);
      exact += term;
      magnitude += abs(term);
    }
  }
  TestType result = -77;
  dot(Host(), Box{0, nx, 0, ny}, x.read(), y.read(), &result);
  REQUIRE(within(result, exact, sum_roundoffs + 23, magnitude));
}

TEMPLATE_TEST_CASE("xpby is exact up to its one rounding", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  const TestType beta = TestType(-0.7);
  xpby(Host(), s.box, &beta, s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = s.x.exact(i, j) + Exact(beta) * before.exact(i, j);
    worst.add(within(s.y(i, j), exact, 1, exact), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("product is A x to the roundings of a row", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  product(Host(), s.A.view(), s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const auto row = s.A.row(s.x, i, j);
    worst.add(within(s.y(i, j), row.value, s.row_roundoffs(), row.magnitude), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("product_dot is the product and its inner product with x", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  NodeValues<TestType> alone = s.y;
  const NodeValues<TestType> before = s.y;
  product(Host(), s.A.view(), s.x.view(), alone.view());
  TestType result = -77;
  product_dot(Host(), s.A.view(), s.x.view(), s.y.view(), &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    REQUIRE(s.y(i, j) == alone(i, j));
    const auto row = s.A.row(s.x, i, j);
    exact += s.x.exact(i, j) * row.value;
    magnitude += abs(s.x.exact(i, j)) * row.magnitude;
  });
  REQUIRE(within(result, exact, s.row_roundoffs() + sum_roundoffs, magnitude));
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("residual is b - A x to the roundings of a row and one more",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  residual(Host(), s.A.view(), s.b.view(), s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    worst.add(within(s.y(i, j), s.residual(i, j), s.row_roundoffs() + 1, s.size(i, j)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("residual_square is the square of the residual's norm", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  TestType result = -77;
  residual_square(Host(), s.A.view(), s.b.view(), s.x.view(), &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact r = s.residual(i, j);
    exact += r * r;
    // A residual's error counts twice, the sum's roundings once.
    magnitude += (2 * (s.row_roundoffs() + 1) * abs(r) * s.size(i, j) + sum_roundoffs * r * r);
  });
  REQUIRE(within(result, exact, 1.01, magnitude));
}

TEMPLATE_TEST_CASE("rounding_scale is the square of the norm of |A||x| + |b|", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  TestType result = -77;
  rounding_scale(Host(), s.A.view(), s.b.view(), s.x.view(), &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    Exact sum = abs(s.b.exact(i, j));
    for (int t = -1; t <= 1; ++t) {
      for (int k = -1; k <= 1; ++k) {
        if (s.A.inside(i + k, j + t)) {
          sum += abs(s.A.entry(i, j, k, t)) * abs(s.x.exact(i + k, j + t));
        }
      }
    }
    exact += sum * sum;
    // 10 roundings in the sum, 4 of a computed diagonal measured by its terms.
    const Exact diagonal =
        s.difference() ? Exact(4 * s.A.diagonal_magnitude(i, j) * abs(s.x.exact(i, j))) : Exact(0);
    magnitude += 2 * sum * (11 * sum + diagonal) + sum_roundoffs * sum * sum;
  });
  REQUIRE(within(result, exact, 1.01, magnitude));
}

TEMPLATE_TEST_CASE("jacobi_step is x + omega (b - A x) / diagonal", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s(Signs::dominant);
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  const TestType omega = TestType(0.8);
  jacobi_step(Host(), s.A.view(), s.b.view(), omega, s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact d = s.A.entry(i, j, 0, 0), r = s.residual(i, j), w(omega);
    const Exact exact = s.x.exact(i, j) + w * r / d;
    // The residual's error, 1 for the quotient, 4 of a computed diagonal, 1 for the last step.
    const Exact magnitude =
        abs(Exact(w / d))
            * ((s.row_roundoffs() + 1) * s.size(i, j) + (s.difference() ? 6 : 2) * abs(r))
        + abs(exact);
    worst.add(within(s.y(i, j), exact, 1.01, magnitude), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("jacobi_start is the Jacobi step from zero", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s(Signs::dominant);
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  const TestType omega = TestType(0.8);
  jacobi_start(Host(), s.A.view(), s.b.view(), omega, s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = Exact(omega) * s.b.exact(i, j) / s.A.entry(i, j, 0, 0);
    worst.add(within(s.y(i, j), exact, s.difference() ? 7 : 3, exact), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEST_CASE("operations refuse views of different shapes and name them", "[gpu][operations]") {
  using Catch::Matchers::Contains;
  const Host on;
  const Box box{1, 4, 1, 4};
  const RandomMatrix<double> A(5, 5, OperatorForm::plain, box, 1, Range::tame);
  NodeValues<double> a(5, 5), other(5, 3);
  double result = 0;
  CgState<double> state{};
  const auto five = a.view(), three = other.view();
  REQUIRE_THROWS_WITH(product(on, A.view(), five, three),
                      Contains("product") && Contains("5 x 3") && Contains("5 x 5"));
  REQUIRE_THROWS_AS(product(on, A.view(), three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(product_dot(on, A.view(), three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(residual(on, A.view(), three, five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(residual(on, A.view(), five, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(residual_square(on, A.view(), three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(rounding_scale(on, A.view(), three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(jacobi_step(on, A.view(), five, 0.8, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(jacobi_start(on, A.view(), three, 0.8, five), std::invalid_argument);
  REQUIRE_THROWS_AS(copy(on, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(dot(on, box, three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(xpby(on, box, &result, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(solve_coarsest(on, A.view(), five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(cg_update(on, box, three, five, five, five, &state), std::invalid_argument);
  const Transfer<double> none{nullptr, nullptr};
  REQUIRE_THROWS_AS(restrict_residual(on, box, box, none, five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(add_prolongated(on, box, none, five, five), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
