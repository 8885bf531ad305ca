// The operations of full multigrid on Host against their formulas and against 50 digits.
#include "gpu/operations/nested_operations.hpp"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "precision/half.hpp"

#include "grids/tensor_grid.hpp"

#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/small_inverse.hpp"

#include "solvers/multigrid/base_solver.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/put.hpp"
#include "tests/support/sides.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::boundary_of;
using testing::put;
using testing::random_values;
using testing::take;
using testing::to_exact;

template <class T>
struct Grids {
  using C = Arithmetic<T>;
  std::vector<TensorGrid> grids;
  std::vector<CubicWeights<C>> x, y;

  Grids(double nu, int level)
      : grids(make_hierarchy(1.0, 0.7, level, {nu, {Side::left, Side::top}})),
        x(cubic_weights<C>(grids.back().x)),
        y(cubic_weights<C>(grids.back().y)) {}
  const TensorGrid& fine() const { return grids.back(); }
  const TensorGrid& coarse() const { return grids[grids.size() - 2]; }
  CubicTransfer<C> cubic() const { return {x.data(), y.data()}; }
};

/// In exact arithmetic with the rounded weights.
template <class T>
Exact interpolated(const Grids<T>& g, const Field<const T>& c, int i, int j) {
  const auto row = [&](int J) {
    const int I = i / 2;
    if (i % 2 == 0) return to_exact(c(I, J));
    const auto& w = g.x[std::size_t(I)];
    return Exact(to_exact(w.before) * to_exact(c(cubic_before(I, c.nx), J))
                 + to_exact(w.lower) * to_exact(c(I, J)) + to_exact(w.upper) * to_exact(c(I + 1, J))
                 + to_exact(w.after) * to_exact(c(cubic_after(I, c.nx), J)));
  };
  const int J = j / 2;
  if (j % 2 == 0) return row(J);
  const auto& w = g.y[std::size_t(J)];
  return Exact(to_exact(w.before) * row(cubic_before(J, c.ny)) + to_exact(w.lower) * row(J)
               + to_exact(w.upper) * row(J + 1) + to_exact(w.after) * row(cubic_after(J, c.ny)));
}

TEMPLATE_TEST_CASE("interpolation is that of every node, to a few roundoffs", "[gpu][nested]",
                   NINEFOLD_DEVICE_FORMATS) {
  using T = TestType;
  const Host on;
  for (const int level : {2, 3, 7}) {
    const Grids<T> g(level == 3 ? 0.6 : 1.0, level);
    const NodeVector<Host, T> c(on, g.coarse().nx(), g.coarse().ny());
    const NodeVector<Host, T> x(on, g.fine().nx(), g.fine().ny());
    const auto nodes = std::size_t(g.coarse().nx()) * std::size_t(g.coarse().ny());
    put(on, random_values<T>(nodes, 5), c.view());
    const Box all{0, g.fine().nx(), 0, g.fine().ny()};
    const Box part{1, g.fine().nx() - 1, 2, g.fine().ny() - 1};
    for (const Box& box : {all, part}) {
      const std::vector<T> before =
          random_values<T>(std::size_t(g.fine().nx()) * std::size_t(g.fine().ny()), 6);
      put(on, before, x.view());
      interpolate<Host, T>(on, box, g.cubic(), c.view(), x.view());
      const Field<const T> values = c.view(), found = x.view();
      for (int j = 0; j < g.fine().ny(); ++j) {
        for (int i = 0; i < g.fine().nx(); ++i) {
          CAPTURE(level, i, j);
          if (!box.contains(i, j)) {
            REQUIRE(
                to_exact(found(i, j))
                == to_exact(before[std::size_t(j) * std::size_t(g.fine().nx()) + std::size_t(i)]));
            continue;
          }
          REQUIRE(to_exact(found(i, j)) == to_exact(T(interpolate_at<T>(g.cubic(), values, i, j))));
          // |c| <= 1 and weights that add up to 2: 4 in all; four roundings in each direction.
          const Exact error = abs(to_exact(found(i, j)) - interpolated(g, values, i, j));
          REQUIRE(error
                  <= Exact(4 * 4 * 8 * unit_roundoff<Arithmetic<T>>() + 4 * unit_roundoff<T>()));
        }
      }
    }
  }
}

