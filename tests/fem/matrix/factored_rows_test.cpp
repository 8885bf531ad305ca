// Rows by one-dimensional factors: against the textbook's matrix in 50 digits, and the coarsest
// solve, on grids with thin cells.
#include "fem/matrix/factored_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/operations/row_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::loss;
using testing::NodeValues;
using testing::to_exact;
using testing::within;
using testing::Worst;

struct Stated {
  GridGrading grading;
  Boundary boundary;
  double gx, gy, c;
};

std::vector<Stated> problems() {
  const std::vector<Side> all(all_sides.begin(), all_sides.end());
  Boundary corner, neumann;
  corner[Side::right] = corner[Side::top] = BoundaryKind::neumann;
  for (const Side side : all_sides) neumann[side] = BoundaryKind::neumann;
  return {{{}, {}, 1, 1, 0},
          {{}, neumann, 1, 0.7, 0.3},
          {{0.3, all}, {}, 2.5, 0.3, 1.7},
          {{0.01, {Side::right, Side::bottom}}, corner, 1, 4, 0},
          {{0.2, {Side::left}}, neumann, 1.0 / 3, 1, 2}};
}

/// The matrix in 50 digits: entry (s, t) of node (i, j), from the cells' widths.
struct Textbook {
  const TensorGrid& grid;
  const Stated& stated;

  static Exact stiffness(const Line& line, int i, int s) {
    const auto of = [&](int cell) {
      const bool there = cell >= 0 && cell < int(line.width.size());
      return there ? Exact(1) / line.width[std::size_t(cell)] : Exact(0);
    };
    return s < 0 ? Exact(-of(i - 1)) : s > 0 ? Exact(-of(i)) : Exact(of(i - 1) + of(i));
  }
  static Exact mass(const Line& line, int i, int s) {
    const auto of = [&](int cell) {
      const bool there = cell >= 0 && cell < int(line.width.size());
      return there ? Exact(line.width[std::size_t(cell)]) / 6 : Exact(0);
    };
    return s < 0 ? of(i - 1) : s > 0 ? of(i) : Exact(2 * (of(i - 1) + of(i)));
  }
  Exact entry(int i, int j, int s, int t) const {
    const Exact mx = mass(grid.x, i, s), my = mass(grid.y, j, t);
    return stated.gx * stiffness(grid.x, i, s) * my + stated.gy * mx * stiffness(grid.y, j, t)
           + stated.c * mx * my;
  }
};

/// (A x)(i,j) by flows, and the sizes of what is summed: products of masses with what each cell
/// brings or takes along x, and what comes and goes along y.
struct ExactRow {
  Exact value, magnitude;
};

template <class T>
ExactRow exact_row(const Textbook& A, const NodeValues<T>& x, int i, int j) {
  const auto at = [&](int s, int t) {
    const bool inside = i + s >= 0 && i + s < A.grid.nx() && j + t >= 0 && j + t < A.grid.ny();
    return inside ? x.exact(i + s, j + t) : Exact(0);
  };
  ExactRow row{0, 0};
  const auto add = [&](const Exact& term) {
    row.value += term;
    row.magnitude += abs(term);
  };
  for (int t = -1; t <= 1; ++t) {
    const Exact my = Textbook::mass(A.grid.y, j, t);
    for (const int s : {-1, 1}) {
      add(A.stated.gx * Textbook::stiffness(A.grid.x, i, s) * my * (at(s, t) - at(0, t)));
    }
    for (int s = -1; s <= 1; ++s) {
      const Exact mx = Textbook::mass(A.grid.x, i, s);
      add(A.stated.c * mx * my * at(s, t));
      if (t != 0) {
        add(A.stated.gy * mx * Textbook::stiffness(A.grid.y, j, t) * (at(s, t) - at(s, 0)));
      }
    }
  }
  return row;
}

