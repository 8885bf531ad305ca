// Several systems with sparse matrices in one solve on a device: the bits of the host, and of each
// alone.

#include "solvers/sparse/sparse_systems.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/several_systems.hpp"

namespace ninefold {
namespace {

using namespace testing;

}  // namespace

TEST_CASE("systems that are solved together have the bits of each alone, on host and device",
          "[device][sparse][solves]") {
  // More than branches, which then have several systems each; they end in different blocks.
  SeveralSystems systems = several_systems(20);
  systems.add(generate_sparse({.name = "triangles", .size = full_or_small(300, 66)}), 1);
  for (const Precision precision :
       {Precision::half, Precision::bfloat16, Precision::single_, Precision::double_single,
        Precision::double_, Precision::double_double}) {
    for (const Preconditioning preconditioner :
         {Preconditioning::none, Preconditioning::jacobi, Preconditioning::block_jacobi}) {
      SparseOptions options;
      options.solver.precision = precision;
      options.solver.preconditioner = preconditioner;
      options.solver.max_iterations = 150;
      options.solver.tolerance = 1e-5;
      if (preconditioner == Preconditioning::block_jacobi) options.block_size = 2;
      const auto on_host = solve_systems(systems.given(), options, BackendKind::host);
      const auto together =
          on_device([&] { return solve_systems(systems.given(), options, device_kind); });
      for (std::size_t k = 0; k < together.size(); ++k) {
        CAPTURE(k, to_string(precision), to_string(preconditioner));
        REQUIRE(!on_host[k].refusal);
        REQUIRE(!together[k].refusal);
        for (std::size_t r = 0; r < together[k].rights.size(); ++r) {
          CHECK(difference(on_host[k].rights[r], together[k].rights[r]) == "");
        }
        if (k % 7 != 0) continue;
        const auto alone = on_device([&] {
          return solve_sparse(systems.matrices[k], systems.rights[k], options, device_kind);
        });
        CHECK(difference(alone.front(), together[k].rights.front()) == "");
      }
    }
  }
}

TEST_CASE("a single system among several, and storages, have the bits of a solve alone",
          "[device][sparse][solves]") {
  const SeveralSystems systems = several_systems(5);
  for (const SparseStorage storage :
       {SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged}) {
    SparseOptions options;
    options.storage = storage;
    const auto on_host = solve_systems(systems.given(), options, BackendKind::host);
    const std::vector<GivenSystem> all = systems.given();
    for (const std::size_t count : {std::size_t{1}, all.size()}) {
      const std::vector<GivenSystem> some(all.begin(),
                                          all.begin() + static_cast<std::ptrdiff_t>(count));
      const auto together = on_device([&] { return solve_systems(some, options, device_kind); });
      for (std::size_t k = 0; k < count; ++k) {
        CAPTURE(k, to_string(storage));
        CHECK(difference(on_host[k].rights.front(), together[k].rights.front()) == "");
      }
    }
  }
}

}  // namespace ninefold
