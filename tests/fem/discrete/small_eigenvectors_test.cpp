#include "fem/discrete/small_eigenvectors.hpp"

#include <cmath>
#include <vector>

#include "fem/discrete/q1_element.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("a small symmetric matrix has its eigenvectors by ascending eigenvalues",
          "[discrete][eigenvectors]") {
  // Of eigenvalues 1, 2 and 4.
  std::vector<double> A{3, 1, 0, 1, 3, 0, 0, 0, 1};
  diagonalise_small(3, A.data());
  const double root = std::sqrt(0.5);
  CHECK(std::abs(A[2]) == 1);
  CHECK(A[3] * A[4] == Catch::Approx(-0.5));
  CHECK(std::abs(A[6]) == Catch::Approx(root).epsilon(1e-15));
  CHECK(A[6] * A[7] == Catch::Approx(0.5));
  std::vector<double> one{-2.0};
  diagonalise_small(1, one.data());
  CHECK(one[0] == 1);
}

TEST_CASE("the basis of a line diagonalises stiffness and mass", "[discrete][eigenvectors]") {
  for (const double nu : {1.0, 0.7, 0.5}) {
    const Line line = make_hierarchy(1.0, 1.0, 5, {.nu = nu, .sides = {Side::left}}).back().x;
    const auto couplings = node_couplings<double>(line);
    const double by = std::ldexp(1.0, -mass_exponent(line));
    for (const HeldEnds held : {HeldEnds{true, true}, HeldEnds{false, true}, HeldEnds{true, false},
                                HeldEnds{false, false}}) {
      const LineBasis basis = line_basis(line, held);
      const int n = basis.unknowns, first = held.first ? 1 : 0;
      REQUIRE(basis.value.size() == std::size_t(n));
      const auto product = [&](bool of_mass, const double* v, const double* w) {
        double sum = 0;
        for (int i = 0; i < n; ++i) {
          const auto& node = couplings[std::size_t(i + first)];
          for (int s = -1; s <= 1; ++s) {
            if (i + s < 0 || i + s >= n) continue;
            const std::size_t at = std::size_t(s + 1);
            sum += v[i] * (of_mass ? by * node.mass[at] : node.stiffness[at]) * w[i + s];
          }
        }
        return sum;
      };
      const double largest = basis.value.back();
      double worst = 0;
      for (int p = 0; p < n; ++p) {
        if (p > 0) CHECK(basis.value[std::size_t(p)] >= basis.value[std::size_t(p - 1)]);
        for (int q = 0; q < n; ++q) {
          const double* v = &basis.vectors[std::size_t(p) * std::size_t(n)];
          const double* w = &basis.vectors[std::size_t(q) * std::size_t(n)];
          worst = std::max(worst, std::abs(product(true, v, w) - (p == q ? 1 : 0)));
          const double value = p == q ? basis.value[std::size_t(p)] : 0;
          worst = std::max(worst, std::abs(product(false, v, w) - value) / largest);
        }
      }
      CAPTURE(nu, held.first, held.last);
      // n sums of n terms, 33 n u at most, and rotations that leave as much.
      CHECK(worst <= 66 * n * 0x1p-53);
    }
  }
}

}  // namespace
}  // namespace ninefold
