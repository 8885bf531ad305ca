#include "experiments/config/refinement_keys.hpp"

#include <sstream>

#include "experiments/config/study.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Stops = std::vector<InnerStop>;
using Formats = std::vector<Precision>;

namespace {

/// The configuration of a file with these lines of [refinement], in quadruple precision outside.
Configuration configure(const std::string& lines) {
  return make_configuration(parse_document(
      "[solver]\nprecision = 'double-double'\n[refinement]\n" + lines, "some/folder/mine.toml"));
}

/// What is said of these lines; empty if they are accepted.
std::string complaint(const std::string& lines) {
  try {
    configure(lines);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

std::string shown(const Configuration& configuration, const std::string& key) {
  return find_key(key)->show(configuration);
}

const std::string three = "cascade = ['double', 'single', 'half']\n";

/// The TOML examples of docs/configuration.md that have this table.
std::vector<std::string> documented_examples(const std::string& table) {
  std::istringstream text(content_of(NINEFOLD_SOURCE_FOLDER "/docs/configuration.md"));
  std::vector<std::string> examples;
  std::string block;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      if (inside && block.find("[" + table + "]\n") != std::string::npos) examples.push_back(block);
      inside = line == "```toml";
      block.clear();
    } else if (inside) {
      block += line + "\n";
    }
  }
  return examples;
}

}  // namespace

TEST_CASE("one inner format is inner_precision, several are a cascade", "[experiments][keys]") {
  const auto [lines, formats, inner_precision, cascade] =
      GENERATE(table<std::string, Formats, std::string, std::string>({
          {"inner_precision = 'none'\n", {}, "\"none\"", "[]"},
          {"cascade = []\n", {}, "\"none\"", "[]"},
          {"inner_precision = 's28e11'\n", {Precision::soft(28, 11)}, "\"s28e11\"", "[]"},
          {"cascade = ['single']\n", {Precision::single_}, "\"single\"", "[]"},
          {three,
           {Precision::double_, Precision::single_, Precision::half},
           "\"none\"",
           R"(["double", "single", "half"])"},
          // A key that names no format leaves it to the other one, whichever comes first.
          {"cascade = []\ninner_precision = 'half'\n", {Precision::half}, "\"half\"", "[]"},
          {"inner_precision = 'half'\ncascade = []\n", {Precision::half}, "\"half\"", "[]"},
          {"inner_precision = 'none'\ncascade = ['half', 'half']\n",
           {Precision::half, Precision::half},
           "\"none\"",
           R"(["half", "half"])"},
      }));
  CAPTURE(lines);
  const Configuration c = configure(lines);
  REQUIRE(c.solver.refinement.inner == formats);
  REQUIRE(c.solver.refinement.used() == !formats.empty());
  REQUIRE(shown(c, "refinement.inner_precision") == inner_precision);
  REQUIRE(shown(c, "refinement.cascade") == cascade);
}

TEST_CASE("digits and iterations are halves of one stopping rule", "[experiments][keys]") {
  const auto [lines, stop, digits,
              iterations] = GENERATE(table<std::string, Stops, std::string, std::string>({
      {"", {}, "\"auto\"", "\"auto\""},
      {"inner_digits = 2\n", {{{}, 2.0}}, "2.0", "\"auto\""},
      {"inner_iterations = 3\n", {{3, {}}}, "\"auto\"", "3"},
      {"inner_iterations = [3]\n", {{3, {}}}, "\"auto\"", "3"},
      {"inner_digits = 1.5\ninner_iterations = 3\n", {{3, 1.5}}, "1.5", "3"},
      {"inner_digits = [7, 3, 1]\n",
       {{{}, 7.0}, {{}, 3.0}, {{}, 1.0}},
       "[7.0, 3.0, 1.0]",
       "\"auto\""},
      // One value is for all stages, whichever key comes first.
      {"inner_digits = [7, 3, 1]\ninner_iterations = 4\n",
       {{4, 7.0}, {4, 3.0}, {4, 1.0}},
       "[7.0, 3.0, 1.0]",
       "[4, 4, 4]"},
      {"inner_iterations = 4\ninner_digits = [7, 3, 1]\n",
       {{4, 7.0}, {4, 3.0}, {4, 1.0}},
       "[7.0, 3.0, 1.0]",
       "[4, 4, 4]"},
      {"inner_digits = [7, 3, 'auto']\ninner_iterations = ['auto', 9, 1]\n",
       {{{}, 7.0}, {9, 3.0}, {1, {}}},
       R"([7.0, 3.0, "auto"])",
       R"(["auto", 9, 1])"},
      // "auto" says nothing, however often.
      {"inner_digits = 'auto'\ninner_iterations = ['auto', 'auto']\n", {}, "\"auto\"", "\"auto\""},
      {"inner_iterations = [1, 2, 3]\ninner_digits = ['auto', 'auto']\n",
       {{1, {}}, {2, {}}, {3, {}}},
       "\"auto\"",
       "[1, 2, 3]"},
  }));
  CAPTURE(lines);
  const Configuration c = configure(three + lines);
  REQUIRE(c.solver.refinement.stop == stop);
  REQUIRE(shown(c, "refinement.inner_digits") == digits);
  REQUIRE(shown(c, "refinement.inner_iterations") == iterations);
}

