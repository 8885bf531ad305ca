#include "fem/problem/consistency.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;

ProblemOptions named(const std::string& name, BoundaryKind kind = BoundaryKind::dirichlet) {
  ProblemOptions options;
  options.solution = name;
  options.gx = 2.5;
  options.gy = 0.3;
  options.reaction = kind == BoundaryKind::neumann ? 1.7 : 0.0;
  for (const Side side : all_sides) options.boundary[side] = kind;
  return options;
}

TEST_CASE("data that agree with the solution draw no remark, on any rectangle",
          "[fem][consistency]") {
  const std::string name = GENERATE_COPY(from_range(problem_names()));
  const BoundaryKind kind = GENERATE(BoundaryKind::dirichlet, BoundaryKind::neumann);
  const double width = GENERATE(1.0, 1e-11, 1e5);
  CAPTURE(name, to_string(kind), width);
  REQUIRE(find_disagreements(make_problem(named(name, kind), width, 1.0)).empty());
}

TEST_CASE("a harmonic solution with source zero draws no remark", "[fem][consistency]") {
  ProblemOptions options;
  options.solution = GENERATE("x + y", "exp(x)*cos(y)", "3");
  options.source = "0";
  REQUIRE(make_problem(options, 1, 1).remarks.empty());
}

TEST_CASE("a source that is wrong by a thousandth is reported with place and both values",
          "[fem][consistency]") {
  ProblemOptions options;
  options.solution = "x*(1-x)*y*(1-y)";
  options.source = "2.002*y*(1-y) + 2.002*x*(1-x)";
  const Problem problem = make_problem(options, 1, 1);
  REQUIRE(problem.remarks.size() == 1);
  REQUIRE_THAT(problem.remarks[0], ContainsSubstring("problem.source") && ContainsSubstring("x = ")
                                       && ContainsSubstring("it is")
                                       && ContainsSubstring("solution gives"));
  options.source = "2*y*(1-y) + 2*x*(1-x)";
  REQUIRE(make_problem(options, 1, 1).remarks.empty());
  options.gx = 1.01;
  REQUIRE(make_problem(options, 1, 1).remarks.size() == 1);
  options.gx = 1;
  options.reaction = 0.5;
  REQUIRE(make_problem(options, 1, 1).remarks.size() == 1);
}

TEST_CASE("fluxes and boundary values that do not belong to the solution are reported",
          "[fem][consistency]") {
  ProblemOptions options;
  options.solution = "x^2 + 3*y";
  options.source = "-4";
  options.gx = 2;
  options.boundary[Side::left] = options.boundary[Side::top] = BoundaryKind::neumann;
  options.flux[3] = "3";
  REQUIRE(make_problem(options, 1, 1).remarks.empty());  // zero is right on the left side

  options.flux[3] = "";
  auto remarks = make_problem(options, 1, 1).remarks;
  REQUIRE(remarks.size() == 1);
  REQUIRE_THAT(remarks[0], ContainsSubstring("problem.flux.top")
                               && ContainsSubstring("is not given, so it is 0")
                               && ContainsSubstring("the solution gives 3"));

  options.flux[3] = "3";
  options.dirichlet = "x^2 + 3*y + 0.01*(x > 0.5)";
  remarks = make_problem(options, 1, 1).remarks;
  REQUIRE(remarks.size() == 1);
  REQUIRE_THAT(remarks[0], ContainsSubstring("problem.dirichlet"));
}

TEST_CASE("right data draw no remark where the solution oscillates, decays at once or has a kink",
          "[fem][consistency]") {
  const auto [solution, source] = GENERATE(table<std::string, std::string>({
      {"sin(120*pi*x)*sin(pi*y)", "14401*pi^2*sin(120*pi*x)*sin(pi*y)"},
      {"sin(200*pi*x)*sin(pi*y)", "40001*pi^2*sin(200*pi*x)*sin(pi*y)"},
      {"sin(256*pi*x)*sin(512*pi*y)", "(256^2 + 512^2)*pi^2*sin(256*pi*x)*sin(512*pi*y)"},
      {"sin(2000*pi*x)", "2000^2*pi^2*sin(2000*pi*x)"},
      {"exp(-x/0.003)", "-exp(-x/0.003)/0.003^2"},
      {"exp(-x/0.0003)", "-exp(-x/0.0003)/0.0003^2"},
      {"exp(-1000*((x-0.3)^2+(y-0.7)^2))",
       "(4000 - 4e6*((x-0.3)^2+(y-0.7)^2))*exp(-1000*((x-0.3)^2+(y-0.7)^2))"},
      {"1e9 + sin(pi*x)", "pi^2*sin(pi*x)"},
      {"exp(20*x)*cos(20*y)", "0"},
      {"sqrt(x)", "0.25*x^-1.5"},
      // The second derivative jumps across a line or a circle; so does the first in the last one.
      {"x < 0.5 ? x^2/2 : x/2 - 0.125", "x < 0.5 ? -1 : 0"},
      {"y < 0.37 ? y^2/2 : 0.37*y - 0.37^2/2", "y < 0.37 ? -1 : 0"},
      {"(x-0.5)^2+(y-0.5)^2 < 0.09 ? (x-0.5)^2+(y-0.5)^2 : "
       "0.09*(1 + log(((x-0.5)^2+(y-0.5)^2)/0.09))",
       "(x-0.5)^2+(y-0.5)^2 < 0.09 ? -4 : 0"},
      {"abs(x - y)", "0"},
  }));
  CAPTURE(solution);
  ProblemOptions options;
  options.solution = solution;
  options.source = source;
  const double scale = GENERATE(1.0, 1e-200);
  if (scale != 1) {
    options.solution = fmt::format("{}*({})", scale, solution);
    options.source = fmt::format("{}*({})", scale, source);
  }
  REQUIRE(make_problem(options, 1, 1).remarks == std::vector<std::string>{});
}

