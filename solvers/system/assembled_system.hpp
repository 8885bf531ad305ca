#pragma once
// The system as it is assembled on the host, before it goes to a format and a backend.
//
// Tests.  tests/solvers/solve_test.cpp

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/lifting.hpp"
#include "fem/discrete/scaling.hpp"

#include "solvers/options.hpp"

namespace ninefold {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What is common to all methods.  The solution is the lifting plus the v of A v = load.
template <class W>
struct System {
  const Problem& problem;
  const std::vector<TensorGrid>& grids;
  const SolverOptions& options;
  OperatorForm form;
  std::vector<W> load;
  Lifting<W> lifting;
  Scaling scaling;
  Coefficients<W> coefficients;
  Clock::time_point began;

  const TensorGrid& finest() const { return grids.back(); }
};

/// The mean over the rectangle of the bilinear function with these nodal values.
template <class W>
W mean_of(const TensorGrid& grid, const std::vector<W>& values) {
  const auto share = [](const Line& line, std::size_t i) {
    const W before = i > 0 ? W(line.width[i - 1]) : W(0);
    const W behind = i < line.width.size() ? W(line.width[i]) : W(0);
    return (before + behind) / (2.0 * line.from_start.back());
  };
  const std::size_t nx = grid.x.from_start.size(), ny = grid.y.from_start.size();
  W mean(0);
  for (std::size_t j = 0; j < ny; ++j) {
    W row(0);
    for (std::size_t i = 0; i < nx; ++i) row = row + share(grid.x, i) * values[j * nx + i];
    mean = mean + share(grid.y, j) * row;
  }
  return mean;
}

/// The options are settled().
template <class W>
System<W> assemble(const Problem& problem, const std::vector<TensorGrid>& grids,
                   const SolverOptions& options) {
  const auto began = Clock::now();
  const TensorGrid& finest = grids.back();
  std::vector<W> load = assemble_load<W>(problem, finest);
  Lifting<W> lifting(problem, finest, boundary_values<W>(problem, finest), load);
  if (const double largest = lifting.largest_boundary_value(); !std::isfinite(largest)) {
    throw BadValue(value_text(largest),
                   words("{} is not finite on the domain", Parameter::dirichlet));
  }
  require(std::isfinite(lifting.largest()),
          "the solution leaves the range of double: scale the problem's data by a constant");
  lifting.subtract_image(load);
  const FormatRange range = range_of(options.precision, Parameter::precision);
  const Scaling scaling = choose_scaling(problem, finest, load, range);
  const OperatorForm form = options.form.value();
  require_rows(problem, finest, scaling, options.precision, Parameter::precision,
               storage_of(options), form);
  return {problem,
          grids,
          options,
          form,
          std::move(load),
          std::move(lifting),
          scaling,
          scaled_coefficients<W>(problem, scaling),
          began};
}

}  // namespace ninefold
