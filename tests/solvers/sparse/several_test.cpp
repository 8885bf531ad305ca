// Several right-hand sides of one matrix: each has the bits of a solve alone.

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <omp.h>

#include "fem/sparse/generators.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/several_rights.hpp"
#include "tests/support/sparse_solves.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

/// True if all of what is solved together is what is solved alone.
void check_alone(const SparseMatrix& A, const std::vector<SparseRight>& rights,
                 const SparseOptions& options) {
  const std::vector<SparseSolved> together = solve_sparse(A, rights, options, BackendKind::host);
  REQUIRE(together.size() == rights.size());
  for (std::size_t k = 0; k < rights.size(); ++k) {
    CAPTURE(k, to_string(options.solver.precision), to_string(options.solver.preconditioner));
    const SparseSolved alone =
        solve_sparse({A, rights[k].b, rights[k].solution}, options, BackendKind::host);
    CHECK(difference(alone, together[k]) == "");
  }
}

}  // namespace

TEST_CASE("right-hand sides that are solved together have the bits of each alone",
          "[solvers][sparse][several]") {
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 18});
  const std::vector<SparseRight> rights = several_rights(A, 5);
  for (const Precision precision :
       {Precision::half, Precision::bfloat16, Precision::single_, Precision::double_single,
        Precision::double_, Precision::double_double, Precision::soft(18, 8)}) {
    for (const Preconditioning preconditioner :
         {Preconditioning::none, Preconditioning::jacobi, Preconditioning::block_jacobi}) {
      SparseOptions options;
      options.solver.precision = precision;
      options.solver.preconditioner = preconditioner;
      if (preconditioner == Preconditioning::block_jacobi) options.block_size = 3;
      options.solver.tolerance = 1e-6;
      // A limit that some of them reach.
      options.solver.max_iterations = 60;
      check_alone(A, rights, options);
    }
  }
}

TEST_CASE("storage, form, long rows and the norm that ends change nothing of that",
          "[solvers][sparse][several]") {
  const SparseMatrix A = generate_sparse(
      {.name = "rows", .size = 600, .mean = 90, .spread = 60, .blocks = 3, .bandwidth = 500});
  bool has_long = false;
  for (int i = 0; i < A.pattern.n_rows; ++i) has_long = has_long || A.pattern.length(i) > 128;
  REQUIRE(has_long);
  const std::vector<SparseRight> rights = several_rights(A, 3);
  for (const SparseStorage storage : {SparseStorage::sliced, SparseStorage::compressed,
                                      SparseStorage::jagged, SparseStorage::blocks_3}) {
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      SparseOptions options;
      options.storage = storage;
      options.solver.form = form;
      options.stop = form == OperatorForm::plain ? StopBy::preconditioned : StopBy::residual;
      check_alone(A, rights, options);
    }
  }
}

TEST_CASE("in mixed precision several are solved one after the other",
          "[solvers][sparse][several]") {
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 14});
  SparseOptions options;
  options.solver.refinement.inner = {Precision::single_};
  check_alone(A, several_rights(A, 3), options);
}

TEST_CASE("of several with scaled rows each is solved again if it alone must be",
          "[solvers][sparse][several]") {
  SparseMatrix A = generate_sparse({.name = "laplace-3d-7", .size = 12});
  const auto exponent = [](int i) { return (i * 7919) % 13 - 6; };
  int small = -1, large = -1;  // rows
  std::vector<double> d;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    if (exponent(i) == -6) small = i;
    if (exponent(i) == 6) large = i;
    d.push_back(std::ldexp(1.0, exponent(i)));
  }
  scale_by(d, A);
  std::vector<SparseRight> rights(3);
  for (const auto& [k, row] : {std::pair{0, large}, std::pair{1, small}, std::pair{2, large}}) {
    rights[std::size_t(k)].b.high.assign(std::size_t(A.pattern.n_rows), 0.0);
    rights[std::size_t(k)].b.high[std::size_t(row)] = 1;
  }
  SparseOptions options;
  options.solver.tolerance = 1e-8;
  for (const auto& inner : std::vector<std::vector<Precision>>{
           {Precision::half}, {Precision::single_, Precision::half}}) {
    for (const RefinementVariant variant :
         {RefinementVariant::residual_guided_cg, RefinementVariant::refinement}) {
      if (inner.size() > 1 && variant == RefinementVariant::residual_guided_cg) continue;
      options.solver.refinement.inner = inner;
      options.solver.refinement.variant = variant;
      check_alone(A, rights, options);
      const auto solved = solve_sparse(A, rights, options, BackendKind::host);
      for (const SparseSolved& one : solved) {
        CAPTURE(one.report.true_residual_reduction, one.report.remark);
        CHECK(one.report.outcome == Outcome::converged);
        CHECK(one.report.true_residual_reduction <= 1e-8);
      }
      CHECK(solved[0].report.remark.find("once more") == std::string::npos);
      CHECK(solved[1].report.remark.find("once more") != std::string::npos);
      // No more iterations than are allowed, and the better solution of both.
      SparseOptions few = options;
      few.solver.max_iterations = solved[1].report.iterations - 1;
      const SparseSolved ended =
          solve_sparse(A, std::span(rights).subspan(1, 1), few, BackendKind::host).front();
      CHECK(ended.report.iterations <= few.solver.max_iterations);
      CHECK(ended.report.outcome != Outcome::converged);
    }
  }
}

TEST_CASE("no bit depends on the number of threads, also of several",
          "[solvers][sparse][several]") {
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 90});
  const std::vector<SparseRight> rights = several_rights(A, 3);
  SparseOptions options;
  options.solver.precision = Precision::single_;
  options.solver.max_iterations = 40;
  omp_set_num_threads(1);
  const auto one = solve_sparse(A, rights, options, BackendKind::host);
  omp_set_num_threads(3);
  const auto three = solve_sparse(A, rights, options, BackendKind::host);
  omp_set_num_threads(1);
  for (std::size_t k = 0; k < rights.size(); ++k) CHECK(difference(one[k], three[k]) == "");
}

TEST_CASE("a system without a right-hand side is refused", "[solvers][sparse][several]") {
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 4});
  REQUIRE_THROWS_AS(solve_sparse(A, std::vector<SparseRight>{}, SparseOptions{}, BackendKind::host),
                    std::invalid_argument);
  std::vector<SparseRight> rights = several_rights(A, 2);
  rights[1].b.high.pop_back();
  REQUIRE_THROWS_AS(solve_sparse(A, rights, SparseOptions{}, BackendKind::host),
                    std::invalid_argument);
}
