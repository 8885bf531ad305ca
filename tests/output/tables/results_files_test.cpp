#include "output/tables/results_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "output/tables/files.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Approx;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

/// Of a level, in JSON and CSV.
const std::string field_names =
    "level,unknowns,h_min,aspect_ratio,iterations,inner_iterations,inner_history,outcome,"
    "formats,formats_settings,residual_reduction,true_residual_reduction,attainable_reduction,"
    "error_bound,"
    "judged_by,bound_norm,error_l2,error_rms,error_max,estimated_l2,estimated_rms,observed_order,"
    "algebraic_"
    "l2,rounding_l2,left_l2,reduction_factor,integral,l2_norm,energy,energy_error,estimated_energy_"
    "error,"
    "setup_seconds,solve_seconds,"
    "finish_seconds,moved_bytes,bytes_per_second,plain_share,outer_bytes,memory_bytes,transferred_"
    "bytes,smoother,"
    "remark";

/// A level whose doubles need all their digits.
LevelResult level_of(int level) {
  LevelResult result;
  result.level = level;
  result.unknowns = (std::int64_t{1} << 2 * level) - (std::int64_t{1} << level);
  result.h_min = 1.0 / 3.0;
  result.aspect_ratio = 1.0;
  result.iterations = 42 + level;
  result.outcome = "converged";
  result.residual_reduction = 0.1 + 0.2;
  result.true_residual_reduction = 9.87654321987654321e-11;
  result.attainable_reduction = 1e-13 / 3;
  result.error_bound = 1e-9 / 7;
  result.judged_by = "change";
  result.bound_norm = "l2, absolute";
  result.error_l2 = std::ldexp(0.7, -2 * level);
  result.error_rms = std::nextafter(1.0, 2.0);
  result.error_max = std::numeric_limits<double>::denorm_min();
  result.estimated_l2 = 1.0 / 9.0;
  result.estimated_rms = 1.0 / 11.0;
  result.observed_order = 2.0 - 1e-15;
  result.algebraic_l2 = 1e-12 / 3;
  result.rounding_l2 = 1e-15 / 7;
  result.left_l2 = 1e-12 / 11;
  result.reduction_factor = 3.9999999999999996;
  result.integral = -1.0 / 36;
  result.l2_norm = 1.0 / 30;
  result.energy = 1.0 / 45;
  result.energy_error = 1.0 / 47;
  result.estimated_energy_error = 1.0 / 49;
  result.setup_seconds = 0.123;
  result.solve_seconds = 1.0 / 7.0;
  result.finish_seconds = 2.0 / 3.0;
  result.timeline = {{"iteration", 0.25}, {"rest", 1.0 / 3.0}};
  result.moved_bytes = (std::int64_t{1} << 53) + 1;
  result.plain_bytes_per_second = std::ldexp(7.0, 54);
  result.memory_bytes = std::size_t{3} << 40;
  result.history = {1.0, 0.1 + 0.2, 1e-11 / 3.0};
  return result;
}

Results two_runs() {
  Results results;
  results.meta.program = "ninefold";
  results.meta.version = "0.1.0";
  results.meta.commit = "0123abc";
  results.meta.device = "a device, \"quoted\"";
  results.meta.options = {{"grid.levels", "[5, 6]"}, {"solver.tolerance", "1e-10"}};
  results.runs.push_back({"run-1", {{"solver.precision", "single"}}, {level_of(5), level_of(6)}});
  results.runs.push_back({"run-2", {{"solver.precision", "double"}}, {level_of(5)}});
  results.runs[0].levels[1].outcome = "stagnated";
  results.runs[0].levels[1].smoother = "jacobi";
  results.runs[0].levels[1].remark = "The limit of single is 1e-6, use | the difference form.";
  return results;
}

/// The value of the JSON number, exactly.
double number(const Json& json) {
  REQUIRE(json.is_number());
  return json.get<double>();
}

}  // namespace

TEST_CASE("of a level that was refused only its grid and the reason are known",
          "[output][results]") {
  Results results = two_runs();
  LevelResult& level = results.runs[1].levels[0];
  level = level_of(5);
  level.outcome = refused;
  level.remark = "too narrow";
  level.inner_iterations = 0;  // as of refinement
  const Json json = to_json(results)["runs"][1]["levels"][0];
  for (const auto& [key, value] : json.items()) {
    CAPTURE(key);
    const Names known{"level", "unknowns", "h_min", "aspect_ratio", "outcome", "remark"};
    CHECK(value.is_null() == (std::count(known.begin(), known.end(), key) == 0));
  }
  const std::string csv = level_table(results).to_csv();
  CHECK(csv.find(",refused,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,too narrow\n") != std::string::npos);
}

