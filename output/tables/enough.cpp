#include "output/tables/enough.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "precision/parameter.hpp"

namespace ninefold {
namespace {

struct Row {
  const RunResult* run;
  const LevelResult* level;
};

bool is_known(const std::optional<double>& number) {
  return number && std::isfinite(*number);
}

bool has_converged(const LevelResult& level) {
  return level.outcome == "converged";
}

/// Runs that differ in one of these solve other equations.
std::string problem_of(const RunResult& run) {
  std::string text;
  for (const auto& [key, value] : run.varied) {
    const bool is_problem = key.starts_with("problem.") || key.starts_with("matrix.")
                            || key.starts_with("domain.")
                            || (key.starts_with("grid.") && key != name(Parameter::levels));
    if (is_problem) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

/// True if `a` is of the more precise run: by what is left, or by its residual and the one that its
/// format allows.
bool is_more_precise(const LevelResult& a, const LevelResult& b) {
  if (a.left_l2 && b.left_l2) return *a.left_l2 < *b.left_l2;
  const auto residual = [](const LevelResult& level) {
    return std::max(level.true_residual_reduction, level.attainable_reduction);
  };
  if (residual(a) != residual(b)) return residual(a) < residual(b);
  // Of those that have not converged rounding may have made an error smaller, by chance.
  if (has_converged(a) != has_converged(b)) return has_converged(a);
  return is_known(a.error_l2) && is_known(b.error_l2) && *a.error_l2 < *b.error_l2;
}

/// As the most precise of the rows tell it.
std::optional<double> discretisation_of(const std::vector<Row>& rows, const LevelResult& best) {
  const double left = best.left_l2.value_or(0);
  if (is_known(best.error_l2) && left <= enough_part * *best.error_l2) return best.error_l2;
  const LevelResult* teller = nullptr;
  for (const Row& row : rows) {
    if (!is_known(row.level->estimated_l2)) continue;
    if (teller == nullptr || is_more_precise(*row.level, *teller)) teller = row.level;
  }
  if (teller != nullptr) return teller->estimated_l2;
  if (is_known(best.error_l2)) return std::max(0.0, *best.error_l2 - left);
  return {};
}

/// Rounding that is smooth and of the other sign may leave one norm as it is, and not the other.
bool has_rms_of(const LevelResult& level, const LevelResult& best) {
  if (!is_known(level.error_rms) || !is_known(best.error_rms)) return true;
  return std::abs(*level.error_rms - *best.error_rms) <= enough_part * *best.error_rms;
}

std::optional<bool> is_enough(const LevelResult& level, const LevelResult& best,
                              double discretisation) {
  const double most = enough_part * discretisation;
  if (level.left_l2) return *level.left_l2 <= most && has_rms_of(level, best);
  if (!is_known(level.error_l2) || !is_known(best.error_l2)) return {};
  return std::abs(*level.error_l2 - *best.error_l2) <= most && has_rms_of(level, best);
}

/// By which part of the quickest time others tell little.
constexpr double by_chance = 0.1;

/// Of those that are enough.
const RunResult* smallest_of(const std::vector<const RunResult*>& runs, int number) {
  const RunResult* found = nullptr;
  for (const RunResult* run : runs) {
    const LevelResult& level = *level_of(*run, number);
    if (level.memory_bytes == 0) continue;
    const auto cost = [&](const LevelResult& of) {
      return std::pair(of.memory_bytes, of.solve_seconds);
    };
    if (found == nullptr || cost(level) < cost(*level_of(*found, number))) found = run;
  }
  return found;
}

std::optional<Enough> compared(int number, const std::string& problem,
                               const std::vector<Row>& rows) {
  const LevelResult* best = rows.front().level;
  for (const Row& row : rows) {
    if (is_more_precise(*row.level, *best)) best = row.level;
  }
  const std::optional<double> discretisation = discretisation_of(rows, *best);
  if (!discretisation) return {};
  Enough found{.level = number,
               .problem = problem,
               .runs = static_cast<int>(rows.size()),
               .discretisation = *discretisation,
               .discretisation_rms = best->error_rms,
               .best = best,
               .enough = {},
               .others = {},
               .without_end = {}};
  bool has_ended = false;
  for (const Row& row : rows) {
    const auto suffices = is_enough(*row.level, *best, *discretisation);
    if (!suffices) continue;
    (*suffices ? found.enough : found.others).push_back(row.run);
    if (!*suffices) continue;
    const bool ends = has_converged(*row.level);
    if (!ends) found.without_end.push_back(row.run);
    const bool is_quicker = row.level->solve_seconds < found.seconds;
    if (found.quickest == nullptr || (ends && !has_ended) || (ends == has_ended && is_quicker)) {
      found.quickest = row.run;
      found.seconds = row.level->solve_seconds;
      found.outcome = row.level->outcome;
    }
    has_ended = has_ended || ends;
  }
  for (const RunResult* run : found.enough) {
    const LevelResult& level = *level_of(*run, number);
    const bool is_near = level.solve_seconds <= (1 + by_chance) * found.seconds;
    if (run != found.quickest && is_near && has_converged(level) == has_ended)
      found.as_quick.push_back(run);
  }
  found.smallest = smallest_of(found.enough, number);
  return found;
}

}  // namespace

bool is_quickest_of_converged(const Enough& group) {
  return !group.without_end.empty() && group.without_end.size() < group.enough.size();
}

const LevelResult* level_of(const RunResult& run, int level) {
  const auto found = std::find_if(run.levels.begin(), run.levels.end(),
                                  [&](const LevelResult& one) { return one.level == level; });
  return found == run.levels.end() ? nullptr : &*found;
}

std::string words_of(const RunResult& run) {
  std::string text = run.name;
  for (const auto& [key, value] : run.varied) {
    text += fmt::format("{} {}", text == run.name ? ":" : ",", value);
  }
  return text;
}

std::string listed(const std::vector<const RunResult*>& runs, std::size_t most) {
  std::string text;
  for (std::size_t k = 0; k < std::min(most, runs.size()); ++k) {
    text += (k == 0 ? "" : "; ") + words_of(*runs[k]);
  }
  if (runs.size() > most) text += fmt::format("; and {} more", runs.size() - most);
  return text;
}

std::vector<Enough> which_are_enough(const Results& results) {
  std::vector<std::string> problems;
  std::map<std::pair<int, std::size_t>, std::vector<Row>> groups;
  for (const RunResult& run : results.runs) {
    const std::string problem = problem_of(run);
    const auto place = std::find(problems.begin(), problems.end(), problem);
    const auto index = static_cast<std::size_t>(place - problems.begin());
    if (place == problems.end()) problems.push_back(problem);
    for (const LevelResult& level : run.levels) {
      if (is_known(level.error_l2) || level.left_l2) {
        groups[{level.level, index}].push_back({&run, &level});
      }
    }
  }
  std::vector<Enough> all;
  for (const auto& [key, rows] : groups) {
    if (auto found = compared(key.first, problems[key.second], rows)) {
      all.push_back(*std::move(found));
    }
  }
  return all;
}

}  // namespace ninefold
