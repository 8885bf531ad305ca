// Host and device agree to the last bit: solvers that stay, for several right-hand sides, and steps
// in time.
#include <cmath>
#include <string>
#include <vector>

#include "solvers/solve_batch.hpp"
#include "solvers/solver.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/paper_tests.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using testing::check_same_solve;
using testing::device_kind;
using testing::on_device;
using testing::refined;
using testing::Stated;

constexpr double rate = 50;

struct Kind {
  SolverOptions options;
  bool is_exact = true;  ///< on a device: libraries fix no order
};

std::vector<Kind> kinds() {
  const auto of_method = [](Method method, const std::string& precision) {
    SolverOptions options;
    options.method = method;
    options.precision = precision_from_name(precision);
    return options;
  };
  SolverOptions nested = refined("double", {"single"});
  nested.method = Method::full_multigrid;
  SolverOptions flexible = refined("double", {"single"});
  flexible.refinement.variant = RefinementVariant::flexible_cg;
  SolverOptions guided = refined("double", {"single"});
  guided.method = Method::cg;
  guided.refinement.variant = RefinementVariant::residual_guided_cg;
  SolverOptions split = refined("double", {"single"});
  split.refinement.outer_backend = OuterBackend::host;
  SolverOptions in_half = refined("single", {"half"});
  SolverOptions in_single = of_method(Method::multigrid, "single");
  in_half.tolerance = in_single.tolerance = 1e-4;
  return {{of_method(Method::multigrid, "double")},
          {in_single},
          {of_method(Method::multigrid, "double-double")},
          {of_method(Method::multigrid, "double-single")},
          {of_method(Method::cg, "double")},
          {of_method(Method::fast_diagonalisation, "double"), testing::rehearsed},
          {of_method(Method::full_multigrid, "double")},
          {nested},
          {flexible},
          {guided},
          {split},
          {in_half}};
}

/// Solves for two right-hand sides, and steps from the second solution with both.
std::vector<Solved> outputs(const Stated& stated, const SolverOptions& options, BackendKind where) {
  Solver solver(prepare(stated.problem, stated.grids, options, where));
  std::vector<Solved> found{solver.solve()};
  Problem other = stated.problem;
  other.source = Function([](const Point& p) { return std::exp(-9 * p.x() * p.y()); });
  solver.set_data(other);
  found.push_back(solver.solve());
  for (int step = 0; step < 2; ++step) (void)solver.step(rate);
  found.push_back(solver.current());
  solver.set_data(stated.problem);
  for (int step = 0; step < 2; ++step) (void)solver.step(rate / 2);
  found.push_back(solver.current());
  solver.set_solution(found.front().solution);
  (void)solver.step(rate);
  found.push_back(solver.current());
  return found;
}

TEST_CASE("solvers that stay have the host's bits on small grids", "[gpu][solver]") {
  for (const auto& [options, is_exact] : kinds()) {
    if (options.refinement.outer_backend == OuterBackend::host && testing::rehearsed) continue;
    Stated given = testing::stretched(5);
    given.problem.reaction += rate;
    CAPTURE(testing::name_of(options), to_string(options.method));
    const std::vector<Solved> host = outputs(given, options, BackendKind::host);
    const std::vector<Solved> device =
        on_device([&] { return outputs(given, options, device_kind); });
    REQUIRE(host.size() == device.size());
    for (std::size_t k = 0; k < host.size(); ++k) {
      CAPTURE(k);
      CHECK(host[k].report.outcome == Outcome::converged);
      if (is_exact) {
        check_same_solve(host[k], device[k]);
        continue;
      }
      CHECK(device[k].report.outcome == Outcome::converged);
      for (std::size_t node = 0; node < host[k].solution.size(); ++node) {
        CHECK(std::abs(device[k].solution[node] - host[k].solution[node]) < 1e-10);
      }
    }
  }
}

TEST_CASE("a first step keeps the solution that it begins from, on a level that is solved at once",
          "[gpu][solver]") {
  Stated given = testing::polynomial(8);
  given.problem.reaction += rate;
  SolverOptions options;
  options.method = Method::full_multigrid;
  const TensorGrid& grid = given.grids.back();
  std::vector<double> start;
  for (int j = 0; j < grid.ny(); ++j) {
    for (int i = 0; i < grid.nx(); ++i) start.push_back(std::sin(0.1 * i) * std::sin(0.07 * j));
  }
  const auto first_step = [&](BackendKind where) {
    Solver solver(prepare(given.problem, given.grids, options, where));
    solver.set_solution(start);
    (void)solver.step(rate);
    return solver.current();
  };
  const Solved host = first_step(BackendKind::host);
  const Solved device = on_device([&] { return first_step(device_kind); });
  CHECK(host.report.outcome == Outcome::converged);
  check_same_solve(host, device);
}

