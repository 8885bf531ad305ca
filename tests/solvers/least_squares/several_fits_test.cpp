// Several right-hand sides of one fit: each has the bits of a solve alone.

#include "tests/support/several_fits.hpp"

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "fem/sparse/random_rows.hpp"
#include "fem/sparse/rectangular.hpp"
#include "fem/sparse/tomography.hpp"

#include "solvers/least_squares/least_squares.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

void check_fits_alone(const SparseMatrix& A, const SparseMatrix& L,
                      const std::vector<SparseRight>& rights, const LeastSquaresOptions& options) {
  const auto together = solve_least_squares(A, L, rights, options, BackendKind::host);
  REQUIRE(together.size() == rights.size());
  for (std::size_t k = 0; k < rights.size(); ++k) {
    CAPTURE(k, to_string(options.solver.precision), options.regularisation);
    const LeastSquaresSolved alone =
        solve_least_squares({A, rights[k].b, L, rights[k].solution}, options, BackendKind::host);
    CHECK(difference_of_fits(alone, together[k]) == "");
  }
}

}  // namespace

TEST_CASE("fits that are solved together have the bits of each alone",
          "[solvers][least_squares][several]") {
  const SparseMatrix A = random_rows({.rows = 900, .columns = 130, .entries = 7000}).A;
  const std::vector<SparseRight> rights = several_fits(A, 6);
  for (const Precision precision :
       {Precision::half, Precision::bfloat16, Precision::single_, Precision::double_single,
        Precision::double_, Precision::double_double, Precision::soft(18, 8)}) {
    for (const bool has_bounds : {false, true}) {
      LeastSquaresOptions options;
      options.solver.precision = precision;
      options.solver.tolerance = 1e-5;
      options.solver.max_iterations = 25;  // some of them reach it
      options.regularisation = 0.25;
      if (has_bounds) options.upper = 0.5;
      check_fits_alone(A, {}, rights, options);
    }
  }
}

TEST_CASE("they end after iterations of their own", "[solvers][least_squares][several]") {
  const SparseMatrix A = random_rows({.rows = 900, .columns = 130, .entries = 7000}).A;
  const std::vector<SparseRight> rights = several_fits(A, 5);
  const auto solved = solve_least_squares(A, {}, rights, LeastSquaresOptions{}, BackendKind::host);
  std::vector<int> iterations;
  for (const LeastSquaresSolved& one : solved) {
    CHECK(one.report.outcome == Outcome::converged);
    iterations.push_back(one.report.iterations);
  }
  CHECK(iterations[1] == 0);
  CHECK(iterations[0] > 0);
  CHECK(std::set<int>(iterations.begin(), iterations.end()).size() > 2);
}

TEST_CASE("storages, long rows, operators and refinement change nothing of that",
          "[solvers][least_squares][several]") {
  const MeasuredRows image = tomography({.image_size = 14, .angles = 14, .detectors = 25});
  const SparseMatrix wide = random_rows({.rows = 2600, .columns = 9, .entries = 7000}).A;
  for (const SparseStorage storage :
       {SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged}) {
    LeastSquaresOptions options;
    options.storage = storage;
    options.regularisation = 0.5;
    check_fits_alone(image.A, difference_matrix(14, 14), several_fits(image.A, 3), options);
    check_fits_alone(wide, {}, several_fits(wide, 3), options);
    options.solver.refinement.inner = {Precision::single_};
    check_fits_alone(image.A, {}, several_fits(image.A, 3), options);
  }
}

TEST_CASE("a fit without a right-hand side, or with one that does not fit, is refused",
          "[solvers][least_squares][several]") {
  const SparseMatrix A = random_rows({.rows = 40, .columns = 5, .entries = 100}).A;
  const LeastSquaresOptions options;
  REQUIRE_THROWS_AS(
      solve_least_squares(A, {}, std::vector<SparseRight>{}, options, BackendKind::host),
      std::invalid_argument);
  std::vector<SparseRight> rights = several_fits(A, 2);
  rights[1].b.high.pop_back();
  REQUIRE_THROWS_AS(solve_least_squares(A, {}, rights, options, BackendKind::host),
                    std::invalid_argument);
  rights = several_fits(A, 2);  // the second is zero, which is not within these
  LeastSquaresOptions beyond;
  beyond.lower = 1;
  REQUIRE_THROWS_AS(solve_least_squares(A, {}, rights, beyond, BackendKind::host),
                    std::invalid_argument);
}
