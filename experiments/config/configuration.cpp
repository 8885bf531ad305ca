#include "experiments/config/configuration.hpp"

#include <fmt/format.h>

#include "precision/bad_value.hpp"
#include "precision/letters.hpp"
#include "precision/shortened.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/grid_settings.hpp"
#include "experiments/config/keys.hpp"
#include "experiments/config/least_squares_keys.hpp"
#include "experiments/config/matrix_keys.hpp"
#include "experiments/config/mesh_keys.hpp"
#include "experiments/config/reading.hpp"
#include "experiments/config/sample_keys.hpp"

namespace ninefold {
namespace {

/// The setting at fault, or nullptr: of the parameters that the error speaks of the first that is
/// stated, by its key or by one of its table.
const Setting* setting_of(const BadValue& error, const std::vector<Setting>& settings) {
  for (const Parameter parameter : error.parameters()) {
    const std::string key(name(parameter));
    for (const Setting& setting : settings) {
      if (setting.key == key || setting.key.starts_with(key + ".")) return &setting;
    }
  }
  return nullptr;
}

/// The excerpt with a mark below the character at this byte of a text in it; of a text that the
/// file writes otherwise, with escapes, say, or that the command line states, also the text.  A
/// text of several lines has none.
std::string marked(const std::string& excerpt, const std::string& text, std::size_t position) {
  constexpr std::size_t longest = 100;  // what is longer is not shown whole
  if (text.empty() || count_characters(text) > longest || text.find('\n') != std::string::npos) {
    return excerpt;
  }
  std::string line = "    " + text, shown = excerpt.empty() ? line : excerpt + "\n" + line;
  std::size_t at = line.size() - text.size();
  for (const char quote : {'"', '\''}) {
    const std::size_t found = excerpt.find(quote + text + quote);
    if (found == std::string::npos) continue;
    line = shown = excerpt;
    at = found + 1;
    break;
  }
  std::string mark;
  for (const char c : line.substr(0, at + position)) {
    if (!continues_character(c)) mark += c == '\t' ? '\t' : ' ';
  }
  return shown + "\n" + mark + "^";
}

}  // namespace

void refuse_value(const BadValue& error, const std::vector<Setting>& settings,
                  const std::filesystem::path& file) {
  const Setting* setting = setting_of(error, settings);
  if (setting == nullptr && file.empty()) throw ConfigurationError(error.what());
  std::string advice;
  if (setting != nullptr && setting->key == name(Parameter::solution)) {
    if (const auto* text = std::get_if<std::string>(&setting->value.content)) {
      advice = suggestion(*text, problem_names());
    }
  }
  Origin origin = setting != nullptr ? setting->origin : Origin{file.string(), ""};
  if (const auto position = error.position()) {
    origin.excerpt = marked(origin.excerpt, error.value(), *position);
  }
  refuse_at(origin, error.what(), {advice});
}

namespace {

/// What a tolerance may be depends on another key.
void require_part_of_one(const std::vector<Setting>& settings, const SolverOptions& solver) {
  if (!solver.relative || solver.tolerance < 1) return;
  for (const Setting& setting : settings) {
    if (setting.key == name(Parameter::tolerance)) refuse(setting, "is out of range");
  }
}

/// Formats are chosen by the discretisation error, which a matrix has not.
void require_stated_precision(const std::vector<Setting>& settings, const Configuration& c) {
  if (!c.automatic_precision) return;
  const Setting& setting = *find_setting(settings, name(Parameter::precision));
  refuse_at(setting.origin,
            fmt::format("{} = {} is for grids, whose discretisation error tells what is enough",
                        setting.key, to_toml(setting.value)),
            {"allowed here: " + precision_names(),
             fmt::format("a study of {} shows which is enough", setting.key)});
}

/// Runs a check of the library; an error of a value gets the place of the setting at fault.
template <class Check>
void locate(const std::vector<Setting>& settings, const std::filesystem::path& file,
            const Check& check) {
  try {
    check();
  } catch (const BadValue& error) {
    refuse_value(error, settings, file);
  }
}

/// A source without a solution means that the solution is unknown, not that it is the default one.
void forget_solution_if_unknown(const std::vector<Setting>& settings, ProblemOptions& problem) {
  if (find_setting(settings, "problem.solution") == nullptr && !problem.source.empty()) {
    problem.solution.clear();
  }
}

/// Data for a solution that the file does not name: the default one brings its own.
void require_stated_problem(const std::vector<Setting>& settings, const ProblemOptions& problem) {
  if (find_setting(settings, "problem.solution") != nullptr || !problem.source.empty()) return;
  for (const Setting& setting : settings) {
    const bool is_data =
        setting.key == "problem.dirichlet" || setting.key.starts_with("problem.flux.");
    const auto* text = std::get_if<std::string>(&setting.value.content);
    if (!is_data || text == nullptr || text->empty()) continue;
    refuse_at(setting.origin,
              fmt::format("{} = {} is given, but neither problem.source nor problem.solution",
                          setting.key, shortened(to_toml(setting.value))),
              {"state the right-hand side, problem.source = \"0\" for none; with neither the "
               "problem is the built-in \"polynomial\", which brings its own boundary values"});
  }
}

/// A folder name for the results of a config file: its name without the ending.
std::string default_directory(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  return "results/" + (stem.empty() ? "run" : stem);
}

/// How to refine without what to refine with: the user believes in a refinement that is not there.
/// An inner_precision of "none" says so, and lets a study compare.
void check_inner_precision(const std::vector<Setting>& settings) {
  if (find_setting(settings, "refinement.inner_precision") != nullptr) return;
  if (find_setting(settings, "refinement.cascade") != nullptr) return;
  for (const Setting& setting : settings) {
    if (table_of(setting.key) != "refinement") continue;
    refuse_at(setting.origin,
              fmt::format("{} = {} has no effect: refinement.inner_precision is missing",
                          setting.key, shortened(to_toml(setting.value))),
              {"for example refinement.inner_precision = \"single\", or refinement.cascade = "
               "[\"double\", \"single\"]"});
  }
}

/// "[output]" without a key in it.
bool is_empty_table(const Setting& setting) {
  const auto* const other = std::get_if<OtherKind>(&setting.value.content);
  return other != nullptr && other->name == empty_table && is_table(setting.key);
}

}  // namespace

Configuration make_configuration(const std::vector<Setting>& settings,
                                 const std::filesystem::path& file,
                                 const std::vector<std::string>& varied) {
  Configuration c;
  c.output.directory = default_directory(file);
  for (const Setting& setting : settings) {
    const Key* const key = find_key(setting.key);
    if (key == nullptr && !is_empty_table(setting)) refuse_unknown(setting);
  }
  for (const Setting& setting : settings) {
    if (const Key* const key = find_key(setting.key)) key->read(setting, c);
  }
  if (states_least_squares(settings)) {
    take_least_squares(settings, c);
  } else {
    take_mesh(settings, c);
    take_matrix(settings, c);
  }
  require_part_of_one(settings, c.solver);
  if (c.has_matrix()) {
    require_stated_precision(settings, c);
    check_inner_precision(settings);
    if (c.least_squares.is_used()) {
      locate(settings, file, [&] { validate(least_squares_options(c), BackendKind::host); });
      return c;
    }
    locate(settings, file, [&] { validate(sparse_options(c), BackendKind::host); });
    return c;
  }
  require_stated_problem(settings, c.problem);
  forget_solution_if_unknown(settings, c.problem);
  take_widths(settings, file, c);
  check_samples(settings, c);
  check_grading(settings, c, varied);
  check_inner_precision(settings);
  locate(settings, file, [&] { validate(c.solver); });
  locate(settings, file, [&] { make_problem(c.problem, c.width, c.height); });
  check_grids(settings, file, c);
  return c;
}

Configuration make_configuration(const Document& document) {
  if (document.study_origin) {
    refuse_at(*document.study_origin, "the file describes a study, not a single run",
              {fmt::format("run it with: ninefold study {}", document.file.string())});
  }
  return make_configuration(document.settings, document.file);
}

SparseOptions sparse_options(const Configuration& configuration) {
  const MatrixSettings& matrix = configuration.matrix;
  return {configuration.solver, matrix.storage,    matrix.order,
          matrix.stop,          matrix.components, matrix.block_size};
}

LeastSquaresOptions least_squares_options(const Configuration& configuration) {
  const LeastSquaresSettings& stated = configuration.least_squares;
  return {configuration.solver,  configuration.matrix.storage,
          stated.regularisation, stated.lower,
          stated.upper,          stated.penalty};
}

Options all_options(const Configuration& configuration) {
  const auto concerns = configuration.least_squares.is_used() ? concerns_least_squares
                        : configuration.mesh.is_used()        ? concerns_meshes
                        : configuration.matrix.is_used()      ? concerns_matrices
                                                              : concerns_grids;
  Options options;
  for (const Key& key : configuration_keys()) {
    if (!concerns(key.name)) continue;
    options.emplace_back(key.name, key.show(configuration));
  }
  return options;
}

std::string to_toml(const Options& options) {
  std::string text, table;
  for (const auto& [key, value] : options) {
    // Tables within tables are written as dotted keys of the outer one: boundary.left = ...
    const std::size_t dot = key.find('.');
    if (key.substr(0, dot) != table) {
      text += fmt::format("{}[{}]\n", table.empty() ? "" : "\n", key.substr(0, dot));
      table = key.substr(0, dot);
    }
    text += fmt::format("{} = {}\n", key.substr(dot + 1), value);
  }
  return text;
}

}  // namespace ninefold
