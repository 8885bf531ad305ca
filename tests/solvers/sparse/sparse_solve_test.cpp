#include "solvers/sparse/sparse_solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>
#include <vector>

#include <omp.h>

#include "fem/discrete/load.hpp"
#include "fem/sparse/generators.hpp"
#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/nine_band_matrix.hpp"
#include "fem/sparse/reordering.hpp"

#include "solvers/sparse/sparse_system.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/data_of_others.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/sparse_solves.hpp"

using namespace ninefold;
using namespace ninefold::testing;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Test A of Goeddeke, Strzodka, Turek 2007 on a level, as a matrix and its right-hand side.
SparseProblem test_a(int level) {
  const Problem problem = make_problem({}, 1.0, 1.0);
  const TensorGrid grid = make_hierarchy(1.0, 1.0, level).back();
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  const StoredMatrix<Host, double> matrix(
      Host(), grid, unknowns, scaled_coefficients<double>(problem, {}), OperatorForm::plain);
  const Load<double> load = load_of<double>(problem, grid);
  SparseProblem system{.A = sparse_matrix(matrix.view())};
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) system.b.high.push_back(load.at(i, j));
  }
  return system;
}

/// Of the solution, relative to it: for e = x - x*, a(e, e) = (e, A e).
double energy_error(const SparseProblem& problem, const SparseSolved& solved) {
  const std::vector<double>& exact = problem.solution.value().high;
  std::vector<double> e;
  for (std::size_t k = 0; k < exact.size(); ++k) e.push_back(solved.solution.high[k] - exact[k]);
  const WideVector image = sparse_product(problem.A, e);
  double square = 0, energy = 0;
  for (std::size_t k = 0; k < e.size(); ++k) {
    square += e[k] * image.high[k];
    energy += exact[k] * problem.b.high[k];
  }
  return std::sqrt(square / energy);
}

}  // namespace

TEST_CASE("a grid's system as a matrix takes the paper's iterations", "[solvers][sparse]") {
  const int expected[] = {42, 85, 171, 342};
  SparseOptions options;
  options.solver.preconditioner = Preconditioning::none;
  for (int level = 5; level <= 8; ++level) {
    CAPTURE(level);
    SparseProblem problem = test_a(level);
    // Written and read back.
    problem.A = parse_matrix_market(matrix_market_text(problem.A), "a.mtx").matrix;
    const SparseSolved solved = solve_on_host(problem, options);
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(solved.report.iterations == expected[level - 5]);
  }
}

TEST_CASE("every format ends as it should, and the bits do not depend on storage and threads",
          "[solvers][sparse]") {
  const SparseProblem problem = with_ones(generate_sparse({.name = "triangles", .size = 40}));
  struct Expected {
    Precision precision;
    Outcome outcome;
    double error;
  };
  for (const Expected& expected : {Expected{Precision::half, Outcome::stagnated, 0.2},
                                   {Precision::single_, Outcome::stagnated, 1e-5},
                                   {Precision::double_single, Outcome::converged, 1e-8},
                                   {Precision::double_, Outcome::converged, 1e-8},
                                   {Precision::double_double, Outcome::converged, 1e-8},
                                   {Precision::soft(28, 11), Outcome::stagnated, 1e-6}}) {
    CAPTURE(to_string(expected.precision));
    SparseOptions options = in(expected.precision);
    options.solver.max_iterations = 2000;
    options.storage = SparseStorage::sliced;
    const SparseSolved first = solve_on_host(problem, options);
    CHECK(first.report.outcome == expected.outcome);
    REQUIRE(first.errors.l2);
    CHECK(*first.errors.l2 < expected.error);
    if (expected.outcome == Outcome::stagnated) {
      CHECK_THAT(first.report.remark, ContainsSubstring(to_string(expected.precision)));
    }
    for (const SparseStorage storage : {SparseStorage::compressed, SparseStorage::blocks_3}) {
      omp_set_num_threads(3);
      options.storage = storage;
      const SparseSolved other = solve_on_host(problem, options);
      omp_set_num_threads(1);
      CHECK(same_bits(other.solution.high, first.solution.high));
      CHECK(same_bits(other.report.history, first.report.history));
    }
  }
}

