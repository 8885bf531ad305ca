#include "solvers/estimate/solver_errors.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "precision/bad_value.hpp"

#include "gpu/backend/vector.hpp"

#include "solvers/drivers/solve_on.hpp"
#include "solvers/estimate/error_equations.hpp"

namespace ninefold {
namespace {

/// Multigrid as it suits the grid, in `precision`, with corrections in `inner`.  Theirs are two
/// cycles: after one, which is often enough for a tenth, e was told as 0.7 to 1.2 of what it is.
PreparedSolve prepare_in(const PreparedSolve& prepared, Precision precision, Precision inner) {
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

/// Formats of a solver, and of its corrections.
struct Formats {
  Precision precision, inner;
};

/// Those that can solve for the errors, the quickest first: a tenth of a right-hand side takes no
/// more digits than double has, unless cells are so thin that double loses them.
std::vector<Formats> formats_for(Precision wide) {
  std::vector<Formats> formats{{Precision::double_, Precision::single_}};
  if (wide != Precision::double_) formats.push_back({wide, Precision::single_});
  formats.push_back({wide, Precision::double_});
  return formats;
}

/// Bytes of a grid's vector of such values, where there are several ranks of what one of them has.
std::size_t bytes_of_vector(const PreparedSolve& prepared, std::size_t of_value) {
  const TensorGrid& grid = prepared.finest();
  const Ranks* const ranks = prepared.options.ranks.get();
  const bool is_divided = ranks != nullptr && ranks->slabs().divide(grid.ny());
  const int rows =
      is_divided ? ranks->own_rows(grid.ny()).count() + 2 * Slabs::ghost_rows : grid.ny();
  return NodeVector<Host, double>::storage(grid.nx(), rows) * of_value;
}
std::size_t bytes_of_value(Precision precision) {
  return with_type(precision, []<class T>() { return sizeof(T); });
}

/// Of a grid's vectors, two in double and one in the format, whose place after a solve in double is
/// that of FoundUnknownsOn::u, and then of ErrorEquationsOn::lost.  ErrorEquationsOn::left takes
/// that of the x that was found.
std::size_t bytes_of_unknowns(const PreparedSolve& prepared) {
  return bytes_of_vector(prepared, 2 * sizeof(double) + bytes_of_value(prepared.options.precision));
}

/// What makes the equations of the errors: b and x in the wider format, and no corrections.
std::size_t bytes_of_equations(const PreparedSolve& prepared, Precision wide) {
  return bytes_of_vector(prepared, 2 * bytes_of_value(wide));
}

}  // namespace

std::size_t bytes_with_estimate(const PreparedSolve& prepared) {
  const auto wide = wider_than(prepared.options.precision);
  const std::size_t alone = prepared.memory.backend, kept = bytes_of_unknowns(prepared);
  for (const auto& [precision, inner] : formats_for(wide.value_or(Precision::double_double))) {
    try {
      const std::size_t solving = prepare_in(prepared, precision, inner).memory.backend;
      const std::size_t making = wide ? bytes_of_equations(prepared, *wide) : 0;
      return kept + std::max({alone, solving, making});
    } catch (const BadValue&) {  // this grid is beyond the inner format
    }
  }
  return alone;
}

std::optional<Precision> wider_than(Precision precision) {
  if (precision == Precision::double_double) return {};
  return precision == Precision::double_ ? Precision::double_double : Precision::double_;
}

SolverErrors estimate_solver_errors(const PreparedSolve& prepared,
                                    std::unique_ptr<StandingSolve> solver) {
  const auto wide = wider_than(prepared.options.precision);
  SolverErrors errors;
  std::size_t held = 0;
  const std::size_t kept = bytes_of_unknowns(prepared);
  std::unique_ptr<const ErrorEquations> equations;
  const Ranks* const ranks = prepared.options.ranks.get();
  bool is_said_by_all = true;  // of several ranks
  const auto require = [&](const MemoryForecast& memory, BackendKind where) {
    is_said_by_all = true;
    require_memory(memory, where, ranks);
    is_said_by_all = ranks == nullptr;
  };
  // Each ends before the next is made.
  const auto make = [&](const PreparedSolve& wider, std::size_t bytes) {
    require(wider.memory, wider.where);
    held = std::max(held, kept + bytes);
    return make_standing(wider);
  };
  std::unique_ptr<FoundUnknowns> found;
  for (const auto& [precision, inner] : formats_for(wide.value_or(Precision::double_double))) {
    errors = {};
    try {
      const PreparedSolve solving = prepare_in(prepared, precision, inner);
      if (solver) {
        require({kept, 0}, solving.where);
        found = solver->unknowns();
        held = prepared.memory.backend + kept;
        solver.reset();
      }
      if (!equations && wide && *wide != precision) {
        equations = make(prepare_in(prepared, *wide, inner), bytes_of_equations(prepared, *wide))
                        ->equations_of(*found);
      }
      const std::unique_ptr<StandingSolve> refining = make(solving, solving.memory.backend);
      if (!equations) equations = refining->equations_of(*found);
      errors = refining->errors_of(*equations);
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