TEMPLATE_TEST_CASE("factored rows are those of the textbook's matrix", "[fem][factored_rows]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  using W = Assembly<T>;
  const Host on;
  const Stated stated = GENERATE(from_range(problems()));
  const int level = GENERATE(1, 2, 4);
  const bool few_exponents = std::is_same_v<C, SoftFloat> && unit_roundoff<C>() > 1e-6;
  if (few_exponents && stated.grading.nu < 0.1 && level > 2) return;
  CAPTURE(stated.grading.nu, stated.c, level);
  const TensorGrid grid = make_hierarchy(1, 1, level, stated.grading).back();
  const Box unknowns = unknown_nodes(grid, stated.boundary);
  const std::size_t before = on.allocated();
  const FactoredMatrix<Host, T> matrix(on, grid, unknowns,
                                       {W(stated.gx), W(stated.gy), W(stated.c)});
  const auto values_of = [](int nodes) {
    return 2 * line_factor_pitch(static_cast<std::size_t>(nodes));
  };
  REQUIRE(on.allocated() - before == (values_of(grid.nx()) + values_of(grid.ny())) * sizeof(C));
  const FactoredRows<T>& A = matrix.view();
  const Textbook textbook{grid, stated};
  const NodeValues<T> x(grid.nx(), grid.ny(), 5, testing::Range::tame);
  const NodeValues<T> constant(grid.nx(), grid.ny(), T(C(1) / C(3)));
  // Factors are off by 3 roundoffs of W (seen as 1 of C at most) and 1 of C; two sums of three
  // products, two products and four sums follow.
  const double factors = 2 * (1 + 3 * unit_roundoff<W>() / unit_roundoff<C>());
  const double roundoffs =
      factors + 2 * testing::product_sum_loss<T>(3) + 2 * loss<T>.product + 4 * loss<T>.sum + 4;
  Worst product, entries, diagonal;
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) {
      const ExactRow exact = exact_row(textbook, x, i, j);
      product.add(
          within(FactoredForm::product(A, x.read(), i, j), exact.value, roundoffs, exact.magnitude),
          i, j);
      for (int m = 0; m < 9; ++m) {
        const int s = m % 3 - 1, t = m / 3 - 1;
        const Exact sizes =
            abs(Exact(stated.gx * Textbook::stiffness(grid.x, i, s))) * Textbook::mass(grid.y, j, t)
            + Textbook::mass(grid.x, i, s)
                  * abs(Exact(stated.gy * Textbook::stiffness(grid.y, j, t)))
            + stated.c * Textbook::mass(grid.x, i, s) * Textbook::mass(grid.y, j, t);
        entries.add(within(A.row(i, j).entry(m), textbook.entry(i, j, s, t), roundoffs, sizes), i,
                    j);
      }
      const Exact centre = textbook.entry(i, j, 0, 0);
      diagonal.add(within(FactoredForm::diagonal(A, i, j), centre, roundoffs, centre), i, j);
      if (stated.c == 0) {
        REQUIRE(FactoredForm::product(A, constant.read(), i, j) == C(0));
        REQUIRE(static_cast<C>(A.row(i, j).row_sum()) == C(0));
      }
    }
  }
  CHECK(product.value());
  CHECK(entries.value());
  CHECK(diagonal.value());
  CHECK(product.count() == unknowns.width() * unknowns.height());
}

TEST_CASE("the inverse of a bound is that of the larger coupling, on cells of all sizes",
          "[fem][factored_rows]") {
  const Host on;
  for (const Stated& stated : problems()) {
    for (const double scale : {1.0, 0x1p96, 0x1p-95}) {
      const TensorGrid grid = make_hierarchy(1.0, 0.5, 4, stated.grading).back();
      const FactoredMatrix<Host, float> matrix(
          on, grid, unknown_nodes(grid, stated.boundary),
          {scale * stated.gx, scale * stated.gy, scale * stated.c});
      const FactoredRows<float>& A = matrix.view();
      const Box& box = A.unknowns;
      CAPTURE(stated.gx, scale);
      for (int j = box.j0; j < box.j1; ++j) {
        for (int i = box.i0; i < box.i1; ++i) {
          const auto row = A.row(i, j);
          const double mx = row.x.mass(), my = row.y.mass();
          const double larger =
              std::max(double(row.x.stiffness()) * my, mx * double(row.y.stiffness()));
          const double exact = 2 * larger + 1.5 * double(row.reaction) * mx * my;
          const double found = FactoredForm::inverse_bound_in<float>(row);
          CHECK(std::abs(found * exact - 1) <= 16 * unit_roundoff<float>());
        }
      }
    }
  }
}

TEST_CASE("a line's rows are those of the matrix without what lies outside of it",
          "[fem][factored_rows]") {
  const Host on;
  for (const Stated& stated : problems()) {
    const TensorGrid grid = make_hierarchy(1, 1, 3, stated.grading).back();
    const Box box = unknown_nodes(grid, stated.boundary);
    const FactoredMatrix<Host, double> matrix(on, grid, box, {stated.gx, stated.gy, stated.c});
    const Textbook textbook{grid, stated};
    const auto check = [&]<bool along_x>(std::bool_constant<along_x>) {
      for (int j = box.j0; j < box.j1; ++j) {
        for (int i = box.i0; i < box.i1; ++i) {
          const bool first = along_x ? i == box.i0 : j == box.j0;
          const bool last = along_x ? i + 1 == box.i1 : j + 1 == box.j1;
          const auto row = FactoredForm::in_line<along_x>(matrix.view(), 0.0, i, j, first, last);
          const auto entry = [&](int s) {
            return along_x ? textbook.entry(i, j, s, 0) : textbook.entry(i, j, 0, s);
          };
          const Exact coupling = first ? Exact(0) : entry(-1);
          const Exact sum = coupling + entry(0) + (last ? Exact(0) : entry(1));
          CAPTURE(stated.grading.nu, along_x, i, j);
          // No digit of the sum is lost, however much larger the couplings are.
          CHECK(abs(Exact(to_exact(row.sum) - sum)) <= Exact(16 * 0x1p-53) * sum);
          CHECK(abs(Exact(to_exact(row.coupling) - coupling))
                <= Exact(16 * 0x1p-53) * (abs(coupling) + sum));
        }
      }
    };
    check(std::true_type{});
    check(std::false_type{});
  }
}

