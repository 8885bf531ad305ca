#include "solvers/solve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "fem/assembly.hpp"

#include "gpu/backend.hpp"
#include "gpu/graph.hpp"

#include "solvers/conjugate_gradients.hpp"
#include "solvers/multigrid.hpp"
#include "solvers/system.hpp"

namespace ninefold {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What is common to all methods: the system in double, on the host.
struct System {
  const Problem& problem;
  const std::vector<TensorGrid>& grids;
  const SolverOptions& options;
  std::vector<double> load, start;
  Scaling scaling;
  Coefficients<double> coefficients;
  Clock::time_point began;
};

/// |b - A x|; waits for it.
template <Backend B, Number T>
double residual_norm(const B& on, const NineBand<const T>& A, const Field<const T>& b,
                     const Field<const T>& x, T* scratch) {
  residual_square(on, A, b, x, scratch);
  return std::sqrt(static_cast<double>(read_value(on, scratch)));
}

/// u | |A||x| + |b| | / |r0| : about what rounding leaves of the residual, however long one
/// iterates.
template <Backend B, Number T>
double attainable_reduction(const B& on, const NineBand<const T>& A, const Field<const T>& b,
                            const Field<const T>& x, T* scratch, double r0) {
  rounding_scale(on, A, b, x, scratch);
  const double scale = std::sqrt(static_cast<double>(read_value(on, scratch)));
  return Format<T>::unit_roundoff * scale / r0;
}

std::string stagnation_remark(const SolverOptions& options, const Report& report) {
  const double reached = report.true_residual_reduction, attainable = report.attainable_reduction;
  const std::string format(to_string(options.precision)), form(to_string(options.form));
  char text[360];
  if (report.residual_reduction > options.tolerance && reached > 100.0 * attainable) {
    std::snprintf(text, sizeof text,
                  "the residual no longer falls below %.2e, far above the format's limit of about "
                  "%.2e: the method does not suit the problem",
                  reached, attainable);
  } else {
    std::snprintf(
        text, sizeof text,
        "the true residual stays at %.2e, the limit of %s in %s form (estimate "
        "u |A||x| / |r0| = %.2e); use %s%sa larger solver.tolerance",
        reached, format.c_str(), form.c_str(), attainable,
        options.form == OperatorForm::plain ? "operator.form = \"difference\" or " : "",
        options.precision == Precision::single_ ? "solver.precision = \"double\" or " : "");
  }
  return text;
}

template <Backend B, Number T>
void finish(const B& on, const System& system, Report& report, double true_reduction,
            double attainable) {
  report.true_residual_reduction = true_reduction;
  report.attainable_reduction = attainable;
  const double tolerance = system.options.tolerance;
  if (report.outcome == Outcome::converged && !(true_reduction <= tolerance)) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "the recursive residual meets solver.tolerance, the true one is %.2e",
                  true_reduction);
    report.remark = text;
    const bool drift = attainable <= tolerance && true_reduction <= recurrence_drift * tolerance;
    if (!drift) {
      report.outcome = std::isfinite(true_reduction) ? Outcome::stagnated : Outcome::not_finite;
    }
  }
  if (report.outcome == Outcome::stagnated) {
    report.remark = stagnation_remark(system.options, report);
  } else if (report.outcome == Outcome::step_limit) {
    report.remark = "solver.max_iterations reached before solver.tolerance";
  } else if (report.outcome == Outcome::diverged) {
    report.remark =
        "the residual grew without bound: reduce multigrid.damping, or use solver.method "
        "= \"cg\"";
  } else if (report.outcome == Outcome::not_finite) {
    report.remark = "infinity or NaN appeared: the numbers leave the range of "
                    + std::string(to_string(system.options.precision));
  }
  report.memory_bytes = on.peak();
}

/// The report of a problem whose right-hand side and boundary values are zero.
template <Backend B>
Report nothing_to_do(const B& on, const System& system) {
  Report report;
  report.outcome = Outcome::converged;
  report.history = {0.0};
  report.remark = "the right-hand side is zero, and so is the solution";
  report.setup_seconds = seconds_since(system.began);
  report.memory_bytes = on.peak();
  return report;
}

