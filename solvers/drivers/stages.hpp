#pragma once
// The solvers inside a solve in mixed precision, one for each format of its cascade.

#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "precision/precision.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/scaling.hpp"
#include "fem/problem/problems.hpp"

#include "solvers/multigrid/base_solver.hpp"
#include "solvers/options.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/refinement/correction.hpp"
#include "solvers/refinement/inner_solver.hpp"
#include "solvers/refinement/mixed_pairs.hpp"

namespace ninefold {

/// What every stage needs to know.
struct Stages {
  const PreparedSolve& prepared;
  Scaling scaling;             ///< of the outermost format; all stages share its matrix
  std::vector<int> exponents;  ///< of the norm of each stage's right-hand side

  const Problem& problem() const { return prepared.problem; }
  const SolverOptions& options() const { return prepared.options; }
  const TensorGrid& finest() const { return prepared.finest(); }
  Box unknowns() const { return unknown_nodes(finest(), problem().boundary); }
  std::size_t count() const { return options().refinement.inner.size(); }
  Precision precision(std::size_t stage) const { return options().refinement.inner[stage]; }
  ResidualStorage residual_storage(std::size_t stage) const {
    return {options().refinement.scaling, exponents[stage], widest_change(precision(stage)),
            over_corrections(stage), most_gain(stage)};
  }

 private:
  /// No problem was seen to gain more than 104 by one of the cycles that are not taken just once,
  /// or more than 45 by each of two.
  double most_gain(std::size_t stage) const {
    return over_corrections(stage).count > 1 ? 64 : std::numeric_limits<double>::infinity();
  }
  /// Of one cycle that begins above the level that may be solved at once, in a format whose
  /// rounding is none of the rough errors that it makes larger.
  OverCorrections over_corrections(std::size_t stage) const {
    const bool is_solved_at_once =
        with_type(precision(stage), [&]<class T>() { return may_be_base<T>(finest()); });
    const bool is_cycle = inner_stop(options(), stage) == InnerStop{1, {}}
                          && !options().refinement.stop_at_tolerance && !is_solved_at_once;
    const bool is_fine = facts(precision(stage)).unit_roundoff < 0x1p-20;
    if (stage > 0 || !is_cycle || !is_fine) return {};
    return prepared.smoothing.over_corrections();
  }
};

/// Calls run.template operator()<Low>() with the format of a stage, inside a solver in High.
template <Backend B, Number High, class Run>
decltype(auto) with_inner_type(Precision inner, Run&& run) {
  return with_type(inner, [&]<class Low>() -> decltype(run.template operator()<High>()) {
    if constexpr (is_mixed_pair<B, High, Low>) {
      return run.template operator()<Low>();
    } else {
      throw std::logic_error("validate() has let a pair of formats pass that there is not");
    }
  });
}

/// The solver of a stage, whose format is T, with all stages inside it.
template <Backend B, Number T>
std::unique_ptr<InnerSolver<B, T>> make_inner(const B& on, const Stages& stages, std::size_t stage);

/// The same for a solver in High around it.
template <Backend B, Number High>
std::unique_ptr<Correction<B, High>> make_correction(const B& on, const Stages& stages,
                                                     std::size_t stage);

}  // namespace ninefold
