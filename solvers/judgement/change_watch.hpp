#pragma once
// How far an iteration still moves the solution.
//
// Mathematics.  With e the error and one cycle taking it to M e, a cycle changes x by (I - M) e:
// of an error that falls fast nearly all, of a slow one little, but then the same again and again.
// So a small change alone says nothing.  With `confirming_steps` more it does: steps of which each
// leaves a part q of the error move x by 1 + q + ... + q^4 times the first, which is not above
// `most_growth` for q up to 0.74; what rounding changes does not add up.
//
// Tests.  tests/solvers/judgement/accuracy_test.cpp, tests/solvers/judgement/change_watch_test.cpp,
// tests/guard

#include <algorithm>
#include <limits>
#include <optional>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/vector_operations.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// A residual that falls by less in a cycle tells no more.
inline constexpr double slow_reduction = 0.5;

/// Changes that are rounding alone neither fall nor add up: where nothing falls any more, this many
/// tolerances leave the error far below what is promised.
inline constexpr double settled_changes = 100;

inline constexpr int confirming_steps = 4;
inline constexpr double most_growth = 3;

/// Where the tolerance is one of the error in one norm, this many times what confirming steps have
/// moved counts as the error: of one that falls by 0.74 or less in a step, the largest whose
/// changes add up to no more than `most_growth`, they leave less than the first of them.
inline constexpr double changes_in_norm = 3;
/// So many times smaller than the tolerance is the change that they begin with: room for what they
/// add up to, and for rounding.
inline constexpr double room_for_growth = 10;

/// What changes, relative to x, are compared with.
struct ChangeLimit {
  double tolerance;
  bool may_settle;  ///< more of it where nothing falls any more
};

/// True if a step that has changed the solution by this part of it may be the last one.  What is
/// below the format's `roundoff` counts as that: such changes come and go by chance.  (Roundings
/// are of x, changes relative to x with the Dirichlet data: where these are much larger, this asks
/// for more than it must.)
inline bool is_small_change(double change, double tolerance, double roundoff,
                            std::optional<Outcome> outcome) {
  constexpr double most = 0.03;  // of the solution, whatever the tolerance
  const double told = std::max(change, roundoff);
  return change > 0 && change <= most  // no change at all is one that was lost
         && (told <= tolerance
             || (outcome == Outcome::stagnated && told <= settled_changes * tolerance));
}

/// The change, at least a roundoff, by which an iteration may end whose last step has changed the
/// solution by `change`; none if that is not small, or if further steps, which are made only then,
/// add up: measured against the change itself, or an error that falls slowly would hide below the
/// roundoff.  step() makes one, moved() says how far they all have gone, from before the last one.
template <class Step, class Moved>
std::optional<double> confirm_change(double change, double tolerance, double roundoff,
                                     std::optional<Outcome> outcome, const Step& step,
                                     const Moved& moved) {
  if (!is_small_change(change, tolerance, roundoff, outcome)) return {};
  for (int k = 0; k < confirming_steps; ++k) step();
  const double all = moved();
  if (!(all <= most_growth * change)) return {};
  return std::max({change, all, roundoff});
}

/// Whether what steps change still falls: as long as it does, a residual that is rounding alone is
/// no reason to end.  (The first change falls, so that a verdict is put off by four steps at
/// least.)
class ChangeTrend {
 public:
  /// Takes the next change; false after four of them that were not below 0.7 times the best.
  bool falls(double change) {
    if (change < 0.7 * best_) {
      best_ = change;
      since_ = 0;
    } else {
      ++since_;
    }
    return since_ < 4;
  }

  /// True twice: what rounding changes is now more, now less, and a small change that further steps
  /// have not confirmed may have been one of the lesser ones.
  bool may_try_again() { return tries_++ < 2; }

 private:
  double best_ = std::numeric_limits<double>::infinity();
  int since_ = 0, tries_ = 0;
};

template <Backend B, Number T>
ChangeLimit limit_of_changes(const Accuracy<B, T>& accuracy, const Field<const T>& x,
                             double tolerance) {
  if (!accuracy.in_one_norm()) return {tolerance, true};
  return {tolerance / room_for_growth / accuracy.unit_of_changes(x), false};
}

/// The way of x from where it was.
template <Backend B, Number T>
class ChangeWatch {
 public:
  /// `accuracy` must outlive this.
  ChangeWatch(const B& on, const Accuracy<B, T>& accuracy, const Box& unknowns, int nx, int ny)
      : on_(on), accuracy_(accuracy), unknowns_(unknowns), from_(on, nx, ny), minus_one_(on, 1) {
    const Arithmetic<T> value(-1);
    on.copy_in(minus_one_.data(), &value, sizeof value);
  }

  /// From this x on.
  void begin(const Field<const T>& x) const { copy(on_, x, from_.view()); }

  /// That x, until moved() is asked for.
  Field<const T> start() const { return from_.view(); }

  /// Of the x that is there.
  ChangeLimit limit(const Field<const T>& x, double tolerance) const {
    return limit_of_changes(accuracy_, x, tolerance);
  }

  /// The size of x - x at begin(), relative to x (solvers/judgement/accuracy.hpp); waits for it.
  double moved(const Field<const T>& x) const {
    turn(x);
    const double size = accuracy_.change(unknowns_, Field<const T>(from_.view()), x);
    turn(x);  // back, but for a rounding of x
    return size;
  }

 private:
  /// from = x - from
  void turn(const Field<const T>& x) const {
    xpby(on_, unknowns_, minus_one_.data(), x, from_.view());
  }

  B on_;
  const Accuracy<B, T>& accuracy_;
  Box unknowns_;
  NodeVector<B, T> from_;
  Array<B, Arithmetic<T>> minus_one_;
};

}  // namespace ninefold
