#include "experiments/program/fit_verdict.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "solvers/least_squares/fit_condition.hpp"

#include "experiments/program/matrix_run.hpp"
#include "experiments/program/mesh_verdict.hpp"

namespace ninefold {
namespace {

constexpr ErrorUnit measured_error{"solution", " of x", part_enough, "a thousandth"};
constexpr std::string_view by_condition = "the condition that CGLS has seen, times roundoff, is";
constexpr ErrorUnit estimated_error{"solution",     " of x",      part_enough,
                                    "a thousandth", by_condition, by_condition};

const SolverOptions& solver_of(const LeastSquaresRun& run) {
  return run.plan->configuration.solver;
}

bool is_single(const LeastSquaresRun& run) {
  return solver_of(run).precision == Precision::single_ && !solver_of(run).refinement.used();
}

/// Whether it is known how far x is from the solution.
bool is_measured(const LeastSquaresRun& run) {
  return run.solved.errors.l2.has_value() && !run.is_measured;
}

bool has_ended(const LeastSquaresRun& run) {
  const Outcome outcome = run.solved.report.outcome;
  return run.refusal.empty() && (outcome == Outcome::converged || outcome == Outcome::stagnated);
}

/// Both are about the same x.
bool same_question(const Plan& a, const Plan& b) {
  const LeastSquaresSettings &s = a.configuration.least_squares, &t = b.configuration.least_squares;
  return same_fit(a, b) && s.regularisation == t.regularisation && s.lower == t.lower
         && s.upper == t.upper && s.penalty == t.penalty;
}

/// The first run about the same x.
std::size_t question_of(const std::vector<LeastSquaresRun>& runs, const LeastSquaresRun& run) {
  const auto first = std::find_if(runs.begin(), runs.end(), [&](const LeastSquaresRun& other) {
    return other.image_number == run.image_number && same_question(*other.plan, *run.plan);
  });
  return static_cast<std::size_t>(first - runs.begin());
}

double unit_roundoff_of(Precision precision) {
  return facts(precision).unit_roundoff;
}

double roundoff_of(const LeastSquaresRun& run) {
  return unit_roundoff_of(solver_of(run).precision);
}

/// The run about the same x that knows its condition best, that with the least roundoff, since a
/// wide format sees more of it than a narrow one, and of these the one that has seen most.
const LeastSquaresRun* teller(const std::vector<LeastSquaresRun>& runs,
                              const LeastSquaresRun& run) {
  const LeastSquaresRun* best = nullptr;
  for (const LeastSquaresRun& other : runs) {
    if (!has_ended(other) || !other.solved.fit_condition || other.deficiency) continue;
    if (question_of(runs, other) != question_of(runs, run)) continue;
    const auto seen = [](const LeastSquaresRun& by) {
      return std::pair{-roundoff_of(by), by.solved.condition.value_or(0)};
    };
    if (best == nullptr || seen(other) > seen(*best)) best = &other;
  }
  return best;
}

/// What a run's gradient may have left, by the condition that another about the same x knows.
double unfinished_by(const LeastSquaresRun& teller, const LeastSquaresRun& run) {
  const double told = teller.solved.unfinished.value_or(0);
  const double of_teller = teller.solved.report.true_residual_reduction;
  return &run == &teller || told == 0 || of_teller == 0
             ? told
             : told * (run.solved.report.true_residual_reduction / of_teller);
}

JudgedRun judged(const std::vector<LeastSquaresRun>& runs, const LeastSquaresRun& run) {
  return {.run = run.name,
          .formats = formats_of(solver_of(run)),
          .is_single = is_single(run),
          .mesh = question_of(runs, run),
          .finite = run.solved.report.outcome != Outcome::not_finite,
          .has_met_tolerance = is_measured(run) && run.solved.report.outcome == Outcome::converged};
}

void take_estimate(const LeastSquaresRun& teller, Precision precision, JudgedRun& run) {
  const double u = unit_roundoff_of(precision), condition = *teller.solved.fit_condition;
  run.error = condition * u;
  run.product = fmt::format("{:.3g} x {:.1e} = ", condition, u);
}

bool has_forecast(const std::vector<JudgedRun>& runs, std::size_t question) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const JudgedRun& run) { return run.is_forecast && run.mesh == question; });
}

/// A run whose error is measured, is too large and is more than rounding makes of the condition
/// that was seen: CGLS has not seen all of it.
const LeastSquaresRun* misled(const std::vector<LeastSquaresRun>& runs) {
  constexpr double most_of_rounding = 10;
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const LeastSquaresRun& run) {
    if (!has_ended(run) || !is_measured(run)) return false;
    const LeastSquaresRun* by = teller(runs, run);
    return by != nullptr && *run.solved.errors.l2 > part_enough
           && *run.solved.errors.l2
                  > most_of_rounding * *by->solved.fit_condition * roundoff_of(run);
  });
  return found == runs.end() ? nullptr : &*found;
}

/// What sees more than a run has seen that has ended too early.
std::string_view sees_more(const LeastSquaresRun& run) {
  const bool is_widest = solver_of(run).precision == Precision::double_double;
  if (is_widest && run.solved.report.outcome == Outcome::stagnated) return "no format here";
  return run.solved.report.outcome == Outcome::stagnated ? "a wider format"
                                                         : "a smaller solver.tolerance";
}

/// A run whose gradient may have left more of x than a format leaves that is enough.
struct Unfinished {
  const LeastSquaresRun *run, *teller;
  double part;  ///< of x
};

