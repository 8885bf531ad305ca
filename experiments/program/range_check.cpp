#include "experiments/program/range_check.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "precision/precision.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/lifting.hpp"
#include "fem/discrete/scaling.hpp"

namespace ninefold {
namespace {

/// True if a format's exponents are fewer than those of double and double-double, about.
bool is_narrow(Precision precision) {
  return facts(precision).min_exponent > -900;
}

/// What a solve scales by: the load without that of the boundary values.  In double, whatever a
/// solve assembles in: only binary exponents matter.
std::vector<double> load_to_scale(const Problem& problem, const TensorGrid& grid) {
  std::vector<double> load = assemble_load<double>(problem, grid);
  const Lifting<double> lifting(problem, grid, boundary_values<double>(problem, grid), load);
  lifting.subtract_image(load);
  return load;
}

bool is_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

/// Throws std::invalid_argument as a solve on this grid would.
void require_ranges(const Problem& problem, const TensorGrid& grid, const SolverOptions& open) {
  const SolverOptions options = settled(open, problem, grid);
  const std::vector<double> load = load_to_scale(problem, grid);
  const auto require_range = [&](Precision precision, Parameter parameter, OperatorStorage storage,
                                 OperatorForm form) {
    if (!is_narrow(precision)) return;
    const Scaling scaling = choose_scaling(problem, grid, load, range_of(precision, parameter));
    require_rows(problem, grid, scaling, precision, parameter, storage, form);
  };
  require_range(options.precision, Parameter::precision, storage_of(options), options.form.value());
  if (is_zero(load)) return;  // there is nothing to refine
  const RefinementOptions& refinement = options.refinement;
  for (std::size_t stage = 0; stage < refinement.inner.size(); ++stage) {
    require_range(refinement.inner[stage], inner_parameter(refinement),
                  storage_of_stage(options, stage), refinement.inner_form);
  }
}

}  // namespace

std::optional<RangeRefusal> find_range_refusal(const Configuration& c) {
  const std::vector<Precision>& inner = c.solver.refinement.inner;
  if (!is_narrow(c.solver.precision) && std::none_of(inner.begin(), inner.end(), is_narrow)) {
    return {};
  }
  const Problem problem = make_problem(c.problem, c.width, c.height);
  for (int level = c.first_level; level <= c.last_level; ++level) {
    const TensorGrid grid = make_hierarchy(c.width, c.height, level, c.refinement).back();
    try {
      require_ranges(problem, grid, c.solver);
    } catch (const std::invalid_argument& error) {
      return RangeRefusal{level, error.what()};
    }
  }
  return {};
}

}  // namespace ninefold
