#include "solvers/sparse/judged.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "fem/sparse/diagonal_blocks.hpp"

#include "solvers/judgement/remarks.hpp"
#include "solvers/krylov/lanczos.hpp"
#include "solvers/timeline.hpp"

namespace ninefold {
namespace {

/// So many times what rounding leaves is left by something else.
constexpr double far_above = 100;

/// True if steps have made a residual worse than it was, far beyond what they do on their way.
bool has_risen(const std::vector<double>& history) {
  constexpr double on_the_way = 100;
  return !history.empty()
         && history.back() > on_the_way * *std::min_element(history.begin(), history.end());
}

/// The limit of iterations that has ended a solve whose residual was still falling, or nothing.
std::string limit_remark(const SolverOptions& options, const Report& report) {
  const std::int64_t most_inner = std::int64_t{inner_iterations_factor} * options.max_iterations;
  const bool by_inner = options.refinement.used() && report.inner_iterations >= most_inner;
  const bool is_limit =
      report.outcome == Outcome::step_limit || (report.outcome == Outcome::stagnated && by_inner);
  if (!is_limit || has_risen(report.history)) return "";
  return limit_reached(options, by_inner)
         + any_of({fmt::format("a larger {}", Parameter::max_iterations)});
}

/// What the solve is called, by what is true of the residual in the norm that is asked for.
void judge_by_residual(const SparseOptions& options, const ScaledSystem& system,
                       const SparseResidual& left, Report& report) {
  const double tolerance = options.solver.tolerance;
  const double u = facts(options.solver.precision).unit_roundoff;
  const auto part = [](double size, double of) { return of > 0 ? size / of : size; };
  report.true_residual_reduction = part(left.norm, left.right_norm);
  report.attainable_reduction = u * part(left.row_sizes, left.right_norm);
  const bool by_residual = options.stop == StopBy::residual;
  const double reached = by_residual
                             ? report.true_residual_reduction
                             : std::sqrt(part(left.scaled_square, left.right_scaled_square));
  if (!std::isfinite(reached)) {
    report.outcome = Outcome::not_finite;
    report.remark =
        range_remark(options.solver, ", or the matrix, rounded to that, is not positive definite");
    return;
  }
  if (reached <= tolerance) {
    report.outcome = Outcome::converged;
    return;
  }
  // What the recurrence may be off by, unless little of the right-hand side would be solved for.
  const double most = std::min(recurrence_drift * tolerance, std::max(tolerance, 0.1));
  if (report.outcome == Outcome::converged && reached > most) {
    report.outcome = Outcome::stagnated;
    const std::string held =
        fmt::format("the residual is {:.1e} of the right-hand side, above the tolerance of {:g}",
                    reached, tolerance);
    report.remark =
        system.exponents.empty()
            ? fmt::format("{}, where {} holds it{}", held, to_string(options.solver.precision),
                          any_of({wider_format(options.solver, tolerance / reached, false)}))
            : held
                  + ": the tolerance was met by that of rows and columns that were scaled to fit a "
                    "format; a format of wider range needs no scaling";
  } else if (const std::string limit = limit_remark(options.solver, report); !limit.empty()) {
    report.remark = limit;
  } else if (report.outcome == Outcome::stagnated) {
    const std::string inner = more_precise_inner(options.solver);
    const bool by_inner = !inner.empty() && reached > far_above * report.attainable_reduction;
    report.remark = fmt::format(
        "the residual no longer falls{}: {} leaves about {:.1e} of the right-hand side by "
        "rounding{}",
        by_inner ? fmt::format(" by corrections in {}",
                               to_string(options.solver.refinement.inner.back()))
                 : "",
        to_string(options.solver.precision), report.attainable_reduction,
        any_of({by_inner ? inner : wider_format(options.solver, tolerance / reached, false)}));
  } else if (report.outcome == Outcome::step_limit && options.solver.refinement.used()
             && has_risen(report.history)) {
    report.remark = fmt::format("the residual has risen since it was {:.1e}{}",
                                *std::min_element(report.history.begin(), report.history.end()),
                                any_of({more_precise_inner(options.solver)}));
  } else if (report.outcome == Outcome::diverged) {
    report.remark =
        "the residual grew without bound, as where the matrix is not positive definite, or takes "
        "some v to zero that the right-hand side has a part in"
        + any_of({more_precise_inner(options.solver)});
  }
}

/// Of a solve that has converged: what its residual does not see.
std::string unseen(const SparseOptions& options, const SparseSolved& solved) {
  constexpr double much = 0.01, small = 1e-3, most_of_a_row = 0.5;
  const double tolerance = options.solver.tolerance;
  const bool is_far = solved.errors.l2.value_or(0) > std::max(much, far_above * tolerance);
  const bool leaves_rows =
      solved.backward_error > std::min(most_of_a_row, std::max(small, far_above * tolerance));
  if (!is_far && !leaves_rows) return "";
  const std::string error =
      is_far ? fmt::format("the error is {:.2g} of the solution", *solved.errors.l2) : "";
  const std::string seen =
      leaves_rows ? fmt::format(
          "the residual is small beside the right-hand side as a whole, and in some "
          "row {:.1e} of that row's own sizes{}{}",
          solved.backward_error, error.empty() ? "" : ": ", error)
                  : fmt::format(
                      "the residual is small, and {}: the matrix is singular, or so "
                      "ill-conditioned or badly scaled",
                      error);
  // Some rows' may still fall where that of all is at rounding.
  const double left =
      leaves_rows ? tolerance : std::min(tolerance, solved.report.true_residual_reduction);
  const bool has_more = 100 * solved.report.attainable_reduction < left;
  return seen + (has_more ? any_of({fmt::format("a smaller {}", Parameter::tolerance)}) : "");
}

/// Where a step is along a p with (p, A p) < 0, which no positive definite matrix has.  Formats
/// shorter than double make such steps of rounding, too, where they hold the residual.
std::string not_definite(const std::vector<double>& steps, Precision precision, Outcome outcome) {
  const bool is_short = facts(precision).unit_roundoff > 0x1p-53;
  if (is_short && outcome != Outcome::converged) return "";
  const auto negative =
      std::find_if(steps.begin(), steps.end(), [](double step) { return step < 0; });
  if (negative == steps.end()) return "";
  return fmt::format(
      "the matrix is not positive definite, as {} sees it: (p, A p) < 0 in iteration {}, and "
      "conjugate gradients promise no progress",
      to_string(precision), negative - steps.begin() + 1);
}

/// Where no step is taken, as (p, A p) is zero or beside it.
std::string not_moved(const std::vector<double>& steps, Outcome outcome) {
  if (outcome == Outcome::converged) return "";
  const auto none = std::find(steps.begin(), steps.end(), 0.0);
  if (none == steps.end()) return "";
  return fmt::format(
      "(p, A p) is zero from iteration {} on, so that conjugate gradients make no step: the matrix "
      "takes some p to zero, and the right-hand side has a part in it",
      none - steps.begin() + 1);
}

/// With the squares in the norm of the preconditioner that there is.
SparseResidual residual_left(const SparseOptions& options, const SparseMatrix& A,
                             const WideVector& b, const WideVector& x) {
  const bool has_blocks = options.solver.preconditioner == Preconditioning::block_jacobi;
  WideVector r;
  SparseResidual left = sparse_residual(A, b, x, has_blocks ? &r : nullptr);
  if (has_blocks) {
    const int size = options.block_size.value();
    const std::vector<DoubleDouble> inverses = block_inverses(A, size);
    const auto square = [&](const WideVector& v) {
      return block_square(inverses, size, v, left.exponent);
    };
    left.scaled_square = square(r);
    left.right_scaled_square = square(b);
  }
  return left;
}

/// Of the solution, relative to it: (r, M^-1 r) over the lowest eigenvalue of M^-1 A, which CG
/// knows of the scaled system; nothing where that has another one.
std::optional<double> energy_error(const SolverOptions& solver, const ScaledSystem& system,
                                   const SparseResidual& left, double lowest) {
  const bool preconditioned = solver.preconditioner != Preconditioning::none;
  if (!preconditioned && !system.exponents.empty()) return {};
  const double square = preconditioned ? left.scaled_square : left.norm * left.norm;
  const double eigenvalue = preconditioned ? lowest : std::ldexp(lowest, -system.matrix_exponent);
  if (!(left.energy_square > 0) || !(eigenvalue > 0)) return {};
  // The square is in units of 2^(-2 e), the energy in those of 2^-e, half of which is a root's.
  const double root = std::sqrt(square / eigenvalue / left.energy_square);
  const double error = root * std::exp2(-0.5 * left.exponent);
  if (!std::isfinite(error)) return {};
  return error;
}

}  // namespace

SparseErrors errors_of(const WideVector& x, const WideVector& exact) {
  // Each in a unit of its own, so that no square leaves the range of a double.
  const auto norms = [](const std::vector<double>& values) {
    struct Norms {
      double l2, largest;
      int exponent;
    };
    double largest = 0, square = 0;
    for (const double value : values) {
      largest = std::isnan(value) ? value : std::max(largest, std::abs(value));
    }
    const int exponent = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
    for (const double value : values) {
      const double scaled = std::ldexp(value, -exponent);
      square += scaled * scaled;
    }
    return Norms{std::sqrt(square), std::ldexp(largest, -exponent), exponent};
  };
  std::vector<double> differences(exact.high.size());
  for (std::size_t k = 0; k < differences.size(); ++k) {
    differences[k] = static_cast<double>(x[k] - exact[k]);
  }
  const auto error = norms(differences), size = norms(exact.high);
  const auto relative = [&](double value, double of) {
    return of > 0 ? std::ldexp(value / of, error.exponent - size.exponent)
                  : std::ldexp(value, error.exponent);
  };
  SparseErrors errors;
  errors.l2 = relative(error.l2, size.l2);
  errors.largest = relative(error.largest, size.largest);
  return errors;
}

SparseSolved judged(const SparseMatrix& A, const GivenRight& right, const SparseOptions& options,
                    const ScaledSystem& system, std::size_t k, SparseFound found) {
  const auto began = Clock::now();
  SparseSolved solved;
  solved.report = std::move(found.report);
  Report& report = solved.report;
  solved.solution = system.solution(found.y, k);
  const SparseResidual left = residual_left(options, A, *right.b, solved.solution);
  solved.backward_error = left.backward_error;
  judge_by_residual(options, system, left, report);
  if (*right.solution) solved.errors = errors_of(solved.solution, **right.solution);
  if (left.right_norm == 0) {
    report.remark = "the right-hand side is zero, and so is this solution";
    if (solved.errors.l2.value_or(0) > 0) {
      report.remark += ", but not the one that it was made of: the matrix is singular";
    }
  } else if (report.outcome == Outcome::converged) {
    report.remark = unseen(options, solved);
  }
  const std::string refuted =
      not_definite(found.coefficients.steps, options.solver.precision, report.outcome);
  if (!refuted.empty()) report.remark += (report.remark.empty() ? "" : "; ") + refuted;
  const std::string stuck = not_moved(found.coefficients.steps, report.outcome);
  if (!stuck.empty()) report.remark = stuck;
  const SpectrumEnds ends = lanczos_spectrum(found.coefficients.steps, found.coefficients.ratios);
  // Beyond this the lowest one is made by rounding.
  const double largest_condition = 0.1 / facts(options.solver.precision).unit_roundoff;
  const bool is_of_matrix =
      options.solver.preconditioner != Preconditioning::none || system.exponents.empty();
  if (is_of_matrix && refuted.empty() && ends.lowest > 0
      && ends.highest < largest_condition * ends.lowest) {
    solved.condition = ends.highest / ends.lowest;
    solved.errors.energy = energy_error(options.solver, system, left, ends.lowest);
  }
  solved.order = system.taken;
  solved.form = options.solver.form.value();
  if (options.solver.refinement.used()) solved.inner_form = inner_form_of(options.solver);
  solved.storage = options.storage.value();
  solved.matrix_bytes = found.matrix_bytes;
  report.timeline = {{part::solver, report.setup_seconds},
                     {part::iteration, report.solve_seconds},
                     {part::judgement, seconds_since(began)}};
  return solved;
}

}  // namespace ninefold