TEST_CASE("what is interpolated and corrected has the bits of the steps one by one",
          "[gpu][nested]") {
  const Host on;
  const Grids<double> g(0.8, 6);
  const int nx = g.fine().nx(), ny = g.fine().ny();
  const NodeVector<Host, double> c(on, g.coarse().nx(), g.coarse().ny()), x(on, nx, ny),
      y(on, nx, ny);
  const NodeVector<Host, float> e(on, nx, ny);
  put(on, random_values<double>(std::size_t(g.coarse().nx()) * std::size_t(g.coarse().ny()), 5),
      c.view());
  put(on, random_values<float>(std::size_t(nx) * std::size_t(ny), 6), e.view());
  const RefinementState<double> state{1, 8, 0.125};
  const Box box{1, nx - 1, 1, ny - 1};
  add_interpolated<Host, double, float>(on, box, g.cubic(), c.view(), &state, e.view(), x.view());
  interpolate<Host, double>(on, box, g.cubic(), c.view(), y.view());
  add_correction<Host, double, float>(on, box, &state, e.view(), y.view());
  CHECK(take(on, x.view()) == take(on, y.view()));
}

TEST_CASE("a residual without its norm has the bits of that with it", "[gpu][nested]") {
  const Host on;
  const TensorGrid grid = make_hierarchy(1.0, 0.7, 6, {0.8, {Side::left}}).back();
  const auto nodes = std::size_t(grid.nx()) * std::size_t(grid.ny());
  for (const auto storage :
       {OperatorStorage::stored, OperatorStorage::computed, OperatorStorage::factored}) {
    const Matrix<Host, double> A(on, grid, unknown_nodes(grid, {}), {1.0, 0.5, 2.0},
                                 OperatorForm::difference, storage);
    const NodeVector<Host, double> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
    const NodeVector<Host, float> r(on, grid.nx(), grid.ny()), s(on, grid.nx(), grid.ny());
    put(on, random_values<double>(nodes, 3), b.view());
    put(on, random_values<double>(nodes, 4), x.view());
    RefinementState<double> state{1, 0.5, 2};
    residual_narrowed<Host, double, float>(on, A.view(), b.view(), x.view(), &state, r.view());
    residual_rounded<Host, double, float>(on, A.view(), b.view(), x.view(), s.view(), &state);
    CHECK(take(on, r.view()) == take(on, s.view()));
  }
}

TEST_CASE("scales of residuals grow from level to level", "[gpu][nested]") {
  std::vector<RefinementState<double>> states(3, {16.0, 5, 5});
  const auto set = [&](RefinementScaling scaling, int exponent, int growth, int first_over) {
    const int count = static_cast<int>(states.size());
    set_scales<Host, double>(Host(), scaling, exponent, growth, count, first_over, states.data());
  };
  set(RefinementScaling::power_of_two, 1, 3, 1);
  CHECK(states[0].down == 0.5);  // from a norm of 4 to one of 2
  CHECK(states[1].down == 4);
  CHECK(states[2].down == 32);
  CHECK(states[0].up == 2);
  CHECK(states[1].up == 1.25 / 4);  // the last but one
  CHECK(states[2].up == 1.0 / 32);
  CHECK(states[0].square == 16);
  set(RefinementScaling::norm, 0, 1, 3);
  CHECK(states[0].down == 0.25);
  CHECK(states[1].down == 0.5);
  CHECK(states[1].up == 2);
  CHECK_THROWS_AS(set(RefinementScaling::norm, 0, 1, 0), std::invalid_argument);
}

