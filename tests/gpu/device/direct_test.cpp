// Direct solves on a device against those on the host.  Waves have the same bits; products and
// eigenvectors are those of libraries, which fix no order of sums: there what is compared is
// bounded.
//
// Bounds.  With n unknowns a line, each of the four products of A^-1 f is off by no more than n u
// times the sizes of its terms, by transforms by far less.  Among eigenvectors that is a part of
// |f|, which the division makes at most |f| over the smallest eigenvalue: n times |u| for a random
// f, whose parts are all alike.  Four of them, on both sides: 8 n^2 u |u|.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <type_traits>
#include <vector>

#include "precision/larger.hpp"
#include "precision/number.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/direct/fourier.hpp"
#include "gpu/direct/wave_lines.hpp"

#include "solvers/direct/fast_diagonalisation.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/stated.hpp"
#include "tests/support/waves.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::device_kind;
using testing::full_or_small;
using testing::on_device;
using testing::rehearsed;
using testing::solve_on_device;
using testing::Stated;

Boundary sides(int neumann) {
  Boundary boundary;
  for (const Side side : all_sides) {
    if ((neumann >> static_cast<int>(side)) % 2 != 0) boundary[side] = BoundaryKind::neumann;
  }
  return boundary;
}

template <class T>
struct Sample {
  TensorGrid grid;
  Boundary boundary;
  Coefficients<double> g;
  std::vector<double> f;  ///< numbers of T
};

template <class T>
Sample<T> sample(const TensorGrid& grid, int neumann, double reaction) {
  Sample<T> s{grid, sides(neumann), {0.7, 1.9, reaction}, {}};
  s.f.resize(static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(grid.ny()));
  std::mt19937 random(static_cast<unsigned>(neumann));
  std::uniform_real_distribution<double> draw(-1, 1);
  for (double& value : s.f) value = double{static_cast<T>(draw(random))};
  return s;
}

template <class B, class T>
std::vector<double> solve_on(const B& on, const Sample<T>& s, bool in_place,
                             int fewest_waves = fewest_line_cells) {
  const int nx = s.grid.nx(), ny = s.grid.ny();
  const FastDiagonalisation<B, T> inverse(on, s.grid, s.boundary, s.g, fewest_waves);
  const NodeVector<B, T> f(on, nx, ny), u(on, nx, ny);
  upload(on, s.f, 0, f.view());
  const Field<T> result = in_place ? f.view() : u.view();
  inverse.apply(f.view(), result);
  std::vector<double> values = download<B, T>(on, result, 0);
  const Box box = unknown_nodes(s.grid, s.boundary);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const std::size_t k =
          static_cast<std::size_t>(j) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(i);
      if (box.contains(i, j)) continue;
      // Beside the unknowns nothing is written but zeros.
      if (values[k] != 0 && !(in_place && values[k] == s.f[k])) {
        FAIL("a value on a Dirichlet side has changed");
      }
      values[k] = 0;
    }
  }
  return values;
}

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

template <class T>
void compare(const TensorGrid& grid, int neumann, double reaction) {
  const Host host;
  const Device device;
  const Sample<T> s = sample<T>(grid, neumann, reaction);
  const std::vector<double> expected = solve_on(host, s, false, 1 << 30);  // by products
  // By waves also where products take less time.
  for (const int fewest_waves : {fewest_line_cells, 512}) {
    const auto by_waves = [&](const Line& line) {
      return has_equal_cells(line) && line.cells() >= fewest_waves;
    };
    const bool all_waves = by_waves(grid.x) && by_waves(grid.y);
    for (const bool in_place : {false, true}) {
      std::vector<double> difference =
          on_device([&] { return solve_on(device, s, in_place, fewest_waves); });
      if (all_waves) {
        const std::vector<double> expected_waves = solve_on(host, s, in_place, fewest_waves);
        CAPTURE(grid.nx(), grid.ny(), neumann, reaction, in_place, fewest_waves, sizeof(T));
        CHECK(difference == expected_waves);
      }
      for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= expected[k];
      const double n = std::max(grid.nx(), grid.ny());
      CAPTURE(grid.nx(), grid.ny(), neumann, reaction, in_place, fewest_waves, sizeof(T));
      CHECK(norm(difference) <= 8 * n * n * unit_roundoff<T>() * norm(expected));
    }
  }
}

