#pragma once
// When an iteration ends by what its steps change, where its residual tells no more.
//
// Tests.  tests/solvers/judgement/change_watch_test.cpp, tests/guard

#include <optional>

#include "gpu/backend/vector.hpp"

#include "solvers/judgement/change_watch.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Between the monitor of an iteration and its end: overrules `stagnated` while changes fall, and
/// says `converged` where they are small.  Does nothing without a watch.
template <Backend B, Number T>
class ChangeVerdict {
 public:
  /// `watch` must outlive this, and x be the iteration's.
  ChangeVerdict(const std::optional<ChangeWatch<B, T>>& watch, const Field<const T>& x,
                const SolverOptions& options)
      : watch_(watch),
        x_(x),
        tolerance_(options.tolerance),
        residual_(measures_error(options) ? 0 : options.tolerance) {}

  void before_step() const {
    if (slow_) watch_->begin(x_);
  }

  /// After a step that has taken the residual from `before` to `reduction`, both relative to the
  /// first, with what the monitor made of it.  `may_go_on`: further steps are allowed; step() makes
  /// one.
  template <class Step>
  void after_step(double before, double reduction, bool may_go_on, const Step& step,
                  std::optional<Outcome>& outcome) {
    if (!watch_) return;
    const double roundoff = unit_roundoff<T>();
    const bool open = may_go_on && (!outcome || *outcome == Outcome::stagnated);
    if (slow_ && open) {
      const double moved = watch_->moved(x_);
      const bool falls = trend_.falls(moved);
      const ChangeLimit limit = watch_->limit(x_, tolerance_);
      const std::optional<Outcome> settled = limit.may_settle ? outcome : std::nullopt;
      const bool small = is_small_change(moved, limit.tolerance, roundoff, settled);
      change_ = confirm_change(moved, limit.tolerance, roundoff, settled, step,
                               [&] { return watch_->moved(x_); });
      if (change_) {
        outcome = Outcome::converged;
      } else if (falls || (small && trend_.may_try_again())) {
        outcome.reset();
      }
    }
    // Nothing stagnates before a look at what its last step has changed.
    const bool unseen = !slow_ && may_go_on && outcome == Outcome::stagnated;
    // Nor where too few steps are left for that: these are what ends the iteration.
    const bool too_late = !may_go_on && outcome == Outcome::stagnated;
    if (unseen || too_late) outcome.reset();
    slow_ = unseen || reduction <= residual_ || reduction > slow_reduction * before;
  }

  /// The change by which the iteration has ended, if it has.
  std::optional<double> change() const { return change_; }

 private:
  const std::optional<ChangeWatch<B, T>>& watch_;
  Field<const T> x_;
  double tolerance_;
  double residual_;    ///< at most this says that it tells no more
  bool slow_ = false;  ///< the residual tells no more
  ChangeTrend trend_;
  std::optional<double> change_;
};

}  // namespace ninefold
