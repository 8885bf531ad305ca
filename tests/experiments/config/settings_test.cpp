#include "experiments/config/settings.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Keys = std::vector<std::string>;

namespace {

Keys keys_of(const Document& document) {
  Keys keys;
  for (const Setting& setting : document.settings) keys.push_back(setting.key);
  return keys;
}

std::string value_of(const Document& document, const std::string& key) {
  const Setting* setting = document.find(key);
  REQUIRE(setting != nullptr);
  return to_toml(setting->value);
}

Override set(const std::string& text) {
  return {text, "--set " + text};
}

}  // namespace

TEST_CASE("tables become dotted keys in the order of the file", "[experiments][settings]") {
  const Document document = parse_document(
      "[solver]\nmethod = 'cg'\n\n[problem]\nboundary = { top = 'neumann', left = 'dirichlet' }\n"
      "\n[grid]\nlevels = [2, 4]\n",
      "a.toml");
  REQUIRE(keys_of(document)
          == Keys{"solver.method", "problem.boundary.top", "problem.boundary.left", "grid.levels"});
  REQUIRE(document.find("solver.method")->origin.place == "a.toml, line 2");
  REQUIRE(document.find("grid.levels")->origin.place == "a.toml, line 8");
  REQUIRE(document.find("grid.levels")->origin.excerpt == "    8 | levels = [2, 4]");
  REQUIRE(document.find("grid") == nullptr);
  REQUIRE_FALSE(document.study_origin);
}

TEST_CASE("values are given back as TOML", "[experiments][settings]") {
  const std::string value =
      GENERATE(as<std::string>{}, "true", "-3", "1e-10", "0.1", "2.0", "inf", R"("a \"b\" \\ c")",
               R"("line\nfeed\tand \u0001")", R"([1, [2.5, "x"], []])");
  CAPTURE(value);
  const Document document = parse_document("[t]\nkey = " + value + "\n", "a.toml");
  REQUIRE(value_of(document, "t.key") == value);
  REQUIRE(to_toml(parse_value(value)) == value);
}

TEST_CASE("kinds of values have names", "[experiments][settings]") {
  REQUIRE(kind_of(parse_value("true")) == "true or false");
  REQUIRE(kind_of(parse_value("1")) == "an integer");
  REQUIRE(kind_of(parse_value("1.0")) == "a number");
  REQUIRE(kind_of(parse_value("'1'")) == "a text");
  REQUIRE(kind_of(parse_value("[1]")) == "a list");
  REQUIRE(kind_of(parse_value("{ a = 1 }")) == "a table");
  REQUIRE(kind_of(parse_value("2007-01-01")) == "a date or time");
  REQUIRE(to_words(parse_value("'cg'")) == "cg");
  REQUIRE(to_words(parse_value("[1, 'a']")) == "[1, \"a\"]");
  REQUIRE_THROWS_AS(parse_value("cg"), ConfigurationError);
}

TEST_CASE("an override replaces what the file says, or adds to it", "[experiments][settings]") {
  const std::string file = "[solver]\ntolerance = 1e-4\n";
  const Document document =
      parse_document(file, "a.toml",
                     {set("solver.tolerance=1e-6"),
                      set("solver.method=cg"),
                      set("grid.levels = [2, 3]"),
                      set("problem.source=sin(pi*x)*y"),
                      set("problem.reaction=2"),
                      set("output.vtk=true"),
                      set("problem.boundary={ top = 'neumann', left = 'neumann' }"),
                      {"output.directory=2024", "--output 2024", true}});
  REQUIRE(value_of(document, "solver.tolerance") == "1e-06");
  REQUIRE(document.find("solver.tolerance")->origin.place == "--set solver.tolerance=1e-6");
  REQUIRE(value_of(document, "solver.method") == "\"cg\"");
  REQUIRE(value_of(document, "grid.levels") == "[2, 3]");
  REQUIRE(value_of(document, "problem.source") == "\"sin(pi*x)*y\"");
  REQUIRE(value_of(document, "problem.reaction") == "2");
  REQUIRE(value_of(document, "output.vtk") == "true");
  REQUIRE(value_of(document, "problem.boundary.top") == "\"neumann\"");
  REQUIRE(value_of(document, "problem.boundary.left") == "\"neumann\"");
  REQUIRE(value_of(document, "output.directory") == "\"2024\"");
  REQUIRE(document.find("output.directory")->origin.place == "--output 2024");
}

