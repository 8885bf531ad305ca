// Every message names the place, the key, the value and what is allowed.

#include "experiments/config/bad_input.hpp"

#include "output/vtk/vtk.hpp"

#include "experiments/config/configuration.hpp"
#include "experiments/config/keys.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Case {
  std::string text;                ///< the file
  std::vector<std::string> parts;  ///< of the message
};

/// What the user is told about this file; empty if it is accepted.
std::string complaint(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    make_configuration(parse_document(text, "a.toml", overrides));
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

void require_parts(const std::string& message, const std::vector<std::string>& parts) {
  INFO("message: " << message);
  REQUIRE_FALSE(message.empty());
  for (const std::string& part : parts) REQUIRE_THAT(message, ContainsSubstring(part));
}

}  // namespace

TEST_CASE("an unknown key is named, with its line and the nearest key",
          "[experiments][bad-input]") {
  const auto [text, parts] = GENERATE(values<Case>({
      {"[solver]\nmethod = 'cg'\ntolerence = 1e-8\n",
       {"a.toml, line 3: ", "unknown key solver.tolerence", "    3 | tolerence = 1e-8",
        "did you mean solver.tolerance?", "keys of [solver]: method, precision, tolerance"}},
      {"[solvr]\nmethod = 'cg'\n",
       {"a.toml, line 2: ", "unknown key solvr.method", "there is no table [solvr]",
        "did you mean solver.method?", "tables: domain, grid, problem"}},
      {"[solvr]\n", {"a.toml, line 1: ", "unknown key solvr", "an empty table"}},
      {"tolerance = 1e-8\n",
       {"line 1: ", "unknown key tolerance", "outside of every table",
        "did you mean solver.tolerance?"}},
      {"[solver]\ndamping = 0.7\n", {"line 2: ", "did you mean multigrid.damping?"}},
      {"[problem]\nboundary = { topp = 'neumann' }\n",
       {"line 2: ", "problem.boundary.topp", "did you mean problem.boundary.top?",
        "keys of [problem.boundary]: left, right, bottom, top"}},
      {"[refinement]\nprecision = 'single'\n",
       {"line 2: ", "unknown key refinement.precision", "did you mean refinement.inner_precision?",
        "keys of [refinement]: inner_precision, cascade, inner_digits"}},
      {"[problem]\nf = 'x*y'\n",
       {"line 2: ", "unknown key problem.f", "did you mean problem.source?",
        "keys of [problem]: solution, source, dirichlet, flux.{left, right, bottom, top}, "
        "coefficients, reaction, boundary.{left, right, bottom, top}, quadrature"}},
      {"[least_squares]\nlamda = 0.1\n", {"did you mean least_squares.regularisation?"}},
      {"[least_squares]\nlambda = 0.1\n", {"did you mean least_squares.regularisation?"}},
      {"[problem]\nneumann = ['top']\n", {"did you mean problem.boundary?"}},
      {"dirichlet = 0\n", {"did you mean problem.dirichlet or problem.boundary?"}},
      {"[problem]\ntop = 'neumann'\n", {"did you mean problem.flux.top or problem.boundary.top?"}},
      {"[boundary]\ntop = 'neumann'\n", {"did you mean problem.boundary.top?"}},
      {"x = 3\n", {"unknown key x", "a key is one of a table, such as grid.levels"}},
  }));
  require_parts(complaint(text), parts);
}