TEST_CASE("JSON holds the fields of a level by their names and exactly", "[output][results]") {
  const Results results = two_runs();
  const Json json = Json::parse(to_json(results).dump());
  REQUIRE(json["meta"]["version"] == "0.1.0");
  REQUIRE(json["meta"]["commit"] == "0123abc");
  REQUIRE(json["meta"].contains("compiler"));
  REQUIRE(json["meta"]["device"] == "a device, \"quoted\"");
  REQUIRE(json["meta"]["options"]["solver.tolerance"] == "1e-10");
  REQUIRE(json["runs"].size() == 2);
  REQUIRE(json["runs"][0]["name"] == "run-1");
  REQUIRE(json["runs"][0]["varied"] == Json({{"solver.precision", "single"}}));
  REQUIRE(json["runs"][0]["levels"].size() == 2);

  const Json& row = json["runs"][0]["levels"][1];
  std::string names;
  for (const auto& item : row.items()) names += (names.empty() ? "" : ",") + item.key();
  REQUIRE(names == field_names + ",timeline");
  const LevelResult& level = results.runs[0].levels[1];
  CHECK(row["level"] == 6);
  CHECK(row["unknowns"] == level.unknowns);
  CHECK(number(row["h_min"]) == level.h_min);
  CHECK(number(row["aspect_ratio"]) == level.aspect_ratio);
  CHECK(row["iterations"] == level.iterations);
  CHECK(row["inner_iterations"].is_null());
  CHECK(row["inner_history"].is_null());
  CHECK(row["outcome"] == "stagnated");
  CHECK(number(row["residual_reduction"]) == level.residual_reduction);
  CHECK(number(row["true_residual_reduction"]) == level.true_residual_reduction);
  CHECK(number(row["attainable_reduction"]) == level.attainable_reduction);
  CHECK(number(row["estimated_l2"]) == *level.estimated_l2);
  CHECK(number(row["estimated_rms"]) == *level.estimated_rms);
  CHECK(number(row["observed_order"]) == *level.observed_order);
  CHECK(number(row["algebraic_l2"]) == *level.algebraic_l2);
  CHECK(number(row["rounding_l2"]) == *level.rounding_l2);
  CHECK(number(row["left_l2"]) == *level.left_l2);
  CHECK(number(row["error_bound"]) == *level.error_bound);
  CHECK(row["judged_by"] == "change");
  CHECK(row["bound_norm"] == "l2, absolute");
  CHECK(number(row["error_l2"]) == *level.error_l2);
  CHECK(number(row["error_rms"]) == *level.error_rms);
  CHECK(number(row["error_max"]) == *level.error_max);
  CHECK(number(row["reduction_factor"]) == *level.reduction_factor);
  CHECK(number(row["integral"]) == *level.integral);
  CHECK(number(row["l2_norm"]) == *level.l2_norm);
  CHECK(number(row["energy"]) == *level.energy);
  CHECK(number(row["energy_error"]) == *level.energy_error);
  CHECK(number(row["estimated_energy_error"]) == *level.estimated_energy_error);
  CHECK(number(row["setup_seconds"]) == level.setup_seconds);
  CHECK(number(row["solve_seconds"]) == level.solve_seconds);
  CHECK(number(row["finish_seconds"]) == level.finish_seconds);
  CHECK(row["timeline"]
        == Json::array({{{"part", "iteration"}, {"seconds", 0.25}},
                        {{"part", "rest"}, {"seconds", 1.0 / 3.0}}}));
  CHECK(row["moved_bytes"] == level.moved_bytes);
  CHECK(number(row["bytes_per_second"]) == std::ldexp(1.0, 53) / level.solve_seconds);
  CHECK(number(row["plain_share"]) == Approx(0.5));
  CHECK(row["outer_bytes"].is_null());
  CHECK(row["memory_bytes"] == level.memory_bytes);
  CHECK(row["transferred_bytes"].is_null());
  CHECK(row["smoother"] == "jacobi");
  CHECK(json["runs"][0]["levels"][0]["smoother"].is_null());
  CHECK(row["remark"] == level.remark);
}

TEST_CASE("what is absent or not finite is null in JSON and the outcome stays",
          "[output][results]") {
  Results results;
  results.runs.push_back({"run-1", {}, {LevelResult{}}});
  LevelResult& level = results.runs[0].levels[0];
  level.outcome = "not finite";
  level.residual_reduction = std::nan("");
  level.true_residual_reduction = std::numeric_limits<double>::infinity();
  level.error_max = -std::numeric_limits<double>::infinity();
  const Json json = Json::parse(to_json(results).dump());
  const Json& row = json["runs"][0]["levels"][0];
  for (const char* key : {"residual_reduction", "true_residual_reduction", "error_l2", "error_rms",
                          "error_max", "reduction_factor", "bytes_per_second", "plain_share"}) {
    CAPTURE(key);
    REQUIRE(row.contains(key));
    REQUIRE(row[key].is_null());
  }
  REQUIRE(row["outcome"] == "not finite");
  REQUIRE(json["runs"][0]["varied"].is_object());
}