/// Two cells of each direction.
struct CoarsestCase {
  double x0, x1, y0, y1;
};

TEMPLATE_TEST_CASE("the coarsest grid is solved to all digits, however thin its cells",
                   "[fem][factored_rows]", float, double, DoubleSingle) {
  using T = TestType;
  using W = Assembly<T>;
  const Host on(64);
  std::vector<CoarsestCase> grids{{0.5, 0.5, 0.3, 0.7}};
  for (const double t : {1e-3, 1e-8, 1e-14}) {
    for (const auto& [x0, x1] : {std::pair{t, 1 - t}, {1 - t, t}, {0.4, 0.6}}) {
      for (const double s : {t, t * t}) {
        grids.push_back({x0, x1, s, 1 - s});
        grids.push_back({x0, x1, 1 - s, s});
      }
      grids.push_back({x0, x1, 0.3, 0.7});
    }
  }
  double worst = 0;
  for (int sides = 0; sides < 16; ++sides) {
    Boundary boundary;
    for (std::size_t k = 0; k < 4; ++k) {
      if ((sides >> k & 1) != 0) boundary[all_sides[k]] = BoundaryKind::neumann;
    }
    for (const CoarsestCase& cells : grids) {
      for (const double c : {0.0, 2.0}) {
        const bool free = sides == 15 && c == 0;
        Stated stated{{}, boundary, 1, 0.7, c};
        stated.grading.x_widths = {cells.x0, cells.x1};
        stated.grading.y_widths = {cells.y0, cells.y1};
        const TensorGrid grid =
            make_hierarchy(cells.x0 + cells.x1, cells.y0 + cells.y1, 1, stated.grading).back();
        const Box box = unknown_nodes(grid, boundary);
        const FactoredMatrix<Host, T> matrix(on, grid, box, {W(stated.gx), W(stated.gy), W(c)});
        const Textbook textbook{grid, stated};
        const std::size_t n = std::size_t(box.width() * box.height());
        const auto node = [&](std::size_t p) {
          return std::pair{box.i0 + int(p) % box.width(), box.j0 + int(p) / box.width()};
        };
        NodeValues<T> b(3, 3), x(3, 3, T(0.75));  // Dirichlet values, too
        testing::DenseMatrix A(static_cast<int>(n));
        std::vector<Exact> right(n);
        for (std::size_t p = 0; p < n; ++p) {
          const auto [i, j] = node(p);
          // Of no sum where constants are free.
          const double value = free ? (p == 0 ? 2 : p + 1 == n ? -2 : 0) : 0.25 + 0.125 * double(p);
          b.view()(i, j) = T(value);
          right[p] = value;
          for (int m = 0; m < 9; ++m) {
            const int s = i + m % 3 - 1, t = j + m / 3 - 1;
            if (s < 0 || s > 2 || t < 0 || t > 2) continue;
            const Exact entry = textbook.entry(i, j, m % 3 - 1, m / 3 - 1);
            if (box.contains(s, t)) {
              A(int(p), (t - box.j0) * box.width() + (s - box.i0)) = entry;
            } else {
              right[p] -= entry * Exact(0.75);
            }
          }
        }
        if (free) {  // held by the square of the mean: any one of the solutions
          for (std::size_t p = 0; p < n * n; ++p) A.entry[p] += 1;
        }
        solve_coarsest<Host, T>(on, matrix.view(), b.read(), x.view());
        const auto exact = testing::cholesky_solve(A, right);
        Exact most = 0, shift = 0;
        for (std::size_t p = 0; p < n; ++p) most = std::max(most, Exact(abs(exact[p])));
        if (free) shift = exact[0] - x.exact(0, 0);
        CAPTURE(sides, cells.x0, cells.x1, cells.y0, cells.y1, c);
        for (std::size_t p = 0; p < n; ++p) {
          const auto [i, j] = node(p);
          const Exact error = abs(Exact(x.exact(i, j) + shift - exact[p])) / most;
          worst = std::max(worst, static_cast<double>(error) / unit_roundoff<Arithmetic<T>>());
          REQUIRE(error <= Exact(200 * unit_roundoff<Arithmetic<T>>()));
        }
      }
    }
  }
  std::printf("coarsest solves by factors: error of %.1f u\n", worst);
}

}  // namespace
}  // namespace ninefold