TEST_CASE("a right kink is not taken for wrong data, wherever it is", "[fem][consistency]") {
  ProblemOptions options;
  for (int k = 1; k < 200; ++k) {
    options.solution = fmt::format("x < {0} ? x^2/2 : {0}*x - {0}^2/2", k / 200.0);
    options.source = fmt::format("x < {} ? -1 : 0", k / 200.0);
    CAPTURE(options.solution);
    REQUIRE(make_problem(options, 1, 1).remarks == std::vector<std::string>{});
  }
}

TEST_CASE("steps that are all too wide for a layer or an oscillation say nothing",
          "[fem][consistency]") {
  ProblemOptions options;
  options.boundary[Side::left] = BoundaryKind::neumann;
  options.solution = "exp(-5000*x)";
  options.source = "-5000^2*exp(-5000*x)";
  options.flux[0] = "5000";
  REQUIRE(make_problem(options, 20, 1).remarks == std::vector<std::string>{});
  options.solution = "sin(984*x) + 1";
  options.source = "984^2*sin(984*x)";
  options.flux[0] = "-984";
  REQUIRE(make_problem(options, 20, 1).remarks == std::vector<std::string>{});
}

TEST_CASE("right fluxes of a thin layer and of an oscillation draw no remark",
          "[fem][consistency]") {
  ProblemOptions options;
  options.boundary[Side::left] = options.boundary[Side::top] = BoundaryKind::neumann;
  options.solution = "exp(-x/0.003)";
  options.source = "-exp(-x/0.003)/0.003^2";
  options.flux[0] = "1/0.003";
  REQUIRE(make_problem(options, 1, 1).remarks == std::vector<std::string>{});
  options.solution = "sin(120*pi*x)*sin(pi*y)";
  options.source = "14401*pi^2*sin(120*pi*x)*sin(pi*y)";
  options.flux[0] = "-120*pi*sin(pi*y)";
  options.flux[3] = "-pi*sin(120*pi*x)";
  REQUIRE(make_problem(options, 1, 1).remarks == std::vector<std::string>{});
  options.flux[3] = "pi*sin(120*pi*x)";
  const auto remarks = make_problem(options, 1, 1).remarks;
  REQUIRE(remarks.size() == 1);
  REQUIRE_THAT(remarks[0], ContainsSubstring("problem.flux.top"));
}

TEST_CASE("data that are wrong in a small place or by a small term are reported",
          "[fem][consistency]") {
  ProblemOptions options;
  options.solution = "sin(pi*x)*sin(pi*y)";
  const std::string source = "2*pi^2*sin(pi*x)*sin(pi*y)";
  SECTION("a blob of the source") {
    const auto place = GENERATE("(x-0.5)^2 + (y-0.5)^2", "(x-0.03)^2 + (y-0.9)^2");
    options.source = fmt::format("{} + ({} < 0.0009 ? 1 : 0)", source, place);
    const auto remarks = make_problem(options, 1, 1).remarks;
    REQUIRE(remarks.size() == 1);
    REQUIRE_THAT(remarks[0], ContainsSubstring("problem.source"));
  }
  SECTION("the source beside a side") {
    options.source = source + " + (x > 0.99 ? 1 : 0)";
    REQUIRE(make_problem(options, 1, 1).remarks.size() == 1);
  }
  SECTION("the source of a thin layer, away from it") {
    options.solution = "exp(-x/0.003)";
    options.source = "-exp(-x/0.003)/0.003^2 + (x > 0.9 ? 1 : 0)";
    REQUIRE(make_problem(options, 1, 1).remarks.size() == 1);
  }
  SECTION("a term that small coefficients hide") {
    options.gx = 1e5;
    options.source = "1e5*pi^2*sin(pi*x)*sin(pi*y)";
    REQUIRE(make_problem(options, 1, 1).remarks.size() == 1);
  }
  SECTION("the frequency of an oscillation") {
    options.solution = "sin(120*pi*x)*sin(pi*y)";
    options.source = "14400*pi^2*sin(120*pi*x)*sin(pi*y)";
    REQUIRE(make_problem(options, 1, 1).remarks.size() == 1);
  }
  SECTION("a piece of the boundary values") {
    options.source = source;
    options.dirichlet =
        GENERATE("x < 0.001 && y > 0.32 && y < 0.36 ? 0.1 : 0", "y > 0.999 && x > 0.95 ? 1e-5 : 0");
    const auto remarks = make_problem(options, 1, 1).remarks;
    REQUIRE(remarks.size() == 1);
    REQUIRE_THAT(remarks[0], ContainsSubstring("problem.dirichlet"));
  }
  SECTION("a piece of a flux") {
    options.source = source;
    options.boundary[Side::right] = BoundaryKind::neumann;
    options.flux[1] = "-pi*sin(pi*y) + (y > 0.7 && y < 0.75 ? 1e-3 : 0)";
    const auto remarks = make_problem(options, 1, 1).remarks;
    REQUIRE(remarks.size() == 1);
    REQUIRE_THAT(remarks[0], ContainsSubstring("problem.flux.right"));
  }
}

}  // namespace
}  // namespace ninefold
