#include "fem/discrete/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include "fem/discrete/assembly.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"

namespace ninefold {
namespace {

using testing::DenseMatrix;
using testing::Oracle;
using testing::OracleProblem;

struct Stated {
  Problem problem;
  TensorGrid grid;
};

Stated state(int fixed, double reaction, double gx, double width, const GridGrading& grading,
             int level) {
  Stated s;
  s.problem.width = width;
  s.problem.gx = gx;
  s.problem.reaction = reaction;
  for (const Side side : all_sides) {
    const bool dirichlet = fixed >> static_cast<int>(side) & 1;
    s.problem.boundary[side] = dirichlet ? BoundaryKind::dirichlet : BoundaryKind::neumann;
  }
  s.grid = make_hierarchy(width, 1.0, level, grading).back();
  return s;
}

/// A at the unknowns, and w.
struct Pair {
  DenseMatrix a;
  std::vector<Exact> weight;
};

Pair matrices(const Stated& s) {
  OracleProblem p;
  p.widths_x = s.grid.x.width;
  p.widths_y = s.grid.y.width;
  p.gx = s.problem.gx;
  p.gy = s.problem.gy;
  p.c = s.problem.reaction;
  const Oracle oracle(p);
  const ErrorBoundWeights w = error_bound_weights(s.problem, s.grid);
  const Box box = unknown_nodes(s.grid, s.problem.boundary);
  std::vector<int> nodes;
  std::vector<Exact> weight;
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      const auto x = std::size_t(i), y = std::size_t(j);
      nodes.push_back(j * s.grid.nx() + i);
      weight.push_back(Exact(w.stiff_x[x]) * w.mass_y[y] + Exact(w.mass_x[x]) * w.stiff_y[y]);
    }
  }
  Pair pair{DenseMatrix(static_cast<int>(nodes.size())), weight};
  for (int r = 0; r < pair.a.n; ++r) {
    for (int c = 0; c < pair.a.n; ++c) {
      pair.a(r, c) = oracle.entry(nodes[std::size_t(r)], nodes[std::size_t(c)]);
    }
  }
  return pair;
}

const std::vector<GridGrading>& gradings() {
  static const std::vector<GridGrading> all{
      {},
      {0.1, {Side::right, Side::bottom}},
      {1e-3, {Side::left}},
      {.sides = {Side::top}, .kind = Grading::geometric, .expansion_ratio = 1e8},
      {.sides = {Side::left, Side::right}, .kind = Grading::shishkin, .layer_width = 1e-6}};
  return all;
}

TEST_CASE("the matrix is not below the diagonal of the error bound", "[fem][error_bound]") {
  const int fixed = GENERATE(0, 1, 2, 4, 5, 7, 12, 15);
  const auto [reaction, gx] = GENERATE(std::pair{0.0, 1.0}, std::pair{0.0, 1e-4},
                                       std::pair{1e-3, 1.0}, std::pair{1e6, 3.0});
  const double width = GENERATE(1.0, 1e-5, 1000.0);
  if (fixed == 0 && reaction == 0) return;  // no lower bound: constants
  for (const GridGrading& grading : gradings()) {
    CAPTURE(fixed, reaction, gx, width, grading.nu, int(grading.kind));
    Pair pair = matrices(state(fixed, reaction, gx, width, grading, 2));
    for (int k = 0; k < pair.a.n; ++k) pair.a(k, k) -= pair.weight[std::size_t(k)];
    // Positive definite, or a pivot would not be positive.
    REQUIRE_NOTHROW(
        testing::cholesky_solve(pair.a, std::vector<Exact>(std::size_t(pair.a.n), Exact(1))));
  }
}

TEST_CASE("no diagonal entry of the inverse exceeds what the largest node is bounded by",
          "[fem][error_bound]") {
  const int fixed = GENERATE(0, 1, 4, 3, 5, 15);
  const auto [reaction, gx] = GENERATE(std::pair{0.0, 1.0}, std::pair{0.0, 1e-4},
                                       std::pair{1e-3, 1.0}, std::pair{1e5, 1.0});
  const double width = GENERATE(1.0, 1e-3, 100.0);
  if (fixed == 0 && reaction == 0) return;
  for (const GridGrading& grading : gradings()) {
    CAPTURE(fixed, reaction, gx, width, grading.nu, int(grading.kind));
    const Stated s = state(fixed, reaction, gx, width, grading, 2);
    const Pair pair = matrices(s);
    const double bound = std::pow(error_bound_weights(s.problem, s.grid).to_largest, 2);
    for (int k = 0; k < pair.a.n; ++k) {
      std::vector<Exact> unit(std::size_t(pair.a.n), Exact(0));
      unit[std::size_t(k)] = 1;
      const Exact entry = testing::cholesky_solve(pair.a, unit)[std::size_t(k)];
      CAPTURE(k);
      REQUIRE(static_cast<double>(entry) <= bound);
    }
  }
}