TEST_CASE("a later override wins, and an empty one is an empty text", "[experiments][settings]") {
  const Document document =
      parse_document("", "a.toml", {set("solver.method=cg"), set("solver.method=")});
  REQUIRE(value_of(document, "solver.method") == "\"\"");
}

TEST_CASE("an override that cannot be read is refused by its option", "[experiments][settings]") {
  const auto [text, what] = GENERATE(
      table<std::string, std::string>({{"solver.tolerance", "section.key=value is expected"},
                                       {"=3", "section.key=value is expected"},
                                       {"grid.levels=[2, 3", "is not a TOML value"},
                                       {"solver.method=\"cg", "is not a TOML value"}}));
  CAPTURE(text);
  REQUIRE_THROWS_WITH(parse_document("", "a.toml", {set(text)}),
                      ContainsSubstring("--set " + text) && ContainsSubstring(what));
}

TEST_CASE("an override whose quotation marks a shell took away is told how to keep them",
          "[experiments][settings]") {
  struct Case {
    std::string text, meant;
  };
  const Case c =
      GENERATE(Case{"grid.refined_sides=[left, top]", "grid.refined_sides=[\"left\", \"top\"]"},
               Case{"study.problem.source=[x*y, max(x, y), 1]",
                    "study.problem.source=[\"x*y\", \"max(x, y)\", 1]"},
               Case{"problem.boundary={left = neumann, top = dirichlet}",
                    "problem.boundary={left = \"neumann\", top = \"dirichlet\"}"});
  CAPTURE(c.text);
  const std::string advice =
      "a text needs quotation marks; in a shell put all of it into '...': --set '" + c.meant + "'";
  REQUIRE_THROWS_WITH(
      parse_document("", "a.toml", {set(c.text)}),
      ContainsSubstring("is not a TOML value") && Catch::Matchers::EndsWith(advice));
  REQUIRE_NOTHROW(parse_document("", "a.toml", {set(c.meant)}));
}

TEST_CASE("no quotation marks are advised where they are not what is missing",
          "[experiments][settings]") {
  const std::string text =
      GENERATE(as<std::string>{}, "grid.levels=[2, 3", "solver.method=\"cg", "grid.levels=[1..2]",
               "solver.tolerance={1e-8 1e-9}", "grid.refined_sides=[left");
  CAPTURE(text);
  REQUIRE_THROWS_WITH(parse_document("", "a.toml", {set(text)}), !ContainsSubstring("quotation"));
}

TEST_CASE("the axes of a study keep the order of the file", "[experiments][settings]") {
  const Document document = parse_document(
      "[study]\n\"solver.precision\" = ['single', 'double']\n"
      "multigrid.cycle = ['W', 'V']\n\"grid.levels\" = [[2, 3], 4]\n",
      "a.toml");
  REQUIRE(document.settings.empty());
  REQUIRE(document.study_origin->place == "a.toml, line 1");
  REQUIRE(document.study.size() == 3);
  REQUIRE(document.study[0].key == "solver.precision");
  REQUIRE(document.study[1].key == "multigrid.cycle");
  REQUIRE(document.study[2].key == "grid.levels");
  REQUIRE(to_toml(document.study[1].choices[0].value) == "\"W\"");
  REQUIRE(to_toml(document.study[2].choices[0].value) == "[2, 3]");
  REQUIRE(document.study[2].choices[1].origin.place == "a.toml, line 4");
}

TEST_CASE("an override replaces or adds an axis", "[experiments][settings]") {
  const std::string file = "[study]\n\"solver.precision\" = ['single', 'double']\n";
  const Document document = parse_document(file, "a.toml",
                                           {set("study.\"solver.precision\"=['double']"),
                                            set("study.operator.form=['plain', 'difference']")});
  REQUIRE(document.study.size() == 2);
  REQUIRE(document.study[0].choices.size() == 1);
  REQUIRE(document.study[1].key == "operator.form");
  REQUIRE(document.study[1].choices.size() == 2);
  REQUIRE(parse_document("", "a.toml", {set("study.solver.method=['cg']")}).study_origin);
}

