#include "solvers/judgement/remarks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "precision/parameter_format.hpp"
#include "precision/precision.hpp"
#include "precision/require.hpp"

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

/// A number rounded up to one digit.
std::string one_digit(double least) {
  const double unit = std::pow(10.0, std::floor(std::log10(least)));
  return fmt::format("{:.0e}", std::ceil(least / unit) * unit);
}

/// The least tolerance with which judge() would have let pass what has been reached, where that is
/// one.
std::string attained_tolerance(double reached, std::optional<double> bound) {
  double least = reached;
  if (bound) {
    least = *bound > promise(1.0) ? 1.0 : std::max(reached, *bound / promised_factor);
    least = std::min(least, *bound / sure_factor);
  }
  return larger_tolerance(1.2 * least,
                          " on this level; errors may grow with it");  // the limit is a noisy one
}

}  // namespace

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
    if (options.method == Method::fast_diagonalisation && wider == Precision::double_double) {
      return options.refinement.used()
                 ? widened
                 : fmt::format("{} with {}", widened,
                               setting(Parameter::inner_precision, to_string(Precision::double_)));
    }
    if (loses_cells || options.refinement.used()) return widened;
    const std::string by_refinement = setting(Parameter::inner_precision, to_string(precision));
    const bool to_double = precision == Precision::single_ && wider == Precision::double_;
    // Conjugate gradients need more iterations by refinement, which may take all that it saves.
    if (to_double && options.method != Method::cg) {
      return fmt::format("{} (with {} it is not much slower)", widened, by_refinement);
    }
    return to_double || precision == Precision::double_
               ? fmt::format("{} (with {})", widened, by_refinement)
               : widened;
  }
  return "";
}

std::string more_precise_inner(const SolverOptions& options) {
  if (!options.refinement.used()) return "";
  const double outer = facts(options.precision).unit_roundoff;
  const bool narrower = facts(options.refinement.inner.back()).unit_roundoff > outer;
  return narrower ? fmt::format("a more precise {}", inner_parameter(options.refinement)) : "";
}

std::string any_of(const std::vector<std::string>& remedies) {
  std::string text;
  for (const std::string& remedy : remedies) {
    if (!remedy.empty()) text += (text.empty() ? "; use " : " or ") + remedy;
  }
  return text;
}

std::string open_aim_remark(const SolverOptions& options) {
  return fmt::format(
      "rounding in {} has ended the iteration before its corrections tell that at most {} = {:g} "
      "of the discretisation error is left{}",
      to_string(options.precision), Parameter::fraction, options.fraction,
      any_of({more_precise_inner(options), wider_format(options, 0.5, false),
              fmt::format("a larger {}", Parameter::fraction)}));
}

std::string aim_remark(const SolverOptions& options, double part, std::optional<double> rounding,
                       bool is_least) {
  const double most = options.fraction;
  const bool by_rounding = !rounding || *rounding > 0.5 * most;
  const std::string inner = by_rounding ? std::string() : more_precise_inner(options);
  const bool may_grow = !is_least && part < 1;
  return fmt::format(
      "iteration and rounding in {} leave {}{:.2g} of the discretisation error, more than {} = "
      "{:g}{}",
      to_string(options.precision), is_least ? "at least " : "", part, Parameter::fraction, most,
      any_of({inner.empty() ? wider_format(options, most / part, false) : inner,
              may_grow ? fmt::format("a larger {}", Parameter::fraction) : ""}));
}

std::string slow_aim_remark(double part, const std::string& hint) {
  return fmt::format(
      "the iteration leaves {:.2g} of the discretisation error, more than its corrections tell: it "
      "falls slowly{}",
      part, any_of({hint, fmt::format("a smaller {}", Parameter::fraction)}));
}

std::string larger_tolerance(double least, std::string_view where) {
  const std::string larger = fmt::format("a larger {}", Parameter::tolerance);
  if (!(least > 0 && least < 0.5)) return larger;
  return fmt::format("{} ({}{})", larger, one_digit(least), where);
}

std::string stagnation_remark(const SolverOptions& options, OperatorForm form, const Report& report,
                              const Evidence& evidence, bool loses_cells, const std::string& hint,
                              const std::string& rows, const std::string& by_changes) {
  const double reached = for_words(report.true_residual_reduction),
               attainable = report.attainable_reduction;
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
  // A recursive residual ends an iteration, and the true one may then be what rounding leaves.
  const bool recursive = refinement.used() ? refinement.variant == RefinementVariant::flexible_cg
                                           : options.method == Method::cg;
  const double ended = recursive ? limit : reached;
  const std::optional<double> bound =
      evidence.bound && reached > 0 ? *evidence.bound * (ended / reached) : evidence.bound;
  const bool grown = reached >= 1 && !hint.empty();
  // Where cells are lost, changes tell, and they end at a roundoff.
  const double ends_at = loses_cells ? facts(options.precision).unit_roundoff : limit;
  // A bound that is no longer small says nothing of larger tolerances.
  const bool tolerable = !evidence.bound || *evidence.bound <= 0.1 || (loses_cells && limit < 1e-3);
  return fmt::format(
      "the true residual stays at {:.2e}, the limit of {} in {} form (estimate "
      "u |A||x| / |r0| = {:.2e}{}){}",
      reached, to_string(options.precision), to_string(form), attainable,
      reached >= 1 ? ": rounding x leaves that, however small its error" : "",
      grown ? any_of({hint})
            : any_of({rows, wider_format(options, tolerance / ends_at, loses_cells),
                      !by_changes.empty() ? by_changes
                      : tolerable         ? attained_tolerance(ended, bound)
                                          : ""}));
}

