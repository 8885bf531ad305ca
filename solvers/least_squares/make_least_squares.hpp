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
#include "solvers/krylov/cg_together.hpp"
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
  BoundsOn(const B& on, const LeastSquaresStages<B>& stages, std::size_t right)
      : view_{stages.K().pattern.n_rows, {}, {}, {}, {}, {}} {
    const LeastSquaresSystem& system = stages.system;
    if (!system.has_bounds) return;
    view_.first = system.first_bound;
    const auto n = static_cast<std::size_t>(system.K.pattern.n_columns);
    const auto all = [&](const std::optional<double>& bound) {
      return bound ? Array<B, T>(on, std::vector<T>(n, rounded(*bound))) : Array<B, T>();
    };
    weight_ = Array<B, T>(on, std::vector<T>{rounded(system.weight)});
    lower_ = all(system.rights[right].lower);
    upper_ = all(system.rights[right].upper);
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

/// CGLS of one right-hand side with its vectors; x and r are there when it starts.
template <Backend B, Number T>
class CglsOfRight {
  using Vector = RowVector<B, T>;

 public:
  /// `corrects`: s is c + K'r.  The block is ConjugateGradients', without one for one of several.
  CglsOfRight(const B& on, const LeastSquaresStages<B>& stages, const MatricesOn<B, T>& matrices,
              std::size_t right, bool corrects, int block_length)
      : bounds_(on, stages, right),
        x_(stages.on_columns, matrices.transposed().nx, 1),
        s_(stages.on_columns, matrices.transposed().nx, 1),
        p_(stages.on_columns, matrices.transposed().nx, 1),
        c_(stages.on_columns, corrects ? matrices.transposed().nx : 0, 1),
        r_(stages.on_rows, matrices.K().nx, 1),
        q_(stages.on_rows, matrices.K().nx, 1),
        cg_(stages.on_columns, matrices.K(), r_.view(), {x(), r(), p_.view(), q_.view(), s_.view()},
            CglsSteps<B, T>(stages.on_rows, stages.on_columns, matrices.K(), matrices.transposed(),
                            corrects ? c_.view().data : nullptr, bounds_.view(), block_length == 0),
            BetaForm::standard, block_length) {}

  const BoundRows<T>& bounds() const { return bounds_.view(); }
  Field<T> x() const { return x_.view(); }
  Field<T> r() const { return r_.view(); }
  Field<T> c() const { return c_.view(); }
  Cgls<B, T>& cg() { return cg_; }

 private:
  BoundsOn<B, T> bounds_;
  Vector x_, s_, p_, c_, r_, q_;
  Cgls<B, T> cg_;
};

/// How iterations have ended, and the kernels that one of all takes.
struct CglsEnds {
  std::vector<Outcome> outcomes;
  double kernels_per_iteration = 0;
};

/// Iterates one that has a block of its own to its end, or several without side by side.
template <Backend B, Number T, class Attainable>
CglsEnds iterate_fits(const B& on, const SparseOperator<T>& K, const std::vector<Cgls<B, T>*>& all,
                      const SolverOptions& options, const std::vector<double>& references,
                      std::vector<ResidualMonitor>& monitors, const Attainable& attainable) {
  if (all.empty()) return {};
  Cgls<B, T>& first = *all.front();
  if (first.block_length() > 0) {
    const Outcome outcome = first.run(options.tolerance, options.max_iterations, references.front(),
                                      monitors.front(), [&] { return attainable(0); });
    const auto kernels = static_cast<double>(first.work_of_block().kernels);
    return {{outcome}, kernels / first.block_length()};
  }
  CgTogether<B, T, Cgls<B, T>> together(on, K, all);
  const std::vector<Outcome> outcomes =
      together.run(options.tolerance, options.max_iterations, monitors, attainable, references);
  return {outcomes, static_cast<double>(together.work_of_block().kernels) / cg_block};
}

template <Backend B, Number T>
std::vector<LeastSquaresFound> least_squares_in_format(const B& on,
                                                       const LeastSquaresStages<B>& stages) {
  const auto began = Clock::now();
  const SolverOptions& options = stages.options.solver;
  const std::vector<FittedRight>& rights = stages.system.rights;
  const B &on_rows = stages.on_rows, &on_columns = stages.on_columns;
  const MatricesOn<B, T> matrices(on, stages);
  std::vector<std::unique_ptr<CglsOfRight<B, T>>> fits;
  RowVector<B, T> b(on_rows, matrices.K().nx, 1);
  const Work work_before = on.work();
  // Of those that begin with a gradient, which is not that of zero.
  std::vector<Cgls<B, T>*> begun;
  std::vector<double> references;
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < rights.size(); ++k) {
    fits.push_back(std::make_unique<CglsOfRight<B, T>>(on, stages, matrices, k, false,
                                                       rights.size() > 1 ? 0 : cg_block));
    CglsOfRight<B, T>& fit = *fits.back();
    put<T>(on_rows, rights[k].b, b.view());
    on.wait();
    least_squares_residual<B, T>(on_rows, matrices.K(), b.view(), fit.x(), fit.bounds(), fit.r());
    if (fit.cg().start() == 0) continue;
    begun.push_back(&fit.cg());
    references.push_back(rights[k].norm);
    numbers.push_back(k);
  }
  const double setup_seconds = seconds_since(began);
  const auto attainable_of = [&](std::size_t k) {
    return attainable_gradient(stages.system, k, taken<T>(on_columns, fits[k]->x()),
                               unit_roundoff<T>());
  };
  const auto solve_began = Clock::now();
  std::vector<ResidualMonitor> monitors(begun.size(),
                                        ResidualMonitor(options.max_iterations, cg_patience));
  const CglsEnds ends =
      iterate_fits<B, T>(on_columns, matrices.K(), begun, options, references, monitors,
                         [&](std::size_t i) { return attainable_of(numbers[i]); });
  std::vector<LeastSquaresFound> found(rights.size());
  std::size_t i = 0;
  for (std::size_t k = 0; k < rights.size(); ++k) {
    LeastSquaresFound& one = found[k];
    const bool has_begun = i < numbers.size() && numbers[i] == k;
    const ResidualMonitor monitor =
        has_begun ? monitors[i] : ResidualMonitor(options.max_iterations, cg_patience);
    one.report.outcome = has_begun ? ends.outcomes[i++] : Outcome::converged;
    one.report.setup_seconds = setup_seconds;
    close_report(on, monitor, solve_began, work_before, one.report);
    if (k > 0) {  // those of all
      one.report.solve_seconds = found.front().report.solve_seconds;
      one.report.work = found.front().report.work;
    }
    one.matrix_bytes = matrices.moved_bytes();
    one.kernels_per_iteration = ends.kernels_per_iteration;
    one.y = taken<T>(on_columns, fits[k]->x());
    one.report.attainable_reduction =
        attainable_gradient(stages.system, k, one.y, unit_roundoff<T>());
    one.coefficients = fits[k]->cg().coefficients();
    one.report.memory_bytes = on.peak();
  }
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
  CglsCorrectionIn(const B& on, const LeastSquaresStages<B>& stages, std::size_t right)
      : on_(stages.on_columns),
        stop_(inner_stop(stages.options.solver, 0)),
        limit_(stop_.iterations.value_or(stages.options.solver.max_iterations)),
        scaling_(stages.options.solver.refinement.scaling),
        matrices_(on, stages),
        solver_(on, stages, matrices_, right, true, cg_block) {}

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
  MatricesOn<B, Low> matrices_;
  CglsOfRight<B, Low> solver_;
};

