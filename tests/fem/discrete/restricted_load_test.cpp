#include "fem/discrete/restricted_load.hpp"

#include <algorithm>
#include <vector>

#include "fem/discrete/assembly.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/hat.hpp"
#include "tests/support/sample.hpp"

namespace ninefold {
namespace {

using testing::hat;
using testing::loss;
using testing::random_values;
using testing::to_exact;
using testing::within;
using testing::Worst;

}  // namespace

TEMPLATE_TEST_CASE("restricted products are the products restricted at the nodes", "[fem][load]",
                   double, DoubleDouble) {
  using W = TestType;
  const double nu = GENERATE(1.0, 0.7, 0.03125);
  const int level = GENERATE(2, 5), sides = GENERATE(0, 5, 15), terms = GENERATE(1, 3);
  CAPTURE(nu, level, sides, terms);
  const auto grids = make_hierarchy(1.0, 0.7, level, {.nu = nu, .sides = {Side::left}});
  const TensorGrid &fine = grids.back(), &coarse = grids[grids.size() - 2];
  Boundary boundary;
  for (const Side side : all_sides) {
    if ((sides >> static_cast<int>(side)) & 1) boundary[side] = BoundaryKind::neumann;
  }
  const Box unknowns = unknown_nodes(fine, boundary), own = unknown_nodes(coarse, boundary);
  std::vector<NodeProduct<W>> products;
  for (int k = 0; k < terms; ++k) {
    products.push_back({random_values<W>(std::size_t(fine.nx()), 2 * unsigned(k) + 1),
                        random_values<W>(std::size_t(fine.ny()), 2 * unsigned(k) + 2)});
  }
  const Load<W> found(own, restricted_products(products, fine, unknowns, own));
  REQUIRE(found.products().size() == products.size());
  // Of each line a weight, a fused step and one that is added; the product, and the sum.
  const double weight = loss<W>.sum + loss<W>.quotient + 1;
  const double roundoffs =
      2 * (weight + loss<W>.fused + loss<W>.sum) + loss<W>.product + terms * loss<W>.sum + 1;
  Worst worst;
  for (int J = 0; J < coarse.ny(); ++J) {
    for (int I = 0; I < coarse.nx(); ++I) {
      Exact exact = 0, magnitude = 0;
      for (int j = std::max(unknowns.j0, 2 * J - 1); j < std::min(2 * J + 2, unknowns.j1); ++j) {
        for (int i = std::max(unknowns.i0, 2 * I - 1); i < std::min(2 * I + 2, unknowns.i1); ++i) {
          if (!own.contains(I, J)) continue;
          for (const NodeProduct<W>& term : products) {
            const Exact part = hat(fine.x, I, i) * hat(fine.y, J, j)
                               * to_exact(term.x[std::size_t(i)])
                               * to_exact(term.y[std::size_t(j)]);
            exact += part;
            magnitude += abs(part);
          }
        }
      }
      worst.add(within(found.at(I, J), exact, roundoffs, magnitude), I, J);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(worst.count() == coarse.nx() * coarse.ny());
}

}  // namespace ninefold
