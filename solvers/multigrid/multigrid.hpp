#pragma once
// Geometric multigrid with point or line smoothing: V-, F- and W-cycles down to 3 x 3 nodes.
//
// Mathematics.  Which steps a cycle has, on which level and in which order, is data: see
// solvers/multigrid/schedule.hpp.  Here they are run, each as an operation on whole vectors; on a
// device, those on the coarsest levels by one kernel (gpu/operations/coarse_operations.hpp).
// Coarse matrices are assembled on the coarse grids, restriction is the transpose of bilinear
// interpolation.
//
// Smoothers.  jacobi: damped point relaxation.  chebyshev: the same with a damping for each step
// (solvers/multigrid/smoothing.hpp).  tridi: all lines along one direction at once,
// damped.  trigs: one line after the other (sequential), or the even ones and then the odd ones
// (zebra).  adi-tridi, adi-trigs: along x and along y in turns.
//
// Where no side is Dirichlet and there is no reaction, A is singular; right-hand sides then have no
// sum, and each cycle ends with the mean of x taken away.
//
// Shape.  Three vectors per level: b, and two that take turns as x and t in the steps of jacobi and
// tridi; t holds the residual in between.  Lines on a device need memory beside them, which all
// levels share (gpu/operations/line_operations.hpp).
//
// Cost.  Per cycle and level: (pre + post) steps (12 values per node; trigs 13) and one residual
// of 12, transfers of about 4.5.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.1 (MG_JAC, MG_ADITRIGS).
// Tests.      tests/solvers/solve_test.cpp, tests/solvers/multigrid/line_smoothing_test.cpp,
// tests/gpu/device/same_bits_test.cpp

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/require.hpp"

#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/fused_operations.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/measure_operations.hpp"

#include "solvers/multigrid/base_solver.hpp"
#include "solvers/multigrid/kept_lines.hpp"
#include "solvers/multigrid/schedule.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
class Multigrid {
 public:
  /// `grids` are the levels 0 to L >= 1 of one hierarchy; level 0 is not used.  `smoothing` is what
  /// options become on the finest one (choose_smoothing).  Matrices are held as `storage`
  /// says, but for the coarsest levels, whose entries are never computed.
  Multigrid(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
            const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
            const Smoothing& smoothing, OperatorStorage storage = OperatorStorage::stored)
      : on_(on), smoothing_(smoothing), relaxations_(relaxations_of<Leading<T>>(smoothing)) {
    levels_.reserve(grids.size() - 1);
    for (std::size_t l = 1; l < grids.size(); ++l) {
      levels_.emplace_back(on, grids[l], unknown_nodes(grids[l], boundary), coefficients, form,
                           storage_of_level(storage, grids[l].nx(), grids[l].ny()));
    }
    for (Level& level : levels_) level.allocate_vectors(on);
    if (smoothing.solves_base) make_base(grids, boundary, coefficients);
    if (on.has_device_memory() && smoothing_.by_lines()) prepare_lines();
    const int finest = static_cast<int>(levels_.size()) - 1;
    cycle_ = program(
        [&](CycleSchedule& schedule) { schedule.add_visit(finest, smoothing.cycle, false); });
    cycle_from_zero_ = program_from_zero(finest, [&](CycleSchedule& schedule) {
      schedule.add_visit(finest, smoothing.cycle, true);
    });
    full_cycle_ = program([&](CycleSchedule& schedule) { schedule.add_full(finest); });
    if (A().has_free_constant) mean_ = Array<B, Arithmetic<T>>(on, 1);
  }

  /// Matrix, solution and right-hand side of the finest level.  The views stay valid and the same.
  const Operator<T>& A() const { return levels_.back().A.view(); }
  Field<T> x() const { return levels_.back().turns[0].view(); }
  Field<T> b() const { return levels_.back().b.view(); }

  /// Puts values of Dirichlet nodes into both vectors that take turns as x; call after x() is set.
  void adopt_start() { copy(on_, x(), levels_.back().turns[1].view()); }

  /// x := one cycle applied to x.
  void cycle() { run(cycle_); }

  /// x := one cycle applied to zero, the multigrid preconditioner; Dirichlet values of x are zeros.
  void cycle_from_zero() { run(cycle_from_zero_); }

