#include "fem/discrete/small_eigenvectors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fem/discrete/q1_element.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("a small matrix has its right singular vectors by ascending singular values",
          "[discrete][eigenvectors]") {
  // F^T F has the eigenvalues 1, 4 and 9, the last two with (1, -1, 0) and (1, 1, 0).
  const double root = std::sqrt(0.5);
  std::vector<double> F{3 * root, 2 * root, 0, 0, 3 * root, -2 * root, 0, 0, 0, 0, 0, 1};
  std::vector<double> V(9);
  right_singular_vectors(4, 3, F.data(), V.data());
  CHECK(std::abs(V[2]) == 1);
  CHECK(V[3] * V[4] == Catch::Approx(-0.5));
  CHECK(std::abs(V[6]) == Catch::Approx(root).epsilon(1e-15));
  CHECK(V[6] * V[7] == Catch::Approx(0.5));
  std::vector<double> one{-2.0}, vector(1);
  right_singular_vectors(1, 1, one.data(), vector.data());
  CHECK(vector[0] == 1);
}

TEST_CASE("the factor of a line's matrix, times itself, is the matrix",
          "[discrete][eigenvectors]") {
  for (const double nu : {1.0, 0.7, 1.0 / 64}) {
    const Line line = make_hierarchy(1.0, 1.0, 4, {.nu = nu, .sides = {Side::left}}).back().x;
    for (const HeldEnds held : {HeldEnds{true, true}, HeldEnds{false, true}, HeldEnds{true, false},
                                HeldEnds{false, false}}) {
      const auto n = std::size_t(count_unknowns(line, held)), cells = std::size_t(line.cells());
      std::vector<double> F(cells * n), C(n * n);
      standard_factor(line, held, F.data());
      standard_matrix(line, held, C.data());
      for (std::size_t p = 0; p < n; ++p) {
        for (std::size_t q = 0; q < n; ++q) {
          double sum = 0;
          for (std::size_t k = 0; k < cells; ++k) sum += F[p * cells + k] * F[q * cells + k];
          CAPTURE(nu, held.first, held.last, p, q);
          const double size = std::sqrt(C[p * n + p] * C[q * n + q]);
          CHECK(std::abs(sum - C[p * n + q]) <= 64 * 0x1p-53 * size);
        }
      }
    }
  }
}

TEST_CASE("the basis of a line diagonalises stiffness and mass", "[discrete][eigenvectors]") {
  for (const double nu : {1.0, 0.7, 0.5, 1.0 / 64, 1e-3}) {
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
