#include "experiments/program/automatic_precision.hpp"

#include <string>

#include <fmt/format.h>

#include "output/tables/remarks.hpp"

#include "experiments/program/advice.hpp"
#include "experiments/program/run.hpp"
#include "experiments/program/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/plans.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string config(const std::string& more) {
  return "[solver]\nmethod = 'full-multigrid'\nprecision = 'auto'\ntolerance = 'discretisation'\n"
         + more;
}

Plan plan_in(const TemporaryDirectory& folder, const std::string& text) {
  return testing::plans_of(text, folder.path()).front();
}

std::vector<std::string> formats_of(const PreparedRun& run) {
  std::vector<std::string> words;
  for (const std::size_t path : run.paths) words.push_back(to_words(run.automatic->path(path)));
  return words;
}

}  // namespace

TEST_CASE("each level takes the cheapest formats that are enough", "[experiments][automatic]") {
  const TemporaryDirectory folder;
  // The wall of single on this problem is between levels 9 and 10.
  const PreparedRun run = prepare_run(plan_in(folder, config("[grid]\nlevels = [8, 10]\n")));
  CHECK(formats_of(run) == std::vector<std::string>{"single", "single", "double over single"});
  for (const PreparedSolve& solve : run.levels) CHECK(solve.options.to_discretisation);
  const PreparedRun slow =
      prepare_run(plan_in(folder, config("double_speed = 0.03\n[grid]\nlevels = [10, 10]\n")));
  CHECK(formats_of(slow) == std::vector<std::string>{"double-single over single"});
}

namespace {

/// Cells that no Dirichlet side holds, thinner than single holds on fine levels.
const std::string thin_at_neumann =
    "[problem]\nsolution = 'exp(x)*cos(y)'\nsource = '0'\nboundary.left = 'neumann'\nflux.left = "
    "'-cos(y)'\n[grid]\nlevels = [4, 8]\nanisotropy = 0.01\nrefined_sides = ['left']\n";

}  // namespace

TEST_CASE("formats that lose cells are not taken, nor advised, however little rounding would leave",
          "[experiments][automatic]") {
  const TemporaryDirectory folder;
  const Plan plan = plan_in(folder, config(thin_at_neumann));
  const PreparedRun run = prepare_run(plan);
  CHECK(formats_of(run).front() == "single");
  CHECK(formats_of(run).back() == "double");
  CHECK(all_converged(run_plans({plan})));
  for (const bool measure : {false, true}) {
    CHECK_THAT(advice(plan, measure), ContainsSubstring("\ndouble is enough on level 8"));
  }
}

TEST_CASE("a level that diverges is solved in the next formats, and pilots that do in double",
          "[experiments][automatic]") {
  const TemporaryDirectory folder;
  // A layer along thin cells: corrections in single diverge.
  const Plan plan = plan_in(
      folder,
      config("[problem]\nsolution = 'exp(-20*x)+x*y^2'\nsource = '-400*exp(-20*x)-0.002*x'\n"
             "coefficients = [1, 0.001]\nboundary.right = 'neumann'\nflux.right = "
             "'-20*exp(-20*x)+y^2'\nboundary.bottom = 'neumann'\nflux.bottom = "
             "'-0.002*x*y'\n[grid]\nlevels = [4, 8]\nanisotropy = 0.01\nrefined_sides = "
             "['bottom', 'right', 'top']\n"));
  const Results results = run_plans({plan});
  CHECK(all_converged(results));
  CHECK(results.runs[0].levels.back().error_l2.value() < 4e-4);  // of double-double 3.48e-4
  CHECK_THAT(advice(plan, false), ContainsSubstring("a discretisation error of about 3."));
}

TEST_CASE("formats that were not enough after all are followed by others",
          "[experiments][automatic]") {
  const TemporaryDirectory folder;
  const Plan plan = plan_in(
      folder, config("fraction = 8e-4\n[problem]\nsource = 'exp(x*y)'\ncoefficients = [1, 50]\n"
                     "[grid]\nlevels = [9, 9]\n"));
  const PreparedRun run = prepare_run(plan);
  REQUIRE(formats_of(run) == std::vector<std::string>{"single"});
  const auto next = run.automatic->after(run.paths.front(), 9);
  REQUIRE(next);
  CHECK(to_words(run.automatic->path(next->index)) == "double over single");
  CHECK(next->solve.level() == 9);
  CHECK_FALSE(run.automatic->after(4, 9));

  const LevelResult level = run_plans({plan}).runs.front().levels.front();
  CHECK(level.outcome == "converged");
  CHECK(level.formats == "double over single");
  CHECK(level.formats_settings
        == "--set solver.precision=double --set refinement.inner_precision=single");
  CHECK_THAT(all_remarks(level), ContainsSubstring("after single, whose rounding showed"));
}

