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

/// Boundary values of all sides, a Neumann side; or a mean that is taken away.
Stated stretched(int level, bool free) {
  Stated given = testing::stretched(level);
  if (free) {
    ProblemOptions options;
    options.solution = "cosine";
    for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
    given.problem = make_problem(options, given.problem.width, given.problem.height);
  }
  return given;
}

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
  const bool free = GENERATE(false, true);
  const Stated given = stretched(last, free);
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

TEST_CASE("a wider solver tells the host's errors of iteration and rounding on small grids",
          "[gpu][estimate]") {
  const auto precision =
      GENERATE(Precision::half, Precision::bfloat16, Precision::single_, Precision::double_single,
               Precision::double_, Precision::double_double);
  const bool mixed = GENERATE(false, true), free = GENERATE(false, true);
  if (mixed && facts(precision).unit_roundoff > facts(Precision::single_).unit_roundoff) return;
  const Stated given = stretched(5, free);
  SolverOptions options;
  options.precision = precision;
  options.norm = StoppingNorm::residual;
  options.tolerance = 1e-2;
  if (mixed) options.refinement.inner = {Precision::single_};
  CAPTURE(to_string(precision), mixed, free);
  const auto errors_on = [&](BackendKind where) {
    Neighbours neighbours;
    neighbours.estimates_solver_errors = true;
    return *solve(prepare(given.problem, given.grids, options, where), neighbours).solver_errors;
  };
  const SolverErrors host = errors_on(BackendKind::host);
  const SolverErrors device = on_device([&] { return errors_on(device_kind); });
  CAPTURE(host.remark, device.remark);
  REQUIRE(host.algebraic);
  CHECK(host.algebraic == device.algebraic);
  CHECK(host.rounding == device.rounding);
  CHECK(host.left == device.left);
  CHECK(host.rounding.has_value() == (precision != Precision::double_double));
}

TEST_CASE("full multigrid ends at the discretisation error as on the host, on small grids",
          "[gpu][estimate][nested]") {
  SolverOptions options;
  options.method = Method::full_multigrid;
  options.precision = GENERATE(Precision::single_, Precision::double_single, Precision::double_);
  if (options.precision != Precision::single_) options.refinement.inner = {Precision::single_};
  options.to_discretisation = true;
  options.fraction = GENERATE(0.05, 1e-3);
  const Stated given = testing::stretched(6);
  CAPTURE(to_string(options.precision), options.fraction);
  const auto host = levels_of(given, options, 6, BackendKind::host);
  const auto device = on_device([&] { return levels_of(given, options, 6, device_kind); });
  for (std::size_t k = 0; k < host.size(); ++k) {
    CAPTURE(k);
    check_same_solve(host[k], device[k]);
  }
  CHECK(host.back().report.iterations >= 2);
}

}  // namespace
}  // namespace ninefold
