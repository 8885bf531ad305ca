#pragma once
// The levels of multigrid, and the steps of a cycle on them: each as an operation on whole vectors,
// several in one pass where a device has that, and those on the coarsest levels by one kernel.
//
// Shape.  Levels are counted from the coarsest, 0.  Lines on a device need memory beside a level's
// vectors, which all levels share (gpu/operations/line_operations.hpp).
//
// Tests.  those of solvers/multigrid/multigrid.hpp

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/fused_operations.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/measure_operations.hpp"

#include "solvers/multigrid/base_solver.hpp"
#include "solvers/multigrid/multigrid_level.hpp"
#include "solvers/multigrid/schedule.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"

namespace ninefold {

template <Backend B, Number T>
class CycleSteps {
 public:
  using Level = MultigridLevel<B, T>;
  using Base = BaseSolver<B, T>;

  /// As Multigrid's.
  CycleSteps(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
             const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
             const Smoothing& smoothing, OperatorStorage storage)
      : on_(on), smoothing_(smoothing), relaxations_(relaxations_of<Leading<T>>(smoothing)) {
    levels_.reserve(grids.size() - 1);
    for (std::size_t l = 1; l < grids.size(); ++l) {
      levels_.emplace_back(on, grids[l], unknown_nodes(grids[l], boundary), coefficients, form,
                           storage_of_level(storage, grids[l].nx(), grids[l].ny()));
    }
    for (Level& level : levels_) level.allocate_vectors(on);
    if (smoothing.solves_base) make_base(grids, boundary, coefficients);
    if (on.has_device_memory() && smoothing_.by_lines()) prepare_lines();
  }

  const B& on() const { return on_; }
  const Smoothing& smoothing() const { return smoothing_; }
  int levels() const { return static_cast<int>(levels_.size()); }
  const Level& level(int l) const { return levels_[static_cast<std::size_t>(l)]; }
  const Level& finest() const { return levels_.back(); }

  /// The coarse level that is solved well, and how; its solver, if that is by eigenvectors.
  const BaseLevel& base() const { return base_; }
  const Base* base_solver() const { return base_solver_ ? &*base_solver_ : nullptr; }

  /// How a step weighs the residual; from a step on, as a pass takes it.
  Relaxation<Leading<T>> relaxation(int step) const { return relaxations_[step]; }
  Relaxations<Leading<T>, most_fused_steps> relaxations_from(int step) const {
    return relaxations_.template from<most_fused_steps>(step);
  }

  /// The program that a schedule becomes up to a level: see make_program.  `restricted`: other
  /// ranks' rows of the right-hand sides of that level and of the next coarser one are there, as
  /// nested_residual leaves them.
  CycleProgram program(const CycleSchedule& schedule, int finest, int first_turn,
                       bool restricted) const {
    int coarse = -1;
    if (!base_.by_eigenvectors) {
      while (coarse + 1 < levels() && takes_over(coarse + 1)) ++coarse;
    }
    std::vector<bool> divided;
    std::vector<int> known(static_cast<std::size_t>(finest) + 1, 0);
    for (int l = 0; l <= finest; ++l) divided.push_back(is_divided(l));
    if (restricted) {
      known[static_cast<std::size_t>(finest)] = 1;
      known[static_cast<std::size_t>(finest) - 1] = shared_rows;
    }
    CycleProgram made =
        make_program(schedule, finest + 1, coarse, fused_levels(), first_turn, divided);
    if (fuses) spare_exchanges(made, divided, known);
    return made;
  }

  /// True if a level's rows are divided among ranks.
  bool is_divided(int l) const {
    const int ny = level(l).A.view().ny;
    return own_rows(on_, ny) != RowRange{0, ny};
  }

  /// A pass of a program, whose spans these are.
  void run(const CyclePass& pass, const std::vector<CoarseSchedule>& spans) const {
    if (pass.fused != CyclePass::Fused::none) return run_fused(pass);
    if (pass.span < 0) return run_step(pass);
    visit_at_once(pass, spans[static_cast<std::size_t>(pass.span)]);
  }

 private:
  static constexpr bool fuses = std::is_same_v<B, Cuda> && has_fused_operations<T>;

  static bool can_take_over(int nx, int ny) { return CoarseProblem<T>::can_take(nx, ny); }
  /// What the coarse levels take is little, and one kernel works on them in place.
  static OperatorStorage storage_of_level(OperatorStorage storage, int nx, int ny) {
    const bool coarse = storage == OperatorStorage::computed && can_take_over(nx, ny);
    return coarse ? OperatorStorage::stored : storage;
  }

