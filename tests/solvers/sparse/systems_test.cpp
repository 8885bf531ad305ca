// Several systems in one solve: each has the bits, the end and the refusal of a solve alone.

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <omp.h>

#include "solvers/sparse/make_sparse.hpp"
#include "solvers/sparse/sparse_systems.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/several_systems.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

/// Each alone.
std::vector<std::vector<SparseSolved>> alone(const SeveralSystems& systems,
                                             const SparseOptions& options) {
  std::vector<std::vector<SparseSolved>> solved;
  for (const GivenSystem& one : systems.given()) {
    solved.push_back(solve_sparse(*one.A, one.rights, options, BackendKind::host));
  }
  return solved;
}

void check_alone(const SeveralSystems& systems, const SparseOptions& options) {
  const auto together = solve_systems(systems.given(), options, BackendKind::host);
  const auto each = alone(systems, options);
  REQUIRE(together.size() == each.size());
  for (std::size_t k = 0; k < each.size(); ++k) {
    CAPTURE(k, to_string(options.solver.precision), to_string(options.solver.preconditioner));
    REQUIRE(!together[k].refusal);
    REQUIRE(together[k].rights.size() == each[k].size());
    for (std::size_t r = 0; r < each[k].size(); ++r) {
      CHECK(difference(each[k][r], together[k].rights[r]) == "");
    }
  }
}

std::string words_of(const std::exception_ptr& refusal) {
  try {
    std::rethrow_exception(refusal);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("systems that are solved together have the bits of each alone",
          "[solvers][sparse][systems]") {
  const SeveralSystems systems = several_systems(7);
  for (const Precision precision :
       {Precision::half, Precision::bfloat16, Precision::single_, Precision::double_single,
        Precision::double_, Precision::double_double, Precision::soft(18, 8)}) {
    for (const Preconditioning preconditioner :
         {Preconditioning::none, Preconditioning::jacobi, Preconditioning::block_jacobi}) {
      SparseOptions options;
      options.solver.precision = precision;
      options.solver.preconditioner = preconditioner;
      if (preconditioner == Preconditioning::block_jacobi) options.block_size = 2;
      options.solver.tolerance = 1e-6;
      options.solver.max_iterations = 45;  // which some of them reach
      check_alone(systems, options);
    }
  }
}

TEST_CASE("large systems beside small ones, storages, forms and threads change nothing of that",
          "[solvers][sparse][systems]") {
  SeveralSystems systems = several_systems(4);
  systems.add(generate_sparse({.name = "triangles-shuffled", .size = 70}), 2);
  REQUIRE(systems.matrices.back().pattern.n_rows > few_rows);
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    for (const SparseStorage storage :
         {SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged}) {
      for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
        SparseOptions options;
        options.storage = storage;
        options.solver.form = form;
        options.solver.precision = Precision::single_;
        options.solver.max_iterations = 80;
        options.stop = form == OperatorForm::plain ? StopBy::preconditioned : StopBy::residual;
        check_alone(systems, options);
      }
    }
  }
  omp_set_num_threads(1);
}

TEST_CASE("branches of one recording, some with a backend in common, have the same bits",
          "[solvers][sparse][systems]") {
  const SeveralSystems systems = several_systems(9);
  for (const Preconditioning preconditioner :
       {Preconditioning::none, Preconditioning::jacobi, Preconditioning::block_jacobi}) {
    SparseOptions stated;
    stated.solver.preconditioner = preconditioner;
    if (preconditioner == Preconditioning::block_jacobi) stated.block_size = 2;
    const auto each = alone(systems, stated);
    std::vector<ScaledSystem> scaled;
    std::vector<SparseOptions> options;
    for (const GivenSystem& one : systems.given()) {
      std::vector<const WideVector*> rights;
      for (const SparseRight& right : one.rights) rights.push_back(&right.b);
      options.push_back(settled(stated, *one.A));
      scaled.push_back(scaled_system(*one.A, rights, options.back()));
    }
    const Host stem(sum_scratch_bytes(1, 1));
    const std::vector<Host> branches(2, Host(sum_scratch_bytes(1000, 1)));
    std::vector<SparseSystemOn<Host>> placed;
    for (std::size_t k = 0; k < scaled.size(); ++k) {
      placed.push_back({branches[k % 2], &scaled[k], &options[k], k < 2});
    }
    const std::vector<SystemFound> found = solve_systems_on<Host, double>(stem, placed, true);
    std::size_t shortest = 1000, longest = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      REQUIRE(!found[k].failure);
      for (std::size_t r = 0; r < found[k].rights.size(); ++r) {
        const SparseFound& one = found[k].rights[r];
        CAPTURE(k, r, to_string(preconditioner));
        CHECK(same_bits(one.report.history, each[k][r].report.history));
        CHECK(same_bits(scaled[k].solution(one.y, r).high, each[k][r].solution.high));
        shortest = std::min(shortest, one.report.history.size());
        longest = std::max(longest, one.report.history.size());
      }
    }
    CHECK(shortest <= cg_block);
    CHECK(longest > cg_block);  // some end blocks before others
  }
}

TEST_CASE("what is refused of one system leaves the others as they are",
          "[solvers][sparse][systems]") {
  SeveralSystems systems = several_systems(3);
  systems.matrices[1].values[0] = -1;  // the first of its diagonal
  REQUIRE(systems.matrices[1].pattern.columns[0] == 0);
  SparseOptions options;
  auto solved = solve_systems(systems.given(), options, BackendKind::host);
  REQUIRE(solved[1].refusal);
  CHECK(solved[1].rights.empty());
  std::string of_alone;
  try {
    (void)solve_sparse(systems.matrices[1], systems.rights[1], options, BackendKind::host);
  } catch (const std::exception& error) {
    of_alone = error.what();
  }
  CHECK(words_of(solved[1].refusal) == of_alone);
  for (const std::size_t k : {0u, 2u}) {
    REQUIRE(!solved[k].refusal);
    const auto each =
        solve_sparse(systems.matrices[k], systems.rights[k], options, BackendKind::host);
    CHECK(difference(each.front(), solved[k].rights.front()) == "");
  }
  systems.rights[2].clear();
  systems.rights[0][0].b.high.pop_back();
  solved = solve_systems(systems.given(), options, BackendKind::host);
  for (const SystemSolved& one : solved) CHECK(one.refusal);
  options.solver.tolerance = -1;
  REQUIRE_THROWS_AS(solve_systems(systems.given(), options, BackendKind::host), BadValue);
}

TEST_CASE("what was spent side by side is told of all, and mixed precision goes one by one",
          "[solvers][sparse][systems]") {
  const SeveralSystems systems = several_systems(4);
  SparseOptions options;
  REQUIRE(are_side_by_side(options));
  const auto solved = solve_systems(systems.given(), options, BackendKind::host);
  const auto each = alone(systems, options);
  std::int64_t bytes = 0;
  for (const auto& one : each) bytes += one.front().report.work.bytes;
  for (const SystemSolved& one : solved) {
    const Report& report = one.rights.front().report;
    CHECK(report.work.bytes == bytes);
    CHECK(report.solve_seconds == solved[0].rights[0].report.solve_seconds);
    CHECK(report.memory_bytes > each[1].front().report.memory_bytes);
  }
  options.solver.refinement.inner = {Precision::single_};
  REQUIRE(!are_side_by_side(options));
  check_alone(systems, options);
}
