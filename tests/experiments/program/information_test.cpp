#include "experiments/program/information.hpp"

#include <memory>
#include <sstream>

#include "gpu/backend/ranks.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("bytes are readable", "[experiments][information]") {
  REQUIRE(readable_bytes(0) == "0 B");
  REQUIRE(readable_bytes(999) == "999 B");
  REQUIRE(readable_bytes(1000) == "0.98 KiB");
  REQUIRE(readable_bytes(std::size_t{3} << 29) == "1.50 GiB");
  REQUIRE(readable_bytes(std::size_t{141} << 30) == "141 GiB");
}

TEST_CASE("the information names devices, formats, problems and the build",
          "[experiments][information]") {
  const std::string text = program_information();
  for (const char* part : {"ninefold 0", "commit", "compiler", "CUDA", "VTK", "host", "single",
                           "double", "2^-24", "2^-53", "1.18e-38", "1.80e+308", "sMeE"}) {
    REQUIRE_THAT(text, ContainsSubstring(part));
  }
  for (const Precision precision : named_precisions()) {
    REQUIRE_THAT(text, ContainsSubstring("\n  " + to_string(precision) + " "));
  }
  CHECK((text.find("host and CUDA") != std::string::npos) == built_with_cuda());
  for (const std::string& name : problem_names()) {
    REQUIRE_THAT(text, ContainsSubstring(name) && ContainsSubstring(problem_description(name)));
  }
}

TEST_CASE("the summary leaves out what differs between the runs", "[experiments][information]") {
  const auto plans = plan_study(
      parse_document("[study]\n\"solver.precision\" = ['single', 'double']\n", "a.toml"));
  const std::vector<PreparedRun> runs{prepare_run(plans[0]), prepare_run(plans[1])};
  const std::string text = run_summary(plans, runs);
  REQUIRE_THAT(text, ContainsSubstring("polynomial on 1 x 1") && ContainsSubstring("results/a")
                         && !ContainsSubstring("precision"));
  REQUIRE_THAT(run_summary({plans[0]}, {runs[0]}),
               ContainsSubstring("single precision, auto form"));
}

/// What ninefold check says of runs.
static std::string report_of(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  return check_report(plans, runs, memory_of_levels(plans, runs));
}

TEST_CASE("the report of a check holds all options and the memory", "[experiments][information]") {
  const auto plans = plan_run(parse_document("[grid]\nlevels = [2, 4]\n", "a.toml"));
  const std::string text = report_of(plans, {prepare_run(plans[0])});
  for (const auto& [key, value] : all_options(plans)) {
    const std::string line = "\n" + key.substr(key.find('.') + 1) + " = " + value;
    REQUIRE_THAT(text, ContainsSubstring(line + "\n") || ContainsSubstring(line + "  # here "));
  }
  REQUIRE_THAT(text, ContainsSubstring("on the backend") && ContainsSubstring("289"));
}

TEST_CASE("the report of a check says what stands for auto", "[experiments][information]") {
  const auto plans = plan_study(
      parse_document("[grid]\nlevels = 3\n[refinement]\ninner_precision = 'single'\n"
                     "[multigrid]\ndamping = 0.9\n[study]\n\"grid.anisotropy\" = [1.0, 0.3]\n",
                     "a.toml"));
  const std::string text = report_of(plans, {prepare_run(plans[0]), prepare_run(plans[1])});
  for (const char* line :
       {"smoother = \"auto\"  # here \"jacobi\" and \"adi-trigs\"",
        "form = \"auto\"  # here \"difference\"", "storage = \"auto\"  # here \"factored\"",
        "inner_storage = \"auto\"  # here \"factored\"", "damping = 0.9",
        "line_direction = \"auto\"", "name = \"auto\"  # here \""}) {
    REQUIRE_THAT(text, ContainsSubstring(std::string("\n") + line));
  }
  REQUIRE_THAT(text, !ContainsSubstring("here \"auto\""));
}

TEST_CASE("the report of a check by several ranks has the memory of each",
          "[experiments][information]") {
  const auto plans =
      plan_run(parse_document("[grid]\nlevels = 8\n[backend]\nname = 'host'\n", "a.toml"));
  const std::vector<PreparedRun> alone{prepare_run(plans[0])};
  const MemoryForecast whole = memory_of_levels(plans, alone)[0][0];
  run_on_ranks(Slabs(3, 32), [&](const std::shared_ptr<const Ranks>& ranks) {
    std::vector<Plan> own = plans;
    own[0].configuration.solver.ranks = ranks;
    const std::vector<PreparedRun> runs{prepare_run(own[0])};
    const auto memory = memory_of_levels(own, runs);
    const MemoryForecast each = memory[0][0];
    if (ranks->rank() > 0) return;
    // A third of what is divided, and coarse levels and sums of the whole.
    CHECK(3 * each.backend > whole.backend);
    CHECK(10 * each.backend < 7 * whole.backend);
    // Three times what a host holds beside its backends, these, and one process.
    CHECK(each.host > 2 * whole.backend);
    CHECK(each.host < 3 * (whole.host + each.backend));
    CHECK_THAT(check_report(own, runs, memory), ContainsSubstring("on each of 3 backends"));
  });
}