TEST_CASE("without a coarser level double over single is taken", "[experiments][automatic]") {
  const TemporaryDirectory folder;
  const PreparedRun run = prepare_run(plan_in(folder, config("[grid]\nlevels = [1, 1]\n")));
  CHECK(formats_of(run) == std::vector<std::string>{"double over single"});
}

TEST_CASE("where pilots see no order double over single is taken, and why is said",
          "[experiments][automatic]") {
  const TemporaryDirectory folder;
  const std::string unresolved =
      config("[grid]\nlevels = [4, 6]\n[problem]\nsource = '1/abs(x-0.5)'\n");
  const Plan plan = plan_in(folder, unresolved);
  const PreparedRun run = prepare_run(plan);
  CHECK(formats_of(run) == std::vector<std::string>(3, "double over single"));
  const Results results = run_plans({plan});
  for (const LevelResult& level : results.runs.front().levels) {
    CHECK(level.formats == "double over single");
    CHECK(level.outcome == "converged");
  }
  CHECK_THAT(remarks_summary(results),
             ContainsSubstring("levels 4 to 6: solver.precision = \"auto\" takes no less than "
                               "double: pilots on levels 3 to 6 see no order"));
  // What is resolved is told without a remark; too few levels tell no order.
  const auto caution = [&](int level) {
    const auto text = fmt::format("[grid]\nlevels = [{0}, {0}]\n", level);
    return prepare_run(plan_in(folder, config(text))).automatic->caution(level);
  };
  CHECK(caution(6).empty());
  CHECK_THAT(caution(3), ContainsSubstring("coarser levels do not tell"));
}

