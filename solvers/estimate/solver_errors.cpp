#include "solvers/estimate/solver_errors.hpp"

#include <algorithm>
#include <stdexcept>

#include "precision/bad_value.hpp"

#include "gpu/backend/vector.hpp"

#include "solvers/drivers/solve_on.hpp"
#include "solvers/estimate/found_unknowns.hpp"

namespace ninefold {
namespace {

/// Multigrid as it suits the grid, in `precision`, with corrections in `inner`.
PreparedSolve prepare_wider(const PreparedSolve& prepared, Precision precision, Precision inner) {
  SolverOptions options;
  options.precision = precision;
  options.refinement.inner = {inner};
  options.norm = StoppingNorm::residual;
  options.ranks = prepared.options.ranks;
  const bool on_device =
      is_device(prepared.where) && prepared.options.refinement.outer_backend == OuterBackend::same;
  return prepare(prepared.problem, prepared.grids, options,
                 on_device ? prepared.where : BackendKind::host, false);
}

/// Of a grid's vectors, two in double and one in the format, whose place after a solve in double is
/// that of FoundUnknownsOn::u.
std::size_t bytes_of_unknowns(const PreparedSolve& prepared) {
  const TensorGrid& grid = prepared.finest();
  const std::size_t own =
      with_type(prepared.options.precision, []<class T>() { return sizeof(T); });
  return NodeVector<Host, double>::storage(grid.nx(), grid.ny()) * (2 * sizeof(double) + own);
}

}  // namespace

std::size_t bytes_with_estimate(const PreparedSolve& prepared) {
  const Precision own = prepared.options.precision;
  const std::size_t alone = prepared.memory.backend;
  try {
    const PreparedSolve wider =
        prepare_wider(prepared, wider_than(own).value_or(own), Precision::single_);
    const std::size_t kept = bytes_of_unknowns(prepared);
    return std::max(alone + kept, kept + wider.memory.backend);
  } catch (const BadValue&) {
    return alone;
  }
}

std::optional<Precision> wider_than(Precision precision) {
  if (precision == Precision::double_double) return {};
  return precision == Precision::double_ ? Precision::double_double : Precision::double_;
}

SolverErrors estimate_solver_errors(const PreparedSolve& prepared,
                                    std::unique_ptr<StandingSolve> solver) {
  const Precision own = prepared.options.precision;
  const auto wide = wider_than(own);
  SolverErrors errors;
  std::size_t held = 0;
  const std::size_t kept = bytes_of_unknowns(prepared);
  std::shared_ptr<const FoundUnknowns> found;
  const Ranks* const ranks = prepared.options.ranks.get();
  bool is_said_by_all = true;  // of several ranks
  const auto require = [&](const MemoryForecast& memory, BackendKind where) {
    is_said_by_all = true;
    require_memory(memory, where, ranks);
    is_said_by_all = ranks == nullptr;
  };
  for (const Precision inner : {Precision::single_, Precision::double_}) {
    try {
      const PreparedSolve wider = prepare_wider(prepared, wide.value_or(own), inner);
      if (!found) {
        require({kept, 0}, wider.where);
        found = solver->unknowns();
        held = prepared.memory.backend + kept;
        solver.reset();
      }
      require(wider.memory, wider.where);
      held = std::max(held, kept + wider.memory.backend);
      errors = make_standing(wider)->errors_of(*found);
    } catch (const BadValue& error) {  // this grid is beyond the inner format
      errors.remark = error.what();
    } catch (const std::runtime_error& error) {
      if (!is_said_by_all) throw;  // others go on, and wait for this one
      errors.remark = error.what();
      break;
    }
    if (errors.remark.empty()) break;
  }
  errors.memory_bytes = held;
  return errors;
}

}  // namespace ninefold