TEST_CASE("the memory on the host counts the process itself", "[experiments][information]") {
  const std::size_t process = process_bytes();
  REQUIRE(process > std::size_t{1} << 20);
  REQUIRE(process < std::size_t{1} << 33);
  const auto plans =
      plan_run(parse_document("[grid]\nlevels = 2\n[backend]\nname = 'host'\n", "a.toml"));
  PreparedRun run = prepare_run(plans[0]);
  const auto host_column = [&] {
    const std::string text = report_of(plans, {run});
    std::istringstream row(text.substr(text.rfind("\n", text.size() - 2)));
    std::string level, nodes, backend, on_backend, unit, unit_on_host;
    double on_host = 0;
    row >> level >> nodes >> backend >> on_backend >> unit >> on_host >> unit_on_host;
    REQUIRE(unit_on_host == "MiB");
    return on_host;
  };
  // Another few MiB may come and go between the measurements.
  REQUIRE(host_column() == Approx(static_cast<double>(process) / (1 << 20)).margin(8));
  run.levels[0].memory.host += std::size_t{200} << 20;
  REQUIRE(host_column() == Approx(200 + static_cast<double>(process) / (1 << 20)).margin(8));
}

TEST_CASE("the summary tells how the grid is graded and how multigrid smooths",
          "[experiments][information]") {
  const auto [text, words] = GENERATE(table<std::string, std::string>({
      {"", "multigrid, smoother auto;"},
      {"[multigrid]\npre_smoothing = 0\n", "multigrid, 0 + 2 steps, smoother auto;"},
      {"[multigrid]\ncycle = 'W'\npost_smoothing = 1\n",
       "multigrid W-cycle, 2 + 1 steps, smoother auto;"},
      {"[multigrid]\ndamping = 0.7\nsmoother = 'jacobi'\n", "smoother jacobi, damping 0.7;"},
      {"[multigrid]\nline_order = 'sequential'\nsmoother = 'adi-trigs'\n",
       "smoother adi-trigs, sequential;"},
      {"[multigrid]\nline_direction = 'y'\nsmoother = 'tridi'\n", "smoother tridi along y;"},
      {"[grid]\nanisotropy = 0.5\n", "; grid refined to right, bottom by 0.5\n"},
      {"[grid]\ngrading = 'geometric'\nexpansion_ratio = 20\nrefined_sides = ['top']\n",
       "; grid geometric to top, expansion ratio 20\n"},
      {"[grid]\ngrading = 'shishkin'\nlayer_width = 0.125\n",
       "; grid with layers at right, bottom, 0.125 wide\n"},
      {"[grid]\ngrading = 'shishkin'\nlayer_width = 0.5\n", "polynomial on 1 x 1\n"},
      {"[grid]\ngrading = 'shishkin'\nlayer_width = 0.25\nrefined_sides = ['left', 'right']\n",
       "polynomial on 1 x 1\n"},
      {"[grid]\ngrading = 'shishkin'\nlayer_width = 0.25\n"
       "refined_sides = ['left', 'top', 'right']\n",
       "; grid with layers at top, 0.25 wide\n"},
      {"[grid]\ngrading = 'geometric'\nexpansion_ratio = 1\n", "polynomial on 1 x 1\n"},
  }));
  const auto plans = plan_run(parse_document(text, "a.toml"));
  REQUIRE_THAT(run_summary(plans, {prepare_run(plans[0])}), ContainsSubstring(words));
}

TEST_CASE("the summary names files of cell widths, and only the sides that are graded",
          "[experiments][information]") {
  auto plans = plan_run(parse_document("[grid]\nanisotropy = 0.5\n", "a.toml"));
  Configuration& c = plans[0].configuration;
  c.x_widths = "x.txt";
  c.grading.x_widths = {0.25, 0.75};
  REQUIRE_THAT(run_summary(plans, {prepare_run(plans[0])}),
               ContainsSubstring("; grid refined to bottom by 0.5, with x widths from x.txt\n"));
  // Sums of decimals, as files hold them.
  c.width = 2.000000000000005;
  c.grading.x_widths = {1, 1.000000000000005};
  REQUIRE_THAT(run_summary(plans, {prepare_run(plans[0])}), ContainsSubstring(" on 2 x 1; "));
}
