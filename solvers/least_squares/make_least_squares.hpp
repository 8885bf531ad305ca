#pragma once
// Definitions of solvers/least_squares/solve_least_squares_on.hpp; compiled by generated files
// (solvers/CMakeLists.txt).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "solvers/drivers/stages.hpp"
#include "solvers/least_squares/cgls_steps.hpp"
#include "solvers/least_squares/solve_least_squares_on.hpp"
#include "solvers/refinement/inner_solver.hpp"
#include "solvers/sparse/solve_end.hpp"
#include "solvers/sparse/wide_on_backend.hpp"
#include "solvers/timeline.hpp"

namespace ninefold {

/// K and K' in one format.
template <Backend B, Number T>
struct MatricesOn {
  SparseMatrixOn<B, T> of_rows, of_columns;

  MatricesOn(const B& on, const LeastSquaresStages<B>& stages)
      : of_rows(on, stages.rows, stages.K().pattern, stages.K().values, OperatorForm::plain),
        of_columns(on, stages.columns, stages.transposed().pattern, stages.transposed().values,
                   OperatorForm::plain) {}

  const SparseOperator<T>& K() const { return of_rows.view(); }
  const SparseOperator<T>& transposed() const { return of_columns.view(); }
  std::int64_t moved_bytes() const {
    std::int64_t bytes = 0;
    for (const SparseOperator<T>* A : {&K(), &transposed()}) {
      A->visit([&](const auto& rows) { bytes += rows.moved_bytes; });
    }
    return bytes;
  }
};

/// Bounds, and on which side of them x is; none where the system has none.
template <Backend B, Number T>
class BoundsOn {
 public:
  BoundsOn(const B& on, const LeastSquaresStages<B>& stages)
      : view_{stages.K().pattern.n_rows, {}, {}, {}, {}, {}} {
    const LeastSquaresSystem& system = stages.system;
    if (!system.has_bounds()) return;
    const auto n = static_cast<std::size_t>(system.K.pattern.n_columns);
    const auto all = [&](const std::optional<double>& bound) {
      return bound ? Array<B, T>(on, std::vector<T>(n, rounded(*bound))) : Array<B, T>();
    };
    weight_ = Array<B, T>(on, std::vector<T>{rounded(system.weight)});
    lower_ = all(system.lower);
    upper_ = all(system.upper);
    outside_ = Array<B, std::uint8_t>(on, n);
    changed_ = Array<B, std::uint8_t>(on, n);
    on.wait();
    view_ = {system.first_bound, weight_.data(),  lower_.data(),
             upper_.data(),      outside_.data(), changed_.data()};
  }
  const BoundRows<T>& view() const { return view_; }

 private:
  static T rounded(double value) { return static_cast<T>(static_cast<Assembly<T>>(value)); }

  Array<B, T> weight_, lower_, upper_;
  Array<B, std::uint8_t> outside_, changed_;
  BoundRows<T> view_;
};

/// CGLS with all that it holds; x and r are there when it starts.
template <Backend B, Number T>
class CglsSolver {
  using Vector = RowVector<B, T>;

 public:
  /// `corrects`: s is c + K'r.
  CglsSolver(const B& on, const LeastSquaresStages<B>& stages, bool corrects)
      : matrices_(on, stages),
        bounds_(on, stages),
        x_(stages.on_columns, columns(), 1),
        s_(stages.on_columns, columns(), 1),
        p_(stages.on_columns, columns(), 1),
        c_(stages.on_columns, corrects ? columns() : 0, 1),
        r_(stages.on_rows, rows(), 1),
        q_(stages.on_rows, rows(), 1),
        cg_(stages.on_columns, matrices_.K(), r_.view(),
            {x(), r(), p_.view(), q_.view(), s_.view()},
            CglsSteps<B, T>(stages.on_rows, stages.on_columns, matrices_.K(),
                            matrices_.transposed(), corrects ? c_.view().data : nullptr,
                            bounds_.view()),
            BetaForm::standard, cg_block) {}

