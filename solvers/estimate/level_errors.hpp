#pragma once
// How large the discretisation error is, from the solutions of levels that follow each other.
//
// Mathematics.  Where the error falls by four from level to level, two levels tell the finer one's
// (gpu/operations/error_operations.hpp).  What they tell, e_l, falls as the error does:
// log2 (e_(l-1) / e_l) is the order observed, 2 for bilinear elements and smooth solutions on any
// grid of a hierarchy, less where a solution is singular; the part that interpolation leaves is
// told cell by cell whatever the order, that at the nodes only where it is near 2.  Levels too
// coarse for a layer or a peak tell nothing: e then falls hardly, or all at once.  An estimate is
// given where two falls in a row are near those of an order, and no claim is made elsewhere.
//
// Of what no level has seen nothing can be told: a solution with a part that vanishes at all nodes,
// or a peak between them, may have an order, and an error that is much larger.  What iterations and
// rounding leave is another error (solvers/estimate/solver_errors.hpp), of which these levels see
// little or nothing.  But where it is as large as what they tell, it is what they tell: the
// discretisation error is then taken to fall as it did between the coarser ones, and of that at the
// nodes nothing is told.
//
// Effectivity.  docs/which-precision.md; experiments/measure/error_estimates.cpp measures it.
//
// Tests.  tests/solvers/estimate/level_errors_test.cpp

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"

namespace ninefold {

/// One norm of what levels tell, as it falls.
class FallingError {
 public:
  /// The least fall that is told, and how much two in a row may differ.
  FallingError(double least_fall, double most_change)
      : least_fall_(least_fall), most_change_(most_change) {}

  /// Takes e of the next level; what is told where the order is observed.
  std::optional<double> next(double told);
  /// e of the next level if it falls as the last one did, and by four at most.
  std::optional<double> expected() const;
  /// log2 of the last fall, if there was one.
  std::optional<double> order() const;
  /// Falls in a row, so far.
  int falls() const { return falls_; }

 private:
  double least_fall_, most_change_;
  std::optional<double> told_, fall_;
  int falls_ = 0;
};

/// Three comparisons with the level before, of at least level 1.
inline constexpr int first_estimated_level = 4;

/// In the norms of Errors (fem/discrete/errors.hpp), absolute; nothing where no order is observed.
struct DiscretisationError {
  std::optional<double> l2, rms;
  std::optional<double> order;  ///< of l2, where that is seen
  bool is_expected = false;     ///< l2 is hidden on this level, and is what coarser ones expect
  /// What is to be said of an l2 error that is not: "is not resolved yet: ..."; of a solve that has
  /// failed nothing.
  std::string open;
};

/// A level's solution, and what the levels up to it tell.
struct EstimatedSolve {
  Solved solved;  ///< with its solver_errors
  DiscretisationError discretisation;
  /// What it has been compared with, if both are solved and the solution is kept.
  NodeRows<double> coarser;
  double coarser_seconds = 0;  ///< of levels that were solved before it for its sake
  std::string remark;          ///< where the machine, not the solution, is why nothing is told
};

/// Solves the levels of a problem one after the other.
class LevelSequence {
 public:
  /// Solves as solve() does.  Where `prepared` is not the level after the last one, the three
  /// coarser levels, as far as there are that many, are solved before it; what they cannot is
  /// no error.  `is_finer_next` if the level after it follows: the values of this one are then kept
  /// where it was solved, in double.
  EstimatedSolve solve(const PreparedSolve& prepared, bool is_finer_next);

 private:
  /// `is_asked_for`: it is not a level before the first one.
  EstimatedSolve next(const PreparedSolve& prepared, bool is_finer_next, bool is_asked_for);
  void begin_at(const PreparedSolve& prepared);
  /// What is told by e of a level in l2, beside what iteration and rounding leave there.
  std::optional<double> next_l2(double e, std::optional<double> left);
  /// The next level has nothing to be compared with.
  void break_off(std::string why);

  std::optional<int> last_;
  std::shared_ptr<const LevelSolution> values_;  ///< of level `last_`, if it can be compared with
  std::string why_not_;
  FallingError l2_ = of_l2(), rms_ = of_rms();
  bool is_left_known_ = false;  ///< what iteration and rounding leave of level `last_`

  static FallingError of_l2();
  static FallingError of_rms();
};

}  // namespace ninefold
