// From how many nodes on a device goes through grids in another way changes no bit; nor do measured
// sizes.

#include "gpu/backend/pass_sizes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/kept_sizes.hpp"

#ifndef NINEFOLD_REHEARSED
#include "experiments/program/tune_passes.hpp"
#include "experiments/program/tuning.hpp"
#endif

using namespace ninefold;
namespace testing = ninefold::testing;
using ninefold::testing::full_or_small;
using ninefold::testing::KeptSizes;
using ninefold::testing::rehearsed;
using ninefold::testing::solve_on_device;

namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

/// Small and large ways, and both in one solve: sizes in between are those of levels 6 to 8.
std::vector<PassSizes> all_ways() {
  constexpr std::int64_t never = PassSizes::never;
  return {testing::large_ways,
          testing::small_ways,
          {{5000, 20000, 80000}, 20000, 5000},
          {{80000, 5000, 20000}, never, 0}};
}

}  // namespace

TEST_CASE("no size of passes changes a bit of a solve", "[gpu][fused]") {
  SolverOptions nested, mixed, half, jacobi, conjugate;
  nested.method = mixed.method = half.method = Method::full_multigrid;
  mixed.refinement.inner = {Precision::single_};
  half.refinement.inner = {Precision::half};
  half.tolerance = 1e-7;
  jacobi.method = Method::multigrid;
  jacobi.precision = Precision::single_;
  jacobi.tolerance = 1e-3;
  jacobi.multigrid.smoother = Smoother::jacobi;
  jacobi.storage = OperatorStorage::factored;
  conjugate.method = Method::cg;
  conjugate.tolerance = 1e-3;
  conjugate.storage = OperatorStorage::factored;
  const Problem problem = make_problem({}, 1.0, 1.0);
  const auto grids = make_hierarchy(1.0, 1.0, full_or_small(9, 5));
  for (const SolverOptions& options : {nested, mixed, half, jacobi, conjugate}) {
    CAPTURE(to_string(options.method), to_string(options.precision));
    const Solved expected = solve(problem, grids, options, BackendKind::host);
    REQUIRE(expected.report.outcome == Outcome::converged);
    for (const PassSizes& sizes : all_ways()) {
      CAPTURE(sizes.strips[1], sizes.columns, sizes.sums);
      const KeptSizes kept(sizes);
      const Solved found = solve_on_device(problem, grids, options);
      CHECK(kept.asked() == (rehearsed ? 0 : 1));
      CHECK(found.report.iterations == expected.report.iterations);
      CHECK(same_bits(found.solution, expected.solution));
      CHECK(same_bits(found.report.history, expected.report.history));
    }
  }
}

#ifndef NINEFOLD_REHEARSED
TEST_CASE("a backend has the sizes that are kept, or those of the rule", "[gpu][backend]") {
  const PassSizes own{{1, 2, 3}, 4, 5};
  const auto rule = PassSizes::by_rule(Cuda().multiprocessors());
  CHECK(Cuda().pass_sizes() == rule);
  {
    const KeptSizes kept(own);
    CHECK(Cuda().pass_sizes() == own);
    const Cuda first;
    const Cuda copy = first;
    first.use_pass_sizes(rule);
    CHECK(copy.pass_sizes() == rule);
    CHECK(Cuda().pass_sizes() == own);
    keep_pass_sizes([](const std::string&, int) -> std::optional<PassSizes> {
      throw std::runtime_error("what is kept is broken");
    });
    CHECK_THROWS_WITH(Cuda(), "what is kept is broken");
  }
  CHECK(Cuda().pass_sizes() == rule);
}

TEST_CASE("sizes are measured, and the backend's stay", "[gpu][backend]") {
  const Cuda on;
  const PassSizes own{{1, 2, 3}, 4, 5};
  on.use_pass_sizes(own);
  const Tuning tuning = tune_passes(on, 5, 6);
  CHECK(on.pass_sizes() == own);
  CHECK(tuning.times.rows().size() == 10);
  for (const auto& row : tuning.times.rows()) {
    const double small = std::get<double>(row[2]), large = std::get<double>(row[3]);
    CHECK(small > 0);
    CHECK(large > 0);
    CHECK(std::get<double>(row[4]) == Catch::Approx(large / small));
  }
  // Each size is what its own times make it; what these are is the device's, and of what else it
  // does meanwhile.
  const auto of_times = [&](const std::string& pass, std::int64_t by_rule) {
    std::vector<WaySeconds> levels;
    for (const auto& row : tuning.times.rows()) {
      if (std::get<std::string>(row[0]) != pass) continue;
      levels.push_back({static_cast<int>(std::get<std::int64_t>(row[1])), std::get<double>(row[2]),
                        std::get<double>(row[3])});
    }
    REQUIRE(levels.size() == 2);
    return size_by_times(levels, by_rule);
  };
  const auto rule = PassSizes::by_rule(on.multiprocessors());
  for (std::size_t k = 0; k < rule.strips.size(); ++k) {
    const std::string pass = "a visit, values of " + std::to_string(2 << k) + " bytes";
    CHECK(tuning.sizes.strips[k] == of_times(pass, rule.strips[k]));
  }
  CHECK(tuning.sizes.columns == of_times("steps and products", rule.columns));
  CHECK(tuning.sizes.sums == of_times("residuals and norms", rule.sums));
}
#endif
