#include "experiments/program/matrix_results.hpp"

#include <filesystem>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/provenance.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;

/// The page; a `failure` has ended the runs before the last one.
void write_page(const fs::path& file, const std::vector<Plan>& plans, Article page,
                std::size_t finished, const std::string& failure) {
  const std::string count = fmt::format("{} of {} runs", finished, plans.size());
  if (!failure.empty()) {
    page.progress = Progress::failed;
    page.progress_text = fmt::format("Failed after {}: {}", count, failure);
  } else if (finished < plans.size()) {
    page.progress = Progress::running;
    page.progress_text =
        fmt::format("Not complete: {}. They go on; load the page again to see more.", count);
  }
  const std::string text = to_html(page);
  write_file_atomically(file, text);
  if (page.progress == Progress::running) {
    const ProgressPlace place = progress_place(text);
    set_interrupted_page(file.string(), place.at, place.length,
                         fmt::format("Interrupted: not complete, {}.", count));
  } else {
    set_interrupted_page("", 0, 0, "");
  }
}

}  // namespace

std::string matrix_history_csv(const Report& report) {
  std::string text = "iteration,residual_reduction\n";
  for (std::size_t k = 0; k < report.history.size(); ++k) {
    text += fmt::format("{},{}\n", k, exact_number(report.history[k]));
  }
  return text;
}

nlohmann::ordered_json json_of_run(const Plan& plan, const std::vector<Cell>& cells,
                                   const std::vector<Column>& columns, const Report& report) {
  nlohmann::ordered_json row;
  row["name"] = plan.name;
  for (const auto& [key, value] : plan.varied) row["varied"][key] = value;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, std::monostate>) {
            row[columns[k].key] = nullptr;
          } else {
            row[columns[k].key] = value;
          }
        },
        cells[k]);
  }
  row["history"] = report.history;
  if (!report.inner_history.empty()) {
    row["inner_history"] = report.inner_history;
  }
  for (const TimedPart& part : report.timeline) {
    row["timeline"][std::string(part.name)] = part.seconds;
  }
  return row;
}

void write_results_of(const std::vector<Plan>& plans, RunResults results, const std::string& json,
                      const std::string& failure) {
  const fs::path folder = plans.front().configuration.output.directory;
  write_file_atomically(folder / "results.csv", results.table.to_csv());
  std::set<BackendKind> used;
  for (const Plan& plan : plans) {
    used.insert(choose_backend(plan.configuration.backend, plan.configuration.solver.precision));
  }
  Meta meta = make_meta(used);
  meta.device = times_words(plans.front().configuration.solver.ranks.get()) + meta.device;
  nlohmann::ordered_json all;
  all["meta"] = {{"version", meta.version},
                 {"commit", meta.commit},
                 {"date", meta.date},
                 {"device", meta.device}};
  for (const auto& [key, value] : all_options(plans)) all["meta"]["options"][key] = value;
  all["runs"] = std::move(results.runs);
  const std::string text = all.dump(2) + "\n";
  write_file_atomically(folder / "results.json", text);
  if (!json.empty()) write_file_atomically(json, text);
  write_file_atomically(folder / "results.md", to_markdown(results.page));
  results.page.sections.push_back({"where",
                                   "Where it ran",
                                   {Facts{{{"device", meta.device},
                                           {"version", meta.version + " (" + meta.commit + ")"},
                                           {"date", meta.date}}}},
                                   true});
  write_page(folder / "report.html", plans, std::move(results.page), results.finished, failure);
}

void write_matrix_results(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                          const std::string& json, const std::string& failure) {
  const Table table = matrix_run_table(plans, runs);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    rows.push_back(
        json_of_run(*runs[k].plan, table.rows()[k], table.columns(), runs[k].solved.report));
  }
  write_results_of(plans, {table, rows, matrix_run_document(plans, runs), runs.size()}, json,
                   failure);
}

void tell_matrix_failure(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                         const std::string& json, const std::string& why) noexcept {
  if (runs.empty()) return;
  const Uninterrupted whole_files;
  set_interrupted_page("", 0, 0, "");
  try {
    write_matrix_results(plans, runs, json, why);
  } catch (const std::exception&) {  // the failure itself is told
  }
}

}  // namespace ninefold
