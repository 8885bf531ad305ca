// Sparse systems and fits whose rows several ranks have divided, here threads of one process: the
// bits of a solve by one, in every format, storage, form, preconditioner and kind of refinement.

#include <string>
#include <vector>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/matrix_part.hpp"
#include "fem/sparse/random_rows.hpp"
#include "fem/sparse/rectangular.hpp"

#include "gpu/backend/vector_part.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/ranked_matrix.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::check_fit;
using testing::check_system;
using testing::several_rights;

const std::vector<int> few_parts{2, 3}, all_parts{1, 2, 3, 4, 7};

void check_one(const SparseMatrix& A, const SparseOptions& options,
               const std::vector<int>& counts = few_parts) {
  check_system(A, several_rights(A, 1), options, BackendKind::host, counts);
}

TEST_CASE("parts of a sparse system have the bits of one: formats", "[ranks][sparse]") {
  struct Format {
    Precision precision;
    double tolerance;
  };
  const Format format =
      GENERATE(Format{Precision::half, 1e-2}, Format{Precision::bfloat16, 1e-1},
               Format{Precision::single_, 1e-5}, Format{Precision::double_single, 1e-10},
               Format{Precision::double_, 1e-10}, Format{Precision::double_double, 1e-20});
  SparseOptions options;
  options.solver.precision = format.precision;
  options.solver.tolerance = format.tolerance;
  options.solver.max_iterations = 60;
  const bool is_double = format.precision == Precision::double_;
  check_one(generate_sparse({.name = "triangles", .size = 88}), options,
            is_double ? all_parts : few_parts);
}

TEST_CASE("parts of a sparse system have the bits of one: storages and forms", "[ranks][sparse]") {
  SparseOptions options;
  options.storage =
      GENERATE(SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged,
               SparseStorage::blocks_2, SparseStorage::blocks_3, SparseStorage::blocks_4);
  options.solver.form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  options.solver.max_iterations = 40;
  options.order = RowOrder::random;
  check_one(generate_sparse({.name = "laplace-3d-27", .size = 21}), options);
}

TEST_CASE("parts of a sparse system have the bits of one: components and blocks",
          "[ranks][sparse]") {
  const SparseMatrix A = generate_sparse({.name = "elasticity-3d", .size = 14});
  REQUIRE(A.pattern.n_rows > 2 * 3072);
  SparseOptions options;
  options.components = 3;
  options.solver.form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  options.storage = GENERATE(SparseStorage::sliced, SparseStorage::blocks_3);
  options.solver.preconditioner =
      GENERATE(Preconditioning::none, Preconditioning::jacobi, Preconditioning::block_jacobi);
  options.stop = options.solver.preconditioner == Preconditioning::none ? StopBy::residual
                                                                        : StopBy::preconditioned;
  options.solver.max_iterations = 40;
  check_one(A, options);
}

TEST_CASE("parts of a sparse system have the bits of one: rows of all lengths", "[ranks][sparse]") {
  const SparseMatrix A = generate_sparse({.name = "rows", .size = 7000, .mean = 90, .spread = 64});
  int longest = 0;
  for (int i = 0; i < A.pattern.n_rows; ++i) longest = std::max(longest, A.pattern.length(i));
  REQUIRE(longest > 2048);
  SparseOptions options;
  options.storage =
      GENERATE(SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged);
  options.solver.form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  options.solver.max_iterations = 30;
  check_one(A, options, {2, 5});
}

TEST_CASE("parts of a sparse system have the bits of one: several right-hand sides",
          "[ranks][sparse]") {
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 60});
  SparseOptions options;
  options.solver.max_iterations = 80;
  if (GENERATE(false, true)) options.solver.refinement.inner = {Precision::single_};
  check_system(A, several_rights(A, 5), options, BackendKind::host, few_parts);
}

