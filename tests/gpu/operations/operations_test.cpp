// The operations on vectors and with the matrix on Host, against 50 digits, with the componentwise
// bounds that tests/README.md derives; and that they write to their box only.
#include <cmath>
#include <stdexcept>

#include "gpu/operations/cg_operations.hpp"
#include "gpu/operations/row_operations.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/operation_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::fused_error;
using testing::InFormat;
using testing::loss;
using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;
using testing::same_bits;
using testing::Sample;
using testing::Signs;
using testing::sum_roundoffs;
using testing::to_exact;
using testing::within;
using testing::within_error;
using testing::Worst;

TEMPLATE_TEST_CASE("set_zero and copy reach every node and nothing else", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<T> before = s.y;
  copy(Host(), s.x.view(), s.y.view());
  for (int k = 0; k < s.c.nx * s.c.ny; ++k)
    REQUIRE(same_bits(s.y.read().data[k], s.x.read().data[k]));
  REQUIRE(s.y.differs_only_in({0, s.c.nx, 0, s.c.ny}, before));
  set_zero(Host(), s.y.view());
  for (int k = 0; k < s.c.nx * s.c.ny; ++k) REQUIRE(same_bits(s.y.read().data[k], T(0)));
  REQUIRE(s.y.differs_only_in({0, s.c.nx, 0, s.c.ny}, before));
}

TEMPLATE_TEST_CASE("dot is the sum over its box to the roundings of the summation tree",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact term = s.x.exact(i, j) * s.b.exact(i, j);
    exact += term;
    magnitude += abs(term);
  });
  Arithmetic<T> result(-77);
  dot<Host, T>(Host(), s.box, s.x.view(), s.b.view(), &result);
  REQUIRE(within(result, exact, sum_roundoffs<T>, magnitude));
}

TEMPLATE_TEST_CASE("dot adds rows of more than one chunk and more rows than one chunk",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const auto [nx, ny] = GENERATE(std::array{4099, 3}, std::array{3, 4201}, std::array{8193, 2});
  CAPTURE(nx, ny);
  const NodeValues<T> x(nx, ny, 5, Range::tame), y(nx, ny, 6, Range::hurtful);
  Exact exact = 0, magnitude = 0;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const Exact term = x.exact(i, j) * y.exact(i, j);
      exact += term;
      magnitude += abs(term);
    }
  }
  Arithmetic<T> result(-77);
  dot<Host, T>(Host(), Box{0, nx, 0, ny}, x.read(), y.read(), &result);
  REQUIRE(within(result, exact, sum_roundoffs<T> + 23 * loss<T>.sum, magnitude));
}

