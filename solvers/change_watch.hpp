#pragma once
// What a cycle changes: a copy of the solution from before it.

#include <limits>
#include <optional>

#include "gpu/operations.hpp"
#include "gpu/vector.hpp"

#include "solvers/stopping.hpp"

namespace ninefold {

/// A residual that falls by less in a cycle tells no more.
inline constexpr double slow_reduction = 0.5;

/// Changes that are rounding alone neither fall nor add up: where nothing falls any more, this many
/// tolerances leave the error far below what is promised.
inline constexpr double settled_changes = 100;

/// Of what has not been looked at.
inline constexpr double infinite_change = std::numeric_limits<double>::infinity();

/// True if a cycle that has changed the solution by this part of it may be the last one.
inline bool is_small_change(double change, double tolerance, std::optional<Outcome> outcome) {
  constexpr double most = 0.03;        // of the solution, whatever the tolerance
  return change > 0 && change <= most  // no change at all is one that was lost
         && (change <= tolerance
             || (outcome == Outcome::stagnated && change <= settled_changes * tolerance));
}

template <Backend B, Number T>
class ChangeWatch {
 public:
  ChangeWatch() = default;
  ChangeWatch(const B& on, const NineBand<const T>& A)
      : on_(on), unknowns_(A.unknowns), storage_(on, A.nx, A.ny), minus_one_(on, 1) {
    const Arithmetic<T> value(-1);
    on.copy_in(minus_one_.data(), &value, sizeof value);
  }

  static std::size_t bytes(int nx, int ny) {
    return NodeVector<B, T>::storage(nx, ny) * sizeof(T) + sizeof(Arithmetic<T>);
  }

  /// Neither waits nor reads.
  void before(const Field<const T>& x) const { copy(*on_, x, storage_.view()); }
  void after(const Field<const T>& x) const {
    xpby(*on_, unknowns_, minus_one_.data(), x, storage_.view());
  }
  /// x after - x before; after both.
  Field<const T> change() const { return storage_.view(); }

 private:
  std::optional<B> on_;
  Box unknowns_{};
  NodeVector<B, T> storage_;
  Array<B, Arithmetic<T>> minus_one_;
};

}  // namespace ninefold
