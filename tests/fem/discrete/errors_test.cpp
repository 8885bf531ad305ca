#include "fem/discrete/errors.hpp"

#include <cmath>
#include <stdexcept>

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/problem_cases.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::for_oracle;
using testing::make_grid;
using testing::Oracle;
using testing::ProblemCase;
using testing::random_values;
using testing::stated;
using testing::within;

std::vector<Exact> exact(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> rounded(const std::vector<Exact>& values) {
  std::vector<double> result;
  for (const Exact& v : values) result.push_back(static_cast<double>(v));
  return result;
}

struct Expected {
  Exact l2, rms, max, l2_size, nodal_size;
};

/// The norms of u_h - u in 50 digits, and those of the sizes that roundings are measured against:
/// 15 |u_h| + (12 level + 28) |u|, see README.md.
Expected expected_errors(const Oracle& oracle, const testing::OracleProblem& p,
                         const std::vector<double>& u_h, int level) {
  const int u_roundoffs = 12 * level + 28;
  Expected e{};
  std::vector<Exact> sizes;
  Exact squares = 0;
  for (int node = 0; node < oracle.nodes(); ++node) {
    const Exact u = oracle.boundary_value(node), mine(u_h[std::size_t(node)]);
    const Exact error = abs(Exact(mine - u));
    squares += error * error;
    if (error > e.max) e.max = error;
    sizes.push_back(15 * abs(mine));
    const Exact size = sizes.back() + u_roundoffs * abs(u);
    if (size > e.nodal_size) e.nodal_size = size;
  }
  e.rms = sqrt(Exact(squares / oracle.nodes()));
  e.l2 = oracle.l2_distance(exact(u_h), p.boundary_value);
  e.l2_size = oracle.l2_distance(sizes, [&](const Exact& x, const Exact& y) {
    return Exact(-u_roundoffs * abs(p.boundary_value(x, y)));
  });
  return e;
}

// Sums of squares: 9 terms per cell, cells of a row, rows; half of that for the root.
TEST_CASE("errors agree with the oracle's to their roundings", "[fem][errors]") {
  const ProblemCase c = GENERATE(from_range(testing::problem_cases()));
  const int level = GENERATE(1, 3, 4);
  const bool near = GENERATE(false, true);
  if (c.quadrature != 2) return;
  CAPTURE(c.description, level, near);
  const TensorGrid grid = make_grid(c, level);
  auto p = for_oracle(c, grid, false);
  p.with_matrix = false;
  const Oracle oracle(p);
  const Problem problem = stated(c);
  auto u_h = random_values<double>(std::size_t(oracle.nodes()), 11);
  if (near) {  // as near as a discrete solution would be
    for (int k = 0; k < oracle.nodes(); ++k) {
      double& u = u_h[std::size_t(k)];
      u = static_cast<double>(oracle.boundary_value(k)) * (1 + 1e-6 * u);
    }
  }
  const Errors errors = measure_errors(problem, grid, u_h);
  const Expected e = expected_errors(oracle, p, u_h, level);
  const int sums = grid.nx() + grid.ny() + 20;
  REQUIRE(within(errors.l2, e.l2, 1, Exact(e.l2_size + sums * e.l2)));
  REQUIRE(within(errors.rms, e.rms, 1, Exact(e.nodal_size + sums * e.rms)));
  REQUIRE(within(errors.max, e.max, 1, Exact(e.nodal_size + e.max)));
}

struct Known {
  char test;
  int level;
  double l2, rms;
};

// The table comes from a direct solver with 80-bit residuals, the oracle from Cholesky in 50
// digits.
TEST_CASE("the exact discrete solutions of the paper's tests have the known errors",
          "[fem][errors]") {
  const Known known = GENERATE(Known{'A', 2, 2.388786869e-03, 1.440034921e-03},
                               Known{'A', 3, 5.934194836e-04, 3.868881339e-04},
                               Known{'A', 4, 1.480971626e-04, 1.014570992e-04},
                               Known{'B', 2, 7.406250844e-05, 9.185882041e-05},
                               Known{'B', 3, 1.821151366e-05, 2.485387559e-05},
                               Known{'C', 2, 2.306328090e-06, 5.933840244e-06},
                               Known{'C', 3, 5.636188130e-07, 1.633385667e-06},
                               Known{'D', 2, 7.466935839e-31, 1.526204724e-25},
                               Known{'D', 3, 1.824217357e-31, 4.225850648e-26},
                               Known{'E', 2, 3.108847119e-03, 1.673043431e-03},
                               Known{'E', 3, 7.721804695e-04, 4.501155179e-04},
                               Known{'F', 2, 4.665132282e-03, 2.106530723e-03},
                               Known{'F', 3, 1.154275766e-03, 5.651278157e-04},
                               Known{'G', 2, 6.792710160e-03, 2.568070045e-03},
                               Known{'G', 3, 1.683009490e-03, 6.891369603e-04},
                               Known{'H', 2, 8.845592186e-03, 2.919068587e-03},
                               Known{'H', 3, 2.187971399e-03, 7.680975856e-04},
                               Known{'I', 2, 9.252599923e-03, 3.009085003e-03},
                               Known{'I', 3, 2.285678102e-03, 7.829004699e-04},
                               Known{'I', 4, 5.682016275e-04, 2.014385797e-04});
  CAPTURE(known.test, known.level);
  ProblemCase c{.description = "paper"};
  const std::string tests = "ABCDEFGHI";
  const std::array<double, 9> widths{1, 0.25, 0.0625, 1e-11, 1, 1, 1, 1, 1};
  const std::array<double, 9> nu{1, 1, 1, 1, 0.75, 0.5, 0.25, 0.0625, 0.03125};
  const std::size_t k = tests.find(known.test);
  c.width = widths[k];
  c.grading.nu = nu[k];
  const TensorGrid grid = make_grid(c, known.level);
  const Oracle oracle(for_oracle(c, grid, false));
  const Errors errors = measure_errors(stated(c), grid, rounded(oracle.solve()));
  REQUIRE(errors.l2 == Approx(known.l2).epsilon(1e-9));
  REQUIRE(errors.rms == Approx(known.rms).epsilon(1e-9));
}

TEST_CASE("the nodal solution has no nodal error and an integrated one that falls by four",
          "[fem][errors]") {
  const std::string name = GENERATE("polynomial", "sine", "exponential", "cosine");
  CAPTURE(name);
  const Problem problem = stated({.description = "", .c = 1.0, .solution = name});
  double before = 0;
  for (int level = 5; level <= 8; ++level) {
    const TensorGrid grid = make_hierarchy(1, 1, level).back();
    const auto u = nodal_solution(problem, grid);
    REQUIRE(u[std::size_t(3 * grid.nx() + 2)]
            == problem.solution({grid.x.from_start[2], grid.x.from_end[2], grid.y.from_start[3],
                                 grid.y.from_end[3]}));
    const Errors errors = measure_errors(problem, grid, u);
    REQUIRE(errors.rms == 0);
    REQUIRE(errors.max == 0);
    if (level > 5) REQUIRE(before / errors.l2 == Approx(4).epsilon(0.01));
    before = errors.l2;
  }
}

/// u and u_h times a power of two.
template <class W>
Errors scaled_errors(double factor, double width, double height) {
  Problem problem;
  problem.width = width;
  problem.height = height;
  problem.solution = Function(
      [=](const Point& p) {
        return factor * (1 + (p.left / width) * (p.bottom / height) * (p.bottom / height));
      },
      [=](const WidePoint& p) {
        return factor * (1.0 + (p.left / width) * (p.bottom / height) * (p.bottom / height));
      });
  const TensorGrid grid = make_hierarchy(width, height, 4, {.nu = 0.5}).back();
  std::vector<W> u_h;
  for (const double value : random_values<double>(17 * 17, 5)) u_h.push_back(W(factor * value));
  return measure_errors(problem, grid, u_h);
}

// Powers of two change no digit, so that the errors are the same times the power.
TEMPLATE_TEST_CASE("errors of any size that double holds are measured", "[fem][errors]", double,
                   DoubleDouble) {
  const Errors plain = scaled_errors<TestType>(1, 1, 1);
  REQUIRE(plain.l2 > 0.01);
  for (const int exponent : {-900, -700, -540, -500, -300, 300, 500, 515, 700, 1000}) {
    CAPTURE(exponent);
    const Errors errors = scaled_errors<TestType>(std::ldexp(1.0, exponent), 1, 1);
    REQUIRE(errors.l2 == std::ldexp(plain.l2, exponent));
    REQUIRE(errors.rms == std::ldexp(plain.rms, exponent));
    REQUIRE(errors.max == std::ldexp(plain.max, exponent));
  }
}

TEST_CASE("the area of a tiny or huge domain leaves the range by itself", "[fem][errors]") {
  const Errors plain = scaled_errors<double>(1, 1, 1);
  const auto [width, height, factor] = GENERATE(table<int, int, int>(
      {{-400, -400, 0}, {-301, -400, -100}, {450, 451, 0}, {-500, 500, -250}, {-500, 500, 500}}));
  CAPTURE(width, height, factor);
  const Errors errors = scaled_errors<double>(std::ldexp(1.0, factor), std::ldexp(1.0, width),
                                              std::ldexp(1.0, height));
  REQUIRE(errors.l2
          == Approx(plain.l2 * std::exp2(factor + (width + height) / 2.0)).epsilon(1e-14));
  REQUIRE(errors.rms == std::ldexp(plain.rms, factor));
  REQUIRE(errors.max == std::ldexp(plain.max, factor));
}

TEST_CASE("a value that is not a number reaches all errors", "[fem][errors]") {
  const TensorGrid grid = make_hierarchy(1, 1, 3).back();
  const Problem problem = make_problem({}, 1, 1);
  auto u = nodal_solution(problem, grid);
  u[40] = std::nan("");
  const Errors errors = measure_errors(problem, grid, u);
  REQUIRE(std::isnan(errors.l2));
  REQUIRE(std::isnan(errors.rms));
  REQUIRE(std::isnan(errors.max));
}

TEST_CASE("errors are refused without a solution and for values of another size", "[fem][errors]") {
  const TensorGrid grid = make_hierarchy(1, 1, 2).back();
  REQUIRE_THROWS_WITH(measure_errors(make_problem({}, 1, 1), grid, std::vector<double>(24)),
                      ContainsSubstring("24") && ContainsSubstring("5 x 5"));
  ProblemOptions options;
  options.solution = "";
  options.source = "1";
  const Problem problem = make_problem(options, 1, 1);
  REQUIRE_THROWS_AS(measure_errors(problem, grid, std::vector<double>(25)), std::invalid_argument);
  REQUIRE_THROWS_AS(nodal_solution(problem, grid), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
