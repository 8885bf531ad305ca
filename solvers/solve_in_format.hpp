#pragma once
// A solve in one number format on one backend; included by the two files that instantiate it.

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "fem/assembly.hpp"
#include "fem/scaling.hpp"

#include "gpu/backend.hpp"
#include "gpu/graph.hpp"

#include "solvers/conjugate_gradients.hpp"
#include "solvers/multigrid.hpp"
#include "solvers/remarks.hpp"
#include "solvers/residual_norm.hpp"
#include "solvers/solve.hpp"
#include "solvers/system.hpp"

namespace ninefold {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What is common to all methods: the system as it is assembled, on the host.
template <class W>
struct System {
  const Problem& problem;
  const std::vector<TensorGrid>& grids;
  const SolverOptions& options;
  std::vector<W> load, start;
  Scaling scaling;
  Coefficients<W> coefficients;
  Clock::time_point began;
};

/// The range of a format that a config key names.
inline FormatRange range_of(Precision precision, const char* key) {
  const FormatFacts format = facts(precision);
  return {to_string(precision), format.min_exponent, format.max_exponent, key};
}

template <class W>
System<W> assemble(const Problem& problem, const std::vector<TensorGrid>& grids,
                   const SolverOptions& options) {
  const auto began = Clock::now();
  const TensorGrid& finest = grids.back();
  System<W> system{problem,
                   grids,
                   options,
                   assemble_load<W>(problem, finest),
                   boundary_values<W>(problem, finest),
                   {},
                   {},
                   began};
  const FormatRange range = range_of(options.precision, "solver.precision");
  system.scaling = choose_scaling(problem, finest, system.load, system.start, range);
  if (options.form == OperatorForm::difference) {
    require_row_sums(problem, finest, system.scaling, range);
  }
  system.coefficients = scaled_coefficients<W>(problem, system.scaling);
  return system;
}

/// The end of every solve: the values as numbers of double, and what that leaves of wider ones.
inline Solved solved(Report report, std::vector<double> values) {
  return {std::move(report), std::move(values), {}};
}
inline Solved solved(Report report, const std::vector<DoubleDouble>& values) {
  Solved result{std::move(report), std::vector<double>(values.size()),
                std::vector<double>(values.size())};
  for (std::size_t k = 0; k < values.size(); ++k) {
    result.solution[k] = values[k].high;
    result.solution_low[k] = values[k].low;
  }
  return result;
}

template <Backend B, Number T>
void finish(const B& on, const System<Assembly<T>>& system, Report& report, double true_reduction,
            double attainable) {
  report.true_residual_reduction = true_reduction;
  report.attainable_reduction = attainable;
  const SolverOptions& options = system.options;
  const double tolerance = options.tolerance;
  const auto hint = [&] {
    return smoother_hint(options, system.grids.back(), system.problem.gx, system.problem.gy);
  };
  if (report.outcome == Outcome::converged && !(true_reduction <= tolerance)) {
    report.remark = fmt::format(
        "the recursive residual meets solver.tolerance, the true one is {:.2e}", true_reduction);
    const bool drift = attainable <= tolerance && true_reduction <= recurrence_drift * tolerance;
    if (!drift) {
      report.outcome = std::isfinite(true_reduction) ? Outcome::stagnated : Outcome::not_finite;
    }
  }
  if (report.outcome == Outcome::stagnated) {
    report.remark = stagnation_remark(options, report);
  } else if (report.outcome == Outcome::step_limit) {
    report.remark = "solver.max_iterations reached before solver.tolerance" + hint();
  } else if (report.outcome == Outcome::diverged) {
    report.remark = divergence_remark(options) + hint();
  } else if (report.outcome == Outcome::not_finite) {
    report.remark = range_remark(options);
  }
  if constexpr (std::is_same_v<Assembly<T>, DoubleDouble>) {
    if (!has_wide_data(system.problem)) {
      report.remark += report.remark.empty() ? "" : "; ";
      report.remark += "the problem's functions are evaluated in double, all else is double-double";
    }
  }
  report.memory_bytes = on.peak();
}

/// The report of a problem whose right-hand side and boundary values are zero.
template <Backend B, class W>
Report nothing_to_do(const B& on, const System<W>& system) {
  Report report;
  report.outcome = Outcome::converged;
  report.history = {0.0};
  report.remark = "the right-hand side is zero, and so is the solution";
  report.setup_seconds = seconds_since(system.began);
  report.memory_bytes = on.peak();
  return report;
}

template <Backend B, Number T>
Solved solve_by_multigrid(const B& on, System<Assembly<T>>& system) {
  const SolverOptions& options = system.options;
  Multigrid<B, T> multigrid(on, system.grids, system.problem.boundary, system.coefficients,
                            options.form, options.multigrid);
  const Array<B, Arithmetic<T>> square(on, 1);
  upload(on, system.start, -system.scaling.solution(), multigrid.x());
  upload(on, system.load, -system.scaling.load, multigrid.b());
  system.start = {};
  system.load = {};
  multigrid.adopt_start();
  const double r0 =
      residual_norm<B, T>(on, multigrid.A(), multigrid.b(), multigrid.x(), square.data());
  if (r0 == 0) {
    return solved(nothing_to_do(on, system),
                  download<B, T>(on, multigrid.x(), system.scaling.solution()));
  }
  const auto attainable = [&] {
    return attainable_reduction<B, T>(on, multigrid.A(), multigrid.b(), multigrid.x(),
                                      square.data(), r0);
  };
  const Recording<B> step(on, [&] {
    multigrid.cycle();
    residual_square<B, T>(on, multigrid.A(), multigrid.b(), multigrid.x(), square.data());
  });
  std::optional<Recording<B>> first;
  if (options.start == Start::full_multigrid) {
    first.emplace(on, [&] {
      multigrid.full_cycle();
      residual_square<B, T>(on, multigrid.A(), multigrid.b(), multigrid.x(), square.data());
    });
  }
  on.wait();

  Report report;
  report.setup_seconds = seconds_since(system.began);
  const Work work_before = on.work();
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, multigrid_patience);
  std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
  while (!outcome) {
    (first && monitor.iterations() == 0 ? *first : step).replay();
    const double reduction = std::sqrt(static_cast<double>(read_value(on, square.data()))) / r0;
    outcome = monitor.next(reduction, reduction <= options.tolerance, attainable);
  }
  report.solve_seconds = seconds_since(solve_began);
  report.work = on.work() - work_before;
  report.outcome = *outcome;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  finish<B, T>(on, system, report, report.history.back(), attainable());
  return solved(std::move(report), download<B, T>(on, multigrid.x(), system.scaling.solution()));
}

