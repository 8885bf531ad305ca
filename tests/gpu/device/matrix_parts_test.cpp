// Several devices, or one for several ranks, have the bits of the host: sparse systems and fits
// whose rows they have divided.

#include <vector>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/matrix_part.hpp"
#include "fem/sparse/random_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/ranked_matrix.hpp"

namespace ninefold {
namespace {

using testing::check_fit;
using testing::check_system;
using testing::device_kind;
using testing::several_rights;

const std::vector<int> parts_of_devices{2, 3};

TEST_CASE("parts on devices have the bits of the host: sparse systems", "[gpu][ranks][sparse]") {
  SparseOptions options;
  options.solver.max_iterations = 60;
  SECTION("formats") {
    options.solver.precision =
        GENERATE(Precision::half, Precision::single_, Precision::double_single, Precision::double_,
                 Precision::double_double);
    if (options.solver.precision == Precision::half) options.solver.tolerance = 1e-2;
    const SparseMatrix A = generate_sparse({.name = "triangles", .size = 88});
    check_system(A, several_rights(A, 1), options, device_kind, parts_of_devices);
  }
  SECTION("storages") {
    options.storage =
        GENERATE(SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged,
                 SparseStorage::blocks_2, SparseStorage::blocks_3, SparseStorage::blocks_4);
    options.solver.form = GENERATE(OperatorForm::plain, OperatorForm::difference);
    const SparseMatrix A = generate_sparse({.name = "laplace-3d-27", .size = 21});
    check_system(A, several_rights(A, 1), options, device_kind, parts_of_devices);
  }
  SECTION("components and blocks") {
    options.components = 3;
    options.solver.preconditioner =
        GENERATE(Preconditioning::jacobi, Preconditioning::block_jacobi);
    const SparseMatrix A = generate_sparse({.name = "elasticity-3d", .size = 14});
    check_system(A, several_rights(A, 1), options, device_kind, parts_of_devices);
  }
  SECTION("rows of all lengths") {
    options.storage = GENERATE(SparseStorage::sliced, SparseStorage::jagged);
    const SparseMatrix A =
        generate_sparse({.name = "rows", .size = 7000, .mean = 90, .spread = 64});
    check_system(A, several_rights(A, 1), options, device_kind, parts_of_devices);
  }
  SECTION("several right-hand sides") {
    const SparseMatrix A = generate_sparse({.name = "triangles", .size = 60});
    check_system(A, several_rights(A, 5), options, device_kind, parts_of_devices);
  }
  SECTION("mixed") {
    options.solver.refinement.inner = {Precision::single_};
    options.solver.refinement.variant =
        GENERATE(RefinementVariant::refinement, RefinementVariant::flexible_cg,
                 RefinementVariant::residual_guided_cg);
    const SparseMatrix A = generate_sparse({.name = "laplace-3d-7", .size = 15});
    check_system(A, several_rights(A, 1), options, device_kind, parts_of_devices);
  }
}

TEST_CASE("a part on a device that meets no other has the bits of the host",
          "[gpu][ranks][sparse]") {
  const SparseMatrix A = testing::two_chains(4096, 2048);
  SparseOptions options;
  options.solver.max_iterations = 40;
  check_system(A, several_rights(A, 1), options, device_kind, parts_of_devices);
}

TEST_CASE("parts on devices have the bits of the host: fits", "[gpu][ranks][least_squares]") {
  const MeasuredRows measured = random_rows({.rows = 9000, .columns = 3072, .entries = 80'000});
  LeastSquaresOptions options;
  options.solver.max_iterations = 60;
  SECTION("formats") {
    options.solver.precision =
        GENERATE(Precision::single_, Precision::double_, Precision::double_double);
  }
  SECTION("storages") {
    options.storage = GENERATE(SparseStorage::compressed, SparseStorage::jagged);
  }
  SECTION("mixed") {
    options.solver.refinement.inner = {Precision::single_};
  }
  check_fit({measured.A, {measured.b, {}}}, options, device_kind, parts_of_devices);
}

}  // namespace
}  // namespace ninefold
