#include "solvers/multigrid/schedule.hpp"

#include <algorithm>

namespace ninefold {

void CycleSchedule::add_smoothing(int level, int first, int count, bool zero_start) {
  const bool by_lines = smoothing_.by_lines();
  if (zero_start) {
    const bool from_zero = by_lines || count == 0;
    add(from_zero ? CycleOperation::set_zero : CycleOperation::jacobi_start, level);
    if (!from_zero) --count;
  }
  if (count == 0) return;
  const CycleOperation steps = !by_lines ? CycleOperation::jacobi_steps
                               : smoothing_.sweep().simultaneous()
                                   ? CycleOperation::line_steps
                                   : CycleOperation::line_steps_in_place;
  add(steps, level, count, first);
}

void CycleSchedule::add_visit(int level, Cycle cycle, bool zero_start) {
  const std::size_t span = spans_.size();
  spans_.push_back({steps_.size(), 0, level});
  if (level == 0) {
    add(CycleOperation::solve_coarsest, 0);
  } else {
    add_smoothing(level, 0, options_.pre_smoothing, zero_start);
    add(CycleOperation::residual, level);
    add(CycleOperation::restrict_down, level);
    add_correction(level - 1, cycle);
    add(CycleOperation::prolong_up, level);
    add_smoothing(level, options_.pre_smoothing, options_.post_smoothing, false);
  }
  spans_[span].last = steps_.size();
}

void CycleSchedule::add_correction(int level, Cycle cycle) {
  const std::size_t span = spans_.size();
  spans_.push_back({steps_.size(), 0, level});
  add_visit(level, cycle, true);
  if (cycle != Cycle::v && level > 0) {
    add_visit(level, cycle == Cycle::f ? Cycle::v : cycle, false);
  }
  spans_[span].last = steps_.size();
}

void CycleSchedule::add_full(int level) {
  if (level > 0) add(CycleOperation::residual, level);
  for (int l = level; l > 0; --l) {
    add(l == level ? CycleOperation::restrict_down : CycleOperation::restrict_right, l);
  }
  add_visit(0, options_.cycle, true);
  for (int l = 1; l <= level; ++l) {
    if (l < level) add(CycleOperation::set_zero, l);
    add(CycleOperation::prolong_up, l);
    add_visit(l, options_.cycle, false);
  }
}

CoarseSchedule coarse_schedule(const CycleSchedule& schedule, const CycleSpan& span) {
  CoarseSchedule list;
  for (std::size_t k = span.first; k < span.last; ++k) {
    const CycleStep& step = schedule.steps()[k];
    list.add(step.operation, step.level, step.count, step.first);
  }
  return list;
}

CycleProgram make_program(const CycleSchedule& schedule, int levels, int coarse) {
  CycleProgram program;
  std::vector<int> turn(static_cast<std::size_t>(levels), 0);  // which vector is x
  auto span = schedule.spans().begin();
  const auto end = schedule.spans().end();
  for (std::size_t k = 0; k < schedule.steps().size();) {
    span = std::find_if(span, end, [&](const CycleSpan& s) {
      return s.first > k || (s.first == k && s.level <= coarse);
    });
    const bool taken = span != end && span->first == k;
    CycleStep step = schedule.steps()[k];
    if (taken) step.level = span->level;
    const auto level = static_cast<std::size_t>(step.level);
    CyclePass pass{step, turn[level], level > 0 ? turn[level - 1] : 0, -1};
    if (taken) {
      pass.span = static_cast<int>(program.spans.size());
      program.spans.push_back(coarse_schedule(schedule, *span));
      k = span->last;
    } else {
      if (takes_turns(step.operation)) turn[level] ^= step.count & 1;
      ++k;
    }
    program.passes.push_back(pass);
  }
  program.ends_in_other = turn.back() != 0;
  return program;
}

}  // namespace ninefold