TEST_CASE("the word auto takes a limit back", "[experiments][keys]") {
  Configuration c = configure(three + "inner_digits = [1, 2, 3]\ninner_iterations = [4, 5, 6]\n");
  const auto read = [&](const std::string& key) {
    find_key(key)->read({key, {std::string("auto")}, {}}, c);
  };
  read("refinement.inner_iterations");
  REQUIRE(c.solver.refinement.stop == Stops{{{}, 1.0}, {{}, 2.0}, {{}, 3.0}});
  read("refinement.inner_digits");
  REQUIRE(c.solver.refinement.stop.empty());
}

TEST_CASE("a refinement as a config file is the same refinement", "[experiments][keys]") {
  const std::string lines =
      GENERATE(as<std::string>{}, "inner_precision = 'none'\ninner_digits = 3\n",
               "inner_precision = 's28e11'\ninner_iterations = 7\ninner_form = 'plain'\n",
               "inner_precision = 'single'\nscaling = 'norm'\nvariant = 'flexible-cg'\n",
               "inner_precision = 'double'\nouter_backend = 'host'\nstop_at_tolerance = true\n",
               "cascade = ['half']\ninner_digits = [0.5]\n",
               "cascade = ['double', 'single', 'half']\ninner_digits = [7, 3, 'auto']\n"
               "inner_iterations = ['auto', 'auto', 1]\n",
               "cascade = ['double', 'bfloat16']\ninner_digits = 0.1\ninner_iterations = [3, 4]\n");
  CAPTURE(lines);
  const Configuration c = configure(lines);
  const Options options = all_options(c);
  const Configuration again = make_configuration(parse_document(to_toml(options), "again.toml"));
  REQUIRE(all_options(again) == options);
  REQUIRE(again.solver.refinement.inner == c.solver.refinement.inner);
  REQUIRE(again.solver.refinement.stop == c.solver.refinement.stop);
}

TEST_CASE("formats of stages and stopping rules that make no sense are refused",
          "[experiments][keys]") {
  const auto [lines, parts] = GENERATE(table<std::string, std::vector<std::string>>({
      {"inner_precision = 'singel'\n",
       {"line 4: refinement.inner_precision = \"singel\" is not a number format",
        "did you mean \"single\"?", "allowed: text, \"none\" (no refinement), \"half\"",
        "(default: \"none\")"}},
      {"inner_precision = 'non'\n", {"did you mean \"none\"?"}},
      {"inner_precision = ['single', 'half']\n",
       {"refinement.inner_precision = [\"single\", \"half\"] is a list, but a text is expected"}},
      {"cascade = 'single'\n", {"a list such as [\"double\", \"single\"] is expected"}},
      {"cascade = ['double', 'none']\n",
       {"line 4: refinement.cascade = \"none\" is not a number format"}},
      {"inner_precision = 'single'\ncascade = ['double', 'single']\n",
       {"line 5: refinement.cascade = [\"double\", \"single\"] is given",
        "refinement.inner_precision and refinement.cascade are two ways", "use one of them"}},
      {"cascade = ['single']\ninner_precision = 'single'\n",
       {"line 5: refinement.inner_precision = \"single\" is given", "use one of them"}},
      {three + "inner_digits = 0\n",
       {"line 5: refinement.inner_digits = 0 is out of range", "greater than 0, at most 15"}},
      {three + "inner_digits = [1, 2, 15.1]\n", {"refinement.inner_digits = 15.1 is out of range"}},
      {three + "inner_digits = nan\n", {"refinement.inner_digits = nan is out of range"}},
      {three + "inner_digits = '2'\n", {"a number is expected", "write it as 2.0"}},
      {three + "inner_digits = []\n", {"refinement.inner_digits = [] is an empty list"}},
      {three + "inner_digits = [[1, 2, 3]]\n", {"is a list, but a number is expected"}},
      {three + "inner_iterations = 0\n",
       {"line 5: refinement.inner_iterations = 0 is out of range", "at least 1, or \"auto\""}},
      {three + "inner_iterations = 2.0\n", {"an integer is expected", "write it as 2"}},
      {three + "inner_iterations = 3000000000\n", {"is out of range"}},
      {three + "inner_iterations = 'automatic'\n", {"is a text, but an integer is expected"}},
      {three + "inner_digits = [1, 2, 3]\ninner_iterations = [1, 2]\n",
       {"line 6: refinement.inner_iterations = [1, 2] has 2 elements", "here 3"}},
      // Known only when all keys are read; the place is that of the key at fault.
      {three + "inner_digits = [1, 2]\n",
       {"line 5: refinement.inner_digits = [1, 2]", "each of the 3 formats of refinement.cascade"}},
      {"cascade = ['single', 'double']\n",
       {"line 4: refinement.cascade = [single, double]", "double is more precise than single"}},
      {"inner_precision = 'single'\nvariant = 'residual-guided-cg'\n",
       {"line 5: refinement.variant = residual-guided-cg", "solver.method = \"cg\""}},
      {"inner_precision = 'single'\nvariant = 'flexible-cg'\nouter_backend = 'host'\n",
       {"line 6: refinement.outer_backend = host"}},
      {"inner_precision = 'single'\nvariant = 'flexible'\n",
       {"refinement.variant = \"flexible\" is not a choice", "did you mean \"flexible-cg\"?"}},
  }));
  CAPTURE(lines);
  const std::string message = complaint(lines);
  for (const std::string& part : parts) REQUIRE_THAT(message, ContainsSubstring(part));
}

