// What corrections of full multigrid's finest level by points gain.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "gpu/operations/any_rows.hpp"

#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

/// |A (e - c - c' - ...)| / |A e| for waves e, where each of so many corrections c is what a cycle
/// from zero makes of what the ones before it have left, taken over[0], over[1], ... times.
double left_of_waves(const Smoothing& smoothing, const Coefficients<double>& g, int waves_x,
                     int waves_y, const std::vector<double>& over) {
  const Host on;
  const std::vector<TensorGrid> grids = make_hierarchy(1, 1, 8);
  const TensorGrid& grid = grids.back();
  const Boundary boundary;
  constexpr auto form = OperatorForm::difference;
  constexpr auto storage = OperatorStorage::factored;
  const Matrix<Host, double> A(on, grid, unknown_nodes(grid, boundary), g, form, storage);
  Multigrid<Host, double> multigrid(on, grids, boundary, g, form, smoothing, storage);
  const NodeVector<Host, double> minus_e(on, grid.nx(), grid.ny()), zero(on, grid.nx(), grid.ny());
  const Box& box = A.view().unknowns;
  const Field<double> v = minus_e.view();
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      v(i, j) = -std::sin(std::numbers::pi * waves_x * grid.x.from_start[std::size_t(i)])
                * std::sin(std::numbers::pi * waves_y * grid.y.from_start[std::size_t(j)]);
    }
  }
  const auto size = [&] {
    const Field<double> r = multigrid.b();
    residual<Host, double>(on, A.view(), zero.view(), v, r);
    double square = 0;
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) square += r(i, j) * r(i, j);
    }
    return std::sqrt(square);
  };
  double now = size();
  const double before = now;
  for (const double factor : over) {
    multigrid.cycle_from_zero();
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) v(i, j) += factor * multigrid.x()(i, j);
    }
    now = size();
  }
  return now / before;
}

/// V(0,2) by "chebyshev", as full multigrid takes it.
Smoothing nested_points() {
  Smoothing cycle;
  cycle.smoother = Smoother::chebyshev;
  cycle.cycle = Cycle::v;
  cycle.pre_steps = 0;
  cycle.solves_base = true;
  return cycle;
}

/// The largest that is left of waves of all kinds: smooth, rough on coarser levels alone, rough in
/// one direction or in both.
double most_left(const Smoothing& smoothing, const Coefficients<double>& g,
                 const std::vector<double>& over) {
  double most = 0;
  for (const auto& [x, y] : {std::pair{1, 1},
                             {1, 32},
                             {32, 1},
                             {1, 64},
                             {64, 64},
                             {128, 1},
                             {1, 128},
                             {192, 1},
                             {1, 192},
                             {255, 1},
                             {1, 255},
                             {192, 192}}) {
    most = std::max(most, left_of_waves(smoothing, g, x, y, over));
  }
  return most;
}

TEST_CASE("corrections after full multigrid gain twelve times each at least, in the mean of three",
          "[solvers][smoother]") {
  const Coefficients<double> laplace{1, 1, 0};
  const Smoothing cycle = nested_points();
  REQUIRE(cycle.has_own_corrections());
  const OverCorrections over = cycle.over_corrections();
  REQUIRE(over.count == 3);
  const std::vector<double> three(over.of, over.of + 3);
  CHECK(most_left(cycle, laplace, three) < std::pow(12, -3));
  // What they have instead: steps as in all visits, and all corrections taken once, or 16/15 times.
  Smoothing plain = cycle;
  plain.solves_base = false;
  const double once = most_left(plain, laplace, {1, 1, 1});
  const double more = most_left(plain, laplace, std::vector<double>(3, 16.0 / 15));
  CHECK(once > std::pow(9, -3));
  CHECK(more > std::pow(6.5, -3));

  const auto changed = [&](auto Smoothing::*what, auto value) {
    Smoothing other = cycle;
    other.*what = value;
    CHECK(other.over_corrections().count == 1);
    CHECK(other.over_corrections().of[0] == 1);
    CHECK(other.first_correction_step() == other.first_post_step());
  };
  changed(&Smoothing::smoother, Smoother::jacobi);
  changed(&Smoothing::cycle, Cycle::f);
  changed(&Smoothing::post_steps, 3);
  changed(&Smoothing::solves_base, false);
}

TEST_CASE("corrections suit couplings that differ", "[solvers][smoother]") {
  const double ratio = GENERATE(1.2, 1.5, 2.0, 3.0, 4.0);
  const Coefficients<double> g{ratio, 1, 0};
  const TensorGrid grid = make_hierarchy(1, 1, 4).back();
  MultigridOptions options;
  options.smoother = Smoother::chebyshev;
  CHECK(choose_smoothing(options, grid, ratio, 1, OperatorStorage::factored).coupling
        == Approx(ratio));
  CHECK(choose_smoothing(options, grid, 1, ratio, OperatorStorage::factored).coupling
        == Approx(ratio));
  Smoothing cycle = nested_points();
  const OverCorrections over = cycle.over_corrections();
  const std::vector<double> three(over.of, over.of + 3);
  const double as_if_even = most_left(cycle, g, three);
  cycle.coupling = ratio;
  const double left = most_left(cycle, g, three);
  CAPTURE(ratio, left, as_if_even);
  CHECK(left < 0.8 * as_if_even);
  Smoothing plain = nested_points();
  plain.solves_base = false;
  CHECK(left < most_left(plain, g, std::vector<double>(3, 16.0 / 15)));
}

}  // namespace
}  // namespace ninefold
