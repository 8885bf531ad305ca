#include "solvers/direct/direct_options.hpp"

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "fem/discrete/line_spectrum.hpp"

#include "gpu/direct/eigenvectors.hpp"

namespace ninefold {

void require_direct(const SolverOptions& options) {
  const RefinementOptions& refinement = options.refinement;
  const bool mixed = refinement.used();
  const Precision solving = mixed ? refinement.inner.back() : options.precision;
  require_value(solving == Precision::double_ || solving == Precision::single_,
                mixed ? inner_parameter(refinement) : Parameter::precision, to_string(solving),
                "{} = \"{}\" solves in \"single\" or \"double\"", Parameter::method,
                to_string(options.method));
  if (!mixed || refinement.stop.empty()) return;
  const InnerStop stop = inner_stop(options, refinement.inner.size() - 1);
  require_value(!stop.digits, Parameter::inner_digits, stop.digits.value_or(0),
                "{} = \"{}\" solves at once, so that nothing is left to be counted",
                Parameter::method, to_string(options.method));
  require_value(stop.iterations == 1, Parameter::inner_iterations, stop.iterations.value_or(0),
                "{} = \"{}\" solves in 1", Parameter::method, to_string(options.method));
}

void require_eigenvectors(const SolverOptions& options, const Problem& problem,
                          const TensorGrid& finest, bool on_device) {
  if (!is_direct(options)) return;
  const double span = computed_span(problem, finest);
  require_value(span <= widest_span, Parameter::method, options.method,
                "the eigenvalues of this grid span {:.1e}, and computed eigenvectors hold {:.1e}; "
                "use {} = \"{}\", or wider cells",
                span, widest_span, Parameter::method, to_string(Method::multigrid));
  require_value(
      span == 0 || on_device || has_lapack(), Parameter::method, options.method,
      "cells of different widths need eigenvectors that LAPACK computes, which this build "
      "is without (NINEFOLD_LAPACK); use {} = \"{}\", or equal cells",
      Parameter::method, to_string(Method::multigrid));
  const auto require_counted = [&](const Line& line, const HeldEnds& held) {
    const int n = count_unknowns(line, held);
    require_value(wave_of(line, held) != Wave::computed || is_diagonalisable(n, on_device),
                  Parameter::method, options.method,
                  "{} unknowns in a direction of different widths are more than its eigenvectors "
                  "are computed for; use {} = \"{}\", or equal cells",
                  n, Parameter::method, to_string(Method::multigrid));
  };
  require_counted(finest.x, held_ends_x(problem.boundary));
  require_counted(finest.y, held_ends_y(problem.boundary));
}

}  // namespace ninefold
