#include "solvers/krylov/lanczos.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;

TEST_CASE("the ends of the spectrum are those of the tridiagonal matrix", "[solvers][lanczos]") {
  // t = [[2, 1], [1, 3]]: steps and ratios that give it.
  const double a0 = 1 / 2.0, b0 = (1.0 * a0) * (1.0 * a0);
  const double a1 = 1 / (3.0 - b0 / a0);
  const SpectrumEnds two = lanczos_spectrum(std::vector{a0, a1}, std::vector{b0, 0.0});
  CHECK(two.lowest == Approx((5 - std::sqrt(5.0)) / 2).epsilon(1e-8));
  CHECK(two.highest == Approx((5 + std::sqrt(5.0)) / 2).epsilon(1e-8));
  const SpectrumEnds one = lanczos_spectrum(std::vector{0.25}, std::vector{0.0});
  CHECK(one.lowest == Approx(4).epsilon(1e-8));
  CHECK(one.highest == Approx(4).epsilon(1e-8));
}

TEST_CASE("small eigenvalues are found beside large ones", "[solvers][lanczos]") {
  // Decoupled: ratios so small that the diagonal is the spectrum.
  const std::vector<double> steps{1e-3, 1e12, 1.0}, ratios{1e-200, 1e-200, 0};
  const SpectrumEnds ends = lanczos_spectrum(steps, ratios);
  CHECK(ends.lowest == Approx(1e-12).epsilon(1e-7));
  CHECK(ends.highest == Approx(1e3).epsilon(1e-7));
}

TEST_CASE("steps that are no steps end what is known", "[solvers][lanczos]") {
  const SpectrumEnds none = lanczos_spectrum({}, {});
  CHECK(none.lowest == 0);
  CHECK(none.highest == 0);
  for (const double bad : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    const SpectrumEnds ends =
        lanczos_spectrum(std::vector{0.5, bad, 0.1}, std::vector{0.25, 0.25, 0.0});
    CHECK(ends.highest < 3);
    CHECK(ends.lowest > 1);
  }
}