TEST_CASE("parts of a sparse system have the bits of one: refinement", "[ranks][sparse]") {
  SparseOptions options;
  RefinementOptions& refinement = options.solver.refinement;
  refinement.inner = {Precision::single_};
  refinement.variant = GENERATE(RefinementVariant::refinement, RefinementVariant::flexible_cg,
                                RefinementVariant::residual_guided_cg);
  SECTION("double:single") {}
  SECTION("double:half, scaled") {
    refinement.inner = {Precision::half};
    options.solver.tolerance = 1e-6;
  }
  SECTION("a cascade") {
    if (refinement.variant != RefinementVariant::refinement) return;
    options.solver.precision = Precision::double_double;
    options.solver.tolerance = 1e-20;
    refinement.inner = {Precision::double_, Precision::single_};
  }
  options.solver.max_iterations = 200;
  check_one(generate_sparse({.name = "laplace-3d-7", .size = 15}), options);
}

TEST_CASE("a rank holds its part, and moves that alone", "[ranks][sparse]") {
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 200});
  SparseOptions options;
  options.solver.max_iterations = 20;
  const auto solve = [&](const std::shared_ptr<const Ranks>& ranks) {
    SparseOptions own = options;
    own.solver.ranks = ranks;
    return solve_sparse(with_ones(A), own, BackendKind::host).report;
  };
  const Report alone = solve(nullptr);
  const std::vector<Report> found = testing::solve_on_ranks(4, solve);
  const auto of_all = static_cast<double>(alone.memory_bytes);
  for (const Report& own : found) {
    CHECK(static_cast<double>(own.memory_bytes) < 0.3 * of_all);
    // Of all ranks; a storage that begins anew in each part has a little more or less.
    CHECK(static_cast<double>(own.work.bytes)
          == Catch::Approx(static_cast<double>(alone.work.bytes)).epsilon(0.01));
  }
}

TEST_CASE("a part that meets no other has the bits of one", "[ranks][sparse]") {
  const SparseMatrix A = testing::two_chains(4096, 2048);
  SparseOptions options;
  options.solver.max_iterations = 40;
  check_system(A, several_rights(A, 1), options, BackendKind::host, few_parts);
}

TEST_CASE("ranks of fewer rows than parts take have all of them each", "[ranks][sparse]") {
  check_one(generate_sparse({.name = "triangles", .size = 30}), {}, {2, 3});
}

TEST_CASE("parts of a fit have the bits of one", "[ranks][least_squares]") {
  const MeasuredRows measured = random_rows({.rows = 9000, .columns = 3072, .entries = 80'000});
  LeastSquaresProblem problem{measured.A, {measured.b, {}}};
  LeastSquaresOptions options;
  options.solver.max_iterations = 60;
  SECTION("formats") {
    options.solver.precision =
        GENERATE(Precision::half, Precision::single_, Precision::double_, Precision::double_double);
    if (options.solver.precision == Precision::half) options.solver.tolerance = 1e-2;
  }
  SECTION("storages") {
    options.storage = GENERATE(SparseStorage::compressed, SparseStorage::jagged);
  }
  SECTION("regularised") {
    options.regularisation = 0.01;
  }
  SECTION("mixed") {
    options.solver.refinement.inner = {GENERATE(Precision::single_, Precision::half)};
  }
  check_fit(problem, options, BackendKind::host, {1, 2, 3});
  // Fewer columns than four parts take.
  check_fit(problem, options, BackendKind::host, {4});
}

TEST_CASE("bounds of a fit are for one rank", "[ranks][least_squares]") {
  const MeasuredRows measured = random_rows({.rows = 3000, .columns = 2048, .entries = 20'000});
  LeastSquaresOptions options;
  options.lower = 0;
  const auto solve = [&] {
    return testing::solve_on_ranks(2, [&](const std::shared_ptr<const Ranks>& ranks) {
      options.solver.ranks = ranks;
      return solve_least_squares({measured.A, {measured.b, {}}}, options, BackendKind::host);
    });
  };
  CHECK_THROWS_WITH(solve(), ContainsSubstring("one process"));
}

}  // namespace
}  // namespace ninefold