  /// x := x + P c by full multigrid, then one cycle on x.
  void full_cycle() { run(full_cycle_); }

  /// True if a coarse level is solved by eigenvectors.
  bool solves_base() const { return base_solver_.has_value(); }
  /// The coarse level that is solved well, counted from the coarsest, 0; -1 if none is.
  int base_level() const { return base_.level; }

  // Of all levels, 0 the coarsest, for a solver that corrects on each of them.
  int levels() const { return static_cast<int>(levels_.size()); }
  Field<T> b(int level) const { return levels_[static_cast<std::size_t>(level)].b.view(); }
  Field<T> x(int level) const { return levels_[static_cast<std::size_t>(level)].turns[0].view(); }
  const Box& unknowns(int level) const {
    return levels_[static_cast<std::size_t>(level)].unknowns();
  }
  /// To a level from the next coarser one.
  Transfer<Arithmetic<T>> transfer(int level) const {
    return levels_[static_cast<std::size_t>(level)].transfer();
  }

  /// Makes ready what visit() and full_visit() do on a level.
  void prepare_visits() {
    for (int l = 0; l < levels(); ++l) {
      visits_.push_back(program_from_zero(
          l, [&](CycleSchedule& schedule) { schedule.add_visit(l, smoothing_.cycle, true); }));
      interpolated_visits_.push_back(program_from_zero(l, [&](CycleSchedule& schedule) {
        schedule.add_interpolated_visit(l, smoothing_.cycle);
      }));
      restricted_visits_.push_back(!takes_restricted(l)
                                       ? CycleProgram{}
                                       : program_from_zero(l, [&](CycleSchedule& schedule) {
                                           schedule.add_restricted_visit(l, smoothing_.cycle);
                                         }));
      full_visits_.push_back(
          program_from_zero(l, [&](CycleSchedule& schedule) { schedule.add_full_from_zero(l); }));
    }
  }
  /// True if a visit begins with the restriction of b, which somebody else may do.
  bool takes_restricted(int level) const {
    return level > std::max(base_.level, 0) && smoothing_.pre_steps == 0 && !smoothing_.by_lines();
  }
  /// True if a pass may do with this level and the next coarser one at once: both are divided among
  /// ranks, or neither.
  bool fuses_transfers(int level) const {
    const auto l = static_cast<std::size_t>(level);
    return is_divided(levels_[l]) == is_divided(levels_[l - 1]);
  }
  /// What b(level) is the residual of: a solution that is corrected, or one that is interpolated;
  /// `restricted` if b of the next coarser level is there, too.
  enum class Visit { correction, interpolated, restricted };
  /// x(level) := one cycle applied to zero, for the b(level) that is there.
  void visit(int level, Visit kind) { run(visit_program(level, kind), level); }
  /// Where a visit ends in two Jacobi steps on a prolongation, one pass on this device.
  struct LastSteps {
    const FactoredRows<T>& A;
    Transfer<Arithmetic<T>> transfer;
    Field<const T> coarse, b;
    Relaxations<Leading<T>, most_fused_steps> relaxations;
  };
  /// True if visit(level, kind) does: somebody else may do that pass, with what comes after it.
  bool ends_in_steps(int level, Visit kind) const {
    return ends_in_steps(visit_program(level, kind), level);
  }
  /// visit(level, kind) without that pass, which is told; x(level) is not set.
  LastSteps visit_without_last_steps(int level, Visit kind) {
    return run_without_last_steps(visit_program(level, kind), level);
  }
  /// Where a visit ends in two Jacobi steps, before the last: x, and a vector of the level that is
  /// free.
  struct LastStep {
    const Operator<T>& A;
    Field<const T> x, b;
    Relaxation<Leading<T>> relaxation;
    Field<T> free;
  };
  /// True if visit(level, ...) does, and has no other steps after the coarse correction.  Two may
  /// be one pass; where there are more, the last one by itself would take three passes more.
  bool ends_in_two_steps(int level) const {
    return mean_.size() == 0 && !smoothing_.by_lines() && smoothing_.post_steps == most_fused_steps
           && level > std::max(base_.level, 0);
  }
  /// visit(level, kind) without that step.
  LastStep visit_without_last_step(int level, Visit kind) {
    return run_without_last_step(visit_program(level, kind));
  }
  /// The same of cycle_from_zero().
  bool ends_in_steps() const { return ends_in_steps(cycle_from_zero_, levels() - 1); }
  LastSteps cycle_without_last_steps() {
    return run_without_last_steps(cycle_from_zero_, levels() - 1);
  }
  /// What full_visit(level) is, where it solves by eigenvectors and does no more; else null.
  const BaseSolver<B, T>* solves_at_once(int level) const {
    if (!solves_base() || level != base_.level || mean_.size() > 0) return nullptr;
    return &*base_solver_;
  }
  /// x(level) := full multigrid applied to zero.
  void full_visit(int level) { run(full_visits_[static_cast<std::size_t>(level)], level); }