std::string norm_remark(const SolverOptions& options, const Evidence& evidence, bool loses_cells,
                        const std::string& hint) {
  constexpr double much = 0.3;  // of the bound
  constexpr double near = 100;  // the floor of residuals
  const double bound = evidence.bound.value_or(0);
  const double reached = for_words(std::min(bound, error_by_change(evidence).value_or(bound)));
  const double rounding = for_words(evidence.rounding.value_or(0));
  const bool by_rounding = rounding > much * reached;
  const std::string norm = options.norm == StoppingNorm::energy ? "in the energy norm"
                           : options.norm == StoppingNorm::l2   ? "in the l2 norm"
                                                                : "at the largest node";
  const bool by_format = by_rounding || evidence.true_reduction <= near * evidence.attainable;
  const std::string remedy =
      by_format ? wider_format(options, std::isfinite(reached) ? options.tolerance / reached : 0.5,
                               loses_cells)
      : hint.empty() ? more_precise_inner(options)
                     : hint;
  if (!std::isfinite(reached)) {
    return fmt::format("the error {} is not known to be less than the solution{}", norm,
                       any_of({remedy}));
  }
  const std::string tolerance = options.relative
                                    ? larger_tolerance(1.05 * reached, " on this level")
                                    : fmt::format("a larger {} ({} on this level)",
                                                  Parameter::tolerance, one_digit(1.05 * reached));
  return fmt::format("the error {} is at most {:.1e}{}, as far as its bound can show{}{}", norm,
                     reached, options.relative ? " of the solution" : "",
                     by_rounding ? fmt::format(", of which rounding in {} may be {:.1e}",
                                               to_string(options.precision), rounding)
                                 : "",
                     any_of({remedy, tolerance}));
}

std::string rounding_remark(const SolverOptions& options, double rounding) {
  const double promised = promise(options.tolerance);
  return fmt::format(
      "rounding in {} may leave an error of up to {:.1e} of the solution, more than {} speaks of{}",
      to_string(options.precision), rounding, Parameter::tolerance,
      any_of({wider_format(options, promised / rounding, true),
              rounding < promise(1.0)
                  ? larger_tolerance(1.05 * rounding / promised_factor, " on this level")
                  : ""}));
}

std::string limit_reached(const SolverOptions& options, bool of_inner) {
  const std::string limit =
      of_inner ? fmt::format("{} inner iterations, {} times {},",
                             std::int64_t{inner_iterations_factor} * options.max_iterations,
                             inner_iterations_factor, Parameter::max_iterations)
               : fmt::format("{} = {}", Parameter::max_iterations, options.max_iterations);
  return fmt::format("{} reached before {}", limit, Parameter::tolerance);
}

std::string step_limit_remark(const SolverOptions& options, int iterations,
                              const std::string& hint) {
  const std::string reached = limit_reached(options, iterations < options.max_iterations);
  const bool guided = options.refinement.used()
                      && options.refinement.variant == RefinementVariant::residual_guided_cg;
  const std::string preconditioned =
      uses_multigrid(options) || guided
          ? std::string()
          : setting(Parameter::preconditioner, to_string(Preconditioning::multigrid));
  return reached
         + any_of({hint, preconditioned, fmt::format("a larger {}", Parameter::max_iterations)});
}

std::string range_remark(const SolverOptions& options, std::string_view or_else) {
  std::vector<Precision> formats = options.refinement.inner;
  formats.insert(formats.begin(), options.precision);
  int narrowest = facts(formats.front()).max_exponent;
  for (const Precision p : formats) narrowest = std::min(narrowest, facts(p).max_exponent);
  std::string names;
  for (auto p = formats.begin(); p != formats.end(); ++p) {
    if (facts(*p).max_exponent != narrowest || std::find(formats.begin(), p, *p) != p) continue;
    names += (names.empty() ? "" : " or ") + to_string(*p);
  }
  const std::vector<Precision> wider = wider_formats(options.precision);
  const auto larger = std::find_if(wider.begin(), wider.end(),
                                   [&](Precision p) { return facts(p).max_exponent > narrowest; });
  const bool has_larger = larger != wider.end() && more_precise_inner(options).empty();
  return fmt::format("infinity or NaN appeared: the numbers leave the range of {}{}{}", names,
                     or_else,
                     any_of({more_precise_inner(options), has_larger ? setting_of(*larger) : ""}));
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
