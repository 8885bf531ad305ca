#pragma once
// How far an iteration is from its end, as its residuals have fallen lately: so that the last of
// the blocks in which iterations are recorded can be a short one, since those past the end are
// computed in vain.  A guess: no count and no bit of a converged solve depends on it.
//
// Tests.  tests/solvers/krylov/residual_pace_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "gpu/operations/cg_operations.hpp"

namespace ninefold {

/// Iterations of a block near the end: two times two (solvers/krylov/conjugate_gradients.hpp).
inline constexpr int short_cg_block = 4;

/// Whether a short block is due where so many are left: of a small system the host's look after
/// each takes as long as an iteration.
inline bool is_near_end(double left) {
  return left < 0.75 * cg_block;
}

class ResidualPace {
 public:
  /// Another sequence of residuals, whose first square is rr.  Until it is long enough, the pace is
  /// that of the one before.
  void begin(double rr) { logarithms_.assign(1, std::log(rr)); }
  /// Of the next iteration.
  void add(double rr) {
    logarithms_.push_back(std::log(rr));
    const std::size_t last = logarithms_.size() - 1, steps = std::min(last, longest);
    if (steps < fewest) return;
    pace_ = (logarithms_[last] - logarithms_[last - steps]) / static_cast<double>(steps);
  }
  /// Iterations until rr is the target; infinite where it does not fall, or nothing is known.
  double left(double target) const {
    const double count = (std::log(target) - logarithms_.back()) / pace_;
    return pace_ < 0 && count >= 0 ? count : std::numeric_limits<double>::infinity();
  }

 private:
  /// Residuals of conjugate gradients go up and down.
  static constexpr std::size_t fewest = 8, longest = 32;

  std::vector<double> logarithms_;
  double pace_ = 0;  ///< of the logarithm, each iteration
};

}  // namespace ninefold
