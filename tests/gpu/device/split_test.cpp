// The outer solver on the host, the inner one on the device: the bits of either alone, and what
// crosses the bus.
#include <string>
#include <vector>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/vector.hpp"

#include "solvers/refinement/split_correction.hpp"
#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using testing::check_same_solve;
using testing::device_kind;
using testing::exponential;
using testing::full_or_small;
using testing::on_device;
using testing::polynomial;
using testing::refined;
using testing::rehearsed;
using testing::Stated;
using testing::stretched;

/// Bytes of the rows that have unknowns, from side to side, in the first inner format.
std::size_t bytes_of_vector(const Stated& stated, const SolverOptions& options) {
  const TensorGrid& grid = stated.grids.back();
  const Box unknowns = unknown_nodes(grid, stated.problem.boundary);
  const auto row = with_type(options.refinement.inner.front(), [&]<class T>() {
    return static_cast<std::size_t>(NodeVector<Host, T>::pitch_of(grid.nx())) * sizeof(T);
  });
  return static_cast<std::size_t>(unknowns.height()) * row;
}

/// The bytes that crossed the bus, and where the outer work was done.
void check_report(const Solved& split, const Solved& device, const Stated& stated,
                  const SolverOptions& options) {
  CHECK(device.report.transferred_bytes == 0);
  CHECK(split.report.outer_work.bytes == device.report.outer_work.bytes);
  if (rehearsed) return;  // no bus
  // The first residual, then a correction and a residual a step; in half, where a step may lead out
  // of the range, the residual a second time.
  const auto steps = static_cast<std::size_t>(split.report.iterations);
  const std::size_t vector = bytes_of_vector(stated, options), least = (2 * steps + 1) * vector;
  if (options.refinement.inner.front() == Precision::half) {
    CHECK(split.report.transferred_bytes >= least);
    CHECK(split.report.transferred_bytes <= least + steps * vector);
    CHECK(split.report.transferred_bytes % vector == 0);
  } else {
    CHECK(split.report.transferred_bytes == least);
  }
  CHECK(split.report.outer_work.kernels == 0);
}

void compare(const Stated& stated, SolverOptions options) {
  const auto run = [&](BackendKind where, OuterBackend outer) {
    options.refinement.outer_backend = outer;
    return solve(stated.problem, stated.grids, options, where);
  };
  CAPTURE(testing::name_of(options), stated.grids.size() - 1, to_string(options.method),
          to_string(options.preconditioner));
  const Solved split = on_device([&] { return run(device_kind, OuterBackend::host); });
  const Solved device = on_device([&] { return run(device_kind, OuterBackend::same); });
  const Solved host = run(BackendKind::host, OuterBackend::host);
  {
    CAPTURE("split and device");
    check_same_solve(split, device);
  }
  {
    CAPTURE("split and host");
    check_same_solve(split, host);
  }
  check_report(split, device, stated, options);
  CHECK(host.report.transferred_bytes == 0);
  options.refinement.outer_backend = OuterBackend::host;
  CHECK(split.report.memory_bytes
        == forecast_memory(stated.problem, stated.grids, options, device_kind).backend);
}

TEST_CASE("a split solve has the bits of one on the device and of one on the host",
          "[gpu][solve][split]") {
  for (SolverOptions options :
       {refined("double", {"single"}), refined("double", {"half"}), refined("double", {"bfloat16"}),
        refined("double", {"double-single"}), refined("single", {"half"}),
        refined("double-double", {"double"}), refined("double-single", {"single"}),
        refined("double", {"single", "half"}), refined("double-double", {"double", "single"})}) {
    options.tolerance = options.precision == Precision::single_ ? 1e-4 : 1e-9;
    options.max_iterations = 80;
    // Fewer rows than blocks at first, then more, of different lengths.
    for (int level = 1; level <= 6; ++level) {
      compare(level % 2 == 0 ? polynomial(level) : exponential(level), options);
    }
    compare(stretched(4), options);
    options.method = Method::cg;
    for (const auto preconditioner :
         {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
      options.preconditioner = preconditioner;
      compare(polynomial(5), options);
    }
  }
}

TEST_CASE("stopping rules, scalings and starts of a split solve give the same bits",
          "[gpu][solve][split]") {
  using enum RefinementScaling;
  using enum Start;
  const auto scaling = GENERATE(power_of_two, norm);
  const auto [stop_at_tolerance, start, stop] = GENERATE(table<bool, Start, InnerStop>(
      {{false, zero, {1, {}}}, {true, zero, {{}, 2.0}}, {true, full_multigrid, {3, {}}}}));
  CAPTURE(to_string(scaling), stop_at_tolerance, to_string(start));
  SolverOptions options = refined("double", {"single"});
  options.start = start;
  options.refinement.scaling = scaling;
  options.refinement.stop_at_tolerance = stop_at_tolerance;
  options.refinement.stop = {stop};
  compare(polynomial(5), options);
  compare(polynomial(full_or_small(8, 7)), options);
  options.refinement.inner = {Precision::half};
  compare(polynomial(6), options);
}

}  // namespace
}  // namespace ninefold