TEST_CASE("the bound of a smooth error is not far above it", "[fem][error_bound]") {
  const int fixed = GENERATE(1, 5, 15);
  for (const GridGrading& grading : gradings()) {
    CAPTURE(fixed, grading.nu, int(grading.kind));
    const Stated s = state(fixed, 0, 1, 1, grading, 3);
    const Pair pair = matrices(s);
    const ErrorBoundWeights w = error_bound_weights(s.problem, s.grid);
    const Box box = unknown_nodes(s.grid, s.problem.boundary);
    std::vector<Exact> r;  // of the load one
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) {
        r.push_back(Exact(w.mass_x[std::size_t(i)]) * w.mass_y[std::size_t(j)]);
      }
    }
    const std::vector<Exact> e = testing::cholesky_solve(pair.a, r);
    Exact energy = 0, eta = 0;
    for (std::size_t k = 0; k < r.size(); ++k) {
      energy += e[k] * r[k];
      eta += r[k] * r[k] / pair.weight[k];
    }
    const auto ratio = static_cast<double>(Exact(sqrt(Exact(eta / energy))));
    REQUIRE(ratio >= 1);
    REQUIRE(ratio <= 6);
  }
}

TEST_CASE("the bound of the largest node is not far above where a reaction or one direction rules",
          "[fem][error_bound]") {
  const auto excess = [](const Stated& s) {
    const Pair pair = matrices(s);
    double most = 0;
    for (int k = 0; k < pair.a.n; ++k) {
      std::vector<Exact> unit(std::size_t(pair.a.n), Exact(0));
      unit[std::size_t(k)] = 1;
      const Exact entry = testing::cholesky_solve(pair.a, unit)[std::size_t(k)];
      most = std::max(most, static_cast<double>(entry));
    }
    return std::pow(error_bound_weights(s.problem, s.grid).to_largest, 2) / most;
  };
  CHECK(excess(state(13, 5e5, 1e-6, 1, {}, 3)) <= 10);
  // Thin cells at Dirichlet sides, where the solution cannot be large.
  Stated corner = state(
      15, 80, 4e-6, 1,
      {.sides = {Side::right, Side::top}, .kind = Grading::geometric, .expansion_ratio = 2e6}, 3);
  corner.problem.gy = 4e-6;
  CHECK(excess(corner) <= 40);
  // Narrow, with a thin cell at a Dirichlet side: its node is no unknown.
  CHECK(excess(state(15, 0, 1, 1e-6, {1e-7, {Side::bottom}}, 3)) <= 40);
}

TEST_CASE("entries are larger than what they hold by the cells and by what is held weakly",
          "[fem][error_bound]") {
  const int level = GENERATE(4, 8);
  const double pi = std::numbers::pi, cells = std::ldexp(1.0, level);
  const auto quotient = [&](int fixed, double reaction, double gx, double width) {
    const Stated s = state(fixed, reaction, gx, width, {}, level);
    return entries_over_hold(s.problem, s.grid);
  };
  const auto near = [](double value) { return Catch::Approx(value).epsilon(0.03); };
  const double entry = 4 * cells * cells;
  CHECK(quotient(15, 0, 1, 1) == near(entry / (pi * pi)));
  CHECK(quotient(15, 0, 100, 1) == near(entry / (pi * pi)));
  // The strong direction is held by nothing, the weak one at one side.
  CHECK(quotient(4, 0, 100, 1) == near(101 * entry / (pi * pi / 4)));
  CHECK(quotient(0, 0.5, 1, 1) == near(2 * entry / 0.5));
  CHECK(quotient(0, 0, 1, 1) == near(2 * entry / (pi * pi)));  // a free constant is no matter
  CHECK(quotient(15, 0, 4, 2) == near(2 * entry / (2 * pi * pi)));
  // Cells that are thin at Dirichlet sides do no harm.
  const Stated thin = state(15, 0, 1, 1, {1e-13}, 4);
  CHECK(entries_over_hold(thin.problem, thin.grid) < 4 * 256);
}

TEST_CASE("cells that are thin where nothing holds them are told from those at Dirichlet sides",
          "[fem][error_bound]") {
  const auto detached = [](int fixed, const GridGrading& grading) {
    const Stated s = state(fixed, 0, 1, 1, grading, 5);
    return has_detached_thin_cells(s.problem.boundary, s.grid);
  };
  const GridGrading right{0.1, {Side::right}};
  REQUIRE_FALSE(detached(15, {}));
  REQUIRE_FALSE(detached(1, {}));
  REQUIRE_FALSE(detached(0, {}));
  REQUIRE_FALSE(detached(15, right));
  REQUIRE_FALSE(detached(2, right));
  REQUIRE(detached(1, right));
  REQUIRE(detached(0, right));
  REQUIRE(detached(12, right));
  REQUIRE_FALSE(detached(15, gradings()[3]));
  REQUIRE_FALSE(detached(15, gradings()[4]));
  GridGrading inside;  // one thin cell in the middle
  inside.x_widths = {0.5 - 1e-9, 1e-9, 0.25, 0.25};
  REQUIRE(detached(15, inside));
}

}  // namespace
}  // namespace ninefold
