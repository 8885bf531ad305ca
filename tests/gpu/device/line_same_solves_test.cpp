// Host and device agree to the last bit: whole solves that smooth by lines, in every format that
// devices have, plain and inside other methods, with all kinds of sides.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/multigrid/multigrid.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/coarse_levels.hpp"
#include "tests/support/device.hpp"
#include "tests/support/paper_tests.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/row_kinds.hpp"
#include "tests/support/same_solve.hpp"
#include "tests/support/turns.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::by;
using testing::check_same_solve;
using testing::Device;
using testing::device_kind;
using testing::full_or_small;
using testing::on_device;
using testing::place;
using testing::refined;
using testing::rehearsed;
using testing::solve_on_device;
using testing::stated;
using testing::Stated;
using testing::takes_turn;

const std::vector<std::pair<Smoother, LineOrder>> all_smoothers{
    {Smoother::tridi, LineOrder::zebra},      {Smoother::trigs, LineOrder::zebra},
    {Smoother::trigs, LineOrder::sequential}, {Smoother::adi_tridi, LineOrder::zebra},
    {Smoother::adi_trigs, LineOrder::zebra},  {Smoother::adi_trigs, LineOrder::sequential}};

/// Solves on both backends, and holds the device's memory against the forecast.
void compare(const Stated& problem, const SolverOptions& options) {
  const Solved host = solve(problem.problem, problem.grids, options, BackendKind::host);
  const Solved device = solve_on_device(problem.problem, problem.grids, options);
  CAPTURE(testing::name_of(options), problem.grids.size() - 1, problem.problem.reaction,
          to_string(options.form), host.report.smoother, to_string(options.multigrid.cycle),
          to_string(options.method));
  check_same_solve(host, device);
  CHECK(host.report.smoother == device.report.smoother);
  const PreparedSolve prepared = prepare(problem.problem, problem.grids, options, device_kind);
  // A cycle that judges the end is counted, and made only where it is needed.
  if (prepared.judges_by_a_cycle) {
    CHECK(device.report.memory_bytes <= prepared.memory.backend);
  } else {
    CHECK(device.report.memory_bytes == prepared.memory.backend);
  }
}

struct Format {
  std::string name;
  double tolerance;
};
const std::vector<Format> device_formats{{"bfloat16", 0.3}, {"half", 3e-2},
                                         {"single", 1e-4},  {"double-single", 1e-9},
                                         {"double", 1e-9},  {"double-double", 1e-20}};

TEST_CASE("solves by every smoother give the same bits on host and device", "[gpu][solve][lines]") {
  for (const Format& format : device_formats) {
    for (const testing::RowKind& rows : testing::row_kinds) {
      for (const auto& pair : all_smoothers) {
        if (!takes_turn(3, place(format, device_formats), place(rows, testing::row_kinds),
                        place(pair, all_smoothers))) {
          continue;
        }
        const auto& [smoother, order] = pair;
        const OperatorForm form = rows.form;
        const int full = order == LineOrder::sequential ? 5 : form == OperatorForm::plain ? 7 : 6;
        const int level = full_or_small(full, 5);
        SolverOptions options = by(smoother, order);
        options.precision = precision_from_name(format.name);
        options.tolerance = format.tolerance;
        options.form = form;
        options.storage = rows.storage;
        options.max_iterations = 25;
        compare(stated('B', level), options);
        if (takes_turn(2, place(format, device_formats), place(pair, all_smoothers))) {
          compare(stated('E', level), options);
        }
        options.multigrid.cycle = Cycle::v;
        options.multigrid.pre_smoothing = 1;  // an odd number of steps
        compare(testing::stretched(4), options);
        options.multigrid.cycle = Cycle::w;
        options.multigrid.pre_smoothing = 2;  // lines that alternate need as many
        options.multigrid.post_smoothing = 0;
        compare(stated('B', full_or_small(6, 5)), options);
      }
    }
  }
}

TEST_CASE("all tests of the paper give the same bits on host and device", "[gpu][solve][lines]") {
  for (const testing::PaperTest& test : testing::paper_tests) {
    CAPTURE(test.name);
    for (const std::string name : {"single", "double"}) {
      SolverOptions options;
      options.precision = precision_from_name(name);
      options.tolerance = name == "single" ? 1e-3 : 1e-10;
      options.max_iterations = 40;
      compare(stated(test, full_or_small(8, 7)), options);
      compare(stated(test, 5), options);
      options.multigrid.smoother = Smoother::adi_trigs;
      options.multigrid.line_order = LineOrder::sequential;
      compare(stated(test, 5), options);
    }
    compare(stated(test, 7), refined("double", {"single"}));
  }
}

TEST_CASE("large grids smoothed by lines give the same bits on host and device",
          "[gpu][solve][lines]") {
  // Columns of fewer and of more than 1040 unknowns.
  SolverOptions options = by(Smoother::adi_trigs);
  options.tolerance = 1e-5;
  compare(stated('I', full_or_small(10, 7)), options);
  SolverOptions mixed = refined("double", {"single"});
  mixed.multigrid.smoother = Smoother::adi_trigs;
  mixed.tolerance = 1e-5;
  compare(stated('G', full_or_small(11, 8)), mixed);
}