  const MatricesOn<B, T>& matrices() const { return matrices_; }
  const BoundRows<T>& bounds() const { return bounds_.view(); }
  Field<T> x() const { return x_.view(); }
  Field<T> r() const { return r_.view(); }
  Field<T> c() const { return c_.view(); }
  Cgls<B, T>& cg() { return cg_; }

 private:
  int rows() const { return matrices_.K().nx; }
  int columns() const { return matrices_.transposed().nx; }

  MatricesOn<B, T> matrices_;
  BoundsOn<B, T> bounds_;
  Vector x_, s_, p_, c_, r_, q_;
  Cgls<B, T> cg_;
};

template <Backend B, Number T>
LeastSquaresFound least_squares_in_format(const B& on, const LeastSquaresStages<B>& stages) {
  const auto began = Clock::now();
  const SolverOptions& options = stages.options.solver;
  const double reference = stages.system.right_norm;
  CglsSolver<B, T> solver(on, stages, false);
  const B &on_rows = stages.on_rows, &on_columns = stages.on_columns;
  RowVector<B, T> b(on_rows, solver.r().nx, 1);
  put<T>(on_rows, stages.system.b, b.view());
  on.wait();
  LeastSquaresFound found;
  Report& report = found.report;
  found.matrix_bytes = solver.matrices().moved_bytes();
  const Work work_before = on.work();
  least_squares_residual<B, T>(on_rows, solver.matrices().K(), b.view(), solver.x(),
                               solver.bounds(), solver.r());
  Cgls<B, T>& cg = solver.cg();
  const double first = cg.start();
  report.setup_seconds = seconds_since(began);
  const auto attainable = [&] {
    return attainable_gradient(stages.system, taken<T>(on_columns, solver.x()), unit_roundoff<T>());
  };
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, cg_patience);
  report.outcome = first == 0 ? Outcome::converged
                              : cg.run(options.tolerance, options.max_iterations, reference,
                                       monitor, attainable);
  close_report(on, monitor, solve_began, work_before, report);
  found.y = taken<T>(on_columns, solver.x());
  report.attainable_reduction = attainable_gradient(stages.system, found.y, unit_roundoff<T>());
  found.coefficients = cg.coefficients();
  found.kernels_per_iteration = cg.work_of_block().kernels / cg.block_length();
  report.memory_bytes = on.peak();
  return found;
}

/// Corrections in a narrower format: K'K d = c from d = 0.
template <Backend B, Number High>
class CglsCorrection {
 public:
  CglsCorrection() = default;
  CglsCorrection(const CglsCorrection&) = delete;
  CglsCorrection& operator=(const CglsCorrection&) = delete;
  virtual ~CglsCorrection() = default;
  /// x += d for the gradient s, |s|^2 of which is in the state; the iterations that were taken.
  virtual int correct(const Field<const High>& s, RefinementState<Arithmetic<High>>* state,
                      double enough, const Field<High>& x) = 0;
};

template <Backend B, Number High, Number Low>
class CglsCorrectionIn final : public CglsCorrection<B, High> {
 public:
  CglsCorrectionIn(const B& on, const LeastSquaresStages<B>& stages)
      : on_(stages.on_columns),
        stop_(inner_stop(stages.options.solver, 0)),
        limit_(stop_.iterations.value_or(stages.options.solver.max_iterations)),
        scaling_(stages.options.solver.refinement.scaling),
        solver_(on, stages, true) {}