template <Backend B, Number High>
LeastSquaresFound least_squares_mixed(const B& on, const LeastSquaresStages<B>& stages,
                                      std::size_t right) {
  using C = Arithmetic<High>;
  const auto began = Clock::now();
  const SolverOptions& options = stages.options.solver;
  const double reference = stages.system.rights[right].norm;
  const MatricesOn<B, High> matrices(on, stages);
  const BoundsOn<B, High> bounds(on, stages, right);
  const int m = matrices.K().nx, n = matrices.transposed().nx;
  const B &on_rows = stages.on_rows, &on_columns = stages.on_columns;
  const RowVector<B, High> b(on_rows, m, 1), r(on_rows, m, 1), x(on_columns, n, 1),
      s(on_columns, n, 1);
  const Array<B, RefinementState<C>> state(on, 1);
  put<High>(on_rows, stages.system.rights[right].b, b.view());
  const auto correction = with_inner_type<B, High>(
      options.refinement.inner.front(),
      [&]<class Low>() -> std::unique_ptr<CglsCorrection<B, High>> {
        return std::make_unique<CglsCorrectionIn<B, High, Low>>(on, stages, right);
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
    return attainable_gradient(stages.system, right, taken<High>(on_columns, x.view()),
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
  report.attainable_reduction =
      attainable_gradient(stages.system, right, found.y, unit_roundoff<High>());
  report.memory_bytes = on.peak();
  return found;
}

}  // namespace ninefold

#define NINEFOLD_LEAST_SQUARES_SOLVERS(B, T)                                                   \
  template std::vector<LeastSquaresFound> least_squares_in_format<B, T>(                       \
      const B&, const LeastSquaresStages<B>&);                                                 \
  template LeastSquaresFound least_squares_mixed<B, T>(const B&, const LeastSquaresStages<B>&, \
                                                       std::size_t)