TEST_CASE("a choice that is none is refused", "[experiments][automatic]") {
  const TemporaryDirectory folder;
  const auto complaint = [&](const std::string& text) -> std::string {
    try {
      (void)prepare_run(plan_in(folder, text));
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(complaint("[solver]\nprecision = 'auto'\n"),
             ContainsSubstring("solver.tolerance = \"discretisation\""));
  CHECK_THAT(complaint(config("[refinement]\ninner_precision = 'single'\n")),
             ContainsSubstring("refinement.inner_precision"));
  CHECK_THAT(complaint(config("[operator]\nform = 'plain'\n")), ContainsSubstring("operator.form"));
  CHECK_THAT(complaint(config("[output]\nestimates = false\n")),
             ContainsSubstring("output.estimates = true"));
  CHECK_THAT(complaint("[solver]\ntolerance = 'discretisation'\n"),
             ContainsSubstring("full-multigrid"));
}

TEST_CASE("advice names the cheapest formats that are enough, and the bits",
          "[experiments][advice]") {
  const TemporaryDirectory folder;
  const std::string text = advice(plan_in(folder, "[grid]\nlevels = [5, 8]\n"), true);
  CAPTURE(text);
  CHECK_THAT(text, ContainsSubstring("level 8: a discretisation error of about 5.8e-07"));
  CHECK_THAT(text, ContainsSubstring("single is enough on level 8"));
  CHECK_THAT(text, ContainsSubstring("ninefold solve a.toml ")
                       && ContainsSubstring(" --set solver.method=full-multigrid "
                                            "--set solver.tolerance=discretisation "
                                            "--set solver.precision=single\n"));
  CHECK_THAT(text, ContainsSubstring("bits needed: 15 on level 5, 17 on level 6"));
  CHECK_THAT(text, ContainsSubstring("stagnated"));  // bfloat16, measured
  const std::string coarse = advice(plan_in(folder, "[grid]\nlevels = [2, 2]\n"), false);
  CHECK_THAT(coarse, ContainsSubstring("roughly (no order is observed yet)"));
}

TEST_CASE("where the discretisation error is not known no format is recommended",
          "[experiments][advice]") {
  const TemporaryDirectory folder;
  const auto advised = [&](const std::string& text) {
    const std::string all = advice(plan_in(folder, text), false);
    CAPTURE(all);
    CHECK_THAT(all, !ContainsSubstring("is enough on level"));
    CHECK_THAT(all, !ContainsSubstring(" yes "));
    CHECK_THAT(all, !ContainsSubstring("bits needed"));
    CHECK_THAT(all, ContainsSubstring("not known"));
    return all.substr(std::min(all.find("no format is recommended"), all.size()));
  };
  CHECK_THAT(advised("[grid]\nlevels = [4, 5]\n[problem]\nsource = '0'\n"),
             ContainsSubstring("is not known: coarser levels have the same solution"));
  CHECK_THAT(advised("[grid]\nlevels = [4, 6]\n[problem]\nsource = '1/abs(x-0.5)'\n"),
             ContainsSubstring("is not resolved yet: from level to level"));
  CHECK_THAT(advised("[grid]\nlevels = [2, 2]\n"), ContainsSubstring("three comparisons"));
  CHECK_THAT(advised("[grid]\nlevels = [1, 1]\n"), ContainsSubstring("there is no coarser level"));
}

TEST_CASE("what is advised converges, and \"auto\" stays with it", "[experiments][advice]") {
  const TemporaryDirectory folder;
  // Corrections in single are of the size of rounding, and do not fall.
  const std::string text = "fraction = 1e-3\n[grid]\nlevels = [5, 6]\n";
  CHECK_THAT(advice(plan_in(folder, "[solver]\n" + text), false),
             ContainsSubstring("single is enough on level 6"));
  const Results results = run_plans({plan_in(folder, config(text))});
  for (const LevelResult& level : results.runs.front().levels) {
    CAPTURE(level.level, all_remarks(level));
    CHECK(level.outcome == "converged");
    CHECK(level.formats == "single");
    CHECK(all_remarks(level).empty());
  }
}

TEST_CASE("all levels that take other formats than foreseen are named",
          "[experiments][automatic]") {
  RunResult run{"run-1", {}, {}};
  for (const int number : {7, 8, 9}) {
    run.levels.emplace_back();
    run.levels.back().level = number;
    run.levels.back().outcome = "converged";
    if (number > 7) run.levels.back().data_remarks = {"it has taken double"};
  }
  CHECK(remarks_summary({{}, {run}}) == "levels 8 to 9: it has taken double\n");
}

TEST_CASE("advice is a command that leaves aside what is in its way", "[experiments][advice]") {
  const TemporaryDirectory folder;
  const Plan plan = plan_in(folder,
                            "[grid]\nlevels = [4, 4]\n[operator]\nform = \"plain\"\n"
                            "[refinement]\ninner_precision = \"single\"\ninner_digits = 2\n");
  CHECK_THAT(
      advice(plan, false, {"study"}),
      ContainsSubstring(" --without study --without operator.form --without refinement --set "));
  CHECK_THAT(advice(plan_in(folder, "[grid]\nlevels = [4, 4]\n"), false),
             !ContainsSubstring("--without"));
  // The file states it all the same where the command line has another value.
  const auto replaced = [&](const std::string& file) {
    const std::string given = "refinement.inner_precision=double";
    return advice(plan_run(parse_document("[grid]\nlevels = [4, 4]\n" + file, "a.toml",
                                          {{given, "--set " + given, true},
                                           {given, "--set " + given, true},
                                           {"backend.name=host", "--backend host", true}}))
                      .front(),
                  false);
  };
  CHECK_THAT(replaced("[refinement]\ninner_precision = \"single\"\n"),
             ContainsSubstring("a.toml --without refinement --set 'backend"));
  CHECK_THAT(replaced(""), !ContainsSubstring("--without"));
}

TEST_CASE("what a grid is refused in is named in the advice", "[experiments][advice]") {
  const TemporaryDirectory folder;
  const std::string text =
      advice(plan_in(folder, "[grid]\nlevels = [7, 7]\nanisotropy = 0.015625\n"), false);
  CHECK_THAT(text, ContainsSubstring("half is refused: "));
  CHECK_THAT(text, ContainsSubstring(" is enough on level 7"));
}

}  // namespace ninefold