 private:
  using C = Arithmetic<T>;
  static constexpr bool fuses = std::is_same_v<B, Cuda> && has_fused_operations<T>;

  const CycleProgram& visit_program(int level, Visit kind) const {
    const auto& programs = kind == Visit::correction     ? visits_
                           : kind == Visit::interpolated ? interpolated_visits_
                                                         : restricted_visits_;
    return programs[static_cast<std::size_t>(level)];
  }

  bool ends_in_steps(const CycleProgram& program, int level) const {
    const auto& passes = program.passes;
    return mean_.size() == 0 && !passes.empty()
           && passes.back().fused == CyclePass::Fused::prolongation
           && passes.back().step.level == level && passes.back().step.count == most_fused_steps;
  }
  LastSteps run_without_last_steps(const CycleProgram& program, int level) const {
    const std::span<const CyclePass> passes(program.passes);
    run(program, passes.first(passes.size() - 1));
    const CyclePass& last = passes.back();
    const auto l = static_cast<std::size_t>(level);
    const Level& here = levels_[l];
    return {*here.A.view().template as<FactoredRows<T>>(), here.transfer(),
            levels_[l - 1].turns[last.coarse_x].view(), here.b.view(),
            relaxations_.template from<most_fused_steps>(last.step.first)};
  }

  LastStep run_without_last_step(const CycleProgram& program) const {
    const std::span<const CyclePass> passes(program.passes);
    const CyclePass& last = passes.back();
    require(last.span < 0 && last.step.count == 2, "a visit that does not end in two steps");
    run(program, passes.first(passes.size() - 1));
    const Level& level = levels_[static_cast<std::size_t>(last.step.level)];
    CyclePass before = last;
    before.step.count = 1;
    if (last.fused == CyclePass::Fused::none) {
      run(before);
    } else {
      run_fused(before);
    }
    return {level.A.view(), level.turns[1 - last.x].view(), level.b.view(),
            relaxations_[last.step.first + 1], level.turns[last.x].view()};
  }

  static bool can_take_over(int nx, int ny) { return CoarseProblem<T>::can_take(nx, ny); }
  /// What the coarse levels take is little, and one kernel works on them in place.
  static OperatorStorage storage_of_level(OperatorStorage storage, int nx, int ny) {
    const bool coarse = storage == OperatorStorage::computed && can_take_over(nx, ny);
    return coarse ? OperatorStorage::stored : storage;
  }

  struct Level {
    Level(const B& on, const TensorGrid& grid, const Box& unknowns,
          const Coefficients<Assembly<T>>& coefficients, OperatorForm form, OperatorStorage storage)
        : A(on, grid, unknowns, coefficients, form, storage),
          x_weights(on, transfer_weights<C>(grid.x)),
          y_weights(on, transfer_weights<C>(grid.y)) {}

    void allocate_vectors(const B& on) {
      const int nx = A.view().nx, ny = A.view().ny;
      turns[0] = NodeVector<B, T>(on, nx, ny);
      b = NodeVector<B, T>(on, nx, ny);
      turns[1] = NodeVector<B, T>(on, nx, ny);
    }
    const Box& unknowns() const { return A.view().unknowns; }

    /// To this level from the next coarser one.
    Transfer<C> transfer() const { return {x_weights.data(), y_weights.data()}; }

    Matrix<B, T> A;
    Array<B, TransferWeights<C>> x_weights, y_weights;
    KeptLines<B, T> lines;  // where they are solved, on a device
    NodeVector<B, T> turns[2], b;
  };

