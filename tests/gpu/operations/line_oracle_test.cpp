// One step of line relaxation on Host against the dense matrix of the oracle.

#include <array>
#include <cmath>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "gpu/operations/line_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/line_pattern.hpp"
#include "tests/support/line_sets.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::DenseMatrix;
using testing::InFormat;
using testing::loss;
using testing::NodeValues;
using testing::Range;
using testing::to_exact;
using testing::Worst;

/// A grid of cells of these widths.
struct Stretched {
  std::string description;
  double nu_x, nu_y;
  int level_x, level_y;
  std::array<bool, 4> dirichlet;  ///< left, right, bottom, top
  double c;

  TensorGrid grid() const {
    const auto all = std::vector<Side>(all_sides.begin(), all_sides.end());
    return {make_hierarchy(1, 1, level_x, {nu_x, all}).back().x,
            make_hierarchy(1, 0.7, level_y, {nu_y, all}).back().y};
  }
  Box unknowns(const TensorGrid& grid) const {
    return {dirichlet[0] ? 1 : 0, grid.nx() - (dirichlet[1] ? 1 : 0), dirichlet[2] ? 1 : 0,
            grid.ny() - (dirichlet[3] ? 1 : 0)};
  }
};

/// |A^-1| v, column by column.
std::vector<Exact> times_inverse_size(const DenseMatrix& a, const std::vector<Exact>& v) {
  std::vector<Exact> sum(v.size(), Exact(0));
  for (std::size_t k = 0; k < v.size(); ++k) {
    std::vector<Exact> unit(v.size(), Exact(0));
    unit[k] = 1;
    const auto column = testing::cholesky_solve(a, unit);
    for (std::size_t m = 0; m < v.size(); ++m) sum[m] += abs(column[m]) * v[k];
  }
  return sum;
}

// Errors of the stored entries, of the residual and of the elimination pass through |T^-1|, of
// which nothing is assumed: 9 roundings of the assembly and one to T (see README.md).
TEMPLATE_TEST_CASE("line_step is x + omega T^-1 (b - A x) of the dense matrix",
                   "[gpu][operations][lines][oracle]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using W = Assembly<T>;
  const std::array<bool, 4> all{true, true, true, true}, none{false, false, false, false};
  const Stretched given = GENERATE_COPY(values<Stretched>({
      {"3 x 3", 1, 1, 1, 1, all, 0},
      {"5 x 3", 0.5, 1, 2, 1, all, 0},
      {"9 x 5, both stretched", 0.3, 0.6, 3, 2, all, 0},
      {"9 x 9, right and top Neumann", 0.3, 1, 3, 3, {true, false, true, false}, 0.3},
      {"9 x 9, left and bottom Neumann", 1, 0.4, 3, 3, {false, true, false, true}, 0},
      {"5 x 9, all Neumann", 0.5, 0.5, 2, 3, none, 2},
  }));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  CAPTURE(given.description, to_string(form));
  const TensorGrid grid = given.grid();
  const Box box = given.unknowns(grid);
  testing::OracleProblem stated;
  stated.widths_x = grid.x.width;
  stated.widths_y = grid.y.width;
  stated.gx = 0.75;
  stated.c = Exact(given.c);
  const testing::Oracle oracle(stated);
  const Host on;
  const StoredMatrix<Host, T> matrix(on, grid, box, {W(0.75), W(1.0), W(given.c)}, form);
  const int nx = grid.nx(), ny = grid.ny();
  const NodeValues<T> x(nx, ny, 1, Range::tame), b(nx, ny, 2, Range::tame);
  const double u = unit_roundoff<Arithmetic<T>>(), word = unit_roundoff<Leading<T>>();
  const double stored = unit_roundoff<T>() + 10 * unit_roundoff<W>();
  const auto number = [&](int i, int j) { return j * nx + i; };
  Worst worst;
  for (const Lines& lines : testing::sets_of_lines(box)) {
    const Leading<T> omega = static_cast<Leading<T>>(0.875);
    NodeValues<T> y(nx, ny);
    line_step<T>(on, matrix.view(), b.read(), omega, lines, x.read(), {}, y.view());
    for (const auto& line : testing::nodes_of(lines, box)) {
      const int n = static_cast<int>(line.size());
      DenseMatrix t(n);
      std::vector<Exact> r, wrong;
      std::vector<double> diagonal, size;
      for (const auto& [i, j] : line) {
        const int row = number(i, j);
        Exact value = b.exact(i, j), terms = abs(value);
        for (int column = 0; column < oracle.nodes(); ++column) {
          const Exact a = oracle.entry(row, column), part = oracle.magnitude(row, column);
          value -= a * x.exact(column % nx, column / nx);
          // Of both forms, the row sum of the difference form included.
          terms += part * (abs(x.exact(column % nx, column / nx)) + 2 * abs(x.exact(i, j)));
        }
        r.push_back(value);
        const double row_roundoffs = 2 * loss<T>.sum + testing::product_sum_loss<T>(9) + 1;
        wrong.push_back(Exact(row_roundoffs * u + stored) * terms);
        if (!std::same_as<Leading<T>, Arithmetic<T>>) {
          wrong.back() += Exact(word) * (abs(value) + wrong.back());
        }
        diagonal.push_back(static_cast<double>(oracle.entry(row, row)));
        size.push_back(std::abs(static_cast<double>(y(i, j)) - static_cast<double>(x(i, j)))
                       / 0.875);
        // What storing y has taken.
        size.back() += 2 * unit_roundoff<T>() * std::abs(static_cast<double>(y(i, j)));
        for (int k = 0; k < n; ++k) {
          t(static_cast<int>(r.size()) - 1, k) =
              oracle.entry(row, number(line[std::size_t(k)].i, line[std::size_t(k)].j));
        }
      }
      for (int k = 0; k < n; ++k) {
        // A computed diagonal is the sum of all entries of its row: their sizes are twice its own.
        Exact entries = Exact(12 * word + 3 * stored) * Exact(diagonal[std::size_t(k)])
                        * Exact(size[std::size_t(k)]);
        for (const int m : {k - 1, k + 1}) {
          if (m < 0 || m >= n) continue;
          entries += Exact(2 * word + stored) * Exact(2 * diagonal[std::size_t(k)])
                     * Exact(size[std::size_t(m)]);
        }
        wrong[std::size_t(k)] +=
            entries + Exact(word) * Exact(testing::elimination_error(n, k, diagonal, size));
      }
      const std::vector<Exact> z = testing::cholesky_solve(t, r);
      const std::vector<Exact> error = times_inverse_size(t, wrong);
      for (std::size_t k = 0; k < line.size(); ++k) {
        const auto& [i, j] = line[k];
        const Exact exact = x.exact(i, j) + to_exact(omega) * z[k];
        const Exact before = to_exact(omega) * error[k];
        const Exact rounding = Exact(loss<T>.sum * u) * (abs(exact) + before);
        worst.add(testing::within_error(y(i, j), exact, before + rounding), i, j);
      }
    }
  }
  REQUIRE(worst.count() > 0);
  REQUIRE(worst.value());
}

}  // namespace
}  // namespace ninefold