TEMPLATE_TEST_CASE("xpby is exact up to one fused step", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<T> before = s.y;
  const Arithmetic<T> beta = Arithmetic<T>(-7) / Arithmetic<T>(10);
  xpby(Host(), s.box, &beta, s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact product = to_exact(beta) * before.exact(i, j);
    const Exact exact = s.x.exact(i, j) + product;
    worst.add(within_error(s.y(i, j), exact, fused_error<T>(product, exact)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("product is A x to the roundings of a row", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<T> before = s.y;
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
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  NodeValues<T> alone = s.y;
  product(Host(), s.A.view(), s.x.view(), alone.view());
  Arithmetic<T> result(-77);
  product_dot(Host(), s.A.view(), s.x.view(), s.y.view(), &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    // As it is stored, hence rounded in storage formats.
    const Exact term = s.x.exact(i, j) * s.y.exact(i, j);
    exact += term;
    magnitude += abs(term);
  });
  REQUIRE(s.y.equals(alone));
  REQUIRE(within(result, exact, sum_roundoffs<T>, magnitude));
}

TEMPLATE_TEST_CASE("residual is b - A x to the roundings of a row and one more",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<T> before = s.y;
  residual(Host(), s.A.view(), s.b.view(), s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    worst.add(within_error(s.y(i, j), s.residual(i, j), s.residual_error(i, j)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("residual_square is the square of the residual's norm", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  Arithmetic<T> result(-77);
  residual_square<Host, T>(Host(), s.A.view(), s.b.view(), s.x.view(), &result);
  Exact exact = 0, error = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact r = abs(s.residual(i, j)), wrong = s.residual_error(i, j);
    exact += r * r;
    error += 2 * r * wrong + wrong * wrong;
    magnitude += (r + wrong) * (r + wrong);
  });
  error += Exact(sum_roundoffs<T> * s.u) * magnitude;
  REQUIRE(within_error(result, exact, error));
}

TEMPLATE_TEST_CASE("rounding_scale is the square of the norm of |A||x| + |b|", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  Arithmetic<T> result(-77);
  rounding_scale<Host, T>(Host(), s.A.view(), s.b.view(), s.x.view(), &result);
  // A product and nine sums lie on a term.
  const double roundoffs = loss<T>.product + 9 * loss<T>.sum + 1;
  Exact exact = 0, error = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    Exact sum = abs(s.b.exact(i, j));
    for (int t = -1; t <= 1; ++t) {
      for (int k = -1; k <= 1; ++k) {
        if (s.A.inside(i + k, j + t)) {
          sum += abs(s.A.entry(i, j, k, t)) * abs(s.x.exact(i + k, j + t));
        }
      }
    }
    // The diagonal's error is measured by its terms, which may cancel.
    const Exact diagonal = Exact(s.diagonal_roundoffs()) * s.A.diagonal_magnitude(i, j);
    const Exact wrong = Exact(s.u) * (Exact(roundoffs) * sum + diagonal * abs(s.x.exact(i, j)));
    exact += sum * sum;
    error += 2 * sum * wrong + wrong * wrong;
    magnitude += (sum + wrong) * (sum + wrong);
  });
  error += Exact(sum_roundoffs<T> * s.u) * magnitude;
  REQUIRE(within_error(result, exact, error));
}

TEMPLATE_TEST_CASE("jacobi_step is x + omega (b - A x) / diagonal", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s(Signs::dominant);
  CAPTURE_SAMPLE(s);
  const NodeValues<T> before = s.y;
  const Leading<T> omega = Leading<T>(0.8);
  jacobi_step(Host(), s.A.view(), s.b.view(), omega, s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact d = s.A.entry(i, j, 0, 0), r = s.residual(i, j), w = to_exact(omega);
    const Exact exact = s.x.exact(i, j) + w * r / d;
    // A dominant matrix: nothing cancels in its diagonal.
    const Exact least = abs(d) * (1 - Exact(s.leading_diagonal_roundoffs() * s.leading_u));
    const Exact rounded = (1 + Exact(s.cut * s.leading_u)) * (1 + Exact(s.leading_u));
    const Exact quotient = (abs(r) + s.residual_error(i, j)) / least * rounded;
    const Exact correction_error = abs(w) * (quotient - abs(Exact(r / d)));
    // The product of two words is exact, otherwise it is rounded once with the sum.
    const Exact sum_error = Exact(loss<T>.sum * s.u) * (abs(exact) + correction_error);
    worst.add(within_error(s.y(i, j), exact, correction_error + sum_error), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("jacobi_start is the Jacobi step from zero", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s(Signs::dominant);
  CAPTURE_SAMPLE(s);
  const NodeValues<T> before = s.y;
  const Leading<T> omega = Leading<T>(0.8);
  jacobi_start(Host(), s.A.view(), s.b.view(), omega, s.y.view());
  // A quotient and a product; b and the diagonal are cut before.
  const double roundoffs = 3 + s.cut + s.leading_diagonal_roundoffs();
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = to_exact(omega) * s.b.exact(i, j) / s.A.entry(i, j, 0, 0);
    worst.add(within_error(s.y(i, j), exact, Exact(roundoffs * s.leading_u) * abs(exact)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEST_CASE("operations refuse views of different shapes and name them", "[gpu][operations]") {
  using Catch::Matchers::ContainsSubstring;
  const Host on;
  const Box box{1, 4, 1, 4};
  const RandomMatrix<double> A(5, 5, OperatorForm::plain, box, 1, Range::tame);
  NodeValues<double> a(5, 5), other(5, 3);
  double result = 0;
  CgState<double> state{};
  const auto five = a.view(), three = other.view();
  REQUIRE_THROWS_WITH(product(on, A.view(), five, three), ContainsSubstring("product")
                                                              && ContainsSubstring("5 x 3")
                                                              && ContainsSubstring("5 x 5"));
  REQUIRE_THROWS_AS(product(on, A.view(), three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(product_dot(on, A.view(), three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(residual(on, A.view(), three, five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(residual(on, A.view(), five, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(rounding_of_rows(on, A.view(), five, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS((residual_square<Host, double>(on, A.view(), three, five, &result)),
                    std::invalid_argument);
  REQUIRE_THROWS_AS((rounding_scale<Host, double>(on, A.view(), three, five, &result)),
                    std::invalid_argument);
  REQUIRE_THROWS_AS(jacobi_step(on, A.view(), five, 0.8, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(jacobi_start(on, A.view(), three, 0.8, five), std::invalid_argument);
  REQUIRE_THROWS_AS(copy(on, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS((dot<Host, double>(on, box, three, five, &result)), std::invalid_argument);
  REQUIRE_THROWS_AS(xpby(on, box, &result, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(solve_coarsest(on, A.view(), five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(cg_update(on, box, three, five, five, five, &state), std::invalid_argument);
  const Transfer<double> none{nullptr, nullptr};
  REQUIRE_THROWS_AS(restrict_residual(on, box, box, none, five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(add_prolongated(on, box, none, five, five), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
