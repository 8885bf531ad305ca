#pragma once
// Plans that are solved together: those of one matrix.files, or one alone.
//
// Tests.  tests/experiments/matrix.py

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/program/stated_system.hpp"

namespace ninefold {

/// The plans from `first` on that are solved with it.
std::span<const Plan> group_of(const std::vector<Plan>& plans, std::size_t first);

/// The systems of a group, which are kept for the next one if that is about the same.
class StatedGroup {
 public:
  /// True if they were read or made anew.  Throws as stated_system().
  bool state(std::span<const Plan> group);
  const StatedSystem& operator[](std::size_t k) const { return *systems_[k]; }
  std::size_t size() const { return systems_.size(); }

 private:
  std::span<const Plan> plans_{};
  std::vector<std::unique_ptr<StatedSystem>> systems_{};
};

/// What has become of a plan's system: solutions of its right-hand sides, or why there are none.
struct SolvedPlan {
  std::optional<std::vector<SparseSolved>> solved{};
  std::string refusal{};
};

/// Solves those of a group.  What is refused of one that `is_alone`, being the only run, is thrown;
/// else it is that run's matter.
std::vector<SolvedPlan> solve_group(std::span<const Plan> group, const StatedGroup& stated,
                                    BackendKind where, bool is_alone);

}  // namespace ninefold
