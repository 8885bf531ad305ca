#include "solvers/remarks.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "solvers/smoothing.hpp"

namespace ninefold {

namespace {

/// What to try instead of a format that does not suffice: words for a remark, or none.
const char* wider_format(Precision precision) {
  switch (precision.kind()) {
    case Precision::Kind::half:
    case Precision::Kind::bfloat16:
      return "solver.precision = \"single\" or ";
    case Precision::Kind::single_:
      return "solver.precision = \"double\" (with refinement.inner_precision = \"single\" it is "
             "not much slower) or ";
    case Precision::Kind::double_single:
      return "solver.precision = \"double\" or ";
    case Precision::Kind::double_:
      return "solver.precision = \"double-double\" (with refinement.inner_precision = \"double\") "
             "or ";
    case Precision::Kind::soft:
      return "more mantissa bits in solver.precision or ";
    case Precision::Kind::double_double:
      return "";
  }
  throw std::logic_error("a precision without a wider one");
}

}  // namespace

std::string stagnation_remark(const SolverOptions& options, const Report& report) {
  const double reached = report.true_residual_reduction, attainable = report.attainable_reduction;
  const RefinementOptions& refinement = options.refinement;
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
  const bool difference_helps =
      options.form == OperatorForm::plain && !facts(options.precision).storage;
  return fmt::format(
      "the true residual stays at {:.2e}, the limit of {} in {} form (estimate "
      "u |A||x| / |r0| = {:.2e}); use {}{}a larger solver.tolerance",
      reached, to_string(options.precision), to_string(options.form), attainable,
      difference_helps ? "operator.form = \"difference\" or " : "",
      wider_format(options.precision));
}

std::string range_remark(const SolverOptions& options) {
  std::string formats = to_string(options.precision);
  for (const Precision inner : options.refinement.inner) formats += " or " + to_string(inner);
  return "infinity or NaN appeared: the numbers leave the range of " + formats;
}

std::string divergence_remark(const SolverOptions& options) {
  const std::string damping =
      options.multigrid.damping || options.multigrid.smoother == Smoother::jacobi
          ? "reduce multigrid.damping or, "
          : "";
  return options.refinement.used()
             ? "the corrections made the residual grow without bound: " + damping
                   + "where multigrid in one format converges, use a more precise "
                     "refinement.inner_precision"
             : "the residual grew without bound: reduce multigrid.damping, or use solver.method "
               "= \"cg\"";
}

std::string smoother_hint(const SolverOptions& options, const TensorGrid& finest, double gx,
                          double gy) {
  MultigridOptions open = options.multigrid;
  open.smoother = Smoother::automatic;
  open.line_direction = {};
  open.damping = {};
  const Smoothing suitable = choose_smoothing(open, finest, gx, gy);
  const Smoothing chosen = choose_smoothing(options.multigrid, finest, gx, gy);
  const bool same =
      suitable.smoother == chosen.smoother
      && (suitable.smoother != Smoother::trigs || suitable.direction == chosen.direction);
  if (!uses_multigrid(options) || same) return "";
  return ", or use multigrid.smoother = \"auto\", which takes " + to_words(suitable) + " here";
}

}  // namespace ninefold
