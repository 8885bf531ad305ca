#pragma once
// A multigrid cycle as data: its steps in order, over all levels, told once for everyone who runs
// them.
//
// Mathematics.  A visit of level l for A x = b: smooth `pre_steps` times; restrict the residual
// to level l - 1; visit that from zero, then (F) once more with a V-cycle or (W) once more with a
// W-cycle on the same coarse problem; add the prolongated correction; smooth `post_steps`
// times. Level 0 is solved exactly.  adi-tridi and adi-trigs smooth along x in the first, third,
// ... step of a visit, along y in the second, ...; the steps after the coarse correction go on
// counting.
//
// Full multigrid (nested iteration) finds x := x + P c, with c for the residual of x on the next
// coarser level found in the same way, from an exact solution on the coarsest; on each level one
// visit follows.  The residual of a coarse level is the restricted one, as nested elements have it.
//
// Shape.  Levels are counted from the coarsest, 0.  A span is a stretch of steps that is whole: it
// begins and ends with x, b and t of one level, and what it does with coarser ones is nobody else's
// business, so that it may be run in one go.
//
// Cost.  A level l > 0 is visited once in a V-cycle, L - l + 1 times in an F-cycle, 2^(L - l) times
// in a W-cycle; level 0 as often as level 1.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.1; Trottenberg, Oosterlee, Schueller,
// Multigrid, 2001, sections 2.4 and 2.6.
// Tests.      tests/solvers/multigrid/schedule_test.cpp

#include <cstddef>
#include <vector>

#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/fused_operations.hpp"

#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"

namespace ninefold {

struct CycleStep {
  CycleOperation operation;
  int level;
  int count = 1;  ///< of smoothing steps
  int first = 0;  ///< of them, in the visit
  friend bool operator==(const CycleStep&, const CycleStep&) = default;
};

/// Steps first <= k < last, whole on `level`.
struct CycleSpan {
  std::size_t first, last;
  int level;
};

/// A coarse level that is solved well, since cycles leave a tenth of the smoothest errors: by
/// eigenvectors, so that coarser levels are not visited, or by several visits.
struct BaseLevel {
  int level = -1;  ///< none
  bool by_eigenvectors = false;
  int visits = 1;
};

class CycleSchedule {
 public:
  explicit CycleSchedule(const Smoothing& smoothing, const BaseLevel& base = {})
      : smoothing_(smoothing), base_(base) {}

  /// Appends one visit of a level, x there being zero or what it is.
  void add_visit(int level, Cycle cycle, bool zero_start);
  /// Appends the one or two visits of a level that a cycle at the next finer one asks for.
  void add_correction(int level, Cycle cycle);
  /// Appends one from zero for the residual of an interpolated solution.
  void add_interpolated_visit(int level, Cycle cycle);
  /// Appends one from zero for the residual of the finest level's solution.
  void add_correcting_visit(int level, Cycle cycle);
  /// The same as add_interpolated_visit without steps before the coarse correction, whose
  /// right-hand side is there: that of the next coarser level has been restricted.
  void add_restricted_visit(int level, Cycle cycle);
  /// Appends full multigrid up to a level, where x is what it is.
  void add_full(int level);
  /// Appends the same where x is zero, as one span.
  void add_full_from_zero(int level);

  const std::vector<CycleStep>& steps() const { return steps_; }
  /// By first step; of those that begin together the longest comes first.
  const std::vector<CycleSpan>& spans() const { return spans_; }

 private:
  /// `post` is the first step after the coarse correction.
  void add_visit(int level, Cycle cycle, bool zero_start, int post);
  void add_smoothing(int level, int first, int count, bool zero_start);
  /// The coarsest level that a cycle from `level` visits.
  int lowest(int level) const {
    return base_.by_eigenvectors && base_.level <= level ? base_.level : 0;
  }
  /// From the coarsest level up, when right-hand sides are there.
  void add_ascent(int level, bool zero_start);
  void add(CycleOperation operation, int level, int count = 1, int first = 0) {
    steps_.push_back({operation, level, count, first});
  }

  Smoothing smoothing_;
  BaseLevel base_;
  std::vector<CycleStep> steps_;
  std::vector<CycleSpan> spans_;
};

/// What is run at once: a step, a span that one kernel takes over, or steps on one level that one
/// pass does together (gpu/operations/fused_operations.hpp).
struct CyclePass {
  enum class Fused {
    none,
    steps,         ///< step.count Jacobi steps
    start,         ///< the same from zero, the first one included
    sum,           ///< the same after x + P c
    prolongation,  ///< the same after P c, x being zero and not set
    restriction,   ///< the residual and its restriction
    small          ///< the restriction of b, and the solve by eigenvectors with it
  };

  CycleStep step;  ///< of a span or of fused steps: the first one, at the level of the span;
                   ///< step.first is that of the first Jacobi step
  int x;           ///< which of the level's two vectors is x, the other being t
  int coarse_x;    ///< the same of the next coarser level
  int span;        ///< its place in CycleProgram::spans, or -1
  Fused fused = Fused::none;
  bool from_zero = false;  ///< of steps of lines in place: x is zero, and not set
  // Where levels are divided among ranks (spare_exchanges).
  OthersRows others = OthersRows::asked_for;  ///< of a prolongation
  int rows_asked = 1;                         ///< of b, by its restriction
};

/// A schedule made ready: smoothers by points or of simultaneous lines leave their result in the
/// other one of two vectors, which take turns as x and t.
struct CycleProgram {
  std::vector<CyclePass> passes;
  std::vector<CoarseSchedule> spans;
  bool ends_in_other = false;  ///< x of the finest level is in its second vector at the end
};

/// For `levels` levels, of which spans on those up to `coarse` (none: -1) are taken over.  On those
/// that are true in `fused`, a value for each level or none, points are smoothed, and residuals
/// restricted, by fused passes; but what is below a level that is true in `divided`, likewise, is
/// solved by eigenvectors in a pass of its own.  A schedule whose first steps set x may begin with
/// the finest level's second vector in that role: what ends in the other one then ends in x.
CycleProgram make_program(const CycleSchedule& schedule, int levels, int coarse,
                          const std::vector<bool>& fused = {}, int first_turn = 0,
                          const std::vector<bool>& divided = {});

/// Which passes of a program need not ask other ranks for rows, since they are there: the
/// restriction of b asks for as many as a fused prolongation after it needs, and that leaves those
/// that the next finer one needs.  True in `divided` are levels of which each rank has some rows
/// alone; `known` are the rows of others of each level's b that are there when the program begins.
void spare_exchanges(CycleProgram& program, const std::vector<bool>& divided,
                     const std::vector<int>& known);

/// A span's steps as one list for a team.
CoarseSchedule coarse_schedule(const CycleSchedule& schedule, const CycleSpan& span);

}  // namespace ninefold
