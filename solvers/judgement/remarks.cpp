#include "solvers/judgement/remarks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "fem/discrete/error_bound.hpp"

#include "solvers/multigrid/smoothing.hpp"

namespace ninefold {

namespace {

/// The format to try instead of one that does not suffice, or none.
std::string wider_format(Precision precision) {
  switch (precision.kind()) {
    case Precision::Kind::half:
    case Precision::Kind::bfloat16:
      return "solver.precision = \"single\"";
    case Precision::Kind::single_:
    case Precision::Kind::double_single:
      return "solver.precision = \"double\"";
    case Precision::Kind::double_:
      return "solver.precision = \"double-double\"";
    case Precision::Kind::soft:
      return "more mantissa bits in solver.precision";
    case Precision::Kind::double_double:
      return "";
  }
  throw std::logic_error("a precision without a wider one");
}

/// The same as the first of two ways out.  Where cells are lost, corrections in a narrower format
/// lose them, too.
std::string wider_format_or(Precision precision, bool loses_cells) {
  const std::string wider = wider_format(precision);
  if (wider.empty()) return "";
  const bool with_refinement =
      !loses_cells && (precision == Precision::single_ || precision == Precision::double_);
  return wider
         + (!with_refinement                  ? ""
            : precision == Precision::single_ ? " (with refinement.inner_precision = \"single\" "
                                                "it is not much slower)"
                                              : " (with refinement.inner_precision = \"double\")")
         + " or ";
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
  if (evidence.change) {
    if (!(reached <= tolerance)) {
      remark = fmt::format(
          "further cycles change {:.1e} of the solution; the residual, at {:.2e}, counts what "
          "rounding makes of differences across thin cells",
          *evidence.change, reached);
    }
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
    remark = fmt::format("the recursive residual meets solver.tolerance, the true one is {:.2e}",
                         reached);
  }
  const double promised = promise(tolerance);
  if (evidence.bound && !(*evidence.bound <= promised)) return Outcome::stagnated;
  if (evidence.rounding && *evidence.rounding > promised) {
    remark += fmt::format(
        "{}rounding in {} may leave an error of up to {:.1e} of the solution, more than "
        "solver.tolerance speaks of",
        remark.empty() ? "" : "; ", to_string(options.precision), *evidence.rounding);
  }
  return Outcome::converged;
}

std::string stagnation_remark(const SolverOptions& options, OperatorForm form, const Report& report,
                              const Evidence& evidence, bool loses_cells) {
  const double reached = report.true_residual_reduction, attainable = report.attainable_reduction;
  const RefinementOptions& refinement = options.refinement;
  if (evidence.rounding && *evidence.rounding > hopeless_rounding) {
    return fmt::format(
        "rounding in {} may leave an error of {:.1e} times the solution: the format does not hold "
        "this matrix; use {}{}fewer levels",
        to_string(options.precision), *evidence.rounding,
        facts(options.precision).storage ? "" : "operator.form = \"difference\" or ",
        wider_format_or(options.precision, loses_cells));
  }
  if (reached <= options.tolerance && report.error_bound) {
    const std::string wider = wider_format(options.precision);
    return fmt::format(
        "the residual meets solver.tolerance, but its bound of the error stays at {:.1e} of the "
        "solution{}",
        *report.error_bound,
        !uses_multigrid(options)
            ? "; use solver.method = \"multigrid\", or solver.preconditioner = \"multigrid\""
        : wider.empty() ? ""
                        : "; use " + wider);
  }
  if (report.residual_reduction > options.tolerance && reached > 100.0 * attainable) {
    if (!refinement.used()) {
      return fmt::format(
          "the residual no longer falls below {:.2e}, far above the format's limit "
          "of about {:.2e}: the method does not suit the problem",
          reached, attainable);
    }
    return fmt::format(
        "the residual no longer falls below {:.2e}, far above the limit of {} of about {:.2e}: the "
        "corrections in {} no longer reduce it; use {}a more precise "
        "refinement.inner_precision, or more refinement.inner_iterations or inner_digits",
        reached, to_string(options.precision), attainable, to_string(refinement.inner.back()),
        refinement.inner_form == OperatorForm::plain ? "refinement.inner_form = \"difference\", "
                                                     : "");
  }
  // Computed in single, rows of a storage format lose nothing that stored values have left.
  const bool difference_helps = form == OperatorForm::plain && !facts(options.precision).storage;
  return fmt::format(
      "the true residual stays at {:.2e}, the limit of {} in {} form (estimate "
      "u |A||x| / |r0| = {:.2e}); use {}{}a larger solver.tolerance{}",
      reached, to_string(options.precision), to_string(form), attainable,
      difference_helps ? "operator.form = \"difference\" or " : "",
      wider_format_or(options.precision, loses_cells), attained_tolerance(reached, evidence.bound));
}

std::string lost_cells_remark(const SolverOptions& options, Outcome outcome,
                              const Boundary& boundary, const TensorGrid& finest) {
  if (!has_detached_thin_cells(boundary, finest)) return "";
  const Precision outer = options.precision;
  if (options.refinement.used()) {
    const Precision inner = options.refinement.inner.back();
    const bool narrower = facts(inner).unit_roundoff > facts(outer).unit_roundoff;
    if (narrower && has_leading_double(outer)) {
      return fmt::format(
          "corrections in {} lose cells of {:.1e} that no Dirichlet side holds; use "
          "refinement.inner_precision = {}\"none\"",
          to_string(inner), finest.h_min(), outer == Precision::double_ ? "\"double\" or " : "");
    }
  }
  if (outcome == Outcome::stagnated && has_leading_double(outer)) return "";
  const std::string cells = "wider cells there, by fewer levels or a milder grading";
  const std::string remedy = outer == Precision::double_double ? cells
                             : outer == Precision::double_
                                 ? wider_format(outer) + ", or " + cells
                                 : "solver.precision = \"double\", or " + cells;
  return fmt::format(
      "cells of {:.1e} that no Dirichlet side holds are lost in the rounding of {}; "
      "use {}",
      finest.h_min(), to_string(outer), remedy);
}

std::string lost_constant_remark(const SolverOptions& options, const Problem& problem) {
  if (problem.boundary.any_dirichlet() || has_leading_double(options.precision)) return "";
  const double pi = std::numbers::pi;
  const double next = std::min(problem.gx / (problem.width * problem.width),
                               problem.gy / (problem.height * problem.height))
                      * pi * pi;
  if (!(problem.reaction < 0.01 * next)) return "";
  return fmt::format(
      "the reaction, {:.1e}, alone holds the constant, and {} loses it; use "
      "solver.precision = \"double\"",
      problem.reaction, to_string(options.precision));
}

std::string slow_cg_hint(const SolverOptions& options) {
  const bool guided = options.refinement.used()
                      && options.refinement.variant == RefinementVariant::residual_guided_cg;
  return uses_multigrid(options) || guided ? "" : ", or use solver.preconditioner = \"multigrid\"";
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

std::string divergence_remark(const SolverOptions& options) {
  if (!options.refinement.used()) {
    return uses_multigrid(options) && options.method == Method::multigrid
               ? "the residual grew without bound: reduce multigrid.damping, or use solver.method "
                 "= \"cg\""
               : "the residual grew without bound";
  }
  const std::string damping =
      options.multigrid.damping || options.multigrid.smoother == Smoother::jacobi
          ? "reduce multigrid.damping or, "
          : "";
  return "the corrections made the residual grow without bound: "
         + (uses_multigrid(options) ? damping + "where multigrid in one format converges, "
                                    : std::string())
         + "use a more precise refinement.inner_precision";
}

std::string smoother_hint(const SolverOptions& options, const TensorGrid& finest, double gx,
                          double gy) {
  if (!uses_multigrid(options) || suits_grid(options.multigrid, finest, gx, gy)) return "";
  MultigridOptions open = options.multigrid;
  open.smoother = Smoother::automatic;
  open.line_direction = {};
  open.damping = {};
  const Smoothing suitable = choose_smoothing(open, finest, gx, gy);
  return ", or use multigrid.smoother = \"auto\", which takes " + to_words(suitable) + " here";
}

}  // namespace ninefold