TEST_CASE("every second correction before the last is taken over", "[gpu][nested]") {
  const auto over = [](int count, int first) {
    std::vector<RefinementState<double>> states(static_cast<std::size_t>(count), {1.0, 1, 1});
    set_scales<Host, double>(Host(), RefinementScaling::power_of_two, 0, 0, count, first,
                             states.data());
    std::vector<bool> result;
    for (const auto& state : states) result.push_back(state.up == over_correction);
    return result;
  };
  CHECK(over(1, 1) == std::vector{false});
  CHECK(over(2, 1) == std::vector{false, false});
  CHECK(over(6, 1) == std::vector{false, false, true, false, true, false});
  CHECK(over(5, 1) == std::vector{false, true, false, true, false});
  CHECK(over(5, 2) == std::vector{false, false, false, true, false});
  CHECK(over(5, 4) == std::vector{false, false, false, false, false});
}

// A sum of n terms loses n u in each of four products; what eigenvalues span multiplies that.
TEMPLATE_TEST_CASE("a small inverse solves to its digits on all sides", "[gpu][nested]", float,
                   double) {
  using T = TestType;
  const Host on;
  for (int sides = 0; sides < 16; ++sides) {
    for (const int level : {1, 2, 5, 6}) {
      const TensorGrid grid = make_hierarchy(1.0, 0.8, level, {0.9, {Side::right}}).back();
      const Boundary boundary = boundary_of(sides);
      const Coefficients<double> g{1, 0.7, sides % 2 == 0 ? 0.0 : 0.5};
      const auto solver = BaseSolver<Host, T>::make(on, grid, boundary, g);
      REQUIRE(solver);
      const Matrix<Host, T> A(on, grid, unknown_nodes(grid, boundary), g, OperatorForm::difference,
                              OperatorStorage::factored);
      const NodeVector<Host, T> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny()),
          y(on, grid.nx(), grid.ny());
      const auto nodes = std::size_t(grid.nx()) * std::size_t(grid.ny());
      put(on, random_values<T>(nodes, 8), y.view());
      const Box& box = A.view().unknowns;
      Array<Host, T> mean(on, 1);
      const bool free = sides == 15 && g.c == 0;
      std::vector<T> only_unknowns = take(on, y.view());
      for (int j = 0; j < grid.ny(); ++j) {
        for (int i = 0; i < grid.nx(); ++i) {
          if (!box.contains(i, j))
            only_unknowns[std::size_t(j) * std::size_t(grid.nx()) + std::size_t(i)] = 0;
        }
      }
      put(on, only_unknowns, y.view());
      product<Host, T>(on, A.view(), y.view(), b.view());
      solver->solve(on, b.view(), x.view());
      // Where a constant is free, up to that.
      const Field<const T> found = x.view(), sought = y.view();
      const double shift = free ? double(sought(1, 1)) - double(found(1, 1)) : 0;
      double error = 0;
      for (int j = box.j0; j < box.j1; ++j) {
        for (int i = box.i0; i < box.i1; ++i) {
          error = std::max(error, std::abs(double(found(i, j)) + shift - double(sought(i, j))));
        }
      }
      CAPTURE(sides, level);
      const double terms = level == 6 ? 65 : 33, span = level == 6 ? 256 : 64;
      CHECK(error <= 4 * terms * span * unit_roundoff<T>());
    }
  }
}

// What it leaves of a smooth solution, and of one that is rough, in the energy norm.
// One direction's eigenvalues span far more than the sums of both.
TEST_CASE("a small inverse holds for a thin line between Neumann sides beside a stiff one",
          "[gpu][nested]") {
  const Host on;
  for (const double nu : {1.0 / 64, 1e-3, 1e-5}) {
    const TensorGrid grid = {make_hierarchy(1.0, 1.0, 5, {nu, {Side::right}}).back().x,
                             make_hierarchy(1.0, 1.0, 5).back().y};
    Boundary boundary;
    boundary[Side::left] = boundary[Side::right] = BoundaryKind::neumann;
    const Coefficients<double> g{1, nu < 1e-4 ? 1e16 : 1e8, 0};
    const auto solver = BaseSolver<Host, double>::make(on, grid, boundary, g);
    if (!solver) continue;
    const Box box = unknown_nodes(grid, boundary);
    const Matrix<Host, double> A(on, grid, box, g, OperatorForm::difference,
                                 OperatorStorage::factored);
    const NodeVector<Host, double> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny()),
        sought(on, grid.nx(), grid.ny());
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) {
        const auto at = static_cast<std::size_t>(i);
        sought.view()(i, j) = std::cos(3 * grid.x.from_start[at]) * std::sin(2.0 * j);
      }
    }
    product<Host, double>(on, A.view(), sought.view(), b.view());
    solver->solve(on, b.view(), x.view());
    double error = 0;
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) {
        error = std::max(error, std::abs(x.view()(i, j) - sought.view()(i, j)));
      }
    }
    CAPTURE(nu, error);
    CHECK(error <= 1.0 / 512);
  }
}