  /// The schedule that add(schedule) makes, with what one kernel takes over.
  template <class Add>
  CycleProgram program(const Add& add) const {
    return program(levels() - 1, add, 0);
  }
  template <class Add>
  CycleProgram program(int finest, const Add& add, int first_turn) const {
    CycleSchedule schedule(smoothing_, base_);
    add(schedule);
    int coarse = -1;
    if (!base_.by_eigenvectors) {
      while (coarse + 1 < levels() && takes_over(coarse + 1)) ++coarse;
    }
    return make_program(schedule, finest + 1, coarse, fused_levels(), first_turn);
  }
  /// The same of a schedule that sets x of its finest level before it reads it.
  template <class Add>
  CycleProgram program_from_zero(int finest, const Add& add) const {
    const CycleProgram made = program(finest, add, 0);
    return made.ends_in_other ? program(finest, add, 1) : made;
  }

  /// True if its rows are divided among ranks.
  bool is_divided(const Level& level) const {
    const int ny = level.A.view().ny;
    return own_rows(on_, ny) != RowRange{0, ny};
  }

  void prepare_lines() {
    const Operator<T>& finest = A();
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
      base_solver_ = BaseSolver<B, T>::make(on_, grid(base_.level), boundary, coefficients);
      return base_solver_.has_value();
    };
    base_.by_eigenvectors = make_solver();
    while (!can_take_over(grid(base_.level).nx(), grid(base_.level).ny())
           && !base_.by_eigenvectors) {
      --base_.level;
      base_.by_eigenvectors = make_solver();
    }
    base_.visits = BaseSolver<B, T>::visits;
  }

  /// The levels whose steps are done together.
  std::vector<bool> fused_levels() const {
    std::vector<bool> fused(levels_.size(), false);
    if (!fuses || A().template as<FactoredRows<T>>() == nullptr) return fused;
    fused.assign(fused.size(), true);
    fused[0] = false;  // it has none below it
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      // Between one that is divided and one that is not, ranks gather values.
      if (is_divided(levels_[l]) && !is_divided(levels_[l - 1])) fused[l] = false;
    }
    return fused;
  }

  void run(const CycleProgram& program) const { run(program, levels() - 1); }

  void run(const CycleProgram& program, std::span<const CyclePass> passes) const {
    for (const CyclePass& pass : passes) {
      if (pass.fused != CyclePass::Fused::none) {
        run_fused(pass);
      } else if (pass.span < 0) {
        run(pass);
      } else {
        visit_at_once(pass, program.spans[static_cast<std::size_t>(pass.span)]);
      }
    }
  }
  void run(const CycleProgram& program, int level) const {
    run(program, program.passes);
    // A replayed cycle must start where it ends.
    const Level& finest = levels_[static_cast<std::size_t>(level)];
    if (program.ends_in_other) copy(on_, finest.turns[1].view(), finest.turns[0].view());
    // Where A says nothing of it, the constant that the coarsest level has left is taken away.
    if (mean_.size() > 0) remove_mean(on_, finest.unknowns(), x(level), mean_.data());
  }

  /// One step on whole vectors.
  void run(const CyclePass& pass) const {
    const auto l = static_cast<std::size_t>(pass.step.level);
    const Level& level = levels_[l];
    const Operator<T>& A = level.A.view();
    const Field<T> x = level.turns[pass.x].view(), t = level.turns[1 - pass.x].view();
    const Field<T> b = level.b.view();
    const auto restrict_from = [&](const Field<T>& r) {
      const Level& coarse = levels_[l - 1];
      restrict_residual(on_, coarse.unknowns(), level.unknowns(), level.transfer(), r,
                        coarse.b.view());
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
        return restrict_from(t);
      case CycleOperation::restrict_right:
        return restrict_from(b);
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
                                                 steps, t);
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
      if (is_divided(levels_[static_cast<std::size_t>(l)])) return false;
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
  std::optional<BaseSolver<B, T>> base_solver_;
  CycleProgram cycle_, cycle_from_zero_, full_cycle_;
  std::vector<CycleProgram> visits_, interpolated_visits_, restricted_visits_, full_visits_;
  Array<B, Leading<T>> scratch_;  // for lines
  Array<B, Arithmetic<T>> mean_;  // of x, where the system has a free constant
};

}  // namespace ninefold
