#include "tests/support/direct.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/exact.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using testing::DirectProblem;
using testing::DirectSystem;
using testing::Oracle;
using testing::OracleProblem;
using testing::Quad;

/// Both words: 106 bits are enough for what is compared.
Exact exact_of(Quad value) {
  const double high = static_cast<double>(value);
  return Exact(high) + Exact(static_cast<double>(value - high));
}

// Sums and products of few digits: the same in double and in 50 digits.
template <class T>
T bilinear(const T& x, const T& y) {
  return 1 + 2 * x - 4 * y + 8 * x * y;
}

struct Pair {
  std::string description;
  DirectProblem direct;
};

std::vector<Pair> pairs() {
  const auto f = testing::in_double([](const Point& p) { return bilinear(p.x(), p.y()); });
  const std::vector<double> even{0.25, 0.25, 0.25, 0.25}, thin{0x1p-60, 0.25, 0.5, 0x1p-44};
  const std::array<bool, 4> all{true, true, true, true}, none{}, left{true, false, false, false};
  std::vector<Pair> cases{
      {"even cells", {even, even, 1, 1, 0, all, f, f, {}, 2}},
      {"coefficients and a reaction", {even, thin, 1e6, 1e-3, 3, all, f, f, {}, 3}},
      {"different numbers of cells", {{0.5, 0.25}, even, 2, 1, 0, left, f, f, {f, f, f, f}, 1}},
      {"Neumann beside thin cells", {thin, thin, 1, 1, 0, left, f, f, {f, f, f, f}, 2}},
      {"Neumann on all sides", {even, {0.125, 0.5}, 1, 2, 1e-6, none, f, f, {f, f, f, f}, 5}},
      {"thin cells, Neumann on all sides", {thin, thin, 1, 4, 2, none, f, f, {f, f, f, f}, 4}}};
  return cases;
}

OracleProblem for_oracle(const DirectProblem& d) {
  OracleProblem p;
  p.widths_x = d.widths_x;
  p.widths_y = d.widths_y;
  p.gx = d.gx;
  p.gy = d.gy;
  p.c = d.c;
  p.dirichlet = d.dirichlet;
  p.source = p.boundary_value = [](const Exact& x, const Exact& y) { return bilinear(x, y); };
  for (std::size_t side = 0; side < 4; ++side) {
    if (d.flux[side]) p.flux[side] = p.source;
  }
  p.load_points = d.load_points;
  return p;
}

/// The largest difference over the largest value.
double distance(const DirectSystem::Values& x, const std::vector<Exact>& exact) {
  Exact difference = 0, size = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    difference = std::max(difference, Exact(abs(exact_of(x[k]) - exact[k])));
    size = std::max(size, Exact(abs(exact[k])));
  }
  return static_cast<double>(Exact(difference / size));
}

}  // namespace

// Points and the functions' values are rounded to double: 1e-15 of the solution, or of the data
// that cancel in it.
TEST_CASE("the banded solver agrees with the dense one in 50 digits", "[support][direct]") {
  const Pair pair = GENERATE(from_range(pairs()));
  CAPTURE(pair.description);
  DirectSystem direct(pair.direct);
  const Oracle oracle(for_oracle(pair.direct));
  REQUIRE(int(direct.nodes()) == oracle.nodes());
  const DirectSystem::Values x = direct.solve();
  CHECK(direct.uncertainty() < 1e-15);
  CHECK(distance(x, oracle.solve()) < 1e-14);
  for (std::size_t k = 0; k < direct.nodes(); ++k) {
    CAPTURE(k);
    const Exact load = oracle.load(int(k));
    CHECK(abs(exact_of(direct.load(k)) - load) <= 1e-15 * exact_of(direct.load_size(k)));
    for (std::size_t m = 0; m < 9; ++m) {
      if (direct.coupling(k, m) == 0) continue;
      const int other = int(DirectSystem::neighbour(k, m, direct.nx()));
      const Exact entry = oracle.entry(int(k), other);
      CHECK(abs(exact_of(direct.coupling(k, m)) - entry)
            <= 1e-30 * oracle.magnitude(int(k), other));
    }
  }
  const Exact norm =
      oracle.l2_distance(oracle.solve(), [](const Exact&, const Exact&) { return 0; });
  CHECK(std::sqrt(static_cast<double>(direct.square(x)))
        == Approx(static_cast<double>(norm)).epsilon(1e-13));
}

TEST_CASE("without a reaction and Dirichlet sides the banded solution has no mean",
          "[support][direct]") {
  const std::vector<double> widths{0x1p-60, 0.25, 0.5, 0.125};
  const auto one = testing::in_double([](const Point&) { return 1.0; });
  const auto falling = testing::in_double([](const Point&) { return -1.0; });
  // u = x and a constant: what flows in at the left flows out at the right, f = 0.
  DirectProblem p{widths, {0.5, 0.5}, 1, 1, 0, {}, {}, {}, {falling, one, {}, {}}, 2};
  const bool compatible = GENERATE(true, false);
  CAPTURE(compatible);
  if (!compatible) p.source = one;  // which is taken off again
  DirectSystem direct(p);
  const DirectSystem::Values x = direct.solve();
  CHECK(static_cast<double>(testing::size_of(direct.integral(x))) < 1e-25);
  const Quad length = Quad(0x1p-60) + 0.875;
  Quad position = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const Quad difference = x[j * 5 + i] - (position - length / 2);
      CHECK(static_cast<double>(testing::size_of(difference)) < 1e-25);
    }
    if (i < 4) position += widths[i];
  }
}

// Ordinary Dirichlet data of a bilinear function, which Q1 elements hold exactly.
TEST_CASE("the banded solver finds a bilinear solution between cells of 1e-18",
          "[support][direct]") {
  const std::vector<double> widths{0x1p-60, 0.25, 0x1p-50, 0.5};
  const auto u = testing::in_double([](const Point& p) { return bilinear(p.x(), p.y()); });
  const auto flux = testing::in_double([](const Point& p) { return -(2 + 8 * p.y()); });
  DirectSystem direct(
      {widths, widths, 1, 1, 0, {false, true, true, true}, {}, u, {flux, {}, {}, {}}, 3});
  const DirectSystem::Values x = direct.solve();
  std::vector<double> positions{0};
  for (const double width : widths) positions.push_back(positions.back() + width);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double exact = bilinear(positions[k % 5], positions[k / 5]);
    CHECK(static_cast<double>(x[k]) == Approx(exact).margin(1e-14));
  }
}

}  // namespace ninefold
