#include "solvers/multigrid/schedule.hpp"

#include <algorithm>
#include <cstddef>

namespace ninefold {

void CycleSchedule::add_smoothing(int level, int first, int count, bool zero_start) {
  const bool by_lines = smoothing_.by_lines();
  if (zero_start) {
    const bool from_zero = by_lines || count == 0;
    add(from_zero ? CycleOperation::set_zero : CycleOperation::jacobi_start, level);
    if (!from_zero) {
      --count;
      ++first;
    }
  }
  if (count == 0) return;
  const CycleOperation steps = !by_lines ? CycleOperation::jacobi_steps
                               : smoothing_.sweep().simultaneous()
                                   ? CycleOperation::line_steps
                                   : CycleOperation::line_steps_in_place;
  add(steps, level, count, first);
}

void CycleSchedule::add_visit(int level, Cycle cycle, bool zero_start) {
  add_visit(level, cycle, zero_start, smoothing_.first_post_step());
}

void CycleSchedule::add_interpolated_visit(int level, Cycle cycle) {
  add_visit(level, cycle, true, smoothing_.first_interpolated_step());
}

void CycleSchedule::add_correcting_visit(int level, Cycle cycle) {
  add_visit(level, cycle, true, smoothing_.first_correction_step());
}

void CycleSchedule::add_visit(int level, Cycle cycle, bool zero_start, int post) {
  if (base_.by_eigenvectors && level == base_.level) {
    return add(CycleOperation::solve_small, level);
  }
  const std::size_t span = spans_.size();
  spans_.push_back({steps_.size(), 0, level});
  if (level == 0) {
    add(CycleOperation::solve_coarsest, 0);
  } else {
    add_smoothing(level, 0, smoothing_.pre_steps, zero_start);
    if (zero_start && smoothing_.pre_steps == 0) {
      add(CycleOperation::restrict_right, level);  // the residual of zero
    } else {
      add(CycleOperation::residual, level);
      add(CycleOperation::restrict_down, level);
    }
    add_correction(level - 1, cycle);
    add(CycleOperation::prolong_up, level);
    add_smoothing(level, post, smoothing_.post_steps, false);
  }
  spans_[span].last = steps_.size();
}

void CycleSchedule::add_correction(int level, Cycle cycle) {
  const std::size_t span = spans_.size();
  spans_.push_back({steps_.size(), 0, level});
  add_visit(level, cycle, true);
  if (cycle != Cycle::v && level > lowest(level)) {
    add_visit(level, cycle == Cycle::f ? Cycle::v : cycle, false);
  }
  if (level == base_.level && !base_.by_eigenvectors) {
    for (int k = 1; k < base_.visits; ++k) add_visit(level, Cycle::v, false);
  }
  spans_[span].last = steps_.size();
}

void CycleSchedule::add_restricted_visit(int level, Cycle cycle) {
  add(CycleOperation::set_zero, level);
  add_correction(level - 1, cycle);
  add(CycleOperation::prolong_up, level);
  add_smoothing(level, smoothing_.first_interpolated_step(), smoothing_.post_steps, false);
}

void CycleSchedule::add_ascent(int level, bool zero_start) {
  const int first = lowest(level);
  add_visit(first, smoothing_.cycle, true);
  for (int l = first + 1; l <= level; ++l) {
    if (l < level || zero_start) add(CycleOperation::set_zero, l);
    add(CycleOperation::prolong_up, l);
    add_visit(l, smoothing_.cycle, false);
  }
}

void CycleSchedule::add_full(int level) {
  if (level > lowest(level)) add(CycleOperation::residual, level);
  for (int l = level; l > lowest(level); --l) {
    add(l == level ? CycleOperation::restrict_down : CycleOperation::restrict_right, l);
  }
  add_ascent(level, false);
}

void CycleSchedule::add_full_from_zero(int level) {
  const std::size_t span = spans_.size();
  spans_.push_back({steps_.size(), 0, level});
  for (int l = level; l > lowest(level); --l) add(CycleOperation::restrict_right, l);
  add_ascent(level, true);
  spans_[span].last = steps_.size();
}

CoarseSchedule coarse_schedule(const CycleSchedule& schedule, const CycleSpan& span) {
  CoarseSchedule list;
  for (std::size_t k = span.first; k < span.last; ++k) {
    const CycleStep& step = schedule.steps()[k];
    list.add(step.operation, step.level, step.count, step.first);
  }
  return list;
}

namespace {

/// Passes over the steps of a schedule, one after the other.
class Passes {
 public:
  Passes(const CycleSchedule& schedule, int levels, int coarse, const std::vector<bool>& fused,
         int first_turn, const std::vector<bool>& divided)
      : steps_(schedule.steps()),
        schedule_(schedule),
        span_(schedule.spans().begin()),
        coarse_(coarse),
        fused_(fused),
        divided_(divided),
        turn_(static_cast<std::size_t>(levels), 0),
        is_zero_(static_cast<std::size_t>(levels), false) {
    turn_.back() = first_turn;
  }

