#include "grids/transfer.hpp"

#include "grids/tensor_grid.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/hat.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::hat;
using testing::InFormat;
using testing::loss;
using testing::random_values;
using testing::to_exact;
using testing::within;
using testing::Worst;

template <class T>
struct Levels {
  TensorGrid coarse, fine;
  std::vector<TransferWeights<Arithmetic<T>>> x, y;

  explicit Levels(double nu, int level) {
    auto grids = make_hierarchy(1.0, 0.7, level, {.nu = nu, .sides = {Side::left, Side::bottom}});
    fine = grids.back();
    coarse = grids[grids.size() - 2];
    x = transfer_weights<Arithmetic<T>>(fine.x);
    y = transfer_weights<Arithmetic<T>>(fine.y);
  }
  Transfer<Arithmetic<T>> transfer() const { return {x.data(), y.data()}; }
};

/// The roundoffs of a weight: a sum and a quotient in T itself or, where the assembly is in double,
/// those two and one rounding.
template <class T>
constexpr double weight_roundoffs =
    std::same_as<Arithmetic<T>, Assembly<T>> ? loss<T>.sum + loss<T>.quotient + 1 : 3;

TEMPLATE_TEST_CASE("weights are the coarse hat functions at the fine nodes", "[grids][transfer]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const double nu = GENERATE(1.0, 0.7, 0.03125);
  CAPTURE(nu);
  using C = Arithmetic<T>;
  const Levels<T> levels(nu, 4);
  const Line& line = levels.fine.x;
  for (int i = 0; i < line.nodes(); ++i) {
    const auto w = levels.x[std::size_t(i)];
    REQUIRE(within(w.lower, hat(line, i / 2, i), weight_roundoffs<T>, hat(line, i / 2, i)));
    if (i % 2 == 1) {
      REQUIRE(
          within(w.upper, hat(line, i / 2 + 1, i), weight_roundoffs<T>, hat(line, i / 2 + 1, i)));
    } else {
      REQUIRE(w.upper == C(0));
    }
    if (nu == 1.0 && i % 2 == 1) REQUIRE((w.lower == C(0.5) && w.upper == C(0.5)));
  }
}

TEMPLATE_TEST_CASE("prolongation evaluates the coarse bilinear function", "[grids][transfer]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const double nu = GENERATE(1.0, 0.7, 0.03125);
  const int level = GENERATE(2, 5);
  const int seed = GENERATE(1, 2);
  CAPTURE(nu, level, seed);
  const Levels<T> levels(nu, level);
  const int nx = levels.coarse.nx(), ny = levels.coarse.ny();
  const auto values =
      random_values<T>(std::size_t(nx * ny), std::uint64_t(seed), testing::Range::hurtful);
  const Field<const T> coarse{values.data(), nx, ny};
  // A weight, a product and a sum in each direction.
  const double roundoffs = 2 * (weight_roundoffs<T> + loss<T>.product + loss<T>.sum) + 1;
  Worst worst;
  for (int j = 0; j < levels.fine.ny(); ++j) {
    for (int i = 0; i < levels.fine.nx(); ++i) {
      Exact exact = 0, magnitude = 0;
      for (int J = j / 2; J <= std::min(j / 2 + 1, ny - 1); ++J) {
        for (int I = i / 2; I <= std::min(i / 2 + 1, nx - 1); ++I) {
          const Exact term =
              hat(levels.fine.x, I, i) * hat(levels.fine.y, J, j) * to_exact(coarse(I, J));
          exact += term;
          magnitude += abs(term);
        }
      }
      worst.add(within(prolong_at(levels.transfer(), coarse, i, j), exact, roundoffs, magnitude), i,
                j);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(worst.count() == levels.fine.nx() * levels.fine.ny());
}

TEMPLATE_TEST_CASE("restriction is the transpose of prolongation", "[grids][transfer]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const double nu = GENERATE(1.0, 0.7, 0.03125);
  const int level = GENERATE(2, 5);
  const int seed = GENERATE(1, 2);
  const bool edges_count = GENERATE(false, true);  // is the boundary among the unknowns?
  CAPTURE(nu, level, seed, edges_count);
  const Levels<T> levels(nu, level);
  const int nx = levels.fine.nx(), ny = levels.fine.ny();
  const int edge = edges_count ? 0 : 1;
  const Box box{edge, nx - edge, edge, ny - edge};
  const auto values =
      random_values<T>(std::size_t(nx * ny), std::uint64_t(seed), testing::Range::hurtful);
  const Field<const T> fine{values.data(), nx, ny};
  // In each direction a weight, a fused step, and one more that is added.
  const double roundoffs = 2 * (weight_roundoffs<T> + loss<T>.fused + loss<T>.sum) + 1;
  Worst worst;
  for (int J = edge; J < levels.coarse.ny() - edge; ++J) {
    for (int I = edge; I < levels.coarse.nx() - edge; ++I) {
      Exact exact = 0, magnitude = 0;
      for (int j = std::max(0, 2 * J - 1); j <= std::min(2 * J + 1, ny - 1); ++j) {
        for (int i = std::max(0, 2 * I - 1); i <= std::min(2 * I + 1, nx - 1); ++i) {
          const Exact term =
              hat(levels.fine.x, I, i) * hat(levels.fine.y, J, j) * to_exact(fine(i, j));
          exact += term;
          magnitude += abs(term);
        }
      }
      worst.add(
          within(restrict_at(levels.transfer(), fine, box, I, J), exact, roundoffs, magnitude), I,
          J);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(worst.count() == (levels.coarse.nx() - 2 * edge) * (levels.coarse.ny() - 2 * edge));
}

TEST_CASE("prolongation reproduces bilinear functions and constants", "[grids][transfer]") {
  const Levels<double> levels(0.25, 4);
  const auto bilinear = [](double x, double y) { return 2 - x + 3 * y + 5 * x * y; };
  std::vector<double> values;
  for (int J = 0; J < levels.coarse.ny(); ++J) {
    for (int I = 0; I < levels.coarse.nx(); ++I) {
      values.push_back(bilinear(levels.coarse.x.from_start[std::size_t(I)],
                                levels.coarse.y.from_start[std::size_t(J)]));
    }
  }
  const std::vector<double> ones(values.size(), 1.0);
  const Field<const double> coarse{values.data(), levels.coarse.nx(), levels.coarse.ny()};
  const Field<const double> constant{ones.data(), levels.coarse.nx(), levels.coarse.ny()};
  for (int j = 0; j < levels.fine.ny(); ++j) {
    for (int i = 0; i < levels.fine.nx(); ++i) {
      const double expected = bilinear(levels.fine.x.from_start[std::size_t(i)],
                                       levels.fine.y.from_start[std::size_t(j)]);
      // Coordinates and weights of about 10 roundoffs, values up to 11.
      REQUIRE(std::abs(prolong_at(levels.transfer(), coarse, i, j) - expected) <= 300 * 0x1p-53);
      REQUIRE(std::abs(prolong_at(levels.transfer(), constant, i, j) - 1) <= 11 * 0x1p-53);
    }
  }
}

}  // namespace
}  // namespace ninefold