/// CG with z = M^-1 r by `precondition`, all vectors and the matrix being in place.  `improve`, if
/// it is not empty, is called with a scalar that it may use, to better the start in x.
template <Backend B, Number T, class Precondition>
Solved run_cg(const B& on, System<Assembly<T>>& system, const NineBand<const T>& A,
              const Field<const T>& b, const CgVectors<T>& vectors, Precondition precondition,
              BetaForm beta_form, const std::function<void(Arithmetic<T>*)>& improve = {}) {
  const SolverOptions& options = system.options;
  const Array<B, Arithmetic<T>> square(on, 1);
  upload(on, system.start, -system.scaling.solution(), vectors.x);
  system.start = {};
  system.load = {};
  ConjugateGradients<B, T, Precondition> cg(
      on, A, b, vectors, std::move(precondition), beta_form,
      // An iteration with multigrid is long, and those recorded past the end are run in vain.
      beta_form == BetaForm::flexible ? 1 : cg_block);
  std::optional<double> reference;
  if (improve) {
    reference = residual_norm<B, T>(on, A, b, vectors.x, square.data());
    if (*reference != 0) improve(square.data());
  }
  const double at_start = cg.start();
  const double r0 = reference.value_or(at_start);
  if (r0 == 0) {
    return solved(nothing_to_do(on, system),
                  download<B, T>(on, vectors.x, system.scaling.solution()));
  }
  const auto attainable = [&] {
    return attainable_reduction<B, T>(on, A, b, vectors.x, square.data(), r0);
  };
  Report report;
  report.setup_seconds = seconds_since(system.began);
  const Work work_before = on.work();
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, cg_patience);
  report.outcome =
      cg.run(options.tolerance, options.max_iterations, reference, monitor, attainable);
  report.solve_seconds = seconds_since(solve_began);
  report.work = on.work() - work_before;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  const double true_residual = residual_norm<B, T>(on, A, b, vectors.x, square.data());
  finish<B, T>(on, system, report, true_residual / r0, attainable());
  return solved(std::move(report), download<B, T>(on, vectors.x, system.scaling.solution()));
}