  CycleProgram program() {
    CycleProgram program;
    while (next_ < steps_.size()) {
      if (const CycleSpan* span = taken_over()) {
        CyclePass pass = pass_of({steps_[next_].operation, span->level});
        pass.span = static_cast<int>(program.spans.size());
        program.spans.push_back(coarse_schedule(schedule_, *span));
        program.passes.push_back(pass);
        next_ = span->last;
      } else {
        const CycleStep& step = steps_[next_];
        const auto level = static_cast<std::size_t>(step.level);
        const bool fuses = level < fused_.size() && fused_[level];
        if (fuses && step.operation == CycleOperation::set_zero && is_set_in_vain()) {
          is_zero_[level] = true;
          ++next_;
          continue;
        }
        if (step.operation == CycleOperation::set_zero
            && follows(CycleOperation::line_steps_in_place)) {
          CyclePass pass = single(steps_[++next_]);
          pass.from_zero = true;
          program.passes.push_back(pass);
          continue;
        }
        program.passes.push_back(fuses ? fused() : single(step));
      }
    }
    program.ends_in_other = turn_.back() != 0;
    return program;
  }

 private:
  using Fused = CyclePass::Fused;

  const CycleSpan* taken_over() {
    const auto end = schedule_.spans().end();
    span_ = std::find_if(span_, end, [&](const CycleSpan& s) {
      return s.first > next_ || (s.first == next_ && s.level <= coarse_ && done_ == 0);
    });
    return span_ != end && span_->first == next_ ? &*span_ : nullptr;
  }
  bool is_taken_over(std::size_t step) const {
    return std::any_of(span_, schedule_.spans().end(),
                       [&](const CycleSpan& s) { return s.first == step && s.level <= coarse_; });
  }
  CyclePass pass_of(const CycleStep& step) const {
    const auto level = static_cast<std::size_t>(step.level);
    return {step, turn_[level], level > 0 ? turn_[level - 1] : 0, -1};
  }

  CyclePass single(const CycleStep& step) {
    const CyclePass pass = pass_of(step);
    if (takes_turns(step.operation)) turn_[static_cast<std::size_t>(step.level)] ^= step.count & 1;
    ++next_;
    return pass;
  }

  bool follows(CycleOperation operation) const { return follows(next_, operation); }
  bool follows(std::size_t step, CycleOperation operation) const {
    return step + 1 < steps_.size() && steps_[step + 1].operation == operation
           && steps_[step + 1].level == steps_[step].level;
  }
  /// True if a solve by eigenvectors follows on the next coarser level.
  bool is_small_next() const {
    const auto level = static_cast<std::size_t>(steps_[next_].level);
    if (level < divided_.size() && divided_[level]) return false;  // ranks gather values before
    return next_ + 1 < steps_.size() && steps_[next_ + 1].operation == CycleOperation::solve_small
           && steps_[next_ + 1].level == steps_[next_].level - 1;
  }
  /// True if this step adds a correction, and the steps after it can be done in the same pass.
  bool starts_a_sum(std::size_t step) const {
    return steps_[step].operation == CycleOperation::prolong_up
           && follows(step, CycleOperation::jacobi_steps) && !is_taken_over(step + 1);
  }
  /// True if the zeros that step next_ would set are not read: what adds to them comes first.
  bool is_set_in_vain() const {
    const auto same_level = [&](const CycleStep& other) {
      return other.level == steps_[next_].level
             && other.operation != CycleOperation::restrict_right;
    };
    const auto next = std::find_if(steps_.begin() + static_cast<std::ptrdiff_t>(next_) + 1,
                                   steps_.end(), same_level);
    return next != steps_.end() && starts_a_sum(static_cast<std::size_t>(next - steps_.begin()));
  }
  /// Up to `most` of the Jacobi steps at next_, of which none is left before the next operation.
  int take_steps(int most) {
    const int count = std::min(most, steps_[next_].count - done_);
    done_ += count;
    if (done_ == steps_[next_].count) {
      done_ = 0;
      ++next_;
    }
    return count;
  }

