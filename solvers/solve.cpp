#include "solvers/solve.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/drivers/solve_on.hpp"
#include "solvers/multigrid/smoothing.hpp"

namespace ninefold {

std::vector<DoubleDouble> wide_solution(const Solved& solved) {
  require(solved.solution_low.size() == solved.solution.size(),
          "only a double-double solve has a solution wider than double");
  std::vector<DoubleDouble> values(solved.solution.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = {solved.solution[k], solved.solution_low[k]};
  }
  return values;
}

namespace {

/// On the backend, in the formats that the options name.
Solved dispatch(const Problem& problem, const std::vector<TensorGrid>& grids,
                const SolverOptions& options, [[maybe_unused]] BackendKind where) {
  const std::size_t scratch = sum_scratch_bytes(grids.back().nx(), grids.back().ny());
  const bool mixed = options.refinement.used();
#ifdef NINEFOLD_HAS_CUDA
  if (where == BackendKind::cuda) {
    if (mixed && options.refinement.outer_backend == OuterBackend::host) {
      return solve_split(Host(scratch), Cuda(scratch), problem, grids, options);
    }
    return mixed ? solve_mixed_on(Cuda(scratch), problem, grids, options)
                 : solve_on(Cuda(scratch), problem, grids, options);
  }
#endif
  return mixed ? solve_mixed_on(Host(scratch), problem, grids, options)
               : solve_on(Host(scratch), problem, grids, options);
}

}  // namespace

Solved solve(const Problem& problem, const std::vector<TensorGrid>& grids,
             const SolverOptions& stated, BackendKind where) {
  validate(stated);
  validate(problem);
  require(grids.size() >= 2, "a solve needs the grids of levels 0 to at least 1");
  const double width = grids.back().x.from_start.back(), height = grids.back().y.from_start.back();
  require(std::abs(width - problem.width) <= 1e-12 * width
              && std::abs(height - problem.height) <= 1e-12 * height,
          fmt::format("the problem is stated on {} x {}, the grids cover {} x {}", problem.width,
                      problem.height, width, height));
  const SolverOptions options = settled(stated, problem, grids.back());
  if (const auto soft = software_format(options); soft && where == BackendKind::cuda) {
    const Parameter parameter =
        *soft == options.precision ? Parameter::precision : inner_parameter(options.refinement);
    throw BadValue(
        to_string(*soft),
        words("{} = \"{}\" is not possible on a CUDA device", parameter, to_string(*soft)),
        words("software formats run on the host only"));
  }
#ifndef NINEFOLD_HAS_CUDA
  require(where == BackendKind::host, "this build has no CUDA: solve on the host");
#endif
  require_memory(forecast_memory(problem, grids, options, where), where);
  if (!uses_multigrid(options)) return dispatch(problem, grids, options, where);
  const Smoothing smoothing =
      choose_smoothing(options.multigrid, grids.back(), problem.gx, problem.gy);
  const std::string smoother = to_words(smoothing);
  const int steps = options.multigrid.pre_smoothing + options.multigrid.post_smoothing;
  if (steps < 2 && smoothing.sweep().alternates) {
    throw BadValue(
        value_text(steps),
        words("{} + {} = {} is not possible with {} = \"{}\", here {}", Parameter::pre_smoothing,
              Parameter::post_smoothing, steps, Parameter::smoother,
              to_string(options.multigrid.smoother), smoother),
        words("lines along x and along y take turns, so that there must be at least 2 steps"));
  }
  Solved solved = dispatch(problem, grids, options, where);
  solved.report.smoother = smoother;
  return solved;
}

}  // namespace ninefold