TEST_CASE("an order changes no more than roundings, and the solution comes back in the given one",
          "[solvers][sparse]") {
  const SparseProblem problem =
      with_random_solution(generate_sparse({.name = "triangles-shuffled", .size = 30}), 5);
  for (const RowOrder order : {RowOrder::given, RowOrder::rcm, RowOrder::random}) {
    SparseOptions options;
    options.order = order;
    const SparseSolved solved = solve_on_host(problem, options);
    CAPTURE(to_string(order));
    CHECK(solved.order == order);
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(*solved.errors.largest < 1e-8);
  }
}

TEST_CASE("rows that reach far keep their order where they lie on diagonals", "[solvers][sparse]") {
  // Five points of a grid so wide that its rows reach over more than 16 bits count.
  constexpr int nx = 40'000, ny = 6, n = nx * ny;
  SparseMatrix A;
  A.pattern.n_rows = A.pattern.n_columns = n;
  for (int i = 0; i < n; ++i) {
    for (const int j : {i - nx, i - 1, i, i + 1, i + nx}) {
      if (j < 0 || j >= n || (j == i + 1 && j % nx == 0) || (j == i - 1 && i % nx == 0)) continue;
      A.pattern.columns.push_back(j);
      A.values.push_back(j == i ? 4 : -1);
    }
    A.pattern.row_starts.push_back(static_cast<std::int64_t>(A.values.size()));
  }
  const auto order_of = [](const SparseMatrix& matrix) {
    const WideVector ones{std::vector<double>(n, 1.0), {}};
    return scaled_system(matrix, std::array{&ones}, {}).taken;
  };
  CHECK(order_of(A) == RowOrder::given);
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
  CHECK(order_of(reordered(A, order)) == RowOrder::rcm);
}

TEST_CASE("mixed precision reaches what its outer format does", "[solvers][sparse][refinement]") {
  const SparseProblem problem = with_ones(generate_sparse({.name = "triangles", .size = 40}));
  const SparseSolved in_double = solve_on_host(problem);
  for (const RefinementVariant variant :
       {RefinementVariant::residual_guided_cg, RefinementVariant::flexible_cg,
        RefinementVariant::refinement}) {
    for (const Preconditioning preconditioner : {Preconditioning::jacobi, Preconditioning::none}) {
      CAPTURE(to_string(variant), to_string(preconditioner));
      SparseOptions options = refined(Precision::double_, {Precision::single_}, variant);
      options.solver.preconditioner = preconditioner;
      const SparseSolved solved = solve_on_host(problem, options);
      CHECK(solved.report.outcome == Outcome::converged);
      CHECK(solved.report.true_residual_reduction <= 1e-10);
      CHECK(*solved.errors.l2 < 1e-8);
      CHECK(solved.report.inner_iterations >= in_double.report.iterations / 2);
      if (variant == RefinementVariant::residual_guided_cg
          && preconditioner == Preconditioning::jacobi) {
        // Directions survive: hardly more steps than in one format.
        CHECK(solved.report.inner_iterations < 1.3 * in_double.report.iterations);
      }
    }
  }
  const SparseSolved deep = solve_on_host(
      problem, refined(Precision::double_double, {Precision::double_, Precision::single_},
                       RefinementVariant::flexible_cg, 1e-24));
  CHECK(deep.report.outcome == Outcome::converged);
  CHECK(*deep.errors.l2 < 1e-21);
}

// Residuals that are small in their norm may not be in the preconditioner's: a direction is then
// of no use after a correction.
TEST_CASE("residual-guided CG begins anew where rows differ much",
          "[solvers][sparse][refinement]") {
  SparseProblem problem = with_ones(generate_sparse({.name = "triangles", .size = 24}));
  SparseMatrix& A = problem.A;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-2, 2), value(-1, 1);
  std::vector<double> d, b;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    d.push_back(std::pow(10, exponent(random)));
    b.push_back(value(random));
  }
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::int64_t k = A.pattern.row_starts[row]; k < A.pattern.row_starts[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      A.values[at] *= d[row] * d[static_cast<std::size_t>(A.pattern.columns[at])];
    }
  }
  problem.b = {b, std::vector<double>(b.size(), 0.0)};
  problem.solution.reset();
  const auto inner_iterations = [&](RefinementVariant variant) {
    const SparseSolved solved =
        solve_on_host(problem, refined(Precision::double_, {Precision::single_}, variant, 1e-8));
    CHECK(solved.report.outcome == Outcome::converged);
    return solved.report.inner_iterations;
  };
  CHECK(inner_iterations(RefinementVariant::residual_guided_cg)
        <= 1.2 * inner_iterations(RefinementVariant::refinement));
}