template <Backend B, Number T>
Solved solve_by_multigrid(const B& on, System& system) {
  const SolverOptions& options = system.options;
  Multigrid<B, T> multigrid(on, system.grids, system.problem.boundary, system.coefficients,
                            options.form, options.multigrid);
  const Array<B, T> square(on, 1);
  upload(on, system.start, -system.scaling.solution(), multigrid.x());
  upload(on, system.load, -system.scaling.load, multigrid.b());
  system.start = {};
  system.load = {};
  multigrid.adopt_start();
  const double r0 =
      residual_norm<B, T>(on, multigrid.A(), multigrid.b(), multigrid.x(), square.data());
  if (r0 == 0) {
    return {nothing_to_do(on, system),
            download<B, T>(on, multigrid.x(), system.scaling.solution())};
  }
  const auto attainable = [&] {
    return attainable_reduction<B, T>(on, multigrid.A(), multigrid.b(), multigrid.x(),
                                      square.data(), r0);
  };
  const Recording<B> step(on, [&] {
    multigrid.cycle();
    residual_square(on, multigrid.A(), multigrid.b(), multigrid.x(), square.data());
  });
  on.wait();

  Report report;
  report.setup_seconds = seconds_since(system.began);
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, multigrid_patience);
  std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
  while (!outcome) {
    step.replay();
    const double reduction = std::sqrt(static_cast<double>(read_value(on, square.data()))) / r0;
    outcome = monitor.next(reduction, reduction <= options.tolerance, attainable);
  }
  report.solve_seconds = seconds_since(solve_began);
  report.outcome = *outcome;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  finish<B, T>(on, system, report, report.history.back(), attainable());
  return {std::move(report), download<B, T>(on, multigrid.x(), system.scaling.solution())};
}

/// CG with z = M^-1 r by `precondition`, all vectors and the matrix being in place.
template <Backend B, Number T, class Precondition>
Solved run_cg(const B& on, System& system, const NineBand<const T>& A, const Field<const T>& b,
              const CgVectors<T>& vectors, Precondition precondition, BetaForm beta_form) {
  const SolverOptions& options = system.options;
  const Array<B, T> square(on, 1);
  upload(on, system.start, -system.scaling.solution(), vectors.x);
  system.start = {};
  system.load = {};
  ConjugateGradients<B, T, Precondition> cg(
      on, A, b, vectors, std::move(precondition), beta_form,
      // An iteration with multigrid is long, and those recorded past the end are run in vain.
      beta_form == BetaForm::flexible ? 1 : cg_block);
  const double r0 = cg.start();
  if (r0 == 0) {
    return {nothing_to_do(on, system), download<B, T>(on, vectors.x, system.scaling.solution())};
  }
  const auto attainable = [&] {
    return attainable_reduction<B, T>(on, A, b, vectors.x, square.data(), r0);
  };
  Report report;
  report.setup_seconds = seconds_since(system.began);
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, cg_patience);
  report.outcome = cg.run(options.tolerance, options.max_iterations, monitor, attainable);
  report.solve_seconds = seconds_since(solve_began);
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  const double true_residual = residual_norm<B, T>(on, A, b, vectors.x, square.data());
  finish<B, T>(on, system, report, true_residual / r0, attainable());
  return {std::move(report), download<B, T>(on, vectors.x, system.scaling.solution())};
}

template <Backend B, Number T>
Solved solve_by_cg(const B& on, System& system) {
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
    return run_cg<B, T>(
        on, system, multigrid.A(), r.view(), vectors, [&multigrid] { multigrid.cycle_from_zero(); },
        BetaForm::flexible);
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
        [&] { jacobi_start(on, matrix.view(), r.view(), T(1), z.view()); }, BetaForm::standard);
  }
  const CgVectors<T> vectors{x.view(), r.view(), p.view(), q.view(), r.view()};
  return run_cg<B, T>(on, system, matrix.view(), b.view(), vectors, nullptr, BetaForm::standard);
}