TEST_CASE("lines inside other methods give the same bits on host and device",
          "[gpu][solve][lines][mixed]") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> mixed{
      {"double", {"single"}},
      {"double", {"half"}},
      {"double", {"bfloat16"}},
      {"double", {"double-single"}},
      {"double-single", {"half"}},
      {"double-double", {"double"}},
      {"double-double", {"double", "single", "half"}}};
  for (const auto& by_lines : all_smoothers) {
    const auto& [smoother, order] = by_lines;
    for (const auto& formats : mixed) {
      const auto& [outer, inner] = formats;
      SolverOptions options = refined(outer, inner);
      options.multigrid.smoother = smoother;
      options.multigrid.line_order = order;
      options.tolerance = outer == "double-double" ? 1e-20 : 1e-9;
      options.max_iterations = 40;
      int variant = 0;
      testing::for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
        if (!uses_multigrid(chosen)) return;
        const int own = variant++, stages = place(formats, mixed);
        if (!takes_turn(3, place(by_lines, all_smoothers), stages, own)) return;
        CAPTURE(what);
        compare(stated('B', full_or_small(5, 4)), chosen);
        if (takes_turn(2, stages, own)) compare(testing::stretched(4), chosen);
      });
    }
    SolverOptions options = by(smoother, order);
    options.start = Start::full_multigrid;
    compare(stated('F', full_or_small(6, 5)), options);
    options.method = Method::cg;
    options.preconditioner = Preconditioning::multigrid;
    compare(stated('F', full_or_small(6, 5)), options);
    options.start = Start::zero;
    compare(stated('C', full_or_small(6, 5)), options);
  }
}

TEST_CASE("sides of all kinds give the same bits on host and device by lines",
          "[gpu][solve][lines]") {
  for (int kinds = 0; kinds < 16; ++kinds) {
    ProblemOptions problem;
    problem.solution = "exponential";
    problem.reaction = kinds == 15 ? 1 : 0;  // else the solution is known up to a constant
    for (const Side side : all_sides) {
      if (kinds >> static_cast<int>(side) & 1) problem.boundary[side] = BoundaryKind::neumann;
    }
    CAPTURE(kinds);
    for (const int level : {1, 2, 6}) {
      const Stated given{make_problem(problem, 1, 1),
                         make_hierarchy(1, 1, level, {0.4, {Side::right, Side::bottom}})};
      for (const auto& by_lines : all_smoothers) {
        const auto& [smoother, order] = by_lines;
        const int one = place(by_lines, all_smoothers);
        if (!takes_turn(2, kinds, level, one)) continue;
        if (level == 6 && (order == LineOrder::sequential || !takes_turn(2, kinds / 2, one / 2))) {
          continue;
        }
        SolverOptions options = by(smoother, order);
        options.tolerance = 1e-6;
        options.max_iterations = 10;
        compare(given, options);
        options.precision = Precision::single_;
        options.tolerance = 1e-2;
        compare(given, options);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a recorded cycle by lines gives the bits of one that is not recorded",
                   "[gpu][graph][lines]", NINEFOLD_DEVICE_FORMATS) {
  const Device device;
  const auto run = [&](bool recorded, const MultigridOptions& options) {
    using W = Assembly<TestType>;
    const auto grids = testing::coarse_grids(6);
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
  for (const auto& [smoother, order] : all_smoothers) {
    for (const int steps : {1, 2}) {
      MultigridOptions options;
      options.smoother = smoother;
      options.line_order = order;
      options.pre_smoothing = steps;
      CAPTURE(to_string(smoother), to_string(order), steps);
      const auto recorded = on_device([&] { return run(true, options); });
      CHECK(testing::n_differing_values(recorded, run(false, options)) == 0);
    }
  }
}

TEST_CASE("the device holds what was forecast for lines, and gives it back",
          "[gpu][memory][lines]") {
  const auto solves = [](const auto& check) {
    for (const Precision precision : named_precisions()) {
      for (const int level : {1, 3, 6, full_or_small(9, 7)}) {
        for (const Smoother smoother : {Smoother::automatic, Smoother::adi_trigs}) {
          for (const char test : {'A', 'D'}) {
            SolverOptions options = by(smoother);
            options.precision = precision;
            options.max_iterations = 1;
            check(stated(test, level), options);
          }
        }
      }
    }
  };
  const auto held = [](const Stated& problem, const SolverOptions& options) {
    const Solved solved = solve_on_device(problem.problem, problem.grids, options);
    CAPTURE(to_string(options.precision), problem.grids.size() - 1, solved.report.smoother);
    CHECK(solved.report.memory_bytes
          == forecast_memory(problem.problem, problem.grids, options, device_kind).backend);
  };
  solves(held);
  if (rehearsed) return;  // other programs hold and release the host's memory
  const std::size_t before = describe_cuda().memory_available;
  solves(held);
  CHECK(describe_cuda().memory_available >= before);
}

}  // namespace
}  // namespace ninefold
