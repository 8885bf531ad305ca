// Host and device agree to the last bit: whole solves, recorded and not, in every format that
// devices have.

#include <cmath>
#include <cstring>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"

#include "solvers/multigrid/multigrid.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/row_kinds.hpp"
#include "tests/support/same_solve.hpp"
#include "tests/support/stated.hpp"
#include "tests/support/turns.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::device_kind;
using testing::full_or_small;
using testing::on_device;
using testing::place;
using testing::rehearsed;
using testing::solve_on_device;
using testing::takes_turn;

/// Positions at which two sequences differ in any bit.
template <class T>
std::vector<std::size_t> differing(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  std::vector<std::size_t> positions;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::memcmp(&a[k], &b[k], sizeof(T)) != 0) positions.push_back(k);
  }
  return positions;
}

TEMPLATE_TEST_CASE("a recorded cycle gives the bits of one that is not recorded", "[gpu][graph]",
                   NINEFOLD_DEVICE_FORMATS) {
  using W = Assembly<TestType>;
  const std::vector<TensorGrid> grids = make_hierarchy(1.0, 1.0, 6);
  const Device device;
  const auto run = [&](bool recorded, int smoothing) {
    MultigridOptions options;
    options.pre_smoothing = smoothing;
    Multigrid<Device, TestType> multigrid(device, grids, {}, {W(1), W(1), W(0)},
                                          OperatorForm::plain,
                                          choose_smoothing(options, grids.back(), 1, 1));
    upload(device, testing::random_values<W>(65 * 65, 6), 0, multigrid.b());
    multigrid.adopt_start();
    if (recorded) {
      const Recording<Device> cycle(device, [&] { multigrid.cycle(); });
      for (int k = 0; k < 3; ++k) cycle.replay();
    } else {
      for (int k = 0; k < 3; ++k) multigrid.cycle();
    }
    return download<Device, TestType>(device, multigrid.x(), 0);
  };
  for (const int smoothing : {1, 2}) {  // an odd number of steps, too
    CHECK(
        differing(on_device([&] { return run(true, smoothing); }), run(false, smoothing)).empty());
  }
}

/// A precision with the tolerance and the sizes that suit it: half and pairs are slow on the host.
struct Solves {
  int place;
  Precision precision;
  double tolerance;
  int fewer_levels;
};

TEST_CASE("whole solves give the same bits on host and device", "[gpu][solve]") {
  const Solves solves = GENERATE(
      Solves{0, Precision::half, 1e-2, 1}, Solves{1, Precision::bfloat16, 0.1, 0},
      Solves{2, Precision::single_, 1e-10, 0}, Solves{3, Precision::double_single, 1e-10, 1},
      Solves{4, Precision::double_, 1e-10, 0}, Solves{5, Precision::double_double, 1e-20, 2});
  Boundary mixed;
  mixed[Side::top] = BoundaryKind::neumann;
  const auto compare = [&](const ProblemOptions& stated, const SolverOptions& options, int level,
                           double nu) {
    const Problem problem = make_problem(stated, 1.0, 1.0);
    const auto grids = make_hierarchy(1.0, 1.0, level - solves.fewer_levels - full_or_small(0, 1),
                                      {nu, {Side::right, Side::bottom}});
    const Solved host = solve(problem, grids, options, BackendKind::host);
    const Solved device = solve_on_device(problem, grids, options);
    CAPTURE(stated.solution, to_string(options.precision), to_string(options.form), level, nu,
            to_string(options.method), to_string(options.preconditioner),
            to_string(options.multigrid.cycle));
    // Bits of NaN are the machine's own: there would be nothing to compare.
    REQUIRE(std::isfinite(host.report.true_residual_reduction));
    CHECK(host.report.outcome == device.report.outcome);
    CHECK(host.report.iterations == device.report.iterations);
    CHECK(differing(host.report.history, device.report.history).empty());
    CHECK(host.report.true_residual_reduction == device.report.true_residual_reduction);
    CHECK(host.report.attainable_reduction == device.report.attainable_reduction);
    CHECK(differing(host.solution, device.solution).empty());
    CHECK(differing(host.solution_low, device.solution_low).empty());
    CHECK(host.errors.has_value());
    testing::check_same_errors(host.errors, device.errors);
  };
  ProblemOptions polynomial, exponential;
  exponential.solution = "exponential";
  exponential.boundary = mixed;
  // Half holds the integrals of a small reaction on small cells in plain form only.
  exponential.reaction = solves.precision == Precision::half ? 500.0 : 2.0;
  for (const testing::RowKind& rows : testing::row_kinds) {
    SolverOptions options;
    options.precision = solves.precision;
    options.tolerance = solves.tolerance;
    options.form = rows.form;
    options.storage = rows.storage;
    options.max_iterations = 500;
    options.method = Method::cg;
    if (takes_turn(2, place(rows, testing::row_kinds), solves.place)) {
      compare(polynomial, options, 7, 1.0);
    }
    compare(exponential, options, 6, 0.75);
    options.preconditioner = Preconditioning::jacobi;
    compare(polynomial, options, 6, 0.5);
    options.preconditioner = Preconditioning::multigrid;
    compare(polynomial, options, 8, 1.0);
    options.preconditioner = Preconditioning::none;
    options.method = Method::multigrid;
    for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
      if (!takes_turn(3, place(rows, testing::row_kinds), cycle, solves.place)) continue;
      options.multigrid.cycle = cycle;
      compare(polynomial, options, 8, 1.0);
      compare(exponential, options, 7, 1.0);
    }
    options.multigrid.cycle = Cycle::w;
    options.multigrid.smoother = Smoother::jacobi;  // lines: line_same_solves_test.cpp
    options.multigrid.pre_smoothing = 1;            // an odd number of steps
    compare(exponential, options, 6, 0.9);
  }
}

