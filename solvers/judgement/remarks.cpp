#include "solvers/judgement/remarks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "precision/parameter_format.hpp"
#include "precision/precision.hpp"

#include "fem/discrete/error_bound.hpp"

namespace ninefold {

namespace {

std::string setting_of(Precision precision) {
  return setting(Parameter::precision, to_string(precision));
}

/// The formats to try where this one does not suffice.
std::vector<Precision> wider_formats(Precision precision) {
  switch (precision.kind()) {
    case Precision::Kind::half:
    case Precision::Kind::bfloat16:
      return {Precision::single_, Precision::double_, Precision::double_double};
    case Precision::Kind::single_:
    case Precision::Kind::double_single:
      return {Precision::double_, Precision::double_double};
    case Precision::Kind::double_:
    case Precision::Kind::soft:
      return {Precision::double_double};
    case Precision::Kind::double_double:
      return {};
  }
  throw std::logic_error("a precision without wider ones");
}

/// The first format whose roundoff is smaller by this factor, or nothing.  Where cells are lost,
/// corrections in a narrower format lose them, too.
std::string wider_format(const SolverOptions& options, double factor, bool loses_cells) {
  const Precision precision = options.precision;
  const double u = facts(precision).unit_roundoff * std::min(factor, 0.5);
  if (precision.kind() == Precision::Kind::soft && factor > 0) {
    const int bits = precision.mantissa() + static_cast<int>(std::ceil(-std::log2(factor)));
    if (bits <= 52) {
      return fmt::format("at least {} mantissa bits in {}",
                         std::max(bits, precision.mantissa() + 1), Parameter::precision);
    }
  }
  for (const Precision wider : wider_formats(precision)) {
    if (!(facts(wider).unit_roundoff <= u)) continue;
    const std::string widened = setting_of(wider);
    if (loses_cells || options.refinement.used()) return widened;
    const std::string by_refinement = setting(Parameter::inner_precision, to_string(precision));
    if (precision == Precision::single_ && wider == Precision::double_) {
      return fmt::format("{} (with {} it is not much slower)", widened, by_refinement);
    }
    return precision == Precision::double_ ? fmt::format("{} (with {})", widened, by_refinement)
                                           : widened;
  }
  return "";
}

/// Nothing without refinement, and where the inner format is the solver's own.
std::string more_precise_inner(const SolverOptions& options) {
  if (!options.refinement.used()) return "";
  const double outer = facts(options.precision).unit_roundoff;
  const bool narrower = facts(options.refinement.inner.back()).unit_roundoff > outer;
  return narrower ? fmt::format("a more precise {}", inner_parameter(options.refinement)) : "";
}

/// "; use A or B", or nothing.
std::string any_of(const std::vector<std::string>& remedies) {
  std::string text;
  for (const std::string& remedy : remedies) {
    if (!remedy.empty()) text += (text.empty() ? "; use " : " or ") + remedy;
  }
  return text;
}

/// " (4e-03)": the least tolerance, rounded up, with which judge() would have let pass what has
/// been reached, where that is one.
std::string attained_tolerance(double reached, std::optional<double> bound) {
  double least = reached;
  if (bound) {
    least = *bound > promise(1.0) ? 1.0 : std::max(reached, *bound / promised_factor);
    least = std::min(least, *bound / sure_factor);
  }
  const double with_margin = 1.2 * least;  // the limit is a noisy one
  if (!(with_margin > 0 && with_margin < 0.5)) return "";
  const double unit = std::pow(10.0, std::floor(std::log10(with_margin)));
  return fmt::format(" ({:.0e})", std::ceil(with_margin / unit) * unit);
}

/// Smoothers work in the leading word of a format.
bool has_leading_double(Precision p) {
  return p == Precision::double_ || p == Precision::double_double;
}

}  // namespace

Outcome judge(const SolverOptions& options, const Evidence& evidence, Outcome by_itself,
              std::string& remark) {
  const double tolerance = options.tolerance, reached = evidence.true_reduction;
  if (evidence.rounding && !(*evidence.rounding <= hopeless_rounding)) {
    return by_itself == Outcome::converged ? Outcome::stagnated : by_itself;
  }
  const double promised = promise(tolerance);
  const auto name_rounding = [&] {
    if (!evidence.rounding || *evidence.rounding <= promised) return;
    remark += fmt::format(
        "{}rounding in {} may leave an error of up to {:.1e} of the solution, more than {} speaks "
        "of",
        remark.empty() ? "" : "; ", to_string(options.precision), *evidence.rounding,
        Parameter::tolerance);
  };
  if (evidence.change) {
    if (!(reached <= tolerance)) {
      remark = fmt::format(
          "further cycles change {:.1e} of the solution; the residual, at {:.2e}, counts what "
          "rounding makes of differences across thin cells",
          *evidence.change, reached);
    }
    name_rounding();  // what it leaves, cycles do not change
    return Outcome::converged;
  }
  if (!(reached <= tolerance)) {
    if (!std::isfinite(reached)) return Outcome::not_finite;
    if (evidence.bound && *evidence.bound <= sure_factor * tolerance) {
      remark = fmt::format(
          "the residual stays at {:.2e}, but the error is at most {:.1e} of the solution", reached,
          *evidence.bound);
      return Outcome::converged;
    }
    const bool drift = by_itself == Outcome::converged && evidence.attainable <= tolerance
                       && reached <= recurrence_drift * tolerance;
    if (!drift) return by_itself == Outcome::converged ? Outcome::stagnated : by_itself;
    remark = fmt::format("the recursive residual meets {}, the true one is {:.2e}",
                         Parameter::tolerance, reached);
  }
  if (evidence.bound && !(*evidence.bound <= promised)) return Outcome::stagnated;
  name_rounding();
  return Outcome::converged;
}

std::string stagnation_remark(const SolverOptions& options, OperatorForm form, const Report& report,
                              const Evidence& evidence, bool loses_cells, const std::string& hint,
                              const std::string& rows) {
  const double reached = report.true_residual_reduction, attainable = report.attainable_reduction;
  const double tolerance = options.tolerance, limit = std::max(reached, attainable);
  const RefinementOptions& refinement = options.refinement;
  if (evidence.rounding && *evidence.rounding > hopeless_rounding) {
    return fmt::format(
        "rounding in {} may leave an error of {:.1e} times the solution: the format does not hold "
        "this matrix{}",
        to_string(options.precision), *evidence.rounding,
        any_of({rows, wider_format(options, promise(tolerance) / *evidence.rounding, loses_cells),
                "fewer levels"}));
  }
  if (reached <= tolerance && report.error_bound) {
    return fmt::format(
        "the residual meets {}, but its bound of the error stays at {:.1e} of the solution{}",
        Parameter::tolerance, *report.error_bound,
        any_of({wider_format(options, promise(tolerance) / *report.error_bound, loses_cells)}));
  }
  if (report.residual_reduction > tolerance && reached > 100.0 * attainable) {
    const std::string where =
        fmt::format("the residual no longer falls below {:.2e}, far above ", reached);
    if (!refinement.used()) {
      return where
             + fmt::format(
                 "the format's limit of about {:.2e}: the method does not suit the problem",
                 attainable)
             + any_of({hint});
    }
    // Conjugate gradients that end too soon do so in any format.
    const bool too_soon = !uses_multigrid(options) && !refinement.stop.empty();
    const std::string inner = too_soon ? fmt::format("more {} or {}", Parameter::inner_iterations,
                                                     short_name(Parameter::inner_digits))
                                       : more_precise_inner(options);
    return where
           + fmt::format(
               "the limit of {} of about {:.2e}: the corrections in {} no longer reduce it",
               to_string(options.precision), attainable, to_string(refinement.inner.back()))
           + any_of({hint.empty() ? inner : hint});
  }
  const bool grown = reached >= 1 && !hint.empty();
  // A bound that is no longer small says nothing of larger tolerances.
  const bool tolerable = !evidence.bound || *evidence.bound <= 0.1 || (loses_cells && limit < 1e-3);
  return fmt::format(
      "the true residual stays at {:.2e}, the limit of {} in {} form (estimate "
      "u |A||x| / |r0| = {:.2e}){}",
      reached, to_string(options.precision), to_string(form), attainable,
      grown ? any_of({hint})
            : any_of({rows, wider_format(options, tolerance / limit, loses_cells),
                      tolerable ? fmt::format("a larger {}{}", Parameter::tolerance,
                                              attained_tolerance(reached, evidence.bound))
                                : ""}));
}

namespace {

/// These options with rows as "auto" would have them here.
SolverOptions with_best_rows(const SolverOptions& options, const Problem& problem,
                             const TensorGrid& finest) {
  SolverOptions open = options;
  open.form = {};
  open.storage = {};
  open.refinement.inner_storage.clear();
  open.refinement.inner_form = OperatorForm::difference;
  return settled(open, problem, finest);
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
    if (refinement.inner_form != OperatorForm::difference) {
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
  return setting_of(wider) + ", or " + cells;
}

}  // namespace

std::string factored_rows(const SolverOptions& options, const Problem& problem,
                          const TensorGrid& finest) {
  const SolverOptions best = with_best_rows(options, problem, finest);
  std::string rows = settings_for_rows(options, best);
  // Rows that do not hold these cells either are the first half of an answer.
  if (!rows.empty() && !factored_rows_hold(best, finest)) {
    rows += " with " + formats_for_cells(best);
  }
  return rows;
}

std::string lost_cells_remark(const SolverOptions& options, Outcome outcome, const Problem& problem,
                              const TensorGrid& finest) {
  if (!has_detached_thin_cells(problem.boundary, finest)) return "";
  const Precision outer = options.precision;
  const std::string rows = factored_rows(options, problem, finest);
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
      "cells of {:.1e} that no Dirichlet side holds are lost in the rounding of {}; use {}",
      finest.h_min(), to_string(outer), formats_for_cells(options));
}

std::string slow_corrections_remark(const SolverOptions& options, const Report& report,
                                    const Problem& problem, const TensorGrid& finest) {
  constexpr int many = 30;  // a smoother that suits takes 6 to 14
  if (report.iterations < many || !uses_multigrid(options) || !corrections_lose_cells(options)) {
    return "";
  }
  const std::string lost = lost_cells_remark(options, report.outcome, problem, finest);
  return lost.empty() ? "" : fmt::format("{} cycles: {}", report.inner_iterations, lost);
}

std::string lost_constant_remark(const SolverOptions& options, const Problem& problem) {
  if (problem.boundary.any_dirichlet() || has_leading_double(options.precision)) return "";
  const double pi = std::numbers::pi;
  const double next = std::min(problem.gx / (problem.width * problem.width),
                               problem.gy / (problem.height * problem.height))
                      * pi * pi;
  if (!(problem.reaction < 0.01 * next)) return "";
  return fmt::format("the reaction, {:.1e}, alone holds the constant, and {} loses it; use {}",
                     problem.reaction, to_string(options.precision),
                     setting_of(Precision::double_));
}

std::string slow_cg_hint(const SolverOptions& options) {
  const bool guided = options.refinement.used()
                      && options.refinement.variant == RefinementVariant::residual_guided_cg;
  if (uses_multigrid(options) || guided) return "";
  return ", or use " + setting(Parameter::preconditioner, to_string(Preconditioning::multigrid));
}

std::string range_remark(const SolverOptions& options) {
  std::vector<Precision> formats = options.refinement.inner;
  formats.insert(formats.begin(), options.precision);
  int narrowest = facts(formats.front()).max_exponent;
  for (const Precision p : formats) narrowest = std::min(narrowest, facts(p).max_exponent);
  std::string names;
  for (const Precision p : formats) {
    if (facts(p).max_exponent == narrowest) names += (names.empty() ? "" : " or ") + to_string(p);
  }
  return "infinity or NaN appeared: the numbers leave the range of " + names;
}

std::string divergence_remark(const SolverOptions& options, const std::string& hint) {
  const bool mixed = options.refinement.used();
  const std::string grew = mixed ? "the corrections made the residual grow without bound"
                                 : "the residual grew without bound";
  if (!hint.empty()) return grew + any_of({hint});
  if (uses_multigrid(options) && options.multigrid.damping) {
    return fmt::format(
        "{}: reduce {}{}", grew, Parameter::damping,
        mixed ? "" : ", or use " + setting(Parameter::method, to_string(Method::cg)));
  }
  return grew + any_of({more_precise_inner(options)});
}

std::string smoother_hint(const SolverOptions& options, const Smoothing& chosen,
                          const Smoothing& suitable) {
  if (!uses_multigrid(options) || suits(chosen, suitable)) return "";
  std::string without;
  if (options.multigrid.damping) without = fmt::format(" without {}", Parameter::damping);
  if (options.multigrid.line_direction) {
    constexpr Parameter direction = Parameter::line_direction;
    without += without.empty() ? fmt::format(" without {}", direction)
                               : fmt::format(" and {}", short_name(direction));
  }
  return fmt::format("{}{}, which takes {} here",
                     setting(Parameter::smoother, to_string(Smoother::automatic)), without,
                     to_words(suitable));
}

}  // namespace ninefold
