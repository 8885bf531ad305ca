// Host and device agree to the last bit: whole solves in mixed precision, with every pair of
// formats that devices have, and with the host beside the device.
#include <cmath>
#include <string>
#include <vector>

#include "gpu/backend/backend.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_solve.hpp"
#include "tests/support/turns.hpp"

namespace ninefold {
namespace {

using testing::check_same_solve;
using testing::device_kind;
using testing::exponential;
using testing::for_variants;
using testing::full_or_small;
using testing::polynomial;
using testing::refined;
using testing::rehearsed;
using testing::solve_on_device;
using testing::Stated;
using testing::stretched;
using testing::takes_turn;

/// Solves on both backends; what they report of their work, too.
void compare(const Stated& stated, const SolverOptions& options) {
  const Solved host = solve(stated.problem, stated.grids, options, BackendKind::host);
  const Solved device = solve_on_device(stated.problem, stated.grids, options);
  CAPTURE(testing::name_of(options), stated.grids.size() - 1, stated.problem.reaction,
          to_string(options.form));
  check_same_solve(host, device);
  CHECK(host.report.transferred_bytes == 0);
  CHECK(device.report.transferred_bytes == 0);
  if (options.refinement.used()) {
    CHECK(host.report.outer_work.bytes == device.report.outer_work.bytes);
    if (!rehearsed) CHECK(device.report.outer_work.kernels > 0);  // the host has none
    CHECK(device.report.work.kernels >= device.report.outer_work.kernels);
  }
  CHECK(device.report.memory_bytes
        == forecast_memory(stated.problem, stated.grids, options, device_kind).backend);
}

std::vector<std::string> device_formats() {
  return {"bfloat16", "half", "single", "double-single", "double", "double-double"};
}

/// A tolerance that a format attains on these grids.
double tolerance_of(const std::string& name) {
  if (name == "bfloat16") return 0.3;
  if (name == "half") return 6e-2;
  if (name == "single") return 1e-4;
  return name == "double-double" ? 1e-22 : 1e-9;
}

TEST_CASE("every pair of formats gives the same bits on host and device", "[gpu][solve][mixed]") {
  const auto formats = device_formats();
  for (std::size_t outer = 0; outer < formats.size(); ++outer) {
    for (std::size_t inner = 0; inner <= outer; ++inner) {
      SolverOptions options = refined(formats[outer], {formats[inner]});
      options.tolerance = tolerance_of(formats[outer]);
      options.max_iterations = 60;
      int variant = 0;
      for_variants(options, [&](SolverOptions chosen, const std::string& what) {
        // At the corners of this triangle there would not be a third of each.
        const bool corner = outer < 2 || inner > 3;
        const int own = variant++;
        if (!corner && !takes_turn(3, outer, inner, own)) return;
        CAPTURE(what);
        compare(polynomial(full_or_small(5, 4)), chosen);
        if (!corner && !takes_turn(2, outer, own)) return;
        chosen.multigrid.smoother = Smoother::jacobi;  // lines: line_same_solves_test.cpp
        chosen.form = OperatorForm::difference;
        compare(stretched(4), chosen);
      });
    }
  }
}

TEST_CASE("multigrid on large grids gives the same bits on host and device",
          "[gpu][solve][mixed]") {
  for (const std::string inner : {"single", "half", "bfloat16"}) {
    SolverOptions options = refined("double", {inner});
    for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
      options.multigrid.cycle = cycle;
      compare(exponential(full_or_small(8, 7)), options);
      if (cycle == Cycle::f) compare(polynomial(full_or_small(9, 7)), options);
    }
    options.multigrid.pre_smoothing = 1;  // an odd number of steps
    compare(polynomial(full_or_small(8, 7)), options);
  }
  for (const std::string inner : {"double", "single"}) {
    SolverOptions options = refined("double-double", {inner});
    options.tolerance = 1e-20;
    compare(polynomial(7), options);
  }
}

TEST_CASE("stopping rules, scalings and starts give the same bits on host and device",
          "[gpu][solve][mixed]") {
  struct Rule {
    int place;
    RefinementScaling scaling;
    bool stop_at_tolerance;
    Start start;
    InnerStop stop;
  };
  using enum RefinementScaling;
  using enum Start;
  const Rule rule =
      GENERATE(Rule{0, power_of_two, false, zero, {1, {}}},
               Rule{1, power_of_two, true, zero, {3, {}}}, Rule{2, norm, false, zero, {3, {}}},
               Rule{3, norm, true, zero, {{}, 3.0}}, Rule{4, power_of_two, false, zero, {4, 2.0}},
               Rule{5, power_of_two, false, full_multigrid, {3, {}}},
               Rule{6, norm, true, full_multigrid, {{}, 1.0}});
  CAPTURE(to_string(rule.scaling), rule.stop_at_tolerance, to_string(rule.start),
          rule.stop.iterations.value_or(0), rule.stop.digits.value_or(0));
  int formats = 0;
  for (SolverOptions options : {refined("double", {"single"}), refined("double", {"half"}),
                                refined("double", {"single", "half"})}) {
    int variant = 0;
    ++formats;
    options.max_iterations = 80;
    options.start = rule.start;
    options.refinement.scaling = rule.scaling;
    options.refinement.stop_at_tolerance = rule.stop_at_tolerance;
    options.refinement.stop = {rule.stop};
    for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
      const bool hierarchy =
          chosen.method == Method::multigrid || chosen.preconditioner == Preconditioning::multigrid;
      if (rule.start == full_multigrid && !hierarchy) return;
      if (!takes_turn(3, rule.place, formats, variant++)) return;
      CAPTURE(what);
      compare(polynomial(full_or_small(5, 4)), chosen);
    });
    compare(polynomial(6), options);
  }
}