/// By one solver, for loads of other numbers of products, and of none.
std::vector<Solved> solutions_of_loads(int level, const SolverOptions& options, BackendKind where) {
  const Stated given = testing::polynomial(level);
  ProblemOptions sine;
  sine.solution = "sine";
  Problem none = given.problem;
  none.source = Function([](const Point& p) { return std::exp(-9 * p.x() * p.y()); });
  Solver solver(prepare(given.problem, given.grids, options, where));
  std::vector<Solved> found{solver.solve()};
  for (const Problem& problem : {testing::problem_on(sine, level, {}).problem, none,
                                 testing::exponential(level).problem, given.problem}) {
    solver.set_data(problem);
    found.push_back(solver.solve());
  }
  return found;
}

TEST_CASE("several right-hand sides at once have the host's bits, whichever solver has them",
          "[gpu][solver]") {
  const Stated given = testing::polynomial(7);
  SolverOptions options = refined("double", {"single"});
  options.method = Method::full_multigrid;
  std::vector<Problem> data;
  for (int k = 0; k < 9; ++k) {
    data.push_back(given.problem);
    data.back().source = Function([k](const Point& p) { return std::exp(-k * p.x() * p.y()); });
  }
  const auto all = [&](BackendKind where) {
    return solve_batch(prepare(given.problem, given.grids, options, where), data);
  };
  const std::vector<Solved> host = all(BackendKind::host);
  const std::vector<Solved> device = on_device([&] { return all(device_kind); });
  REQUIRE(device.size() == data.size());
  for (std::size_t k = 0; k < data.size(); ++k) {
    CAPTURE(k);
    CHECK(host[k].report.outcome == Outcome::converged);
    check_same_solve(host[k], device[k]);
  }
}

TEST_CASE("the device holds as many solvers of a batch as it has memory for, and refuses the first",
          "[gpu][memory]") {
  if (testing::rehearsed) return;  // other programs hold the host's memory
  const Stated given = testing::polynomial(11);
  SolverOptions options = refined("double", {"single"});
  options.method = Method::full_multigrid;
  std::vector<Problem> data;
  for (const double factor : {1.0, 2.0, 4.0, 8.0}) {
    data.push_back(given.problem);
    data.back().source = Function([factor](const Point& p) { return factor * p.x() * p.y(); });
  }
  const PreparedSolve prepared = prepare(given.problem, given.grids, options, device_kind);
  const std::vector<Solved> alone = solve_batch(prepared, data, 1);
  const testing::Device on;
  /// f() while the device has memory for so many solvers.
  const auto with_memory_for = [&](double solvers, const auto& f) {
    const std::size_t left =
        static_cast<std::size_t>(solvers * static_cast<double>(prepared.memory.backend));
    const std::size_t held = describe_cuda().memory_available - left;
    void* const memory = on.allocate(held);
    f();
    on.release(memory, held);
    on.wait();
  };
  with_memory_for(2.5, [&] {
    const std::vector<Solved> together = solve_batch(prepared, data, 4);
    REQUIRE(together.size() == data.size());
    for (std::size_t k = 0; k < data.size(); ++k) {
      CAPTURE(k);
      CHECK(together[k].report.outcome == Outcome::converged);
      check_same_solve(alone[k], together[k]);
    }
  });
  with_memory_for(0.5, [&] { CHECK_THROWS_AS(solve_batch(prepared, data, 4), OutOfMemory); });
}

// Level 8 is the first that has two levels with loads of their own below it.
TEST_CASE("full multigrid evaluates loads of products on each level with the host's bits",
          "[gpu][solver][nested]") {
  for (auto options :
       {refined("double", {"single"}), refined("single", {"half"}),
        refined("double-double", {"double"}), refined("double-single", {"single"})}) {
    options.method = Method::full_multigrid;
    if (options.precision == Precision::single_) options.tolerance = 1e-3;
    CAPTURE(testing::name_of(options));
    const int level = options.precision == Precision::double_ ? 8 : 7;
    const std::vector<Solved> host = solutions_of_loads(level, options, BackendKind::host);
    const std::vector<Solved> device =
        on_device([&] { return solutions_of_loads(level, options, device_kind); });
    REQUIRE(host.size() == device.size());
    for (std::size_t k = 0; k < host.size(); ++k) {
      CAPTURE(k);
      CHECK(host[k].report.outcome == Outcome::converged);
      check_same_solve(host[k], device[k]);
    }
  }
}

}  // namespace
}  // namespace ninefold
