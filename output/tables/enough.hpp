#pragma once
// Which runs of a study are precise enough: those whose iteration and rounding leave little beside
// the discretisation error.
//
// Mathematics.  Of runs of one problem on one level, whose discretisation error is the same, the
// most precise one tells it: by its error against a known solution, where what iteration and
// rounding leave is small beside that, or by the estimate.  A run is enough if what is left of it
// (estimated: algebraic and rounding error together) is at most a tenth of that.  Without estimates
// of a run its error is compared with the most precise one's, from which it may differ by a tenth:
// rounding that happens to take something off the discretisation error makes no run more precise.
// Where root mean square errors are known, the run's has to be within a tenth of the most precise
// one's, too: rounding that is smooth may hide in one norm.
//
// Tests.  tests/output/tables/enough_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "output/tables/results.hpp"

namespace ninefold {

/// What a run of a study is known by: "run-2: double".
std::string words_of(const RunResult& run);
/// The same of several, so many of them by name.
std::string listed(const std::vector<const RunResult*>& runs, std::size_t most = 8);

/// The part of the discretisation error that iteration and rounding may leave.
inline constexpr double enough_part = 0.1;

/// Of the runs of one problem on one level.
struct Enough {
  int level;
  std::string problem;                         ///< what tells it from others of the study, or empty
  int runs;                                    ///< that there are
  double discretisation;                       ///< in l2
  std::optional<double> discretisation_rms{};  ///< the most precise run's error at the nodes
  const LevelResult* best;                     ///< the most precise run's level
  std::vector<const RunResult*> enough, others;
  /// Of those that are enough and have converged; if none has, of all that are enough.
  const RunResult* quickest = nullptr;
  double seconds = 0;  ///< that its iteration has taken
  /// Others that ended as it did, in at most a tenth more: another run may find them quicker.
  std::vector<const RunResult*> as_quick{};
  std::string outcome{};  ///< with which it ended
  /// Of those that are enough the one that holds least memory, the quicker one of two that hold as
  /// much; none if that is not known.
  const RunResult* smallest = nullptr;
  /// Enough, and yet not converged: their times have iterations in them that gained nothing.
  std::vector<const RunResult*> without_end;
};

/// True if the quickest is the quickest of those that converged, and others are enough, too.
bool is_quickest_of_converged(const Enough& group);

/// Of a run, or nullptr.
const LevelResult* level_of(const RunResult& run, int level);

/// Level by level, problems in the order of their runs; those of which the discretisation error is
/// known.
std::vector<Enough> which_are_enough(const Results& results);
std::vector<Enough> which_are_enough(Results&&) = delete;  // what is told points into them

}  // namespace ninefold
