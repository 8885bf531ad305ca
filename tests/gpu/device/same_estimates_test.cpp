// Host and device agree to the last bit: what the solutions of neighbouring levels tell.
#include <string>
#include <vector>

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using testing::check_same_solve;
using testing::device_kind;
using testing::on_device;
using testing::Stated;

/// The last two levels, the finer one compared with the coarser, and its values kept.
std::vector<Solved> levels_of(const Stated& stated, const SolverOptions& options, int last,
                              BackendKind where) {
  std::vector<Solved> found;
  Neighbours neighbours{{}, true};
  for (int level = last - 1; level <= last; ++level) {
    const auto end = stated.grids.begin() + level + 1;
    found.push_back(solve(
        prepare(stated.problem, std::vector<TensorGrid>(stated.grids.begin(), end), options, where),
        neighbours));
    neighbours.coarser = found.back().values;
  }
  return found;
}

TEST_CASE("levels tell the host's errors on small grids", "[gpu][estimate]") {
  const auto precision =
      GENERATE(Precision::half, Precision::bfloat16, Precision::single_, Precision::double_single,
               Precision::double_, Precision::double_double);
  constexpr int last = 6;
  // Boundary values of all sides, a Neumann side, and a mean that is taken away.
  const bool free = GENERATE(false, true);
  Stated given = testing::stretched(last);
  if (free) {
    given.problem = make_problem(
        [] {
          ProblemOptions options;
          options.solution = "cosine";
          for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
          return options;
        }(),
        given.problem.width, given.problem.height);
  }
  SolverOptions options;
  options.precision = precision;
  options.norm = StoppingNorm::residual;
  options.tolerance = 1e-2;
  CAPTURE(to_string(precision), free);
  const auto host = levels_of(given, options, last, BackendKind::host);
  const auto device = on_device([&] { return levels_of(given, options, last, device_kind); });
  for (std::size_t k = 0; k < host.size(); ++k) {
    CAPTURE(k);
    check_same_solve(host[k], device[k]);
    CHECK((host[k].values && device[k].values));
  }
  REQUIRE(host.back().level_errors);
  CHECK(host.back().level_errors->l2 > 0);
  CHECK(host.back().level_errors->max > 0);
}

}  // namespace
}  // namespace ninefold
