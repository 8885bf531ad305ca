// Jacobi steps by the bound of the diagonal, and what it bounds.
#include "gpu/operations/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"

#include "grids/tensor_grid.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"

#include "solvers/multigrid/smoothing.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/put.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

template <Number T>
struct Setting {
  Host on;
  TensorGrid grid;
  Matrix<Host, T> matrix;
  FactoredRows<T> A;
  NodeVector<Host, T> x, b, y, q;

  Setting(const TensorGrid& on_grid, const Boundary& boundary, double gx, double gy, double c)
      : grid(on_grid),
        matrix(on, grid, unknown_nodes(grid, boundary),
               {Assembly<T>(gx), Assembly<T>(gy), Assembly<T>(c)}, OperatorForm::difference,
               OperatorStorage::factored),
        A(*matrix.view().template as<FactoredRows<T>>()),
        x(on, A.nx, A.ny),
        b(on, A.nx, A.ny),
        y(on, A.nx, A.ny),
        q(on, A.nx, A.ny) {
    const auto n = static_cast<std::size_t>(A.nx) * static_cast<std::size_t>(A.ny);
    testing::put(on, testing::random_values<T>(n, 1), x.view());
    testing::put(on, testing::random_values<T>(n, 2), b.view());
  }
};

Boundary one_neumann_side() {
  Boundary boundary;
  boundary[Side::right] = BoundaryKind::neumann;
  return boundary;
}

TEMPLATE_TEST_CASE("a step by the bound is what it says", "[gpu][operations]", float, double) {
  using T = TestType;
  const auto grid = make_hierarchy(1.0, 0.5, 4, {0.3, {Side::right, Side::bottom}}).back();
  const Setting<T> s(grid, one_neumann_side(), 1.0, 0.75, 40.0);
  const Relaxation<T> relaxation(T(0.9), Divisor::bound);
  product<Host, T>(s.on, s.A, s.x.view(), s.q.view());
  const Field<const T> x = s.x.view(), b = s.b.view(), q = s.q.view(), y = s.y.view();
  jacobi_step<Host, T>(s.on, s.A, b, relaxation, x, s.y.view());
  const auto for_unknowns = [&](const auto& check) {
    for (int j = s.A.unknowns.j0; j < s.A.unknowns.j1; ++j) {
      for (int i = s.A.unknowns.i0; i < s.A.unknowns.i1; ++i) check(i, j);
    }
  };
  // By the widths of the cells around a node, none beyond a side.
  const auto parts = [](const Line& line, int i) {
    const double before = i > 0 ? line.width[std::size_t(i) - 1] : 0;
    const double after = i < line.nodes() - 1 ? line.width[std::size_t(i)] : 0;
    return std::pair{(before > 0 ? 1 / before : 0) + (after > 0 ? 1 / after : 0),
                     (before + after) / 3};
  };
  const double u = unit_roundoff<T>();
  for_unknowns([&](int i, int j) {
    const auto entries = s.A.row(i, j);
    const T inverse = FactoredForm::inverse_bound_in<T>(entries);
    const auto [kx, mx] = parts(grid.x, i);
    const auto [ky, my] = parts(grid.y, j);
    const double exact = 2 * std::max(1.0 * kx * my, 0.75 * ky * mx) + 1.5 * 40.0 * mx * my;
    CHECK(std::abs(double(inverse) * exact - 1) <= 16 * u);
    CHECK(y(i, j) == fused(T(0.9) * inverse, b(i, j) - q(i, j), x(i, j)));
  });
  jacobi_start<Host, T>(s.on, s.A, b, relaxation, s.y.view());
  for_unknowns([&](int i, int j) {
    const T inverse = FactoredForm::inverse_bound_in<T>(s.A.row(i, j));
    CHECK(y(i, j) == T(0.9) * inverse * b(i, j));
  });
}

/// The largest eigenvalue of D^-1 A, by its quotients from below.
double largest_eigenvalue(const Setting<double>& s, Divisor divisor) {
  const Box& box = s.A.unknowns;
  double value = 0;
  for (int k = 0; k < 3000; ++k) {
    product<Host, double>(s.on, s.A, s.x.view(), s.q.view());
    double energy = 0, square = 0, largest = 0;
    const auto for_all = [&](const auto& run) {
      for (int j = box.j0; j < box.j1; ++j) {
        for (int i = box.i0; i < box.i1; ++i) run(i, j);
      }
    };
    for_all([&](int i, int j) {
      const auto row = s.A.row(i, j);
      const double d = divisor == Divisor::bound ? 1 / FactoredForm::inverse_bound_in<double>(row)
                                                 : FactoredForm::diagonal_in<double>(row);
      const double x = s.x.view()(i, j), q = s.q.view()(i, j);
      energy += x * q;
      square += x * d * x;
      s.y.view()(i, j) = q / d;
      largest = std::max(largest, std::abs(q / d));
    });
    value = energy / square;
    for_all([&](int i, int j) { s.x.view()(i, j) = s.y.view()(i, j) / largest; });
  }
  return value;
}