template <Backend B>
Solved solve_on(const B& on, System& system) {
  return with_format(system.options.precision, [&]<class T>() {
    return system.options.method == Method::cg ? solve_by_cg<B, T>(on, system)
                                               : solve_by_multigrid<B, T>(on, system);
  });
}

/// The most that is held at once: at the end, or (on the smallest grids) while the finest matrix is
/// assembled from its couplings.
template <Number T>
std::size_t backend_bytes(int level, const SolverOptions& options) {
  const int n = (1 << level) + 1;
  const std::size_t scratch = sum_scratch_bytes(n, n);
  const std::size_t vector = NodeVector<Host, T>::storage(n, n) * sizeof(T);
  const std::size_t matrix = Matrix<Host, T>::bytes(n, n);
  const std::size_t couplings = Matrix<Host, T>::bytes_of_couplings(n, n);
  const std::size_t scalars = sizeof(CgState<T>) + sizeof(T);
  const auto multigrid_after = [&](std::size_t before, std::size_t after) {
    return before
           + std::max(Multigrid<Host, T>::bytes(level) + after,
                      Multigrid<Host, T>::bytes_of_assembly(level));
  };
  const auto matrix_after = [&](std::size_t before, std::size_t after) {
    return before + matrix + std::max(couplings, after);
  };
  if (options.method == Method::multigrid) return multigrid_after(scratch, sizeof(T));
  switch (options.preconditioner) {
    case Preconditioning::none:
      return matrix_after(scratch + 4 * vector, vector + scalars);
    case Preconditioning::jacobi:
      return matrix_after(scratch + 4 * vector, 2 * vector + scalars);
    case Preconditioning::multigrid:
      return multigrid_after(scratch + 4 * vector, scalars);
  }
  throw std::logic_error("a preconditioner without a memory forecast");
}

}  // namespace

MemoryForecast forecast_memory(int level, const SolverOptions& options, BackendKind) {
  require(level >= 1 && level <= max_level, "level " + std::to_string(level)
                                                + " is out of range: 1 to "
                                                + std::to_string(max_level) + " are possible");
  const std::size_t n = (std::size_t{1} << level) + 1;
  MemoryForecast forecast;
  forecast.backend =
      with_format(options.precision, [&]<class T>() { return backend_bytes<T>(level, options); });
  forecast.host = 3 * n * n * sizeof(double);  // load and start, or solution, exact and error
  return forecast;
}

MemoryForecast forecast_memory(const std::vector<TensorGrid>& grids, const SolverOptions& options,
                               BackendKind where) {
  return forecast_memory(static_cast<int>(grids.size()) - 1, options, where);
}

Solved solve(const Problem& problem, const std::vector<TensorGrid>& grids,
             const SolverOptions& options, BackendKind where) {
  validate(options);
  validate(problem);
  require(grids.size() >= 2, "a solve needs the grids of levels 0 to at least 1");
  const double width = grids.back().x.from_start.back(), height = grids.back().y.from_start.back();
  require(std::abs(width - problem.width) <= 1e-12 * width
              && std::abs(height - problem.height) <= 1e-12 * height,
          "the problem is stated on " + std::to_string(problem.width) + " x "
              + std::to_string(problem.height) + ", the grids cover " + std::to_string(width)
              + " x " + std::to_string(height));
  require_memory(forecast_memory(grids, options, where), where);
  const auto began = Clock::now();
  System system{problem,
                grids,
                options,
                assemble_load(problem, grids.back()),
                boundary_values(problem, grids.back()),
                {},
                {},
                began};
  system.scaling = choose_scaling(problem, grids.back(), system.load, system.start);
  system.coefficients = scaled_coefficients(problem, system.scaling);
  const std::size_t scratch = sum_scratch_bytes(grids.back().nx(), grids.back().ny());
  if (where == BackendKind::host) return solve_on(Host(scratch), system);
#ifdef NINEFOLD_HAS_CUDA
  return solve_on(Cuda(scratch), system);
#else
  throw std::invalid_argument("this build has no CUDA: solve on the host");
#endif
}

}  // namespace ninefold