TEST_CASE("what is judged has the same bits on host and device", "[gpu][solve]") {
  const Precision precision = GENERATE(Precision::single_, Precision::double_single,
                                       Precision::double_, Precision::double_double);
  const Precision inner =
      precision == Precision::single_ ? Precision::bfloat16 : Precision::single_;
  const double tolerance = precision == Precision::single_ ? 1e-4 : 1e-9;
  ProblemOptions thin, free;
  thin.solution = free.solution = "exponential";
  thin.boundary[Side::right] = BoundaryKind::neumann;
  for (const Side side : all_sides) free.boundary[side] = BoundaryKind::neumann;
  int changes = 0;  // beside thin cells
  for (const bool floats : {false, true}) {
    const Problem problem = make_problem(floats ? free : thin, 1.0, 1.0);
    const auto grids = make_hierarchy(1.0, 1.0, 6, {floats ? 0.5 : 0.05, {Side::right}});
    for (const int method : {0, 1, 2, 3, 4}) {
      if (precision != Precision::double_
          && !takes_turn(2, precision == Precision::single_, floats, method)) {
        continue;
      }
      SolverOptions options;
      options.precision = precision;
      options.tolerance = tolerance;
      options.max_iterations = 300;
      if (method >= 2) options.method = Method::cg;
      if (method == 3) options.preconditioner = Preconditioning::jacobi;
      if (method == 4) options.preconditioner = Preconditioning::multigrid;
      if (method == 1) options.refinement.inner = {inner};
      CAPTURE(to_string(precision), method, floats);
      const Solved host = solve(problem, grids, options, BackendKind::host);
      const Solved device = solve_on_device(problem, grids, options);
      if (!std::isfinite(host.report.true_residual_reduction)) continue;
      CHECK(host.report.outcome == device.report.outcome);
      CHECK(host.report.error_bound == device.report.error_bound);
      CHECK(differing(host.report.history, device.report.history).empty());
      CHECK(differing(host.solution, device.solution).empty());
      CHECK(host.report.remark == device.report.remark);
      CHECK(device.report.memory_bytes
            <= forecast_memory(problem, grids, options, device_kind).backend);
      if (!floats) changes += host.report.judged_by_change;
    }
  }
  if (precision == Precision::double_) CHECK(changes > 0);
}

