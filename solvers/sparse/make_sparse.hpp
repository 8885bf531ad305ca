#pragma once
// Definitions of solvers/sparse/solve_sparse_on.hpp; compiled by generated files
// (solvers/CMakeLists.txt).

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/drivers/outer_solvers.hpp"
#include "solvers/drivers/stages.hpp"
#include "solvers/krylov/guided_cg.hpp"
#include "solvers/refinement/refinement.hpp"
#include "solvers/sparse/by_blocks.hpp"
#include "solvers/sparse/by_diagonal.hpp"
#include "solvers/sparse/solve_end.hpp"
#include "solvers/sparse/solve_sparse_on.hpp"
#include "solvers/sparse/sparse_cg.hpp"
#include "solvers/sparse/sparse_run.hpp"
#include "solvers/sparse/wide_on_backend.hpp"
#include "solvers/timeline.hpp"

namespace ninefold {

/// Conjugate gradients as an inner solver.
template <Backend B, Number T>
class SparseCgInner final : public InnerSolver<B, T> {
 public:
  SparseCgInner(const B& on, const SparseStages<B>& stages, const InnerStop& stop)
      : on_(on),
        stop_(stop),
        limit_(stop.iterations.value_or(stages.options.solver.max_iterations)),
        square_(on, 1),
        divergence_(stages.divergence()),
        cg_(on, stages, inner_form_of(stages.options.solver)) {}

  Field<T> right_hand_side() const override { return cg_.b(); }
  Field<const T> correction() const override { return cg_.x(); }
  bool is_recordable() const override { return false; }

  int solve(const InnerDemand& demand) override {
    set_zero(on_, cg_.x());
    return cg_.with_cg([&](auto& cg) {
      const double r0 = cg.start();
      if (r0 == 0) return 0;
      const auto attainable = [&] {
        return attainable_reduction<B, T, SparseOperator<T>>(on_, cg_.A(), cg_.b(), cg_.x(),
                                                             square_.data(), r0);
      };
      ResidualMonitor monitor(limit_, cg_patience, divergence_);
      // How it ended is for the outer solver to see, by what it has gained.
      (void)cg.run(inner_tolerance(stop_, demand), limit_, {}, monitor, attainable);
      return monitor.iterations();
    });
  }

 private:
  B on_;
  InnerStop stop_;
  int limit_;
  Array<B, Arithmetic<T>> square_;
  double divergence_;
  SparseCg<B, T> cg_;
};

/// Residual-guided conjugate gradients with blocks, which it holds.
template <Backend B, Number T>
class GuidedByBlocks final : public InnerSolver<B, T> {
 public:
  template <class MakeMatrix>
  GuidedByBlocks(const B& on, const SparseStages<B>& stages, const MakeMatrix& make_matrix,
                 const InnerStop& stop)
      : blocks_(block_inverses_on<B, T>(on, stages).value()),
        cg_(on, make_matrix, stop, stages.options.solver.max_iterations,
            [&](const SparseOperator<T>&) { return ByBlocks<B, T>(on, blocks_.view()); }) {}

  Field<T> right_hand_side() const override { return cg_.right_hand_side(); }
  Field<const T> correction() const override { return cg_.correction(); }
  bool is_recordable() const override { return cg_.is_recordable(); }
  bool remembers() const override { return cg_.remembers(); }
  void rescaled(double factor) override { cg_.rescaled(factor); }
  void begin_anew() override { cg_.begin_anew(); }
  int solve(const InnerDemand& demand) override { return cg_.solve(demand); }

