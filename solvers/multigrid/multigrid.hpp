#pragma once
// Geometric multigrid with point or line smoothing: V-, F- and W-cycles down to 3 x 3 nodes.
//
// Mathematics.  Which steps a cycle has, on which level and in which order, is data: see
// solvers/multigrid/schedule.hpp.  How they are run: solvers/multigrid/cycle_steps.hpp.
// Coarse matrices are assembled on the coarse grids, restriction is the transpose of bilinear
// interpolation.
//
// Smoothers.  jacobi: damped point relaxation.  chebyshev: the same with a damping for each step
// (solvers/multigrid/smoothing.hpp).  tridi: all lines along one direction at once,
// damped.  trigs: one line after the other (sequential), or the even ones and then the odd ones
// (zebra).  adi-tridi, adi-trigs: along x and along y in turns.
//
// Where no side is Dirichlet and there is no reaction, A is singular; right-hand sides then have no
// sum, and each cycle ends with the mean of x taken away.  A visit, from zero, leaves a mean that
// is small beside its x, of what steps and a coarsest level without eigenvectors add: no residual
// sees it but by rounding, and where the solution is told it is taken away.
//
// Cost.  Per cycle and level: (pre + post) steps (12 values per node; trigs 13) and one residual
// of 12, transfers of about 4.5.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.1 (MG_JAC, MG_ADITRIGS).
// Tests.      tests/solvers/solve_test.cpp, tests/solvers/multigrid/line_smoothing_test.cpp,
// tests/gpu/device/same_bits_test.cpp

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "precision/require.hpp"

#include "gpu/operations/measure_operations.hpp"