TEST_CASE("a refinement without an inner format is refused, unless it is said so",
          "[experiments][keys]") {
  for (const std::string line :
       {"inner_digits = 2", "inner_iterations = 2", "inner_form = 'plain'", "scaling = 'norm'",
        "variant = 'flexible-cg'", "outer_backend = 'host'", "stop_at_tolerance = true"}) {
    CAPTURE(line);
    const std::string key = "refinement." + line.substr(0, line.find(' '));
    REQUIRE_THAT(complaint(line + "\n"),
                 ContainsSubstring("mine.toml, line 4: " + key + " = ")
                     && ContainsSubstring("has no effect: refinement.inner_precision is missing")
                     && ContainsSubstring("refinement.inner_precision = \"single\""));
    REQUIRE(complaint("inner_precision = 'none'\n" + line + "\n").empty());
    REQUIRE(complaint("cascade = []\n" + line + "\n").empty());
  }
}

TEST_CASE("a study varies inner formats, cascades and stopping rules", "[experiments][keys]") {
  const std::vector<Plan> plans = plan_study(
      parse_document("[refinement]\ninner_digits = 2\n"
                     "[study]\n\"refinement.inner_precision\" = ['none', 'single', 'half']\n"
                     "\"refinement.inner_iterations\" = ['auto', 1]\n",
                     "a.toml"));
  REQUIRE(plans.size() == 6);
  REQUIRE_FALSE(plans[0].configuration.solver.refinement.used());
  REQUIRE(plans[2].configuration.solver.refinement.inner == Formats{Precision::single_});
  REQUIRE(plans[4].configuration.solver.refinement.stop == Stops{{{}, 2.0}});
  REQUIRE(plans[5].configuration.solver.refinement.inner == Formats{Precision::half});
  REQUIRE(plans[5].configuration.solver.refinement.stop == Stops{{1, 2.0}});
  REQUIRE(plans[5].varied
          == Options{{"refinement.inner_precision", "half"}, {"refinement.inner_iterations", "1"}});

  const std::vector<Plan> cascades = plan_study(parse_document(
      "[solver]\nprecision = 'double-double'\n"
      "[study]\n\"refinement.cascade\" = [['double', 'single'], ['double', 'half']]\n",
      "a.toml"));
  REQUIRE(cascades.size() == 2);
  REQUIRE(cascades[1].configuration.solver.refinement.inner
          == Formats{Precision::double_, Precision::half});
  REQUIRE(cascades[1].varied == Options{{"refinement.cascade", R"(["double", "half"])"}});
  for (const auto& [key, value] : all_options(cascades)) {
    if (key == "refinement.cascade") {
      REQUIRE(value == R"([["double", "single"], ["double", "half"]])");
    }
  }
}

TEST_CASE("the documentation's examples of refinement are accepted", "[experiments][keys]") {
  const std::vector<std::string> examples = documented_examples("refinement");
  REQUIRE(examples.size() == 3);
  for (const std::string& example : examples) {
    CAPTURE(example);
    Configuration c;
    REQUIRE_NOTHROW(c = make_configuration(parse_document(example, "example.toml")));
    REQUIRE(c.solver.refinement.used());
  }
}