/// Uniform, graded, waves in one direction alone, and too few cells for transforms in one.
std::vector<TensorGrid> grids() {
  const auto graded = [](double nu, std::vector<Side> refined, int level) {
    return make_hierarchy(1.2, 0.8, level, {nu, std::move(refined)}).back();
  };
  std::vector<TensorGrid> all;
  for (const int level : {1, 3, 6, 7, full_or_small(9, 6)}) {
    all.push_back(graded(1, {Side::right}, level));
  }
  all.push_back(graded(0.6, {Side::right, Side::top}, 6));
  all.push_back(graded(0.6, {Side::left}, 6));
  all.push_back(graded(0.6, {Side::bottom}, 7));
  all.push_back({graded(1, {Side::right}, 7).x, graded(1, {Side::right}, 4).y});
  all.push_back({graded(1, {Side::right}, 4).x, graded(1, {Side::right}, 8).y});
  all.push_back({graded(1, {Side::right}, 8).x, graded(1, {Side::right}, 6).y});
  return all;
}

TEST_CASE("a device's inverse is the host's within a bound, with all sides on all cells",
          "[gpu][direct]") {
  for (const TensorGrid& grid : grids()) {
    if (!has_lapack() && rehearsed && !(has_equal_cells(grid.x) && has_equal_cells(grid.y)))
      continue;
    for (int neumann = 0; neumann < 16; ++neumann) {
      for (const double reaction : {0.0, 3.0}) {
        compare<double>(grid, neumann, reaction);
        compare<float>(grid, neumann, reaction);
      }
    }
  }
}

/// Of a plane whose columns, lines of `cells`, lie beside each other: divided, and back.
template <class T, class B>
std::vector<T> divided_plane(const B& on, Wave wave, int cells, int columns, DivisionWay way) {
  const int unknowns = unknowns_of(wave, cells), pitch = plane_pitch(columns);
  const auto values = static_cast<std::size_t>(pitch) * static_cast<std::size_t>(unknowns);
  std::mt19937 random(static_cast<unsigned>(cells));
  std::uniform_real_distribution<double> draw(0.5, 1.5);
  const auto some = [&](std::size_t count) {
    std::vector<T> drawn(count);
    for (T& value : drawn) value = static_cast<T>(draw(random));
    return Array<B, T>(on, drawn);
  };
  const Array<B, T> plane = some(values);
  const Array<B, T> x_sums = some(static_cast<std::size_t>(columns)),
                    y_sums = some(static_cast<std::size_t>(unknowns)),
                    x_weights = some(static_cast<std::size_t>(columns)),
                    y_weights = some(static_cast<std::size_t>(unknowns));
  const Array<B, T> other(
      on, static_cast<std::size_t>(plane_pitch(unknowns)) * static_cast<std::size_t>(columns));
  const Array<B, Complex<T>> turns(on, wave_turns<T>(cells)),
      circle(on, circle_turns<T>(circle_period(wave, cells)));
  const std::ptrdiff_t of_block = own_values<T>(wave, cells);
  const Array<B, T> own(on, own_line_blocks * static_cast<std::size_t>(of_block));
  const LineWaves<T> waves{wave,
                           cells,
                           turns.data(),
                           {circle.data(), bits_of(circle_period(wave, cells))},
                           {of_block == 0 ? nullptr : own.data(), of_block}};
  divide_among_waves(on, waves, {x_sums.data(), y_sums.data(), x_weights.data(), y_weights.data()},
                     PlaneLines<T>{plane.data(), 1, pitch, columns}, other.data(), way);
  std::vector<T> found(values);
  on.read(found.data(), plane.data(), values * sizeof(T));
  return found;
}

template <class T>
void compare_ways(Wave wave, int cells, int columns) {
  const std::vector<T> expected =
      divided_plane<T>(Host(), wave, cells, columns, DivisionWay::in_place);
  const Device device;
  for (const DivisionWay way : {DivisionWay::in_two, DivisionWay::turned, DivisionWay::in_place}) {
    if (way != DivisionWay::in_two && cells > longest_divided_line<T>) continue;
    CAPTURE(static_cast<int>(wave), cells, columns, static_cast<int>(way), sizeof(T));
    CHECK(on_device([&] { return divided_plane<T>(device, wave, cells, columns, way); })
          == expected);
  }
}