TEST_CASE("a value of the wrong type is refused with the type that is expected",
          "[experiments][bad-input]") {
  const auto [text, parts] = GENERATE(values<Case>({
      {"[solver]\ntolerance = 'small'\n",
       {"line 2: solver.tolerance = \"small\" is a text, but a number is expected",
        "    2 | tolerance = 'small'",
        "allowed: number, greater than 0, less than 1 unless absolute, or \"discretisation\" "
        "(default: 1e-10)"}},
      {"[solver]\ntolerance = '1e-8'\n", {"write it as 1e-08"}},
      {"[solver]\nmax_iterations = 100.0\n",
       {"solver.max_iterations = 100.0 is a number, but an integer is expected",
        "write it as 100"}},
      {"[solver]\nmethod = 3\n", {"solver.method = 3 is an integer, but a text is expected"}},
      {"[output]\nvtk = 'yes'\n", {"output.vtk", "true or false is expected"}},
      {"[output]\nvtk = 1\n", {"output.vtk = 1 is an integer"}},
      {"[grid]\nlevels = 'all'\n", {"grid.levels", "a list such as [5, 9] is expected"}},
      {"[grid]\nlevels = [1, 2.5]\n", {"grid.levels = 2.5 is a number, but an integer"}},
      {"[grid]\nrefined_sides = 'right'\n", {"a list such as [\"right\"] is expected"}},
      {"[problem]\ncoefficients = 2.0\n", {"a list such as [1.0, 1.0] is expected"}},
      {"[problem]\ncoefficients = [1, 'y']\n",
       {"line 2: problem.coefficients = \"y\" is a text, but a number is expected",
        "gx, gy and c of -div(diag(gx, gy) grad u) + c u = f are constants"}},
      {"[problem]\ncoefficients = '1 + x'\n", {"a list of two numbers is expected", "constants"}},
      {"[problem]\ncoefficients = ['2', 1]\n", {"but a number is expected", "write it as 2.0"}},
      {"[problem]\nreaction = 'x'\n", {"but a number is expected", "are constants"}},
      {"[problem]\nsource = true\n", {"problem.source = true is true or false, but a text"}},
      {"[problem]\nsource = [1]\n", {"problem.source", "a list, but a text is expected"}},
      {"[domain]\nwidth = 2007-01-01\n", {"domain.width", "a date or time"}},
      {"[solver]\ntolerance = { a = 1 }\n",
       {"line 2: ", "solver.tolerance is a table, but number is expected"}},
      {"solver = 'cg'\n", {"solver is a table of keys, but a text is given", "keys of [solver]"}},
      {"[[solver]]\nmethod = 'cg'\n", {"solver is a table of keys, but a list is given"}},
  }));
  require_parts(complaint(text), parts);
}

TEST_CASE("data of a problem that is not stated are refused for that reason",
          "[experiments][bad-input]") {
  const auto data =
      GENERATE(as<std::string>{}, "dirichlet = 'x'", "boundary.top = 'neumann'\nflux.top = 'x'");
  require_parts(complaint("[problem]\n" + data + "\n"),
                {" is given, but neither problem.source nor problem.solution", "= \"x\"",
                 "problem.source = \"0\" for none"});
  CHECK(complaint("[problem]\nsource = '0'\n" + data + "\n").empty());
  CHECK_THAT(complaint("[problem]\nsolution = 'polynomial'\n" + data + "\n"),
             ContainsSubstring("brings its own"));
}