TEST_CASE("a small inverse in double holds where cells differ by 2^43", "[gpu][nested]") {
  const Host on;
  for (int sides = 0; sides < 16; ++sides) {
    for (const double nu : {0.25, 1.0 / 64, 1.0 / 200}) {
      const TensorGrid grid = make_hierarchy(1.0, 1.0, 5, {nu, {Side::right, Side::bottom}}).back();
      const Boundary boundary = boundary_of(sides);
      const Coefficients<double> g{1, 1, sides == 15 ? 1.0 : 0.0};
      const auto solver = BaseSolver<Host, double>::make(on, grid, boundary, g);
      REQUIRE(solver);
      const Box box = unknown_nodes(grid, boundary);
      const Matrix<Host, double> A(on, grid, box, g, OperatorForm::difference,
                                   OperatorStorage::factored);
      const NodeVector<Host, double> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny()),
          sought(on, grid.nx(), grid.ny()), image(on, grid.nx(), grid.ny());
      const auto energy = [&](const NodeVector<Host, double>& v) {
        product<Host, double>(on, A.view(), v.view(), image.view());
        double sum = 0;
        for (int j = box.j0; j < box.j1; ++j) {
          for (int i = box.i0; i < box.i1; ++i) sum += v.view()(i, j) * image.view()(i, j);
        }
        return sum;
      };
      for (const bool smooth : {true, false}) {
        const auto noise =
            random_values<double>(std::size_t(grid.nx()) * std::size_t(grid.ny()), 8);
        for (int j = box.j0; j < box.j1; ++j) {
          for (int i = box.i0; i < box.i1; ++i) {
            const auto at = [](const Line& line, int k) {
              const auto node = static_cast<std::size_t>(k);
              return line.from_start[node] * line.from_end[node];
            };
            const double value = at(grid.x, i) * at(grid.y, j);
            sought.view()(i, j) = smooth ? value : noise[std::size_t(j * grid.nx() + i)];
          }
        }
        product<Host, double>(on, A.view(), sought.view(), b.view());
        solver->solve(on, b.view(), x.view());
        const double whole = energy(sought);
        for (int j = box.j0; j < box.j1; ++j) {
          for (int i = box.i0; i < box.i1; ++i) x.view()(i, j) -= sought.view()(i, j);
        }
        CAPTURE(sides, nu, smooth);
        CHECK(std::sqrt(energy(x) / whole) <= 1.0 / 512);
      }
    }
  }
}

TEST_CASE("eigenvectors are in a format that holds them, or are not taken", "[gpu][nested]") {
  const Host on;
  const auto thin = make_hierarchy(1.0, 1.0, 5, {1e-5, {Side::right, Side::bottom}}).back();
  CHECK_FALSE(BaseSolver<Host, float>::make(on, thin, {}, {1, 1, 0}));
  CHECK_FALSE(BaseSolver<Host, double>::make(on, thin, {}, {1, 1, 0}));
  const auto graded = make_hierarchy(1.0, 1.0, 5, {0.4, {Side::right}}).back();
  const auto is_wider = []<class T>(const std::optional<BaseSolver<Host, T>>& solver) {
    REQUIRE(solver);
    return solver->is_wider();
  };
  CHECK(is_wider(BaseSolver<Host, float>::make(on, graded, {}, {1, 1, 0})));
  CHECK(is_wider(BaseSolver<Host, Half>::make(on, graded, {}, {1, 1, 0})));
  CHECK_FALSE(is_wider(BaseSolver<Host, double>::make(on, graded, {}, {1, 1, 0})));
  CHECK_FALSE(BaseSolver<Host, DoubleDouble>::make(on, graded, {}, {1, 1, 0}));
  for (const int level : {5, 6}) {
    const auto even = make_hierarchy(1.0, 1.0, level).back();
    CHECK_FALSE(is_wider(BaseSolver<Host, float>::make(on, even, {}, {1, 1, 0})));
  }
}