TEST_CASE("the table of a run shows what its levels have", "[output][results]") {
  RunResult run{"run-1", {}, {level_of(5)}};
  const auto is_shown = [&](const std::string& key) {
    const Table table = level_table(run);
    for (const Column& column : table.columns()) {
      if (column.key == key) return !column.data_only;
    }
    FAIL("no column " + key);
    return false;
  };
  CHECK(is_shown("error_l2"));
  CHECK(is_shown("reduction_factor"));
  CHECK_FALSE(is_shown("aspect_ratio"));
  CHECK_FALSE(is_shown("h_min"));
  CHECK_FALSE(is_shown("smoother"));
  CHECK_FALSE(is_shown("remark"));
  run.levels[0].aspect_ratio = 2.0;
  run.levels[0].error_l2.reset();
  CHECK(is_shown("aspect_ratio"));
  CHECK_FALSE(is_shown("error_l2"));
  CHECK(is_shown("error_rms"));
}

TEST_CASE("a refined level tells of its inner solver", "[output][results]") {
  Results results = two_runs();
  LevelResult& refined = results.runs[1].levels[0];
  refined.iterations = 4;
  refined.inner_iterations = 7;
  refined.inner_history = {2, 2, 2, 1};
  refined.transferred_bytes = std::size_t{5} << 40;
  const Json row = Json::parse(to_json(results).dump())["runs"][1]["levels"][0];
  CHECK(row["iterations"] == 4);
  CHECK(row["inner_iterations"] == 7);
  CHECK(row["inner_history"] == Json({2, 2, 2, 1}));
  CHECK(row["transferred_bytes"] == std::size_t{5} << 40);

  const std::string csv = level_table(results).to_csv();
  CHECK(csv.find(",4,7,2 2 2 1,converged,") != std::string::npos);
  CHECK(csv.find(",5497558138880,,\n") != std::string::npos);
  CHECK(csv.find(",47,,,converged,") != std::string::npos);  // of the run that is not refined
  // People see the sum, and only if there is one.
  const std::string text = level_table(results).to_text();
  CHECK(text.find("inner") != std::string::npos);
  CHECK(text.find("2 2 2 1") == std::string::npos);
  CHECK(text.find("transferred") == std::string::npos);
  CHECK(level_table(two_runs()).to_text().find("inner") == std::string::npos);

  // An outer solver that never took a step was refined all the same.
  refined.inner_iterations = 0;
  refined.inner_history.clear();
  CHECK(to_json(results)["runs"][1]["levels"][0]["inner_history"] == Json::array());
}

TEST_CASE("the table of a study names what was varied", "[output][results]") {
  const std::string text = level_table(two_runs()).to_text();
  CHECK(text.find("solver.precision") != std::string::npos);
  CHECK(text.find("run-2") != std::string::npos);
  const std::string csv = level_table(two_runs()).to_csv();
  CHECK(csv.starts_with("run,solver.precision," + field_names + "\nrun-1,single,5,"));
  // One run alone needs no name on the screen, but keeps it in CSV.
  Results one = two_runs();
  one.runs.pop_back();
  CHECK(level_table(one).to_text().find("run-1") == std::string::npos);
  CHECK(level_table(one).to_csv().find("run-1,single,6,") != std::string::npos);
}

TEST_CASE("a run that lacks a varied key has an empty cell", "[output][results]") {
  Results results = two_runs();
  results.runs[1].varied = {{"grid.anisotropy", "0.5"}};
  const std::string csv = level_table(results).to_csv();
  CHECK(csv.starts_with("run,solver.precision,grid.anisotropy,level,"));
  CHECK(csv.find("\nrun-1,single,,5,") != std::string::npos);
  CHECK(csv.find("\nrun-2,,0.5,5,") != std::string::npos);
}

TEST_CASE("remarks are told with their level, those on the data in every row",
          "[output][results]") {
  const TemporaryDirectory directory;
  Results results = two_runs();
  for (LevelResult& level : results.runs[0].levels) level.data_remarks = {"wrong source"};
  ResultsWriter(directory.path()).update(results);
  CHECK(
      content_of(directory.path() / "results.md")
          .find("\n## Remarks\n\n- run-1, levels 5 to 6: wrong source\n- run-1, level 6: The limit "
                "of single is 1e-6, use | the difference form.\n")
      != std::string::npos);
  const Json json = Json::parse(content_of(directory.path() / "results.json"));
  CHECK(json["runs"][0]["levels"][0]["remark"] == "wrong source");
  CHECK(json["runs"][0]["levels"][1]["remark"]
        == "The limit of single is 1e-6, use | the difference form.; wrong source");
  CHECK(json["runs"][1]["levels"][0]["remark"] == "");
}