TEST_CASE("a device divides lines of all lengths among waves as the host does, whichever way",
          "[gpu][direct]") {
  for (const Wave wave : testing::all_waves) {
    for (int cells = fewest_line_cells; cells <= full_or_small(16384, 256); cells *= 2) {
      for (const int columns : {1, 37}) {
        compare_ways<double>(wave, cells, columns);
        compare_ways<float>(wave, cells, columns);
      }
    }
  }
}

Stated exponential_on(int level, const GridGrading& grading, int neumann) {
  ProblemOptions options;
  options.solution = "exponential";
  options.reaction = neumann == 15 ? 1 : 0;
  options.boundary = sides(neumann);
  return {make_problem(options, 1, 1), make_hierarchy(1, 1, level, grading)};
}

/// Each is within its own bound of the discrete solution.
void compare_solves(const Stated& stated, const SolverOptions& options) {
  const Solved host = solve(stated.problem, stated.grids, options, BackendKind::host);
  const Solved device = solve_on_device(stated.problem, stated.grids, options);
  CAPTURE(to_string(options.precision), stated.grids.size(), device.report.remark);
  CHECK(host.report.outcome == Outcome::converged);
  CHECK(device.report.outcome == Outcome::converged);
  CHECK(device.report.iterations <= 4);
  REQUIRE(host.report.error_bound.has_value());
  REQUIRE(device.report.error_bound.has_value());
  double most = 0, difference = 0;
  for (std::size_t k = 0; k < host.solution.size(); ++k) {
    most = larger(most, std::abs(host.solution[k]));
    difference = larger(difference, std::abs(host.solution[k] - device.solution[k]));
  }
  CHECK(difference <= 2 * (*host.report.error_bound + *device.report.error_bound) * most);
  const PreparedSolve prepared = prepare(stated.problem, stated.grids, options, device_kind);
  if (prepared.judges_by_a_cycle) {  // it may, if nothing else tells
    CHECK(device.report.memory_bytes <= prepared.memory.backend);
  } else {
    CHECK(device.report.memory_bytes == prepared.memory.backend);
  }
}

TEST_CASE("direct solves on a device converge, hold what is forecast and agree with the host's",
          "[gpu][direct][solve]") {
  for (const int neumann : {0, 5, 15}) {
    for (const GridGrading& grading : {GridGrading{}, GridGrading{0.6, {Side::right, Side::top}},
                                       GridGrading{0.6, {Side::left}}}) {
      if (!has_lapack() && rehearsed && grading.nu != 1) continue;
      for (const int level : {4, full_or_small(8, 6)}) {
        const Stated stated = exponential_on(level, grading, neumann);
        SolverOptions options;
        options.method = Method::fast_diagonalisation;
        options.tolerance = 1e-9;
        compare_solves(stated, options);
        options.refinement.inner = {Precision::single_};
        compare_solves(stated, options);
        options.refinement.inner.clear();
        options.precision = Precision::single_;
        options.tolerance = 2e-3;
        compare_solves(stated, options);
      }
    }
  }
}

TEST_CASE("large grids are solved directly on a device, by transforms and by cuSOLVER's vectors",
          "[gpu][direct][memory]") {
  if (rehearsed) return;
  for (const double nu : {1.0, 0.8}) {
    const Stated stated = exponential_on(12, {nu, {Side::right}}, 0);
    SolverOptions options;
    options.method = Method::fast_diagonalisation;
    options.tolerance = 1e-8;
    const Solved solved = solve_on_device(stated.problem, stated.grids, options);
    CAPTURE(nu, solved.report.true_residual_reduction, solved.report.setup_seconds,
            solved.report.solve_seconds, solved.report.remark);
    CHECK(solved.report.outcome == Outcome::converged);
    REQUIRE(solved.errors.has_value());
    CHECK(solved.errors->max <= 1e-6);
  }
}

}  // namespace
}  // namespace ninefold
