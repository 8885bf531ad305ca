#include "solvers/judgement/thin_cells.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "precision/parameter_format.hpp"
#include "precision/precision.hpp"

#include "fem/discrete/error_bound.hpp"

#include "solvers/judgement/remarks.hpp"

namespace ninefold {

namespace {

/// Smoothers work in the leading word of a format.
bool has_leading_double(Precision p) {
  return p == Precision::double_ || p == Precision::double_double;
}

/// The options with rows as "auto" would have them here.
SolverOptions with_best_rows(const PreparedSolve& prepared) {
  SolverOptions open = prepared.options;
  open.form = {};
  open.storage = {};
  open.refinement.inner_storage.clear();
  open.refinement.inner_form = {};
  return settled(open, prepared.problem, prepared.finest());
}

/// The settings that lead from these options to `best`, joined by "and"; nothing if there are none.
std::string settings_for_rows(const SolverOptions& options, const SolverOptions& best) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : " and ") + more; };
  if (best.storage == OperatorStorage::factored && options.storage != best.storage) {
    add(fmt::format("{} = {} = \"auto\"", Parameter::form, Parameter::storage));
  }
  const RefinementOptions& refinement = options.refinement;
  for (std::size_t stage = 0; stage < refinement.inner.size(); ++stage) {
    if (storage_of_stage(best, stage) != OperatorStorage::factored
        || storage_of_stage(options, stage) == OperatorStorage::factored) {
      continue;
    }
    if (inner_form_of(options) != OperatorForm::difference) {
      add(setting(Parameter::inner_form, to_string(OperatorForm::difference)));
    }
    if (!refinement.inner_storage.empty()) add(setting(Parameter::inner_storage, "auto"));
    break;
  }
  return text;
}

/// True if rows are factored and cells so wide that all formats hold them: u^2 over the width is
/// what is lost, u being that of the words that smoothers work in; with a margin for how often it
/// is lost on the way through the domain.
bool factored_rows_hold(const SolverOptions& options, const TensorGrid& finest) {
  std::vector<Precision> formats = options.refinement.inner;
  formats.push_back(options.precision);
  double u = 0;
  for (std::size_t k = 0; k < formats.size(); ++k) {
    const bool inner = k < options.refinement.inner.size();
    const OperatorStorage storage = inner ? storage_of_stage(options, k) : storage_of(options);
    if (storage != OperatorStorage::factored) return false;
    const Precision word = formats[k] == Precision::double_single   ? Precision::single_
                           : formats[k] == Precision::double_double ? Precision::double_
                                                                    : formats[k];
    u = std::max(u, facts(word).unit_roundoff);
  }
  const double extent = std::min(finest.x.from_start.back(), finest.y.from_start.back());
  return finest.h_min() >= 1e4 * u * u * extent;
}

/// True if it is the corrections of refinement that lose cells which the outer format would hold.
bool corrections_lose_cells(const SolverOptions& options) {
  return options.refinement.used() && has_leading_double(options.precision)
         && facts(options.refinement.inner.back()).unit_roundoff
                > facts(options.precision).unit_roundoff;
}

/// The formats that hold thinner cells, or wider cells, if no format does.
std::string formats_for_cells(const SolverOptions& options) {
  const Precision outer = options.precision;
  if (corrections_lose_cells(options)) {
    return fmt::format("{} = {}\"none\"", Parameter::inner_precision,
                       outer == Precision::double_ ? "\"double\" or " : "");
  }
  const std::string cells = "wider cells there, by fewer levels or a milder grading";
  if (outer == Precision::double_double) return cells;
  const Precision wider =
      outer == Precision::double_ ? Precision::double_double : Precision::double_;
  return setting(Parameter::precision, to_string(wider)) + ", or " + cells;
}

}  // namespace

std::string factored_rows(const PreparedSolve& prepared) {
  if (!prepared.has_detached_thin_cells) return "";
  const SolverOptions best = with_best_rows(prepared);
  std::string rows = settings_for_rows(prepared.options, best);
  // Rows that do not hold these cells either are the first half of an answer.
  if (!rows.empty() && !factored_rows_hold(best, prepared.finest())) {
    rows += " with " + formats_for_cells(best);
  }
  return rows;
}