TEST_CASE("the condition and the error in the energy norm are estimated from CG's coefficients",
          "[solvers][sparse]") {
  // -1, 2, -1 along each direction of a cube: eigenvalues are known.
  const int n = 20;
  const SparseProblem problem =
      with_random_solution(generate_sparse({.name = "laplace-3d-7", .size = n}), 2);
  const double lowest = 6 - 6 * std::cos(M_PI / (n + 1)),
               highest = 6 + 6 * std::cos(M_PI / (n + 1));
  for (const Preconditioning preconditioner : {Preconditioning::none, Preconditioning::jacobi}) {
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      SparseOptions options = in(Precision::double_, tolerance);
      options.solver.preconditioner = preconditioner;
      const SparseSolved solved = solve_on_host(problem, options);
      REQUIRE(solved.report.outcome == Outcome::converged);
      REQUIRE(solved.condition);
      CHECK(*solved.condition <= highest / lowest * (1 + 1e-6));
      if (tolerance < 1e-6) CHECK(*solved.condition > 0.9 * highest / lowest);
      const double effectivity = *solved.errors.energy / energy_error(problem, solved);
      CAPTURE(tolerance, effectivity);
      CHECK(effectivity > 0.9);
      CHECK(effectivity < 12);
    }
  }
}

TEST_CASE("CG stops by (r, M^-1 r) if it is told to", "[solvers][sparse]") {
  const SparseProblem problem =
      with_ones(generate_sparse({.name = "rows", .size = 3000, .mean = 12}));
  SparseOptions options;
  const SparseSolved by_residual = solve_on_host(problem, options);
  options.stop = StopBy::preconditioned;
  const SparseSolved by_both = solve_on_host(problem, options);
  CHECK(by_both.report.outcome == Outcome::converged);
  CHECK(by_both.report.residual_reduction <= 1e-10);
  // Single cannot keep what its own residual says, in neither norm.
  const SparseProblem hard =
      with_random_solution(generate_sparse({.name = "triangles", .size = 60}), 2);
  SparseOptions single = in(Precision::single_);
  for (const StopBy stop : {StopBy::residual, StopBy::preconditioned}) {
    single.stop = stop;
    CHECK(solve_on_host(hard, single).report.outcome == Outcome::stagnated);
  }
  // The norms are others, the steps are the same.
  CHECK(by_both.report.history[3] != by_residual.report.history[3]);
  CHECK(std::abs(by_both.report.iterations - by_residual.report.iterations) < 10);
}

TEST_CASE("blocks of a node's unknowns take fewer iterations than the diagonal",
          "[solvers][sparse]") {
  const SparseProblem problem = with_ones(generate_sparse({.name = "shell", .size = 12}));
  SparseOptions options;
  options.components = 6;
  const SparseSolved by_diagonal = solve_on_host(problem, options);
  options.solver.preconditioner = Preconditioning::block_jacobi;
  const SparseSolved by_blocks = solve_on_host(problem, options);
  CHECK(by_diagonal.report.outcome == Outcome::converged);
  CHECK(by_blocks.report.outcome == Outcome::converged);
  CHECK(by_blocks.report.iterations < by_diagonal.report.iterations);
  REQUIRE(by_blocks.condition);
  CHECK(*by_blocks.condition < *by_diagonal.condition);
  REQUIRE(by_blocks.errors.energy);
  const double effectivity = *by_blocks.errors.energy / energy_error(problem, by_blocks);
  CHECK(effectivity > 0.9);
  CHECK(effectivity < 12);
  options.stop = StopBy::preconditioned;
  CHECK(solve_on_host(problem, options).report.outcome == Outcome::converged);
  options.stop = StopBy::residual;
  for (const RefinementVariant variant :
       {RefinementVariant::residual_guided_cg, RefinementVariant::flexible_cg,
        RefinementVariant::refinement}) {
    options.solver.refinement.inner = {Precision::single_};
    options.solver.refinement.variant = variant;
    const SparseSolved mixed = solve_on_host(problem, options);
    CAPTURE(to_string(variant));
    CHECK(mixed.report.outcome == Outcome::converged);
    CHECK(*mixed.errors.l2 < 10 * *by_blocks.errors.l2);
  }
}