TEST_CASE("cascades give the same bits on host and device", "[gpu][solve][mixed]") {
  const std::vector<std::vector<std::string>> all_names{
      {"double-double", "double", "single"},
      {"double", "single", "half"},
      {"double-double", "double", "single", "half"},
      {"double-double", "double-single", "single", "bfloat16"}};
  for (const std::vector<std::string>& names : all_names) {
    SolverOptions options = refined(names.front(), {names.begin() + 1, names.end()});
    options.tolerance = names.front() == "double" ? 1e-10 : 1e-22;
    options.max_iterations = 60;
    for (const bool counted : {false, true}) {
      // Stages that count are recorded as a whole.
      if (counted) options.refinement.stop = {{2, {}}};
      int variant = 0;
      for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
        if (!takes_turn(2, testing::place(names, all_names), counted, variant++)) return;
        CAPTURE(what, counted);
        compare(polynomial(full_or_small(5, 4)), chosen);
      });
      compare(polynomial(full_or_small(7, 6)), options);
      compare(stretched(4), options);
    }
  }
}

TEST_CASE("a native full multigrid start gives the same bits on host and device",
          "[gpu][solve][full_multigrid]") {
  for (const std::string& name : device_formats()) {
    SolverOptions options;
    options.precision = precision_from_name(name);
    options.tolerance = tolerance_of(name);
    options.start = Start::full_multigrid;
    options.max_iterations = 60;
    for (int level = 1; level <= full_or_small(7, 5); ++level) {
      for (const Method method : {Method::multigrid, Method::cg}) {
        options.method = method;
        options.preconditioner =
            method == Method::cg ? Preconditioning::multigrid : Preconditioning::none;
        options.multigrid.pre_smoothing = 1 + level % 2;  // also an odd number of steps
        CAPTURE(name, level, to_string(method));
        compare(takes_turn(2, level, method) ? polynomial(level) : exponential(level), options);
      }
    }
  }
}

TEST_CASE("the smallest grids give the same bits on host and device", "[gpu][solve][mixed]") {
  for (SolverOptions options :
       {refined("double", {"single"}), refined("double", {"half"}), refined("single", {"half"}),
        refined("double-double", {"double", "single"})}) {
    options.tolerance = options.precision == Precision::single_ ? 1e-5 : 1e-10;
    options.max_iterations = 60;
    for (int level = 1; level <= 4; ++level) {
      for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
        CAPTURE(what, level);
        compare(polynomial(level), chosen);
      });
    }
  }
}

}  // namespace
}  // namespace ninefold