  void prepare_lines() {
    const Operator<T>& finest = levels_.back().A.view();
    scratch_ = Array<B, Leading<T>>(on_, line_scratch_values<T>(std::max(finest.nx, finest.ny)));
    // None is smoothed by which the coarsest equations are solved, or below.
    const auto unsmoothed = static_cast<std::size_t>(base_.by_eigenvectors ? base_.level + 1 : 1);
    for (std::size_t l = unsmoothed; l < levels_.size(); ++l) {
      levels_[l].lines = KeptLines<B, T>(on_, levels_[l].A.view(), smoothing_.sweep());
    }
  }

  void make_base(const std::vector<TensorGrid>& grids, const Boundary& boundary,
                 const Coefficients<Assembly<T>>& coefficients) {
    const auto grid = [&](int level) -> const TensorGrid& {
      return grids[static_cast<std::size_t>(level) + 1];
    };
    while (base_.level + 1 < levels() && may_be_base<T>(grid(base_.level + 1))) ++base_.level;
    const auto make_solver = [&] {
      base_solver_ = Base::make(on_, grid(base_.level), boundary, coefficients);
      return base_solver_.has_value();
    };
    base_.by_eigenvectors = make_solver();
    while (!can_take_over(grid(base_.level).nx(), grid(base_.level).ny())
           && !base_.by_eigenvectors) {
      --base_.level;
      base_.by_eigenvectors = make_solver();
    }
    base_.visits = Base::visits;
  }

  /// The levels whose steps are done together.
  std::vector<bool> fused_levels() const {
    std::vector<bool> fused(levels_.size(), false);
    if (!fuses || levels_.back().A.view().template as<FactoredRows<T>>() == nullptr) return fused;
    fused.assign(fused.size(), true);
    fused[0] = false;  // it has none below it
    return fused;
  }

  /// One step on whole vectors.
  void run_step(const CyclePass& pass) const {
    const auto l = static_cast<std::size_t>(pass.step.level);
    const Level& level = levels_[l];
    const Operator<T>& A = level.A.view();
    const Field<T> x = level.turns[pass.x].view(), t = level.turns[1 - pass.x].view();
    const Field<T> b = level.b.view();
    const auto restrict_from = [&](const Field<T>& r, int rows_asked) {
      const Level& coarse = levels_[l - 1];
      restrict_residual(on_, coarse.unknowns(), level.unknowns(), level.transfer(), r,
                        coarse.b.view(), rows_asked);
    };
    switch (pass.step.operation) {
      case CycleOperation::set_zero:
        return set_zero(on_, x);
      case CycleOperation::jacobi_start:
        return jacobi_start(on_, A, b, relaxations_[0], x);
      case CycleOperation::jacobi_steps:
      case CycleOperation::line_steps:
      case CycleOperation::line_steps_in_place:
        return smooth(level, pass.step, x, t, pass.from_zero);
      case CycleOperation::residual:
        return residual(on_, A, b, x, t);
      case CycleOperation::restrict_down:
        return restrict_from(t, 1);
      case CycleOperation::restrict_right:
        return restrict_from(b, pass.rows_asked);
      case CycleOperation::solve_coarsest:
        return solve_coarsest(on_, A, b, x);
      case CycleOperation::solve_small:
        if constexpr (has_small_inverse<T>) return base_solver_->solve(on_, b, x);
        break;
      case CycleOperation::prolong_up:
        return add_prolongated(on_, level.unknowns(), level.transfer(),
                               levels_[l - 1].turns[pass.coarse_x].view(), x);
    }
    throw std::logic_error("a step of a cycle without an operation");
  }

  /// Several of them in one pass.
  void run_fused([[maybe_unused]] const CyclePass& pass) const {
    if constexpr (fuses) {
      const auto l = static_cast<std::size_t>(pass.step.level);
      const Level& level = levels_[l];
      const FactoredRows<T>& A = *level.A.view().template as<FactoredRows<T>>();
      const Field<T> x = level.turns[pass.x].view(), t = level.turns[1 - pass.x].view();
      const Field<T> b = level.b.view();
      const int steps = pass.step.count;
      const auto relaxations = relaxations_.template from<most_fused_steps>(pass.step.first);
      const auto coarse = [&] { return levels_[l - 1].turns[pass.coarse_x].view(); };
      switch (pass.fused) {
        case CyclePass::Fused::none:
          break;
        case CyclePass::Fused::steps:
          return jacobi_steps<T>(on_, A, b, relaxations, x, steps, t);
        case CyclePass::Fused::start:
          return jacobi_steps_from_zero<T>(on_, A, b, relaxations, steps, x);
        case CyclePass::Fused::sum:
          return jacobi_steps_on_sum<T>(on_, level.transfer(), coarse(), A, b, relaxations, x,
                                        steps, t);
        case CyclePass::Fused::prolongation:
          return jacobi_steps_on_prolongation<T>(on_, level.transfer(), coarse(), A, b, relaxations,
                                                 steps, t, FusedBy::size, pass.others);
        case CyclePass::Fused::restriction:
          return restrict_residual_of<T>(on_, levels_[l - 1].unknowns(), level.transfer(), A, b, x,
                                         levels_[l - 1].b.view());
        case CyclePass::Fused::small:
          return base_solver_->solve_restricted(on_, level.unknowns(), level.transfer(), b,
                                                coarse());
      }
    }
    throw std::logic_error("a fused pass that this backend or format does not have");
  }

