#include "experiments/program/range_check.hpp"

#include <stdexcept>

#include "experiments/program/run.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

Configuration configure(const std::string& text) {
  return make_configuration(parse_document(text, "a.toml"));
}

/// What solves on the host meet: the first level that is refused, and why.
std::optional<RangeRefusal> refused_by_solves(const Configuration& c) {
  const Problem problem = make_problem(c.problem, c.width, c.height);
  for (int level = c.first_level; level <= c.last_level; ++level) {
    const auto grids = make_hierarchy(c.width, c.height, level, c.grading);
    try {
      solve(problem, grids, c.solver, BackendKind::host);
    } catch (const std::invalid_argument& error) {
      return RangeRefusal{level, error.what()};
    }
  }
  return {};
}

const std::string two_steps = "max_iterations = 2\n";

}  // namespace

TEST_CASE("what solves refuse is foreseen, with the level and in the same words",
          "[experiments][range]") {
  const auto [text, words] = GENERATE(table<std::string, std::string>({
      {"[grid]\nlevels = [1, 6]\nanisotropy = 0.01\n[solver]\nprecision = 'half'\n",
       "solver.precision = \"half\" cannot hold the matrix"},
      {"[domain]\nwidth = 1000\n[grid]\nlevels = [1, 6]\n[problem]\nsource = '1'\n"
       "boundary = {right = 'neumann', bottom = 'neumann', top = 'neumann'}\n"
       "[solver]\nprecision = 'half'\n",
       "solver.precision = \"half\" cannot hold both load and solution"},
      {"[grid]\nlevels = [3, 7]\n[problem]\nreaction = 0.5\n[operator]\nform = 'difference'\n"
       "[solver]\nprecision = 'half'\n",
       "operator.form = \"difference\" is not possible with solver.precision = \"half\""},
      {"[grid]\nlevels = [1, 6]\nanisotropy = 0.01\n[refinement]\ninner_precision = 'half'\n"
       "[solver]\n",
       "refinement.inner_precision = \"half\" cannot hold the matrix"},
      {"[grid]\nlevels = [2, 4]\nanisotropy = 0.02\n[refinement]\n"
       "cascade = ['double', 'single', 'half']\n[solver]\nprecision = 'double-double'\n",
       "refinement.cascade = \"half\" cannot hold the matrix"},
      {"[grid]\nlevels = [3, 7]\n[problem]\nreaction = 0.5\n[refinement]\n"
       "inner_precision = 'half'\n[operator]\nstorage = 'stored'\n[solver]\n",
       "refinement.inner_form = \"difference\" is not possible"},
      {"[grid]\nlevels = [2, 5]\nanisotropy = 1e-15\n[solver]\nprecision = 's20e8'\n",
       "solver.precision = \"s20e8\" cannot hold the matrix"},
      {"[grid]\nlevels = [2, 5]\nanisotropy = 1e-15\n[solver]\nprecision = 'bfloat16'\n",
       "solver.precision = \"bfloat16\" cannot hold the matrix"},
      {"[grid]\nlevels = [2, 5]\nanisotropy = 1e-15\n[solver]\nprecision = 'double-single'\n",
       "solver.precision = \"double-single\" cannot hold the matrix"},
  }));
  const Configuration c = configure(text + two_steps);
  CAPTURE(text);
  const auto foreseen = find_range_refusal(prepare_run({"run-1", {}, c}));
  const auto met = refused_by_solves(c);
  REQUIRE(met);
  REQUIRE(foreseen);
  REQUIRE(foreseen->level == met->level);
  REQUIRE(foreseen->message == met->message);
  REQUIRE_THAT(foreseen->message, ContainsSubstring(words));
  REQUIRE(foreseen->level > c.first_level);
}