TEST_CASE("tolerances of the error in one norm end solves alike on host and device",
          "[gpu][solve]") {
  ProblemOptions held, free;
  held.solution = free.solution = "exponential";
  held.boundary[Side::right] = BoundaryKind::neumann;
  for (const Side side : all_sides) free.boundary[side] = BoundaryKind::neumann;
  for (const StoppingNorm norm : {StoppingNorm::energy, StoppingNorm::l2, StoppingNorm::largest}) {
    for (const bool floats : {false, true}) {
      for (const int method : {0, 1, 2}) {
        const Problem problem = make_problem(floats ? free : held, 1.0, 1.0);
        const auto grids = make_hierarchy(1.0, 1.0, 5, {0.5, {Side::left}});
        SolverOptions options;
        options.norm = norm;
        options.relative = method != 1;
        options.tolerance = 1e-7;
        if (method == 0) options.method = Method::cg;
        if (method == 2) options.refinement.inner = {Precision::single_};
        CAPTURE(to_string(norm), floats, method);
        const Solved host = solve(problem, grids, options, BackendKind::host);
        const Solved device = solve_on_device(problem, grids, options);
        CHECK(host.report.outcome == Outcome::converged);
        CHECK(device.report.outcome == host.report.outcome);
        CHECK(device.report.error_bound == host.report.error_bound);
        CHECK(differing(host.report.history, device.report.history).empty());
        CHECK(differing(host.solution, device.solution).empty());
        CHECK(device.report.memory_bytes
              <= forecast_memory(problem, grids, options, device_kind).backend);
      }
    }
  }
}

TEST_CASE("what the matrix makes of its own rounding is judged alike on host and device",
          "[gpu][solve]") {
  const testing::Stated s = testing::thin_columns();
  SolverOptions options;
  options.precision = Precision::single_;
  options.form = OperatorForm::plain;
  options.tolerance = 2e-4;
  const auto compare = [&](Method method, Preconditioning preconditioner) {
    options.method = method;
    options.preconditioner = preconditioner;
    CAPTURE(to_string(method), to_string(preconditioner));
    const Solved host = solve(s.problem, s.grids, options, BackendKind::host);
    const Solved device = solve_on_device(s.problem, s.grids, options);
    CHECK(host.report.outcome == Outcome::converged);  // not without that
    CHECK(host.report.judged_by_change);
    CHECK(device.report.outcome == host.report.outcome);
    CHECK(device.report.error_bound == host.report.error_bound);
    CHECK(device.report.remark == host.report.remark);  // it names the response
    CHECK(differing(host.solution, device.solution).empty());
  };
  compare(Method::multigrid, Preconditioning::none);
  compare(Method::cg, Preconditioning::jacobi);
  compare(Method::cg, Preconditioning::multigrid);
}

TEST_CASE("the device holds what was forecast, and gives it back", "[gpu][memory]") {
  const Problem problem = make_problem({}, 1.0, 1.0);
  const auto grids = make_hierarchy(1.0, 1.0, 6);
  SolverOptions options;
  for (const Precision precision : named_precisions()) {
    options.precision = precision;
    CAPTURE(to_string(precision));
    const Solved solved = solve_on_device(problem, grids, options);
    CHECK(solved.report.memory_bytes
          == forecast_memory(problem, grids, options, device_kind).backend);
  }
  if (rehearsed) return;  // other programs hold and release the host's memory
  const std::size_t before = describe_cuda().memory_available;
  for (const Precision precision : named_precisions()) {
    options.precision = precision;
    (void)solve_on_device(problem, grids, options);
  }
  CHECK(describe_cuda().memory_available >= before);
}

TEST_CASE("a software format is refused on a device", "[gpu][solve]") {
  SolverOptions options;
  options.precision = Precision::soft(17, 11);
  // Refused before a device is looked for, also where there is none.
  CHECK_THROWS_WITH(
      solve(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 2), options, BackendKind::cuda),
      Catch::Matchers::ContainsSubstring("s17e11")
          && Catch::Matchers::ContainsSubstring("host only"));
}

}  // namespace
}  // namespace ninefold