std::string tolerance_for_changes(const PreparedSolve& prepared, const Evidence& evidence) {
  constexpr double roundoffs = 20;  // what cycles go on changing, with a margin
  const double least = roundoffs * facts(prepared.options.precision).unit_roundoff;
  const bool judged = prepared.watches_changes || prepared.judges_by_a_cycle;
  const bool holds = !evidence.rounding || *evidence.rounding <= hopeless_rounding;
  if (!prepared.has_detached_thin_cells || !judged || !holds || prepared.options.tolerance >= least
      || prepared.options.to_discretisation || !factored_rows(prepared).empty()) {
    return "";
  }
  return larger_tolerance(least, "; errors may grow with it");
}

std::string lost_cells_remark(const PreparedSolve& prepared, Outcome outcome,
                              const std::string& by_changes) {
  if (!prepared.has_detached_thin_cells) return "";
  const SolverOptions& options = prepared.options;
  const TensorGrid& finest = prepared.finest();
  const Precision outer = options.precision;
  const std::string rows = factored_rows(prepared);
  if (!rows.empty()) {
    if (outcome == Outcome::stagnated && !options.refinement.used()) return "";
    return fmt::format(
        "cells of {:.1e} that no Dirichlet side holds are lost in the rounding of entries; use {}",
        finest.h_min(), rows);
  }
  if (factored_rows_hold(options, finest)) return "";
  if (corrections_lose_cells(options)) {
    return fmt::format(
        "corrections in {} lose cells of {:.1e} that no Dirichlet side holds; use {}",
        to_string(options.refinement.inner.back()), finest.h_min(), formats_for_cells(options));
  }
  if (outcome == Outcome::stagnated && has_leading_double(outer)) return "";
  return fmt::format(
      "cells of {:.1e} that no Dirichlet side holds are lost in the rounding of {}{}",
      finest.h_min(), to_string(outer),
      any_of({outcome == Outcome::stagnated ? by_changes : "", formats_for_cells(options)}));
}

bool holds_cells(const PreparedSolve& prepared) {
  return lost_cells_remark(prepared, Outcome::diverged).empty();
}

std::string slow_corrections_remark(const PreparedSolve& prepared, const Report& report) {
  constexpr int many = 30;  // a smoother that suits takes 6 to 14
  if (report.iterations < many || !uses_multigrid(prepared.options)
      || !corrections_lose_cells(prepared.options)) {
    return "";
  }
  const std::string lost = lost_cells_remark(prepared, report.outcome);
  return lost.empty() ? "" : fmt::format("{} steps of refinement: {}", report.iterations, lost);
}

std::string lost_constant_remark(const PreparedSolve& prepared) {
  const Problem& problem = prepared.problem;
  const SolverOptions& options = prepared.options;
  if (problem.boundary.any_dirichlet() || problem.reaction == 0  // then none is to be held
      || has_leading_double(options.precision)) {
    return "";
  }
  const double pi = std::numbers::pi;
  const double next = std::min(problem.gx / (problem.width * problem.width),
                               problem.gy / (problem.height * problem.height))
                      * pi * pi;
  if (!(problem.reaction < 0.01 * next)) return "";
  return fmt::format("the reaction, {:.1e}, alone holds the constant, and {} loses it; use {}",
                     problem.reaction, to_string(options.precision),
                     setting(Parameter::precision, to_string(Precision::double_)));
}

std::string lost_hold_remark(const PreparedSolve& prepared) {
  constexpr double many = 10;  // the bound of the judgement is about 100 times the solution then
  const SolverOptions& options = prepared.options;
  if (prepared.form() != OperatorForm::plain || storage_of(options) == OperatorStorage::factored) {
    return "";
  }
  const double part = facts(options.precision).unit_roundoff
                      * entries_over_hold(prepared.problem, prepared.finest());
  if (!(part > many)) return "";
  return fmt::format("the rounding of entries to {} may be {:.0f} times what holds the solution{}",
                     to_string(options.precision), part,
                     any_of({setting(Parameter::form, to_string(OperatorForm::difference)),
                             has_leading_double(options.precision)
                                 ? ""
                                 : setting(Parameter::precision, to_string(Precision::double_))}));
}

}  // namespace ninefold
