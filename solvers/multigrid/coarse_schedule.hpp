#pragma once
// The recursion of solvers/multigrid/multigrid.hpp on coarse levels, written down as a list of
// steps.
//
// Mathematics.  Step for step Multigrid::visit and Multigrid::smooth: those are the meaning, this
// is how a device runs it (gpu/operations/coarse_operations.hpp).
//
// Tests.  tests/gpu/operations/coarse_cycle_test.cpp, tests/gpu/device/coarse_cycle_test.cpp

#include "gpu/operations/coarse_operations.hpp"

#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"

namespace ninefold {

/// Appends the steps first <= k < first + count of a visit.
inline void add_smoothing(CoarseSchedule& schedule, const Smoothing& smoothing, int level,
                          int first, int count, bool zero_start) {
  const bool by_lines = smoothing.by_lines();
  if (zero_start) {
    const bool from_zero = by_lines || count == 0;
    schedule.add(from_zero ? CoarseOperation::set_zero : CoarseOperation::jacobi_start, level);
    if (!from_zero) --count;
  }
  if (count == 0) return;
  const CoarseOperation steps = !by_lines ? CoarseOperation::jacobi_steps
                                : smoothing.sweep().simultaneous()
                                    ? CoarseOperation::line_steps
                                    : CoarseOperation::line_steps_in_place;
  schedule.add(steps, level, count, first);
}

inline void add_correction(CoarseSchedule& schedule, const MultigridOptions& options,
                           const Smoothing& smoothing, int level, Cycle cycle);

/// Appends one visit of a level.
inline void add_visit(CoarseSchedule& schedule, const MultigridOptions& options,
                      const Smoothing& smoothing, int level, Cycle cycle, bool zero_start) {
  if (level == 0) {
    schedule.add(CoarseOperation::solve_coarsest, 0);
    return;
  }
  add_smoothing(schedule, smoothing, level, 0, options.pre_smoothing, zero_start);
  schedule.add(CoarseOperation::residual, level);
  schedule.add(CoarseOperation::restrict_down, level);
  add_correction(schedule, options, smoothing, level - 1, cycle);
  schedule.add(CoarseOperation::prolong_up, level);
  add_smoothing(schedule, smoothing, level, options.pre_smoothing, options.post_smoothing, false);
}

/// Appends the one or two visits of a level that a cycle at the next finer one asks for.
inline void add_correction(CoarseSchedule& schedule, const MultigridOptions& options,
                           const Smoothing& smoothing, int level, Cycle cycle) {
  add_visit(schedule, options, smoothing, level, cycle, true);
  if (cycle != Cycle::v && level > 0) {
    add_visit(schedule, options, smoothing, level, cycle == Cycle::f ? Cycle::v : cycle, false);
  }
}

}  // namespace ninefold
