// The exact errors of test A once more, as a double sum that holds on every level.
//
// Mathematics.  u = p(x) p(y) with p(t) = t (1 - t) is quadratic in each variable, so on a uniform
// grid b - A u, with the nodal values of u, is the same at every node: 2/3 h^4.  The nodal error e
// is therefore 2/3 h^4 A^-1 1; A is diagonal in products of sines, of which 1 holds those with an
// odd number of half waves only.  With I the bilinear interpolation,
//
//     u - I u = Ip(x) B(y) + B(x) Ip(y) + B(x) B(y),   B = h^2 s (1 - s), s the place in the cell,
//     l2^2    = |e|^2 - 2 (e, u - I u) + |u - I u|^2,
//
// where no term is a difference of nearly equal ones.

#include <cmath>
#include <numbers>
#include <vector>

#include "experiments/paper/paper.hpp"
#include "experiments/support/comparison.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;

namespace {

using Wide = long double;

/// A one-dimensional eigenvector of stiffness and mass matrix, sin(pi k t), k odd.
struct Mode {
  Wide stiffness, mass;  ///< eigenvalues
  Wide one, mass_p;      ///< sums of the vector times 1 and times M p
};

std::vector<Mode> odd_modes(int n) {
  const Wide h = 1.0L / n;
  std::vector<Mode> modes;
  for (int k = 1; k < n; k += 2) {
    const Wide angle = std::numbers::pi_v<Wide> * k / (2 * n);
    const Wide square = std::sin(angle) * std::sin(angle);
    Mode mode{4 * square / h, h * (1 - 2 * square / 3), std::cos(angle) / std::sin(angle), 0};
    mode.mass_p = mode.mass * 2 * h * mode.one / mode.stiffness;  // K p = 2 h
    modes.push_back(mode);
  }
  return modes;
}

/// |u - I u|^2
Wide interpolation_square(int n) {
  const Wide h = 1.0L / n;
  Wide pp = 0, pb = 0;  // integrals of (Ip)^2 and of Ip B
  for (int i = 0; i < n; ++i) {
    const Wide left = i * h * (1 - i * h), right = (i + 1) * h * (1 - (i + 1) * h);
    pp += h * (left * left + left * right + right * right) / 3;
    pb += h * h * h * (left + right) / 12;
  }
  const Wide bb = h * h * h * h / 30;
  return 2 * pp * bb + 2 * pb * pb + 4 * pb * bb + bb * bb;
}

struct L2AndRms {
  double l2, rms;
};

L2AndRms exact_errors_of(int level) {
  const int n = 1 << level;
  const Wide h = 1.0L / n, h3 = h * h * h;
  const std::vector<Mode> modes = odd_modes(n);
  Wide nodal = 0, square = 0, cross = 0;  // sum of e^2; |e|^2; (e, u - I u)
  for (const Mode& y : modes) {
    Wide row_nodal = 0, row_square = 0, row_cross = 0;
    for (const Mode& x : modes) {
      const Wide e = 2 * h * h3 / 3 * x.one * y.one / (x.stiffness * y.mass + x.mass * y.stiffness);
      row_nodal += e * e;
      row_square += e * e * x.mass * y.mass;
      row_cross +=
          e * (h3 / 6 * (x.mass_p * y.one + x.one * y.mass_p) + h3 * h3 / 36 * x.one * y.one);
    }
    nodal += row_nodal;
    square += row_square;
    cross += row_cross;
  }
  const Wide norm = 4 * h * h;  // one over the square of each eigenvector's length
  return {static_cast<double>(std::sqrt(norm * (square - 2 * cross) + interpolation_square(n))),
          static_cast<double>(std::sqrt(norm * nodal) / (n + 1))};
}

}  // namespace

TEST_CASE("the exact errors of test A are those of the series for its error",
          "[experiments][paper]") {
  const int level = GENERATE(range(2, 14));
  CAPTURE(level);
  const L2AndRms series = exact_errors_of(level);
  const ExactErrors* const errors = find_exact_errors('A', level);
  REQUIRE(errors != nullptr);
  REQUIRE(std::abs(series.rms - errors->rms) <= 1.001 * half_unit(errors->rms, 10));
  REQUIRE(std::abs(series.l2 - errors->l2) <= 1.001 * half_unit(errors->l2, 10));
}

TEST_CASE("the exact errors of levels 14 and 15 continue those before", "[experiments][paper]") {
  // l2 n^2 and rms n (n + 1) are c0 + c1 h^2 + ..., and h^4 is beyond the ten digits here.
  const auto scaled = [](int level) {
    const ExactErrors& errors = *find_exact_errors('A', level);
    const double n = std::ldexp(1.0, level);
    return L2AndRms{errors.l2 * n * n, errors.rms * n * (n + 1)};
  };
  for (const int level : {14, 15}) {
    CAPTURE(level);
    const L2AndRms here = scaled(level), before = scaled(level - 1), first = scaled(level - 2);
    // Three rounded numbers enter, with weights 1, 5/4 and 1/4; each is about as large as the
    // other, but may be in another decade.
    REQUIRE(here.l2 == Approx(before.l2 + (before.l2 - first.l2) / 4).epsilon(1.25e-9));
    REQUIRE(here.rms == Approx(before.rms + (before.rms - first.rms) / 4).epsilon(1.25e-9));
  }
}