 private:
  BlockInverses<B, T> blocks_;
  GuidedCg<B, T, SparseMatrixOn<B, T>, ByBlocks<B, T>> cg_;
};

template <Backend B, Number High>
using SparseCorrection = Correction<B, High, SparseOperator<High>>;

/// What corrects a solver in High, in the format of a stage.
template <Backend B, Number High>
std::unique_ptr<SparseCorrection<B, High>> make_sparse_correction(const B& on,
                                                                  const SparseStages<B>& stages,
                                                                  std::size_t stage, int exponent) {
  const RefinementOptions& refinement = stages.options.solver.refinement;
  const Precision precision = refinement.inner.at(stage);
  return with_inner_type<B, High>(
      precision, [&]<class Low>() -> std::unique_ptr<SparseCorrection<B, High>> {
        return std::make_unique<CorrectionIn<B, High, Low, SparseOperator<High>>>(
            on, ResidualStorage{refinement.scaling, exponent, widest_change(precision)},
            make_sparse_inner<B, Low>(on, stages, stage));
      });
}

template <Backend B, Number T>
std::unique_ptr<InnerSolver<B, T>> make_sparse_inner(const B& on, const SparseStages<B>& stages,
                                                     std::size_t stage) {
  const SolverOptions& options = stages.options.solver;
  const InnerStop stop = inner_stop(options, stage);
  using Owner = SparseMatrixOn<B, T>;
  const auto make_matrix = [&] {
    return sparse_matrix_on<B, T>(on, stages, inner_form_of(options));
  };
  if (stage + 1 < options.refinement.inner.size()) {
    return std::make_unique<RefinementInner<B, T, Owner>>(
        on, make_matrix, options, stop, make_sparse_correction<B, T>(on, stages, stage + 1, 0));
  }
  if (options.refinement.variant == RefinementVariant::residual_guided_cg) {
    if (options.preconditioner == Preconditioning::none) {
      return std::make_unique<GuidedCg<B, T, Owner>>(on, make_matrix, stop, options.max_iterations);
    }
    if (options.preconditioner == Preconditioning::block_jacobi) {
      return std::make_unique<GuidedByBlocks<B, T>>(on, stages, make_matrix, stop);
    }
    return std::make_unique<GuidedCg<B, T, Owner, ByDiagonal<B, T>>>(
        on, make_matrix, stop, options.max_iterations, [&](const SparseOperator<T>& A) {
          ByDiagonal<B, T> by(on, A.diagonal());
          by.exchange_beside(A);
          return by;
        });
  }
  return std::make_unique<SparseCgInner<B, T>>(on, stages, stop);
}

template <Backend B, Number T>
std::vector<SparseFound> sparse_cg(const B& on, const SparseStages<B>& stages) {
  const auto began = Clock::now();
  SparseRun<B, T> run(on, stages);
  const Work before = on.work();
  run.start();
  SpentTogether spent;
  spent.setup_seconds = seconds_since(began);
  const auto solve_began = Clock::now();
  run.iterate_to_end();
  spent.solve_seconds = seconds_since(solve_began);
  spent.work = on.work() - before;
  spent.memory_bytes = on.peak();
  return run.found(spent);
}

template <Backend B, Number T>
std::vector<SystemFound> sparse_cg_systems(const B& on,
                                           const std::vector<SparseSystemOn<B>>& systems) {
  return solve_systems_on<B, T>(on, systems, !std::is_same_v<B, Host>);
}

template <Backend B, Number High>
SparseFound sparse_mixed(const B& on, const SparseStages<B>& stages, std::size_t right) {
  using Matrix = SparseOperator<High>;
  using Vector = RowVector<B, High>;
  using C = Arithmetic<High>;
  const auto began = Clock::now();
  const SolverOptions& options = stages.options.solver;
  const SparseMatrixOn<B, High> matrix =
      sparse_matrix_on<B, High>(on, stages, options.form.value());
  const Matrix& A = matrix.view();
  const Vector b(on, A.nx, 1), x(on, A.nx, 1);
  Array<B, C> square(on, 1);
  put<High>(on, stages.system.rights[right].b, b.view());
  on.wait();
  SparseFound found;
  Report& report = found.report;
  A.visit([&](const auto& rows) { found.matrix_bytes = rows.moved_bytes; });
  const double r0 = residual_norm<B, High, Matrix>(on, A, b.view(), x.view(), square.data());
  report.history = {1.0};
  if (r0 == 0) {
    report.outcome = Outcome::converged;
    found.y = taken<High>(on, x.view());
    return found;
  }
  // The first residual is near 1 by what the system is scaled with; narrow formats are told its
  // size.
  const int exponent = nearest_exponent(r0);
  std::unique_ptr<SparseCorrection<B, High>> owned;
  std::unique_ptr<OuterSolver<C>> solver;
  SparseCorrection<B, High>* correction = nullptr;
  const auto make = [&] { return make_sparse_correction<B, High>(on, stages, 0, exponent); };
  if (options.refinement.variant == RefinementVariant::flexible_cg) {
    auto flexible = std::make_unique<FlexibleSolver<B, High, Matrix, Vector>>(
        on, A, b.view(), x.view(), options.max_iterations, make);
    correction = &flexible->correction();
    solver = std::move(flexible);
  } else {
    owned = make();
    correction = owned.get();
    solver =
        std::make_unique<RefiningSolver<B, High, Matrix>>(on, A, b.view(), x.view(), *correction);
  }
  correction->begin_anew();
  solver->begin(true, square.data());
  on.wait();
  report.setup_seconds = seconds_since(began);
  const auto attainable = [&] {
    return attainable_reduction<B, High, Matrix>(on, A, b.view(), x.view(), square.data(), r0);
  };
  const Work work_before = on.work();
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, refinement_patience, stages.divergence());
  std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
  for (double norm = r0; !outcome;) {
    InnerDemand demand;
    if (options.refinement.stop_at_tolerance) demand.enough = options.tolerance * r0 / norm;
    const double before = norm;
    const RefinementStep done = solver->step(norm, demand);
    norm = done.norm;
    report.inner_history.push_back(done.inner_iterations);
    report.inner_iterations += done.inner_iterations;
    outcome = monitor.next(norm / r0, norm <= options.tolerance * r0, attainable);
    if (!outcome) outcome = inner_end(options, report, before, norm);
  }
  close_report(on, monitor, solve_began, work_before, report);
  report.outcome = *outcome;
  report.outer_work = monitor.iterations() * solver->outer_work();
  report.attainable_reduction = attainable();
  found.y = taken<High>(on, x.view());
  report.memory_bytes = on.peak();
  return found;
}