TEST_CASE("of cells all alike the bound bounds the eigenvalues by 3/2", "[gpu][operations]") {
  for (const double ratio : {1.0, 3.0, 1e3}) {
    for (const double reaction : {0.0, 1e2, 1e6}) {
      CAPTURE(ratio, reaction);
      const auto grid = make_hierarchy(1.0, ratio, 5).back();
      const Setting<double> s(grid, {}, 1, 1, reaction);
      const double largest = largest_eigenvalue(s, Divisor::bound);
      CHECK(largest <= 1.5 * (1 + 1e-12));
      CHECK(largest >= 1.3);
    }
  }
  // Where the diagonal does not.
  const Setting<double> s(make_hierarchy(1.0, 1e3, 5).back(), {}, 1, 1, 0);
  CHECK(largest_eigenvalue(s, Divisor::diagonal) > 2.5);
}

TEST_CASE("the bound is one of factored rows", "[gpu][operations]") {
  const Host on;
  const auto grid = make_hierarchy(1.0, 1.0, 3).back();
  const Relaxation<double> relaxation(0.9, Divisor::bound);
  const NodeVector<Host, double> x(on, 9, 9), y(on, 9, 9);
  for (const OperatorStorage storage : {OperatorStorage::stored, OperatorStorage::computed}) {
    const Matrix<Host, double> A(on, grid, unknown_nodes(grid, {}), {1.0, 1.0, 0.0},
                                 OperatorForm::difference, storage);
    CHECK_THROWS_AS(jacobi_step(on, A.view(), x.view(), relaxation, x.view(), y.view()),
                    std::invalid_argument);
    CHECK_THROWS_AS(jacobi_start(on, A.view(), x.view(), relaxation, y.view()),
                    std::invalid_argument);
  }
}

TEST_CASE("Chebyshev's dampings make the least polynomial", "[solvers][smoothing]") {
  for (int n = 1; n <= most_relaxations; ++n) {
    CAPTURE(n);
    const std::vector<double> damping = chebyshev_dampings(n);
    REQUIRE(damping.size() == std::size_t(n));
    const double a = 3.0 / (n + 3), b = 1.5;
    const auto polynomial = [&](double lambda) {
      double value = 1;
      for (const double omega : damping) value *= 1 - omega * lambda;
      return value;
    };
    // It takes its largest value n + 1 times, with either sign in turn.
    const double largest = std::abs(polynomial(b));
    for (int k = 0; k <= n; ++k) {
      const double lambda = (a + b) / 2 + (b - a) / 2 * std::cos(std::acos(-1.0) * k / n);
      CHECK(polynomial(lambda) == Approx((k % 2 == 0 ? 1 : -1) * polynomial(b)));
      CHECK(std::abs(polynomial(lambda)) == Approx(largest));
    }
    CHECK(largest < 1);
  }
  for (int n = 1; n <= most_relaxations; ++n) {
    CAPTURE(n);
    const std::vector<double> damping = interpolation_dampings(n);
    REQUIRE(damping.size() == std::size_t(n));
    if (n == 1) {
      CHECK(damping == chebyshev_dampings(1));
      continue;
    }
    // What is as rough as can be in one direction is gone; the roots are Chebyshev's.
    CHECK(1 / damping[0] == Approx(largest_rough));
    const auto root_of = [n](int k) { return std::cos(std::acos(-1.0) * (2 * k + 1) / (2 * n)); };
    const double least = 3.0 / (n + 3);
    for (int k = 0; k < n; ++k) {
      CHECK((1 / damping[std::size_t(k)] - least) / (1 / damping[0] - least)
            == Approx((1 + root_of(k)) / (1 + root_of(0))));
    }
  }
  MultigridOptions options;
  options.smoother = Smoother::chebyshev;
  options.pre_smoothing = 1;
  options.post_smoothing = 2;
  const auto chosen = choose_smoothing(options, make_hierarchy(1.0, 1.0, 2).back(), 1, 1);
  const auto relaxations = relaxations_of<double>(chosen);
  CHECK(relaxations.divisor == Divisor::bound);
  CHECK(relaxations.damping[0] == chebyshev_dampings(1)[0]);
  CHECK(relaxations.damping[1] == chebyshev_dampings(2)[0]);
  CHECK(relaxations.damping[2] == chebyshev_dampings(2)[1]);
  CHECK(chosen.first_post_step() == 1);
  REQUIRE(chosen.first_interpolated_step() == 3);
  CHECK(relaxations.damping[3] == interpolation_dampings(2)[0]);
  CHECK(relaxations.damping[4] == interpolation_dampings(2)[1]);
  // Of steps that are all alike none are others.
  options.smoother = Smoother::jacobi;
  CHECK(
      choose_smoothing(options, make_hierarchy(1.0, 1.0, 2).back(), 1, 1).first_interpolated_step()
      == 1);
}

}  // namespace
}  // namespace ninefold