TEST_CASE("what solves accept is not refused beforehand", "[experiments][range]") {
  const auto text = GENERATE(as<std::string>(), "[grid]\nlevels = [2, 5]\n[solver]\n",
                             "[grid]\nlevels = [1, 5]\n[solver]\nprecision = 'half'\n",
                             "[grid]\nlevels = [1, 5]\n[solver]\nprecision = 'bfloat16'\n",
                             "[grid]\nlevels = [2, 4]\nanisotropy = 1e-15\n[solver]\n",
                             "[grid]\nlevels = [4, 6]\nanisotropy = 0.01\n[problem]\nsource = '0'\n"
                             "[refinement]\ninner_precision = 'half'\n[solver]\n");
  const Configuration c = configure(text + two_steps);
  CAPTURE(text);
  const auto foreseen = find_range_refusal(prepare_run({"run-1", {}, c}));
  const auto met = refused_by_solves(c);
  REQUIRE_FALSE(met);
  REQUIRE_FALSE(foreseen);
}

TEST_CASE("stagnation above the tolerance is foreseen, on square cells", "[experiments][range]") {
  const auto prepared = [](const std::string& text) {
    const auto plans = plan_run(parse_document(text + "[backend]\nname = 'host'\n", "a.toml"));
    return prepare_run(plans.front()).levels.back();
  };
  const auto foreseen = [&](const std::string& text) { return find_stagnation(prepared(text)); };
  const std::string single = "[solver]\nprecision = 'single'\n";
  // docs/configuration.md: 3e-9 4^level.
  REQUIRE(foreseen(single + "[grid]\nlevels = 6\n").value() == Approx(3.3e-9 * 4096).epsilon(0.02));
  REQUIRE(foreseen(single + "[grid]\nlevels = [2, 7]\n").value()
          == Approx(3.3e-9 * 16384).epsilon(0.02));
  REQUIRE(foreseen(single + "[grid]\nlevels = 6\n[domain]\nwidth = 9\nheight = 9\n"));
  REQUIRE(foreseen(single + "[grid]\nlevels = 6\n[problem]\nreaction = 10\n"));
  REQUIRE_FALSE(foreseen(single + "[grid]\nlevels = 6\nanisotropy = 0.5\n"));
  REQUIRE_FALSE(foreseen("[grid]\nlevels = 6\n"));
  REQUIRE_FALSE(foreseen(single + "tolerance = 1e-3\n[grid]\nlevels = 6\n"));
  REQUIRE_FALSE(foreseen(single + "[grid]\nlevels = 6\n[problem]\ncoefficients = [1.0, 2.0]\n"));

  const Report report = solve(prepared(single + "[grid]\nlevels = 6\n")).report;
  REQUIRE(report.outcome == Outcome::stagnated);
  REQUIRE(report.true_residual_reduction > 0.5 * 3.3e-9 * 4096);

  // Where less is left, nothing is said.
  const auto text = GENERATE_COPY(
      single + "tolerance = 2e-4\n[grid]\nlevels = 8\n[domain]\nwidth = 2\n[problem]\n"
               "solution = 'sin(pi*x)*exp(y)'\nsource = '(pi^2 - 1)*sin(pi*x)*exp(y)'\n"
               "boundary.top = 'neumann'\nflux.top = 'sin(pi*x)*exp(1)'\n",
      single + "tolerance = 1e-5\n[grid]\nlevels = 8\n[problem]\nreaction = 1e6\n");
  CAPTURE(text);
  REQUIRE_FALSE(foreseen(text));
  REQUIRE(solve(prepared(text)).report.outcome == Outcome::converged);
}

TEST_CASE("nothing is foreseen on long cells, whose residuals are larger", "[experiments][range]") {
  const auto plans = plan_run(
      parse_document("[solver]\nprecision = 'single'\n[grid]\nlevels = 7\n[domain]\nwidth = 1000\n"
                     "[operator]\nform = 'plain'\n[backend]\nname = 'host'\n",
                     "a.toml"));
  const PreparedSolve prepared = prepare_run(plans.front()).levels.back();
  REQUIRE_FALSE(find_stagnation(prepared));
  REQUIRE(solve(prepared).report.true_residual_reduction > 1.5 * 3.3e-9 * 16384);
}