TEST_CASE("an axis that is no list of different values is refused", "[experiments][settings]") {
  const auto [line, what] = GENERATE(table<std::string, std::string>(
      {{"\"solver.method\" = 'cg'", "is a text, not a list"},
       {"\"solver.method\" = []", "is an empty list"},
       {"\"solver.method\" = ['cg', 'cg']", "names \"cg\" twice"},
       {"\"solver.method\" = ['cg']\nsolver.method = ['cg']", "is set a second time"}}));
  CAPTURE(line);
  REQUIRE_THROWS_WITH(parse_document("[study]\n" + line + "\n", "a.toml"),
                      ContainsSubstring("a.toml, line ") && ContainsSubstring("solver.method")
                          && ContainsSubstring(what));
}

TEST_CASE("text that is no TOML is refused with its place", "[experiments][settings]") {
  const auto [text, line, what] = GENERATE(table<std::string, std::string, std::string>(
      {{"[solver]\nmethod = cg\n", "line 2", "a text needs quotation marks: \"cg\""},
       {"[problem]\nsource = sin(pi*x)*y  # f\n", "line 2", "quotation marks: \"sin(pi*x)*y\""},
       {"[problem]\nsource = 2*x\n", "line 2", "quotation marks: \"2*x\""},
       {"[grid]\nrefined_sides = [left]\n", "line 2", "quotation marks: [\"left\"]"},
       {"[solver]\n\ntolerance = .5\n", "line 3", "digits on both sides of the point"},
       {"[solver]\ntolerance = 1.\n", "line 2", "digits on both sides of the point"},
       {"[output]\nvtk = yes\n", "line 2", "write true"},
       {"[output]\nplots = False # none\n", "line 2", "write false"},
       {"[grid]\nlevels = 3, 7\n", "line 2", "several values stand in brackets: [3, 7]"},
       {"[grid]\nlevels = 3\n[grid] # again\n", "line 3", "a section stands once"},
       {"[solver\n", "line 1", "this is not TOML"},
       {"[solver]\nmethod = 'cg'\nmethod = 'cg'\n", "line 3", "method"},
       {"[grid]\nlevels = [1, 2\n", "line ", "this is not TOML"},
       {"\"solver.method\" = 'cg'\n[solver]\nmethod = 'cg'\n", "line 3", "second time"}}));
  CAPTURE(text);
  REQUIRE_THROWS_WITH(parse_document(text, "a.toml"),
                      ContainsSubstring("a.toml, " + line) && ContainsSubstring(what));
}

TEST_CASE("what is left aside of a file is as if it were not there", "[experiments][settings]") {
  Document document = parse_document(
      "[solver]\nmethod = 'cg'\nnorm = 'residual'\n[refinement]\ninner_precision = 'single'\n"
      "inner_digits = 2\n[study]\nsolver.precision = ['half']\nsolver.method = ['cg']\n",
      "a.toml");
  leave_aside(document, {"refinement", "solver.norm", "study.solver.precision"});
  REQUIRE(document.settings.size() == 1);
  CHECK(document.settings.front().key == "solver.method");
  REQUIRE(document.study.size() == 1);
  CHECK(document.study.front().key == "solver.method");
  CHECK(document.study_origin);
  leave_aside(document, {"study"});
  CHECK(document.study.empty());
  CHECK_FALSE(document.study_origin);
  CHECK(
      document.left_aside
      == std::vector<std::string>{"refinement", "solver.norm", "study.solver.precision", "study"});
  // No part of a name, and nothing twice.
  for (const std::string name : {"solv", "study", "solver.norm", ""}) {
    CHECK_THROWS_WITH(leave_aside(document, {name}),
                      ContainsSubstring("--without " + name)
                          && ContainsSubstring("a.toml states no such table or key"));
  }
}

TEST_CASE("a file that cannot be read is refused by name and reason", "[experiments][settings]") {
  const TemporaryDirectory directory;
  REQUIRE_THROWS_WITH(read_document(directory.path() / "none.toml"),
                      ContainsSubstring("none.toml") && ContainsSubstring("No such file"));
  REQUIRE_THROWS_WITH(read_document(directory.path()), ContainsSubstring("is a folder"));
}
