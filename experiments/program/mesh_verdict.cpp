#include "experiments/program/mesh_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace ninefold {
namespace {

bool is_known(const JudgedRun& run) {
  return run.error || !run.finite;
}

double error_of(const JudgedRun& run) {
  return run.error.value_or(INFINITY);
}

/// Of each mesh the best run among those that count and are known, of these the worst; none if
/// there is none.
template <class Counts>
const JudgedRun* worst_of_best(const std::vector<JudgedRun>& runs, const Counts& counts) {
  std::map<std::size_t, const JudgedRun*> best;  // of each mesh
  for (const JudgedRun& run : runs) {
    if (!counts(run) || !is_known(run)) continue;
    const JudgedRun*& own = best[run.mesh];
    if (own == nullptr || error_of(run) < error_of(*own)) own = &run;
  }
  const JudgedRun* worst = nullptr;
  for (const auto& [unused, run] : best) {
    if (worst == nullptr || error_of(*run) > error_of(*worst)) worst = run;
  }
  return worst;
}

/// Whether formats alone do not say which run it is.
bool has_others(const std::vector<JudgedRun>& runs, const JudgedRun& one) {
  return std::count_if(runs.begin(), runs.end(),
                       [&](const JudgedRun& run) { return run.formats == one.formats; })
         > 1;
}

/// Whether there is a mesh of which nothing is known in single.
bool has_unknown(const std::vector<JudgedRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const JudgedRun& run) {
    return run.is_single && worst_of_best(runs, [&](const JudgedRun& other) {
                              return other.is_single && other.mesh == run.mesh;
                            }) == nullptr;
  });
}

}  // namespace

std::string mesh_verdict(const std::vector<JudgedRun>& runs, const ErrorUnit& unit) {
  const auto in_words = [&](std::string_view before, const JudgedRun& run) {
    return fmt::format("{} {}{:.3g}{}", before, run.product, *run.error, unit.words);
  };
  if (std::none_of(runs.begin(), runs.end(), [](const auto& run) { return run.error; })) {
    return fmt::format(
        "Nothing is known of the error, and whether single is enough: there is no reference "
        "solution, or no {}.",
        unit.what);
  }
  const auto is_single = [](const JudgedRun& run) { return run.is_single; };
  const JudgedRun* single = worst_of_best(runs, is_single);
  if (single == nullptr) {
    if (std::any_of(runs.begin(), runs.end(), is_single)) {
      return "Nothing is known of the error in single: there is no reference solution.";
    }
    const JudgedRun* best = worst_of_best(runs, [](const JudgedRun&) { return true; });
    return fmt::format(
        "Whether single is enough was not tried; in {} {}{}.", best->formats,
        best->error ? in_words(unit.the, *best) : fmt::format("a {} is not finite", unit.what),
        has_others(runs, *best) ? ", in " + best->run : "");
  }
  const std::string where = has_others(runs, *single) ? ", in " + single->run : "";
  std::string text = fmt::format("Single is not enough: its {} is not finite{}", unit.what, where);
  if (single->error) {
    const double error = *single->error;
    const bool is_enough = error <= unit.enough;
    text = fmt::format("Single {} enough{}: {}{}, {} {}",
                       single->is_forecast ? (is_enough ? "would be" : "would not be")
                                           : (is_enough ? "is" : "is not"),
                       is_enough && has_unknown(runs) ? ", where the error is known" : "",
                       in_words(unit.its, *single), where,
                       error < unit.enough    ? "below"
                       : error == unit.enough ? "just"
                                              : "above",
                       unit.limit);
  }
  const JudgedRun* other = worst_of_best(
      runs, [&](const JudgedRun& run) { return !run.is_single && run.mesh == single->mesh; });
  if (other != nullptr && other->error) {
    const bool is_useless = error_of(*single) > unit.enough && *other->error > unit.enough;
    const bool is_better = *other->error < error_of(*single);
    if (is_useless) {
      text += fmt::format(
          "; nor is {}, which has {:.3g}{}", other->formats, *other->error,
          other->has_met_tolerance ? " where it meets solver.tolerance: a smaller one may do" : "");
    } else if (is_better) {
      text += fmt::format("; {} has {:.3g}", other->formats, *other->error);
    }
  }
  return text + ".";
}

}  // namespace ninefold