TEST_CASE("a value out of range is refused with the range", "[experiments][bad-input]") {
  const auto [text, parts] = GENERATE(values<Case>({
      {"[solver]\ntolerance = 2.0\n",
       {"line 2: solver.tolerance = 2.0 is out of range", "greater than 0, less than 1"}},
      {"[solver]\ntolerance = 0\n", {"solver.tolerance = 0 is out of range"}},
      {"[solver]\ntolerance = nan\n", {"solver.tolerance = nan is out of range"}},
      {"[solver]\nmax_iterations = 0\n", {"is out of range", "integer, at least 1"}},
      {"[solver]\nmax_iterations = 3000000000\n", {"is out of range"}},
      {"[domain]\nwidth = 0.0\n", {"domain.width = 0.0 is out of range", "greater than 0"}},
      {"[domain]\nheight = inf\n", {"domain.height = inf is out of range"}},
      {"[grid]\nlevels = [5, 17]\n",
       {"line 2: grid.levels = 17 is out of range", "1 <= first <= last <= 16"}},
      {"[grid]\nlevels = [0, 5]\n", {"grid.levels = 0 is out of range"}},
      {"[grid]\nlevels = [6, 5]\n", {"grid.levels = [6, 5] begins after its end"}},
      {"[grid]\nlevels = [1, 2, 3]\n", {"does not have two elements"}},
      {"[grid]\nanisotropy = 0\n", {"grid.anisotropy = 0 is out of range", "at most 1"}},
      {"[grid]\nanisotropy = 1.5\n", {"grid.anisotropy = 1.5 is out of range"}},
      {"[grid]\nrefined_sides = ['right', 'right']\n", {"names \"right\" twice"}},
      {"[grid]\nrefined_sides = ['rigth']\n",
       {"grid.refined_sides = \"rigth\" is not a choice", "did you mean \"right\"?"}},
      {"[grid]\nanisotropy = 0.5\nrefined_sides = []\n",
       {"line 3: ", "is empty", "grid.anisotropy = 0.5 has no effect"}},
      {"[problem]\ncoefficients = [1.0, 0.0]\n", {"problem.coefficients = 0.0 is out of range"}},
      {"[problem]\ncoefficients = [1.0]\n", {"does not have two elements"}},
      {"[problem]\nreaction = -1.0\n", {"problem.reaction = -1.0 is out of range", "at least 0"}},
      {"[problem]\nquadrature = 6\n", {"problem.quadrature = 6 is out of range", "from 1 to 5"}},
      {"[problem]\nboundary.top = 'robin'\n",
       {"line 2: problem.boundary.top = \"robin\" is not a choice",
        "\"dirichlet\" or \"neumann\""}},
      {"[solver]\nmethod = 'Multigrid'\n", {"did you mean \"multigrid\"?"}},
      {"[solver]\nprecision = 'quad'\n",
       {"line 2: solver.precision = \"quad\" is not a number format", "\"half\", \"bfloat16\"",
        "\"double-double\", or \"sMeE\" with M from 10 to 52", "default: \"double\""}},
      {"[solver]\nprecision = 'double-singel'\n", {"did you mean \"double-single\"?"}},
      {"[solver]\nprecision = 'float'\n", {"did you mean \"single\"?"}},
      {"[refinement]\ninner_precision = 'BF16'\n", {"did you mean \"bfloat16\"?"}},
      {"[solver]\nprecision = 's9e11'\n", {"\"s9e11\" is not a number format", "M from 10"}},
      {"[solver]\nprecision = 's28e10'\n", {"E = 8 or 11"}},
      {"[solver]\nprecision = 28\n", {"solver.precision = 28 is an integer, but a text"}},
      {"[multigrid]\ndamping = 2.0\n",
       {"multigrid.damping = 2.0 is out of range", "less than 2, or \"auto\" (default: \"auto\")"}},
      {"[multigrid]\ndamping = 'strong'\n",
       {"multigrid.damping = \"strong\" is a text, but a number is expected"}},
      {"[multigrid]\nsmoother = 'adi'\n",
       {"multigrid.smoother = \"adi\" is not a choice", "\"adi-tridi\" or \"adi-trigs\""}},
      {"[multigrid]\nline_order = 'red'\n", {"\"zebra\" or \"sequential\""}},
      {"[multigrid]\nline_direction = 'z'\n", {"\"auto\", \"x\" or \"y\""}},
      {"[grid]\nexpansion_ratio = 0.5\n",
       {"grid.expansion_ratio = 0.5 is out of range", "at least 1"}},
      {"[grid]\nexpansion_ratio = inf\n", {"grid.expansion_ratio = inf is out of range"}},
      {"[grid]\nlayer_width = 0.6\n", {"grid.layer_width = 0.6 is out of range", "at most 0.5"}},
      {"[grid]\ngrading = 'geometrical'\n", {"did you mean \"geometric\"?"}},
      {"[multigrid]\npre_smoothing = -1\n", {"is out of range"}},
      {"[multigrid]\ncycle = 'X'\n", {"\"V\", \"F\" or \"W\""}},
      {"[backend]\nname = 'gpu'\n", {"backend.name", "\"auto\", \"host\" or \"cuda\""}},
      {"[output]\ndirectory = ''\n", {"output.directory = \"\" is empty"}},
  }));
  require_parts(complaint(text), parts);
}