template <Backend B, Number T>
Solved solve_by_cg(const B& on, System<Assembly<T>>& system) {
  const TensorGrid& grid = system.grids.back();
  const int nx = grid.nx(), ny = grid.ny();
  const Preconditioning preconditioning = system.options.preconditioner;
  const NodeVector<B, T> x(on, nx, ny), p(on, nx, ny), q(on, nx, ny), r(on, nx, ny);

  if (preconditioning == Preconditioning::multigrid) {
    Multigrid<B, T> multigrid(on, system.grids, system.problem.boundary, system.coefficients,
                              system.options.form, system.options.multigrid);
    // r is the multigrid's right-hand side and z its solution; b takes the vector r.
    upload(on, system.load, -system.scaling.load, r.view());
    const CgVectors<T> vectors{x.view(), multigrid.b(), p.view(), q.view(), multigrid.x()};
    std::function<void(Arithmetic<T>*)> improve;
    if (system.options.start == Start::full_multigrid) {
      improve = [&](Arithmetic<T>* scalar) {
        residual(on, multigrid.A(), r.view(), x.view(), multigrid.b());
        set_zero(on, multigrid.x());
        multigrid.full_cycle();
        const Arithmetic<T> one(1);
        on.copy_in(scalar, &one, sizeof one);
        xpby(on, multigrid.A().unknowns, scalar, multigrid.x(), x.view());
      };
    }
    return run_cg<B, T>(
        on, system, multigrid.A(), r.view(), vectors, [&multigrid] { multigrid.cycle_from_zero(); },
        BetaForm::flexible, improve);
  }

  const Matrix<B, T> matrix(on, grid, unknown_nodes(grid, system.problem.boundary),
                            system.coefficients, system.options.form);
  const NodeVector<B, T> b(on, nx, ny);
  upload(on, system.load, -system.scaling.load, b.view());
  if (preconditioning == Preconditioning::jacobi) {
    const NodeVector<B, T> z(on, nx, ny);
    const CgVectors<T> vectors{x.view(), r.view(), p.view(), q.view(), z.view()};
    return run_cg<B, T>(
        on, system, matrix.view(), b.view(), vectors,
        [&] { jacobi_start(on, matrix.view(), r.view(), Leading<T>(1), z.view()); },
        BetaForm::standard);
  }
  const CgVectors<T> vectors{x.view(), r.view(), p.view(), q.view(), r.view()};
  return run_cg<B, T>(on, system, matrix.view(), b.view(), vectors, nullptr, BetaForm::standard);
}

template <Backend B, Number T>
Solved solve_in_format(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                       const SolverOptions& options) {
  System<Assembly<T>> system = assemble<Assembly<T>>(problem, grids, options);
  return options.method == Method::cg ? solve_by_cg<B, T>(on, system)
                                      : solve_by_multigrid<B, T>(on, system);
}

}  // namespace ninefold
