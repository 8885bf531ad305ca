#pragma once
// Where the time of a solve goes, part by part.
//
// On a device what is only begun counts in the part that waits for it.
//
// Tests.  tests/solvers/timeline_test.cpp

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/stopping.hpp"

namespace ninefold {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point first, Clock::time_point last) {
  return std::chrono::duration<double>(last - first).count();
}
inline double seconds_since(Clock::time_point start) {
  return seconds_between(start, Clock::now());
}

/// The names of the parts, in the order in which a solve comes to them.
namespace part {
inline constexpr std::string_view data = "load and boundary values";
inline constexpr std::string_view matrix = "matrix and memory";
inline constexpr std::string_view solver = "solver and recordings";
inline constexpr std::string_view iteration = "iteration";
inline constexpr std::string_view judgement = "judgement";
inline constexpr std::string_view errors = "errors and solution";
inline constexpr std::string_view levels = "comparison of levels";
inline constexpr std::string_view estimate = "estimate of algebraic and rounding error";
}  // namespace part

class Timeline {
 public:
  Timeline() = default;
  /// Goes on from now.
  explicit Timeline(std::vector<TimedPart> parts) : parts_(std::move(parts)) {}

  /// What has passed is nobody's.
  void resume(Clock::time_point now = Clock::now()) { last_ = now; }
  /// What has passed since the mark before, or resume(), belongs to this part.
  void mark(std::string_view name, Clock::time_point now = Clock::now()) {
    const double seconds = seconds_between(last_, now);
    last_ = now;
    for (TimedPart& known : parts_) {
      if (known.name == name) {
        known.seconds += seconds;
        return;
      }
    }
    parts_.push_back({name, seconds});
  }

  const std::vector<TimedPart>& parts() const { return parts_; }

 private:
  Clock::time_point last_ = Clock::now();
  std::vector<TimedPart> parts_;
};

}  // namespace ninefold