TEST_CASE("a nonsense formula is refused with its place", "[experiments][bad-input]") {
  const auto [text, parts] = GENERATE(values<Case>({
      {"[problem]\nsolution = 'x*y'\nsource = 'sin(x'\n",
       {"a.toml, line 3: problem.source", "    3 | source = 'sin(x'\n                     ^"}},
      {"[problem]\nsource = '2y'\n",
       {"line 2: problem.source: ", "(character 2 of \"2y\"); write 2*y\n    2 | source = '2y'\n",
        "\n                   ^"}},
      {"[problem]\nsource = \"\"\"x**2\"\"\"\n", {"\n                      ^"}},
      {"[problem]\nsource = \"1 + \\u00782y\"\n", {"\n    1 + x2y\n        ^"}},
      {"[problem]\nsource = 'x + z'\n", {"line 2: problem.source", "character 5"}},
      {"[problem]\nsource = 'x*\u00e9*y'\n",
       {"(character 3 of ", "\n    2 | source = 'x*\u00e9*y'\n                    ^"}},
      {"[problem]\nsource = 'x\u00b2'\n",
       {"problem.source",
        "\"\u00b2\" is not known (character 2 of \"x\u00b2\"); write ^2 for \u00b2",
        "\n    2 | source = 'x\u00b2'\n                   ^"}},
      {"[problem]\nsolution = 'polinomial'\n",
       {"line 2: problem.solution", "did you mean \"polynomial\"?", "boundary_layer"}},
      {"[problem]\nsource = '1/x'\nsolution = 'x'\ndirichlet = 'log(-1-x)'\n",
       {"line 4: problem.dirichlet is"}},
      {"[problem]\nsource = '1'\nboundary.top = 'neumann'\nflux.top = ')'\n",
       {"line 4: problem.flux.top"}},
      {"[problem]\nsource = inf\n", {"problem.source = inf is not finite"}},
  }));
  require_parts(complaint(text), parts);
}

TEST_CASE("no place is marked in a text of several lines", "[experiments][bad-input]") {
  const std::string message = complaint("[problem]\nsource = \"\"\"x +\n* y\"\"\"\n");
  require_parts(message, {"line 2: problem.source: ", "(character 5 of "});
  REQUIRE_THAT(message, !ContainsSubstring("^"));
}

TEST_CASE("a formula of the command line is shown with its mark", "[experiments][bad-input]") {
  require_parts(complaint("", {{"problem.source=2*(x", "--set problem.source=2*(x"}}),
                {"--set problem.source=2*(x: problem.source: ", "\n    2*(x\n      ^"});
}

TEST_CASE("settings that contradict each other are refused", "[experiments][bad-input]") {
  const auto [text, parts] = GENERATE(values<Case>({
      {"[problem]\nsolution = 'sine'\nsource = 'x'\n",
       {"line 3: problem.source is given, but the solution \"sine\" brings its own"}},
      {"[problem]\ndirichlet = 'x'\n", {"line 2: problem.dirichlet = \"x\" is given"}},
      {"[problem]\nsource = 'x'\nflux.top = 'x'\n",
       {"line 3: problem.flux.top is given, but that side is a Dirichlet side"}},
      {"[problem]\nsolution = ''\n", {"line 2: problem.source is missing"}},
      {"[problem]\nsolution = 'x*y'\n", {"line 2: problem.source is missing"}},
      {"[problem]\nsource = 1\nboundary = { left = 'neumann', right = 'neumann', bottom = "
       "'neumann', top = 'neumann' }\n",
       {"line 3: problem.boundary is Neumann on all sides", "make one side Dirichlet"}},
      {"[multigrid]\npre_smoothing = 0\npost_smoothing = 0\n",
       {"line 2: multigrid.pre_smoothing", "at least one step"}},
      {"[multigrid]\nsmoother = 'jacobi'\nline_order = 'sequential'\n",
       {"line 3: multigrid.line_order = sequential", "\"trigs\", \"adi-trigs\" and \"auto\""}},
      {"[multigrid]\nsmoother = 'adi-trigs'\nline_direction = 'x'\n",
       {"line 3: multigrid.line_direction = x", "\"tridi\" and \"trigs\""}},
      {"[solver]\npreconditioner = 'jacobi'\n",
       {"line 2: solver.preconditioner = jacobi", "solver.method = \"cg\""}},
      {"[solver]\nmethod = 'cg'\nstart = 'full-multigrid'\n",
       {"line 3: solver.start = full-multigrid", "solver.preconditioner = \"multigrid\""}},
      {"[solver]\nprecision = 'single'\n[refinement]\ninner_precision = 'double'\n",
       {"line 4: refinement.inner_precision = double", "solver.precision = single"}},
      {"[solver]\nprecision = 'single'\n[refinement]\ncascade = ['double']\n",
       {"line 4: refinement.inner_precision = double", "refinement.cascade"}},
      {"[grid]\nlevels = [5, 15]\nanisotropy = 1e-30\n",
       {"line 3: ", "no grid of level 15", "narrower than the smallest normal double"}},
      {"[domain]\nwidth = 1e-307\n", {"line 2: ", "no grid of level 9"}},
  }));
  require_parts(complaint(text), parts);
}