TEST_CASE("the writer keeps all files in step with the results", "[output][results]") {
  const TemporaryDirectory directory;
  const fs::path own = directory.path() / "results" / "study", extra = directory.path() / "a.json";
  ResultsWriter writer(own, extra);
  Results results = two_runs();
  RunResult second = results.runs.back();
  results.runs.pop_back();
  writer.update(results);
  REQUIRE(Json::parse(content_of(own / "results.json"))["runs"].size() == 1);
  REQUIRE_FALSE(fs::exists(own / "history-run-2-level05.csv"));

  results.runs.push_back(second);
  writer.update(results);
  Names names;
  for (const auto& entry : fs::directory_iterator(own)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  REQUIRE(names
          == Names{"history-run-1-level05.csv", "history-run-1-level06.csv",
                   "history-run-2-level05.csv", "report.html", "results.csv", "results.json",
                   "results.md", "results.tex"});
  REQUIRE(Json::parse(content_of(own / "results.json")) == Json::parse(to_json(results).dump()));
  REQUIRE(content_of(extra) == content_of(own / "results.json"));
  REQUIRE(content_of(own / "results.csv") == level_table(results).to_csv());
  REQUIRE(content_of(own / "history-run-2-level05.csv")
          == "iteration,reduction\n0,1\n1,0.30000000000000004\n2,3.333333333333333e-12\n");
  const std::string markdown = content_of(own / "results.md");
  CHECK(markdown.find(level_table(results).to_markdown()) != std::string::npos);
  CHECK(markdown.find("run-1, level 6: The limit of single") != std::string::npos);
  CHECK(markdown.find("solver.tolerance") != std::string::npos);
  const std::string latex = content_of(own / "results.tex");
  CHECK(latex.find("% commit: 0123abc\n") != std::string::npos);
  CHECK(latex.ends_with(level_table(results).to_latex()));
}

TEST_CASE("an update that fails loses no finished row", "[output][results]") {
  const TemporaryDirectory directory;
  ResultsWriter writer(directory.path());
  Results results = two_runs();
  writer.update(results);
  const Names names = directory.entries();
  const std::string json = content_of(directory.path() / "results.json");
  const std::string csv = content_of(directory.path() / "results.csv");
  results.runs[1].levels.push_back(level_of(6));
  bool failed = false;
  try {
    const FileSizeLimit limit(64);
    writer.update(results);
  } catch (const std::runtime_error&) {
    failed = true;
  }
  REQUIRE(failed);
  REQUIRE(content_of(directory.path() / "results.json") == json);
  REQUIRE(content_of(directory.path() / "results.csv") == csv);
  REQUIRE(directory.entries() == names);
  // What failed is made up for.
  writer.update(results);
  REQUIRE(fs::exists(directory.path() / "history-run-2-level06.csv"));
}

TEST_CASE("names of runs become names of files without clashes", "[output][results]") {
  const TemporaryDirectory directory;
  ResultsWriter writer(directory.path());
  Results results;
  for (const char* name : {"A, CG/plain", "A; CG plain", "../b"}) {
    results.runs.push_back({name, {}, {level_of(10)}});
  }
  writer.update(results);
  for (const char* name : {"history-A--CG-plain-level10.csv", "history-A--CG-plain-2-level10.csv",
                           "history-..-b-level10.csv"}) {
    CAPTURE(name);
    REQUIRE(fs::is_regular_file(directory.path() / name));
  }
}

TEST_CASE("text that is no UTF-8 does not cost the results", "[output][results]") {
  const TemporaryDirectory directory;
  ResultsWriter writer(directory.path());
  Results results = two_runs();
  results.meta.device = "\xff\xfe";
  REQUIRE_NOTHROW(writer.update(results));
  REQUIRE(Json::parse(content_of(directory.path() / "results.json"))["runs"].size() == 2);
}

TEST_CASE("a writer whose directory is unusable is refused at once", "[output][results]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "file";
  write_file_atomically(file, "");
  REQUIRE_THROWS_AS(ResultsWriter(file), std::runtime_error);
  REQUIRE_THROWS_AS(ResultsWriter(directory.path() / "a", file / "b.json"), std::runtime_error);
  REQUIRE_THROWS_AS(ResultsWriter(directory.path() / "a", directory.path()), std::runtime_error);
}