TEST_CASE("a matrix that is blocks alone is solved by them in one iteration", "[solvers][sparse]") {
  SparseMatrix A = generate_sparse({.name = "elasticity-3d", .size = 4});
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
      const auto entry = static_cast<std::size_t>(k);
      if (A.pattern.columns[entry] / 3 != i / 3) A.values[entry] = 0;
    }
  }
  SparseOptions options;
  options.solver.preconditioner = Preconditioning::block_jacobi;
  options.block_size = 3;
  const SparseSolved solved = solve_on_host(with_random_solution(std::move(A), 7), options);
  CHECK(solved.report.outcome == Outcome::converged);
  CHECK(solved.report.iterations == 1);
}

TEST_CASE("inverses that lose their definiteness in a format are refused", "[solvers][sparse]") {
  SparseMatrix A = generate_sparse({.name = "elasticity-2d", .size = 4});
  // The inverse of a block 1, -0.9999 is 5000 and 4999.75: one number in half.
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const int j = A.pattern.columns[entry];
      A.values[entry] = i == j ? 1 : i / 2 == j / 2 ? -0.9999 : 0;
    }
  }
  const SparseProblem problem = with_ones(std::move(A));
  SparseOptions options = in(Precision::half, 1e-2);
  options.solver.preconditioner = Preconditioning::block_jacobi;
  options.block_size = 2;
  CHECK_THROWS_WITH(solve_on_host(problem, options), ContainsSubstring("positive definite"));
  options.solver.precision = Precision::single_;
  CHECK(solve_on_host(problem, options).report.outcome == Outcome::converged);
}

TEST_CASE("a reference solution has more digits than double", "[solvers][sparse]") {
  const SparseProblem known =
      with_random_solution(generate_sparse({.name = "triangles", .size = 30}), 9);
  SparseProblem problem = known;
  problem.solution.reset();
  const WideVector x = reference_solution(problem, 1000, BackendKind::host);
  double largest = 0;
  for (std::size_t k = 0; k < x.high.size(); ++k) {
    const DoubleDouble exact(known.solution.value().high[k]);
    largest = std::max(largest, std::abs(static_cast<double>(x[k] - exact)));
  }
  // A residual of 1e-25, times a condition of less than 1e4.
  CHECK(largest < 1e-21);
  CHECK_THROWS_WITH(reference_solution(problem, 1, BackendKind::host),
                    ContainsSubstring("no reference solution"));
}

TEST_CASE("blocks that have no meaning are refused by name", "[solvers][sparse]") {
  const SparseProblem problem = with_ones(generate_sparse({.name = "laplace-3d-7", .size = 3}));
  SparseOptions options;
  options.block_size = 3;
  CHECK_THROWS_WITH(solve_on_host(problem, options), ContainsSubstring("matrix.block_size"));
  options.solver.preconditioner = Preconditioning::block_jacobi;
  options.order = RowOrder::rcm;
  CHECK_THROWS_WITH(solve_on_host(problem, options), ContainsSubstring("matrix.order"));
  options.order = RowOrder::automatic;
  options.block_size.reset();
  CHECK_THROWS_WITH(solve_on_host(problem, options), ContainsSubstring("matrix.components = 1"));
  options.block_size = 9;
  CHECK_THROWS_WITH(solve_on_host(problem, options), ContainsSubstring("2 to 8"));
}

TEST_CASE("systems that are none are refused in words", "[solvers][sparse]") {
  SparseProblem problem = with_ones(generate_sparse({.name = "laplace-3d-7", .size = 3}));
  SECTION("a diagonal that is not positive") {
    problem.A.values[std::size_t(problem.A.find(4, 4))] = -1;
    CHECK_THROWS_WITH(solve_on_host(problem), ContainsSubstring("row 5"));
  }
  SECTION("a right-hand side of another length") {
    problem.b.high.pop_back();
    CHECK_THROWS_WITH(solve_on_host(problem), ContainsSubstring("26 values, the matrix 27 rows"));
  }
  SECTION("a right-hand side that is not finite") {
    problem.b.high[3] = NAN;
    CHECK_THROWS_WITH(solve_on_host(problem), ContainsSubstring("not finite"));
  }
  SECTION("multigrid") {
    SparseOptions options;
    options.solver.method = Method::multigrid;
    CHECK_THROWS_WITH(solve_on_host(problem, options), ContainsSubstring("solver.method"));
  }
  SECTION("an outer matrix in blocks") {
    SparseOptions options =
        refined(Precision::double_, {Precision::single_}, RefinementVariant::flexible_cg);
    options.storage = SparseStorage::blocks_2;
    CHECK_THROWS_WITH(solve_on_host(problem, options), ContainsSubstring("matrix.storage"));
  }
}