  void smooth(const Level& level, const CycleStep& steps, Field<T> x, Field<T> t,
              bool from_zero) const {
    const LineSweep sweep = smoothing_.sweep();
    const auto line_step_of = [&](const Lines& lines, const Field<T>& y) {
      const Leading<T> damping = relaxations_[0].damping;
      const LineScratch<Leading<T>> scratch{scratch_.data(), scratch_.size(),
                                            level.lines.along(lines.direction)};
      if (from_zero) {
        line_start<T>(on_, level.A.view(), level.b.view(), damping, lines, scratch, y);
        from_zero = false;
      } else {
        line_step<T>(on_, level.A.view(), level.b.view(), damping, lines, x, scratch, y);
      }
    };
    for (int k = steps.first; k < steps.first + steps.count; ++k) {
      const LineDirection direction = sweep.direction_of(k);
      if (steps.operation == CycleOperation::line_steps_in_place) {
        const int lines = Lines{direction}.count(level.unknowns());
        const int stride = sweep.stride_of(lines);
        for (int first = 0; first < std::min(stride, lines); ++first) {
          line_step_of({direction, first, stride}, x);
        }
        continue;
      }
      if (steps.operation == CycleOperation::line_steps) {
        line_step_of({direction, 0, 1}, t);
      } else {
        jacobi_step(on_, level.A.view(), level.b.view(), relaxations_[k], x, t);
      }
      std::swap(x, t);
    }
  }

  /// True if one kernel can take over what is done on level l and coarser ones.
  bool takes_over([[maybe_unused]] int l) const {
    if constexpr (std::is_same_v<B, Cuda>) {
      if (is_divided(l)) return false;
      return with_coarse_problem(
          l, [&](const auto& problem) { return problem.memory_bytes <= on_.shared_memory(); });
    }
    return false;
  }

  void visit_at_once([[maybe_unused]] const CyclePass& pass,
                     [[maybe_unused]] const CoarseSchedule& steps) const {
    if constexpr (std::is_same_v<B, Cuda>) {
      with_coarse_problem(pass.step.level, [&](auto problem) {
        const Level& top = levels_[static_cast<std::size_t>(pass.step.level)];
        problem.x = top.turns[pass.x].view();
        problem.t = top.turns[1 - pass.x].view();
        problem.b = top.b.view();
        visit_coarse<T>(on_, problem, steps, relaxations_);
        return true;
      });
    }
  }

  /// run(levels 0 to l as one problem), if they are small enough; else false.
  template <class Run>
  bool with_coarse_problem(int l, const Run& run) const {
    const Operator<T>& top = levels_[static_cast<std::size_t>(l)].A.view();
    if (!can_take_over(top.nx, top.ny)) return false;
    const auto with_rows = [&]<class Rows>(const Rows&) {
      if constexpr (!std::is_same_v<Rows, ComputedBands<T>>) {
        CoarseProblem<T, Rows> problem;
        for (int k = 0; k <= l; ++k) {
          const Level& level = levels_[static_cast<std::size_t>(k)];
          problem.add(*level.A.view().template as<Rows>(), level.transfer());
        }
        if (!smoothing_.by_lines()) return run(problem);
        problem.add_lines(smoothing_.sweep());
        // Of the smallest levels, which are visited most often, as far as there is room.
        for (int k = 0; k <= l; ++k) {
          CoarseProblem<T, Rows> keeping = problem;
          const KeptLines<B, T>& lines = levels_[static_cast<std::size_t>(k)].lines;
          keeping.keep_lines(k, lines.along(LineDirection::x), lines.along(LineDirection::y));
          if (keeping.memory_bytes <= on_.shared_memory()) problem = keeping;
        }
        return run(problem);
      }
      return false;
    };
    return top.visit(with_rows);
  }

  B on_;
  Smoothing smoothing_;
  CycleRelaxations<T> relaxations_;
  std::vector<Level> levels_;
  BaseLevel base_;
  std::optional<Base> base_solver_;
  Array<B, Leading<T>> scratch_;  // for lines
};

}  // namespace ninefold