#include "solvers/multigrid/cycle_steps.hpp"
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
      : steps_(on, grids, boundary, coefficients, form, smoothing, storage) {
    const int finest = levels() - 1;
    cycle_ = program(finest, [&](CycleSchedule& schedule) {
      schedule.add_visit(finest, smoothing.cycle, false);
    });
    cycle_from_zero_ = program_from_zero(finest, [&](CycleSchedule& schedule) {
      schedule.add_correcting_visit(finest, smoothing.cycle);
    });
    full_cycle_ = program(finest, [&](CycleSchedule& schedule) { schedule.add_full(finest); });
    if (A().has_free_constant) mean_ = Array<B, Arithmetic<T>>(on, 1);
  }

  /// Matrix, solution and right-hand side of the finest level.  The views stay valid and the same.
  const Operator<T>& A() const { return steps_.finest().A.view(); }
  Field<T> x() const { return steps_.finest().turns[0].view(); }
  Field<T> b() const { return steps_.finest().b.view(); }

  /// Puts values of Dirichlet nodes into both vectors that take turns as x; call after x() is set.
  void adopt_start() { copy(steps_.on(), x(), steps_.finest().turns[1].view()); }

  /// x := one cycle applied to x.
  void cycle() { run(cycle_); }

  /// x := one cycle applied to zero, the multigrid preconditioner; Dirichlet values of x are zeros.
  void cycle_from_zero() { run(cycle_from_zero_); }

  /// x := x + P c by full multigrid, then one cycle on x.
  void full_cycle() { run(full_cycle_); }

  const Smoothing& smoothing() const { return steps_.smoothing(); }
  /// True if a coarse level is solved by eigenvectors.
  bool solves_base() const { return steps_.base_solver() != nullptr; }
  /// The coarse level that is solved well, counted from the coarsest, 0; -1 if none is.
  int base_level() const { return steps_.base().level; }

  // Of all levels, 0 the coarsest, for a solver that corrects on each of them.
  int levels() const { return steps_.levels(); }
  Field<T> b(int level) const { return steps_.level(level).b.view(); }
  Field<T> x(int level) const { return steps_.level(level).turns[0].view(); }
  const Box& unknowns(int level) const { return steps_.level(level).unknowns(); }
  /// To a level from the next coarser one.
  Transfer<Arithmetic<T>> transfer(int level) const { return steps_.level(level).transfer(); }

  /// Makes ready what visit() and full_visit() do on a level.
  void prepare_visits() {
    const Cycle cycle = smoothing().cycle;
    for (int l = 0; l < levels(); ++l) {
      visits_.push_back(program_from_zero(
          l, [&](CycleSchedule& schedule) { schedule.add_visit(l, cycle, true); }));
      interpolated_visits_.push_back(program_from_zero(
          l, [&](CycleSchedule& schedule) { schedule.add_interpolated_visit(l, cycle); }));
      restricted_visits_.push_back(
          !takes_restricted(l)
              ? CycleProgram{}
              : program_from_zero(
                  l, [&](CycleSchedule& schedule) { schedule.add_restricted_visit(l, cycle); },
                  true));
      full_visits_.push_back(
          program_from_zero(l, [&](CycleSchedule& schedule) { schedule.add_full_from_zero(l); }));
    }
  }
  /// True if a visit begins with the restriction of b, which somebody else may do.
  bool takes_restricted(int level) const {
    return level > std::max(base_level(), 0) && smoothing().pre_steps == 0
           && !smoothing().by_lines();
  }
  /// What b(level) is the residual of: a solution that is corrected, or one that is interpolated;
  /// `restricted` if b of the next coarser level is there, too, as nested_residual leaves both.
  enum class Visit { correction, interpolated, restricted };
  /// x(level) := one cycle applied to zero, for the b(level) that is there.
  void visit(int level, Visit kind) { run(visit_program(level, kind), level); }
  /// Where a visit ends in two Jacobi steps on a prolongation, one pass on this device.
  struct LastSteps {
    const FactoredRows<T>& A;
    Transfer<Arithmetic<T>> transfer;
    Field<const T> coarse, b;
    Relaxations<Leading<T>, most_fused_steps> relaxations;
    OthersRows others;
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
    return !smoothing().by_lines() && smoothing().post_steps == most_fused_steps
           && level > std::max(base_level(), 0);
  }
  /// visit(level, kind) without that step.
  LastStep visit_without_last_step(int level, Visit kind) {
    return run_without_last_step(visit_program(level, kind));
  }
  /// The same of cycle_from_zero().
  bool ends_in_steps() const {
    return mean_.size() == 0 && ends_in_steps(cycle_from_zero_, levels() - 1);
  }
  LastSteps cycle_without_last_steps() {
    return run_without_last_steps(cycle_from_zero_, levels() - 1);
  }
  /// What full_visit(level) is, where it solves by eigenvectors and does no more; else null.
  const BaseSolver<B, T>* solves_at_once(int level) const {
    return level == base_level() ? steps_.base_solver() : nullptr;
  }
  /// x(level) := full multigrid applied to zero.
  void full_visit(int level) { run(full_visits_[static_cast<std::size_t>(level)], level); }

 private:
  using Level = MultigridLevel<B, T>;

  const CycleProgram& visit_program(int level, Visit kind) const {
    const auto& programs = kind == Visit::correction     ? visits_
                           : kind == Visit::interpolated ? interpolated_visits_
                                                         : restricted_visits_;
    return programs[static_cast<std::size_t>(level)];
  }

  bool ends_in_steps(const CycleProgram& program, int level) const {
    const auto& passes = program.passes;
    return !passes.empty() && passes.back().fused == CyclePass::Fused::prolongation
           && passes.back().step.level == level && passes.back().step.count == most_fused_steps;
  }
  LastSteps run_without_last_steps(const CycleProgram& program, int level) const {
    const std::span<const CyclePass> passes(program.passes);
    run(program, passes.first(passes.size() - 1));
    const CyclePass& last = passes.back();
    const Level& here = steps_.level(level);
    return {*here.A.view().template as<FactoredRows<T>>(),
            here.transfer(),
            steps_.level(level - 1).turns[last.coarse_x].view(),
            here.b.view(),
            steps_.relaxations_from(last.step.first),
            last.others};
  }

  LastStep run_without_last_step(const CycleProgram& program) const {
    const std::span<const CyclePass> passes(program.passes);
    const CyclePass& last = passes.back();
    require(last.span < 0 && last.step.count == 2, "a visit that does not end in two steps");
    run(program, passes.first(passes.size() - 1));
    const Level& level = steps_.level(last.step.level);
    CyclePass before = last;
    before.step.count = 1;
    steps_.run(before, program.spans);
    return {level.A.view(), level.turns[1 - last.x].view(), level.b.view(),
            steps_.relaxation(last.step.first + 1), level.turns[last.x].view()};
  }

  /// The schedule that add(schedule) makes up to a level, as a program.
  template <class Add>
  CycleProgram program(int finest, const Add& add, int first_turn = 0,
                       bool restricted = false) const {
    CycleSchedule schedule(smoothing(), steps_.base());
    add(schedule);
    return steps_.program(schedule, finest, first_turn, restricted);
  }
  /// The same of a schedule that sets x of its finest level before it reads it.
  template <class Add>
  CycleProgram program_from_zero(int finest, const Add& add, bool restricted = false) const {
    const CycleProgram made = program(finest, add, 0, restricted);
    return made.ends_in_other ? program(finest, add, 1, restricted) : made;
  }

  void run(const CycleProgram& program, std::span<const CyclePass> passes) const {
    for (const CyclePass& pass : passes) steps_.run(pass, program.spans);
  }
  void run(const CycleProgram& program) const {
    run(program, levels() - 1);
    // Where A says nothing of it, the constant that the coarsest level has left is taken away.
    if (mean_.size() == 0) return;
    remove_mean(steps_.on(), steps_.finest().unknowns(), x(), mean_.data());
  }
  void run(const CycleProgram& program, int level) const {
    run(program, program.passes);
    // A replayed cycle must start where it ends.
    const Level& finest = steps_.level(level);
    if (program.ends_in_other) {
      copy(steps_.on(), finest.turns[1].view(), finest.turns[0].view());
    }
  }

  CycleSteps<B, T> steps_;
  CycleProgram cycle_, cycle_from_zero_, full_cycle_;
  std::vector<CycleProgram> visits_, interpolated_visits_, restricted_visits_, full_visits_;
  Array<B, Arithmetic<T>> mean_;  // of x, where the system has a free constant
};

}  // namespace ninefold