  int correct(const Field<const High>& s, RefinementState<Arithmetic<High>>* state, double enough,
              const Field<High>& x) override {
    set_scale(on_, scaling_, 0, state);
    narrow<B, High, Low>(on_, s, state, solver_.c());
    set_zero(on_, solver_.x());
    set_zero(on_, solver_.r());
    const double first = solver_.cg().start();
    if (first == 0) return 0;
    ResidualMonitor monitor(limit_, cg_patience);
    // How it ended is for the outer solver to see, by what it has gained.
    (void)solver_.cg().run(inner_tolerance(stop_, {false, enough}), limit_, {}, monitor,
                           [] { return unit_roundoff<Low>(); });
    add_correction<B, High, Low>(on_, Box{0, x.nx, 0, 1}, state, solver_.x(), x);
    return monitor.iterations();
  }

 private:
  B on_;
  InnerStop stop_;
  int limit_;
  RefinementScaling scaling_;
  CglsSolver<B, Low> solver_;
};

template <Backend B, Number High>
LeastSquaresFound least_squares_mixed(const B& on, const LeastSquaresStages<B>& stages) {
  using C = Arithmetic<High>;
  const auto began = Clock::now();
  const SolverOptions& options = stages.options.solver;
  const double reference = stages.system.right_norm;
  const MatricesOn<B, High> matrices(on, stages);
  const BoundsOn<B, High> bounds(on, stages);
  const int m = matrices.K().nx, n = matrices.transposed().nx;
  const B &on_rows = stages.on_rows, &on_columns = stages.on_columns;
  const RowVector<B, High> b(on_rows, m, 1), r(on_rows, m, 1), x(on_columns, n, 1),
      s(on_columns, n, 1);
  const Array<B, RefinementState<C>> state(on, 1);
  put<High>(on_rows, stages.system.b, b.view());
  const auto correction = with_inner_type<B, High>(
      options.refinement.inner.front(),
      [&]<class Low>() -> std::unique_ptr<CglsCorrection<B, High>> {
        return std::make_unique<CglsCorrectionIn<B, High, Low>>(on, stages);
      });
  on.wait();
  LeastSquaresFound found;
  Report& report = found.report;
  found.matrix_bytes = matrices.moved_bytes();
  report.setup_seconds = seconds_since(began);
  const auto gradient = [&] {
    least_squares_residual<B, High>(on_rows, matrices.K(), b.view(), x.view(), bounds.view(),
                                    r.view());
    multiply<B, High>(on_columns, matrices.transposed(), r.view(), s.view());
    dot<B, High>(on_columns, Box{0, n, 0, 1}, s.view(), s.view(), &state.data()->square);
    return std::sqrt(static_cast<double>(read_value(on, &state.data()->square)));
  };
  const auto attainable = [&] {
    return attainable_gradient(stages.system, taken<High>(on_columns, x.view()),
                               unit_roundoff<High>());
  };
  const Work work_before = on.work();
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, refinement_patience);
  double norm = gradient();
  std::optional<Outcome> outcome =
      monitor.next(norm / reference, norm <= options.tolerance * reference, attainable);
  while (!outcome) {
    const double before = norm;
    const double enough =
        options.refinement.stop_at_tolerance ? options.tolerance * reference / norm : 0;
    const int inner = correction->correct(s.view(), state.data(), enough, x.view());
    report.inner_history.push_back(inner);
    report.inner_iterations += inner;
    norm = gradient();
    outcome = monitor.next(norm / reference, norm <= options.tolerance * reference, attainable);
    if (!outcome) outcome = inner_end(options, report, before, norm);
  }
  close_report(on, monitor, solve_began, work_before, report);
  report.outcome = *outcome;
  found.y = taken<High>(on_columns, x.view());
  report.attainable_reduction = attainable_gradient(stages.system, found.y, unit_roundoff<High>());
  report.memory_bytes = on.peak();
  return found;
}

}  // namespace ninefold

#define NINEFOLD_LEAST_SQUARES_SOLVERS(B, T)                                              \
  template LeastSquaresFound least_squares_in_format<B, T>(const B&,                      \
                                                           const LeastSquaresStages<B>&); \
  template LeastSquaresFound least_squares_mixed<B, T>(const B&, const LeastSquaresStages<B>&)