  CyclePass fused() {
    CycleStep step = steps_[next_];
    const auto in_other = [&](CyclePass pass) {
      turn_[static_cast<std::size_t>(step.level)] ^= 1;
      return pass;
    };
    const auto is_zero = [&] {  // for the last time
      const auto level = static_cast<std::size_t>(step.level);
      const bool zero = is_zero_[level];
      is_zero_[level] = false;
      return zero;
    };
    const auto as = [&](Fused fused, int count) {
      CyclePass pass = pass_of(step);
      pass.step.count = count;
      pass.fused = fused;
      return pass;
    };
    switch (step.operation) {
      case CycleOperation::jacobi_steps:
        step.first += done_;
        return in_other(as(Fused::steps, take_steps(most_fused_steps)));
      case CycleOperation::jacobi_start: {
        const bool more = follows(CycleOperation::jacobi_steps);
        ++next_;
        return as(Fused::start, 1 + (more ? take_steps(most_fused_steps - 1) : 0));
      }
      case CycleOperation::prolong_up:
        if (!starts_a_sum(next_)) return single(step);
        step.first = steps_[++next_].first;
        return in_other(
            as(is_zero() ? Fused::prolongation : Fused::sum, take_steps(most_fused_steps)));
      case CycleOperation::residual:
        if (!follows(CycleOperation::restrict_down)) return single(step);
        next_ += 2;
        return as(Fused::restriction, 1);
      case CycleOperation::restrict_right:
        if (!is_small_next()) return single(step);
        next_ += 2;
        return as(Fused::small, 1);
      default:
        return single(step);
    }
  }

  const std::vector<CycleStep>& steps_;
  const CycleSchedule& schedule_;
  std::vector<CycleSpan>::const_iterator span_;
  int coarse_;
  const std::vector<bool>& fused_;
  const std::vector<bool>& divided_;
  std::vector<int> turn_;      ///< which vector of a level is x
  std::vector<bool> is_zero_;  ///< x of a level is zero, and has not been written
  std::size_t next_ = 0;       ///< step
  int done_ = 0;               ///< of its Jacobi steps
};

}  // namespace

CycleProgram make_program(const CycleSchedule& schedule, int levels, int coarse,
                          const std::vector<bool>& fused, int first_turn,
                          const std::vector<bool>& divided) {
  return Passes(schedule, levels, coarse, fused, first_turn, divided).program();
}

/// True if the b that pass k restricts is read by a fused prolongation later.
static bool is_read_again(const CycleProgram& program, std::size_t k) {
  using Fused = CyclePass::Fused;
  const int level = program.passes[k].step.level;
  for (++k; k < program.passes.size(); ++k) {
    const CyclePass& pass = program.passes[k];
    if (pass.fused == Fused::prolongation && pass.step.level == level) return true;
    const bool restricts = pass.fused == Fused::restriction
                           || pass.step.operation == CycleOperation::restrict_right
                           || pass.step.operation == CycleOperation::restrict_down;
    if (restricts && pass.step.level == level + 1) return false;
  }
  return false;
}

void spare_exchanges(CycleProgram& program, const std::vector<bool>& divided,
                     const std::vector<int>& known) {
  // The rows of others of a level's b that are there, and whether each of the vectors that take
  // turns as x has those that a finer level's pass reads.
  struct There {
    int b;
    bool x[2];
  };
  std::vector<There> there;
  for (std::size_t l = 0; l < divided.size(); ++l) {
    there.push_back({known[l], {!divided[l], !divided[l]}});
  }
  for (std::size_t k = 0; k < program.passes.size(); ++k) {
    CyclePass& pass = program.passes[k];
    const auto l = static_cast<std::size_t>(pass.step.level);
    if (!divided[l]) continue;
    There& here = there[l];
    const bool is_step = pass.fused == CyclePass::Fused::none;
    if (is_step && pass.step.operation == CycleOperation::restrict_right) {
      const int needed = is_read_again(program, k) ? shared_rows : 1;
      pass.rows_asked = here.b >= needed ? 0 : needed;
      here.b = std::max(here.b, needed);
      there[l - 1].b = 0;
    } else if (pass.fused == CyclePass::Fused::restriction
               || (is_step && pass.step.operation == CycleOperation::restrict_down)) {
      there[l - 1].b = 0;
    } else if (pass.fused == CyclePass::Fused::prolongation) {
      const bool is_known = here.b > 0 && there[l - 1].x[pass.coarse_x];
      pass.others = is_known ? OthersRows::known : OthersRows::asked_for;
      here.x[1 - pass.x] = is_known && here.b >= shared_rows && pass.step.count == most_fused_steps;
    } else {
      here.x[0] = here.x[1] = false;
    }
  }
}

}  // namespace ninefold