TEST_CASE("a build without VTK refuses output.vtk where it is stated", "[experiments][bad-input]") {
  if (built_with_vtk()) return;
  require_parts(complaint("[output]\nvtk = true\n"),
                {"line 2: output.vtk = true, but", "has no VTK"});
}

TEST_CASE("a message about an option of the command line names the option",
          "[experiments][bad-input]") {
  const std::string set = "solver.tolerance=2";
  require_parts(
      complaint("[solver]\ntolerance = 1e-8\n", {{set, "--set " + set}}),
      {"--set solver.tolerance=2: solver.tolerance = 2 is out of range", "allowed: number"});
  require_parts(complaint("", {{"solver.tolerance=.5x", "--set solver.tolerance=.5x"}}),
                {"is a text, but a number is expected"});
  require_parts(complaint("", {{"solver.tolerance=.5", "--set solver.tolerance=.5"}}),
                {"is a text, but a number is expected", "write it as 0.5"});
  require_parts(complaint("", {{"backend.name=gpu", "--backend gpu", true}}),
                {"--backend gpu: backend.name = \"gpu\" is not a choice"});
}

TEST_CASE("what is very long is shortened in messages", "[experiments][bad-input]") {
  const std::string is = GENERATE(as<std::string>{}, "", "[", "[[", "= ");
  const std::string ends = is.starts_with('[') ? std::string(is.size(), ']') : "";
  for (const Key& key : configuration_keys()) {
    if (table_of(key.name) == "output") continue;
    CAPTURE(key.name);
    const std::string text = std::string(5000, 'x') + "*";
    const std::string value = is + "'" + text + "'" + ends;
    const std::string setting = key.name + "=" + value;
    for (const std::string& message :
         {complaint(key.name + " = " + value + "\n"),
          complaint("", {{setting, "--set " + setting}}),
          complaint("[study]\n" + key.name + " = [" + value + "]\n"),
          complaint(key.name + text + " = 1\n"), complaint(text + " = " + value + "\n")}) {
      CAPTURE(message);
      REQUIRE_FALSE(message.empty());
      REQUIRE(message.size() < 1500);
      REQUIRE_THAT(message, !ContainsSubstring(std::string(200, 'x')));
    }
  }
}

TEST_CASE("a line of a file that is no TOML is shown where it is wrong",
          "[experiments][bad-input]") {
  const std::string line = "source = '" + std::string(5000, 'x') + "' nonsense";
  require_parts(complaint("[problem]\n" + line + "\n"),
                {"a.toml, line 2: this is not TOML", "characters)", "xxx' nonsense"});
}

TEST_CASE("a study is not taken for a single run", "[experiments][bad-input]") {
  require_parts(complaint("[study]\n\"solver.method\" = ['cg']\n"),
                {"a.toml, line 1: ", "a study, not a single run", "ninefold study a.toml"});
}