TEST_CASE("a right-hand side of zeros is solved by zeros", "[solvers][sparse]") {
  SparseProblem problem = with_ones(generate_sparse({.name = "laplace-3d-7", .size = 3}));
  problem.b = {std::vector<double>(27, 0.0), {}};
  problem.solution.reset();
  for (const SparseOptions& options :
       {in(Precision::double_),
        refined(Precision::double_, {Precision::single_}, RefinementVariant::flexible_cg)}) {
    const SparseSolved solved = solve_on_host(problem, options);
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(solved.report.iterations == 0);
    CHECK(solved.solution.high == std::vector<double>(27, 0.0));
    CHECK(solved.report.remark == "the right-hand side is zero, and so is this solution");
  }
}

TEST_CASE("sizes far from 1 are judged as others are", "[solvers][sparse]") {
  const SparseProblem one = with_ones(generate_sparse({.name = "triangles", .size = 20}));
  const SparseSolved plain = solve_on_host(one);
  for (const int exponent : {-600, -560, 0, 560, 700}) {
    for (const bool of_solution : {false, true}) {
      CAPTURE(exponent, of_solution);
      SparseProblem problem = one;
      const auto scale = [&](std::vector<double>& values) {
        for (double& value : values) value = std::ldexp(value, exponent);
      };
      if (of_solution) {
        scale(problem.solution->high);
      } else {
        scale(problem.A.values);
      }
      scale(problem.b.high);
      scale(problem.b.low);
      const SparseSolved solved = solve_on_host(problem);
      CHECK(solved.report.outcome == Outcome::converged);
      CHECK(solved.report.iterations == plain.report.iterations);
      CHECK(*solved.errors.l2 < 1e-8);
      REQUIRE(solved.errors.energy);
      CHECK(*solved.errors.energy == Approx(*plain.errors.energy).epsilon(1e-6));
      const SparseSolved in_half = solve_on_host(problem, in(Precision::half));
      CHECK(in_half.report.outcome != Outcome::converged);
      CHECK(in_half.report.true_residual_reduction > 1e-4);
    }
  }
}

TEST_CASE("what is called solved with an indefinite matrix is solved", "[solvers][sparse]") {
  SparseProblem problem = with_ones(generate_sparse({.name = "laplace-3d-7", .size = 5}));
  for (int i = 0; i < problem.A.pattern.n_rows; ++i) {
    problem.A.values[std::size_t(problem.A.find(i, i))] = 0.5;
  }
  problem = with_ones(problem.A);
  const SparseSolved solved = solve_on_host(problem);
  CHECK(solved.report.outcome == Outcome::converged);
  CHECK(*solved.errors.l2 < 1e-8);
  CHECK_THAT(
      solved.report.remark,
      ContainsSubstring("not positive definite, as double sees it: (p, A p) < 0 in iteration"));
  CHECK_FALSE(solved.condition);
  CHECK_FALSE(solved.errors.energy);
  SparseOptions few;
  few.solver.max_iterations = 2;
  CHECK(solve_on_host(problem, few).report.outcome == Outcome::step_limit);
}

TEST_CASE("Lund A takes 98 iterations in double", "[solvers][sparse]") {
  const std::filesystem::path file = matrices_of_others() / "lund_a.mtx";
  if (!std::filesystem::exists(file)) {
    testing::skip("the matrices of Debian's r-cran-matrix are not here: scripts/prepare.sh tests");
    return;
  }
  const SparseSolved solved = solve_on_host(with_ones(read_matrix_market(file).matrix));
  CHECK(solved.report.outcome == Outcome::converged);
  CHECK(solved.report.iterations == 98);
  CHECK(*solved.errors.largest <= 1e-8);
}