// Each format's own file compiles its make_sparse_inner; corrections in it are told so.
#define NINEFOLD_MAKE_SPARSE_INNER(B, T)                                \
  extern template std::unique_ptr<InnerSolver<B, T>> make_sparse_inner( \
      const B&, const SparseStages<B>&, std::size_t);
#define NINEFOLD_FORMAT(kind, T, role) \
  NINEFOLD_MAKE_SPARSE_INNER(Host, T)  \
  NINEFOLD_MAKE_SPARSE_INNER(Cuda, T)
#define NINEFOLD_SOFTWARE_FORMAT(kind, T, role) NINEFOLD_MAKE_SPARSE_INNER(Host, T)
#include "precision/formats.def"
#undef NINEFOLD_MAKE_SPARSE_INNER

}  // namespace ninefold

#define NINEFOLD_SPARSE_SOLVERS(B, T)                                                             \
  template std::vector<SparseFound> sparse_cg<B, T>(const B&, const SparseStages<B>&);            \
  template std::vector<SystemFound> sparse_cg_systems<B, T>(                                      \
      const B&, const std::vector<SparseSystemOn<B>>&);                                           \
  template SparseFound sparse_mixed<B, T>(const B&, const SparseStages<B>&, std::size_t);         \
  template std::unique_ptr<InnerSolver<B, T>> make_sparse_inner(const B&, const SparseStages<B>&, \
                                                                std::size_t)
