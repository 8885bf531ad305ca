#pragma once
// The system as it is assembled on the host, before it goes to a format and a backend.
//
// Tests.  tests/solvers/solve_test.cpp

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/finite_data.hpp"
#include "fem/discrete/lifting.hpp"
#include "fem/discrete/load.hpp"
#include "fem/discrete/q1_element.hpp"
#include "fem/discrete/scaling.hpp"

#include "solvers/options.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/system/rows_of_ranks.hpp"
#include "solvers/timeline.hpp"

namespace ninefold {

/// What the data of a problem become on a grid: its load, and the boundary values taken from it.
template <class W>
struct LiftedLoad {
  Load<W> load;
  Lifting<W> lifting;
};

/// What is common to all methods.  The solution is the lifting plus the v of A v = load.  A backend
/// holds A 2^-scaling.matrix, the load times 2^-scaling.load and v times 2^-scaling.solution().
template <class W>
struct System {
  const PreparedSolve& prepared;
  Load<W> load;                  ///< as assembled
  LoadSize size;                 ///< of that
  Lifting<W> lifting;            ///< in the units of the solution
  Scaling scaling;               ///< that the format's range asks for
  Coefficients<W> coefficients;  ///< of the scaled matrix
  Clock::time_point began;
  std::shared_ptr<const RowsOfRanks> share;  ///< null where each rank has all rows

  const Problem& problem() const { return prepared.problem; }
  const SolverOptions& options() const { return prepared.options; }
  const TensorGrid& finest() const { return prepared.finest(); }
  Box unknowns() const { return unknown_nodes(finest(), problem().boundary); }
  /// The rows of nodes whose values a rank has on the host, and those that no other rank has.
  RowRange here() const { return share ? share->here() : RowRange{0, finest().ny()}; }
  RowRange own() const { return share ? share->own() : RowRange{0, finest().ny()}; }
};

/// The part of the whole line that each node stands for: the mean of a bilinear function is the sum
/// of its nodal values times the shares of both directions.
template <class W>
std::vector<W> shares_of(const Line& line) {
  std::vector<W> shares = lumped_masses<W>(line);
  for (W& share : shares) share = share / line.from_start.back();
  return shares;
}

/// How ranks share the nodes of a solve's finest grid.
inline std::shared_ptr<const RowsOfRanks> rows_of(const PreparedSolve& prepared) {
  return rows_of_ranks(prepared.options.ranks, prepared.finest().ny());
}

/// Throws BadValue for data that are not finite, or whose solution cannot be.
template <class W>
LiftedLoad<W> lifted_load(const Problem& problem, const TensorGrid& grid,
                          std::shared_ptr<const RowShare> share) {
  Load<W> load = load_of<W>(problem, grid, std::move(share));
  Lifting<W> lifting(problem, grid, side_values<W>(problem, grid), load);
  if (!std::isfinite(lifting.largest_boundary_value()) || !std::isfinite(lifting.largest())) {
    require_finite_load<W>(problem, grid);
    refuse_solution(lifting.largest());
  }
  lifting.subtract_image(load);
  return {std::move(load), std::move(lifting)};
}

/// The scaling of the solver's own system, of mixed precision the outer one; throws
/// BadValue if the format's range does not hold it.
template <class W>
Scaling scaling_of(const PreparedSolve& prepared, const LoadSize& load) {
  const SolverOptions& options = prepared.options;
  const Scaling scaling = choose_scaling<W>(prepared.problem, prepared.finest(), load,
                                            range_of(options.precision, Parameter::precision));
  require_rows(prepared.problem, prepared.finest(), scaling, options.precision,
               Parameter::precision, storage_of(options), prepared.form());
  return scaling;
}

/// The same that a stage of refinement would have by itself.
template <class W>
Scaling scaling_of_stage(const PreparedSolve& prepared, const LoadSize& load, std::size_t stage) {
  const SolverOptions& options = prepared.options;
  const Precision inner = options.refinement.inner[stage];
  const Parameter parameter = inner_parameter(options.refinement);
  const Scaling scaling =
      choose_scaling<W>(prepared.problem, prepared.finest(), load, range_of(inner, parameter));
  require_rows(prepared.problem, prepared.finest(), scaling, inner, parameter,
               storage_of_stage(options, stage), inner_form_of(options));
  return scaling;
}

template <class W>
System<W> assemble(const PreparedSolve& prepared) {
  const auto began = Clock::now();
  const std::shared_ptr<const RowsOfRanks> share = rows_of(prepared);
  LiftedLoad<W> data = lifted_load<W>(prepared.problem, prepared.finest(), share);
  const LoadSize size = size_of_load(prepared.problem, prepared.finest(), data.load);
  const Scaling scaling = scaling_of<W>(prepared, size);
  return {prepared, std::move(data.load),
          size,     std::move(data.lifting),
          scaling,  scaled_coefficients<W>(prepared.problem, scaling),
          began,    share};
}

/// A system that is not scaled and has no data: what is made for it holds as much memory.
template <class W>
System<W> without_data(const PreparedSolve& prepared) {
  return {prepared, {}, {}, {}, {}, scaled_coefficients<W>(prepared.problem, {}), Clock::now(), {}};
}

}  // namespace ninefold