TEST_CASE("a grid of equal cells is solved at once to 65 nodes, others to 33", "[gpu][nested]") {
  const auto even = [](int level) { return make_hierarchy(1.0, 0.8, level).back(); };
  const auto graded = [](int level) {
    return make_hierarchy(1.0, 1.0, level, {0.9, {Side::right}}).back();
  };
  CHECK(may_be_base<float>(even(6)));
  CHECK(may_be_base<double>(even(6)));
  CHECK_FALSE(may_be_base<double>(even(7)));
  CHECK_FALSE(may_be_base<DoubleSingle>(even(6)));  // it has no inverse
  CHECK(may_be_base<DoubleSingle>(even(5)));
  CHECK(may_be_base<float>(graded(5)));
  CHECK_FALSE(may_be_base<float>(graded(6)));
}

// What the finer one's eigenvectors do not hold, the coarser one's do, or cycles solve.
TEST_CASE("multigrid solves well the finest level that has eigenvectors", "[gpu][nested]") {
  const Host on;
  const auto base_level = [&](double gy) {
    const auto grids = make_hierarchy(1.0, 1.0, 7);
    Boundary boundary;  // constants along x are held by those along y alone
    boundary[Side::left] = boundary[Side::right] = BoundaryKind::neumann;
    Smoothing smoothing = choose_smoothing({}, grids.back(), 1, gy, OperatorStorage::factored);
    smoothing.solves_base = true;
    const Multigrid<Host, double> multigrid(on, grids, boundary, {1, gy, 0},
                                            OperatorForm::difference, smoothing,
                                            OperatorStorage::factored);
    return std::pair(multigrid.base_level() + 1, multigrid.solves_base());
  };
  // Eigenvalues span about 1.2 n^2 / gy, to be held below 2^88.
  CHECK(base_level(1) == std::pair(6, true));
  CHECK(base_level(0x1p-60) == std::pair(6, true));
  CHECK(base_level(0x1p-76) == std::pair(5, true));
  CHECK(base_level(0x1p-90) == std::pair(5, false));
}

TEST_CASE("a small inverse of single in double is that of double, rounded", "[gpu][nested]") {
  const Host on;
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 5, {0.25, {Side::right, Side::bottom}}).back();
  const Coefficients<double> g{1, 1, 0};
  const auto narrow = BaseSolver<Host, float>::make(on, grid, {}, g);
  const auto wide = BaseSolver<Host, double>::make(on, grid, {}, g);
  REQUIRE(narrow);
  REQUIRE(wide);
  const NodeVector<Host, float> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  const NodeVector<Host, double> b_wide(on, grid.nx(), grid.ny()), x_wide(on, grid.nx(), grid.ny());
  const auto nodes = std::size_t(grid.nx()) * std::size_t(grid.ny());
  const auto values = random_values<float>(nodes, 8);
  put(on, values, b.view());
  put(on, std::vector<double>(values.begin(), values.end()), b_wide.view());
  narrow->solve(on, b.view(), x.view());
  wide->solve(on, b_wide.view(), x_wide.view());
  const Box unknowns = unknown_nodes(grid, {});
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) {
      REQUIRE(x.view()(i, j) == static_cast<float>(x_wide.view()(i, j)));
    }
  }
}

}  // namespace
}  // namespace ninefold