std::string unfinished_words(const Unfinished& found, bool has_others) {
  const auto& [run, by, part] = found;
  return fmt::format(
      "Whether single is enough is not known: what is left of the gradient in {} may stand for "
      "{:.2g} of x, and hide that the condition is larger than the {:.3g} that CGLS has seen, "
      "which "
      "{} shows.",
      formats_of(solver_of(*run)) + (has_others ? ", " + run->name + "," : ""), part,
      *by->solved.condition, sees_more(*run));
}

std::string unknown(const std::vector<LeastSquaresRun>& runs) {
  if (std::none_of(runs.begin(), runs.end(), has_ended)) {
    return "Whether single is enough is not known: no run has come to an end.";
  }
  const auto any = [&](const auto& is) { return std::any_of(runs.begin(), runs.end(), is); };
  const auto first = std::find_if(runs.begin(), runs.end(), [](const LeastSquaresRun& run) {
    return !without_condition(run).empty();
  });
  // There is no reference where rounding decides which x it is.
  const bool has_none = any([](const LeastSquaresRun& run) { return run.deficiency.has_value(); });
  return fmt::format("Whether single is enough is not known{}{}.",
                     first == runs.end() ? "" : ", nor the condition: " + without_condition(*first),
                     has_none ? ""
                     : any(is_measured)
                         ? "; solver.precision = \"single\" without refinement measures its error"
                         : "; matrix.reference = \"double-double\" measures the error");
}

}  // namespace

std::optional<double> answer_error(const std::vector<LeastSquaresRun>& runs,
                                   const LeastSquaresRun& run) {
  if (is_measured(run)) return run.solved.errors.l2;
  const LeastSquaresRun* by = has_ended(run) ? teller(runs, run) : nullptr;
  if (by == nullptr) return {};
  return *by->solved.fit_condition * roundoff_of(run) + unfinished_by(*by, run);
}

std::string without_condition(const LeastSquaresRun& run) {
  const LeastSquaresSolved& solved = run.solved;
  if (!run.refusal.empty()) return "";
  if (solved.is_deficient || run.deficiency) {
    return "the matrix takes some v to zero, or nearly";
  }
  if (solved.condition) return "";
  const LeastSquaresSettings& settings = run.plan->configuration.least_squares;
  if (settings.lower || settings.upper) {
    return "the set of those out of bounds changes until CGLS ends";
  }
  if (solver_of(run).refinement.used()) return "corrections of few digits do not show it";
  if (solved.report.history.size() == 1) return "there was nothing to be done";
  if (!solved.has_fallen) return "CGLS has not come far enough to see it";
  const Precision works = solver_of(run).precision;
  return fmt::format("{} does not see how large it is, {:.1e} or more", to_string(works),
                     largest_seen_condition(works));
}

std::string fit_verdict(const std::vector<LeastSquaresRun>& runs) {
  // Whether there is a run in single that counts.
  const auto is_tried = [&](const auto& counts) {
    return std::any_of(runs.begin(), runs.end(), [&](const LeastSquaresRun& run) {
      return is_single(run) && run.refusal.empty() && counts(run);
    });
  };
  std::vector<JudgedRun> all;
  if (is_tried(is_measured)) {
    for (const LeastSquaresRun& run : runs) {
      if (!run.refusal.empty()) continue;
      all.push_back(judged(runs, run));
      all.back().error = is_measured(run) ? run.solved.errors.l2 : std::nullopt;
    }
    return mesh_verdict(all, measured_error);
  }
  const bool has_single = is_tried([](const LeastSquaresRun&) { return true; });
  std::optional<Unfinished> too_soon;  // has told that single is enough, and may not know
  const auto too_early = [&](const LeastSquaresRun& run, const LeastSquaresRun& by) {
    const double part = unfinished_by(by, run);
    if (!too_soon && !is_measured(run) && part > part_enough)
      too_soon = Unfinished{&run, &by, part};
  };
  for (const LeastSquaresRun& run : runs) {
    if (!run.refusal.empty()) continue;
    const LeastSquaresRun* by = teller(runs, run);
    all.push_back(judged(runs, run));
    if (is_measured(run)) {
      all.back().error = run.solved.errors.l2;
    } else if (by != nullptr && has_ended(run)) {
      take_estimate(*by, solver_of(run).precision, all.back());
      if (!is_single(run)) *all.back().error += unfinished_by(*by, run);
      if (all.back().is_single && *all.back().error <= part_enough) too_early(run, *by);
    }
    if (has_single || has_forecast(all, all.back().mesh)) continue;
    JudgedRun single = judged(runs, run);
    single.formats = to_string(Precision::single_);
    single.is_single = single.is_forecast = single.finite = true;
    const bool is_told = by != nullptr && roundoff_of(*by) <= unit_roundoff_of(Precision::single_);
    if (is_told) {
      take_estimate(*by, Precision::single_, single);
      if (*single.error <= part_enough) too_early(*by, *by);
    }
    all.push_back(std::move(single));
  }
  const bool is_known = std::any_of(all.begin(), all.end(), [](const JudgedRun& run) {
    return run.is_single && (run.error || !run.finite);
  });
  if (!is_known) return unknown(runs);
  if (const LeastSquaresRun* run = misled(runs)) {
    return fmt::format(
        "Whether single is enough is not known: the error of {} is {:.3g} of x, though {} {:.3g}: "
        "it has ended before it saw the rest, which {} shows.",
        formats_of(solver_of(*run)), *run->solved.errors.l2, by_condition,
        *teller(runs, *run)->solved.fit_condition * roundoff_of(*run), sees_more(*run));
  }
  const bool is_decided = std::any_of(all.begin(), all.end(), [](const JudgedRun& run) {
    return run.is_single && (!run.finite || run.error.value_or(0) > part_enough);
  });
  if (too_soon && !is_decided) return unfinished_words(*too_soon, runs.size() > 1);
  return mesh_verdict(all, estimated_error);
}

}  // namespace ninefold
