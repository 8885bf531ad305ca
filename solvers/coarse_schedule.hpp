#pragma once
// The recursion of solvers/multigrid.hpp on coarse levels, written down as a list of steps.
//
// Mathematics.  Step for step Multigrid::visit and Multigrid::smooth: those are the meaning, this
// is how a device runs it (gpu/tuned_operations.hpp).
//
// Tests.  tests/gpu/coarse_cycle_test.cpp, tests/gpu/tuned_test.cpp

#include "gpu/tuned_operations.hpp"

#include "solvers/options.hpp"

namespace ninefold {

/// Appends `steps` smoothing steps at a level.
inline void add_smoothing(CoarseSchedule& schedule, int level, int steps, bool zero_start) {
  if (zero_start) {
    if (steps == 0) {
      schedule.add(CoarseOperation::set_zero, level);
      return;
    }
    schedule.add(CoarseOperation::jacobi_start, level);
    --steps;
  }
  if (steps > 0) schedule.add(CoarseOperation::jacobi_steps, level, steps);
}

inline void add_correction(CoarseSchedule& schedule, const MultigridOptions& options, int level,
                           Cycle cycle);

/// Appends one visit of a level.
inline void add_visit(CoarseSchedule& schedule, const MultigridOptions& options, int level,
                      Cycle cycle, bool zero_start) {
  if (level == 0) {
    schedule.add(CoarseOperation::solve_coarsest, 0);
    return;
  }
  add_smoothing(schedule, level, options.pre_smoothing, zero_start);
  schedule.add(CoarseOperation::residual, level);
  schedule.add(CoarseOperation::restrict_down, level);
  add_correction(schedule, options, level - 1, cycle);
  schedule.add(CoarseOperation::prolong_up, level);
  add_smoothing(schedule, level, options.post_smoothing, false);
}

/// Appends the one or two visits of a level that a cycle at the next finer one asks for.
inline void add_correction(CoarseSchedule& schedule, const MultigridOptions& options, int level,
                           Cycle cycle) {
  add_visit(schedule, options, level, cycle, true);
  if (cycle != Cycle::v && level > 0) {
    add_visit(schedule, options, level, cycle == Cycle::f ? Cycle::v : cycle, false);
  }
}

}  // namespace ninefold
