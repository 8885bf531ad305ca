#pragma once
// How the values of a vector without a grid are divided among ranks: each has those that follow
// each other, and beside them copies of others' that its rows of a matrix meet.
//
// Shape.  A rank's values begin at a multiple of sum_chunk, so that the chunks of a sum
// (gpu/backend/summation.hpp) lie within one rank each; no rank is without values.
//
// Tests.  tests/solvers/matrix_parts_test.cpp, tests/gpu/device/matrix_parts_test.cpp

#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/backend/summation.hpp"

namespace ninefold {

class VectorPart {
 public:
  /// Of rank `rank`: values begins[rank] to begins[rank + 1] of all, and so many of others' that
  /// lie before and behind them in its memory.
  VectorPart(std::vector<int> begins, int rank, int below, int above)
      : begins_(std::move(begins)),
        first_(begins_[static_cast<std::size_t>(rank)]),
        last_(begins_[static_cast<std::size_t>(rank) + 1]),
        below_(below),
        above_(above) {}

  /// Of each rank, and the end of all.
  const std::vector<int>& begins() const { return begins_; }
  int first() const { return first_; }
  int count() const { return last_ - first_; }
  int total() const { return begins_.back(); }
  int below() const { return below_; }
  int above() const { return above_; }

 private:
  std::vector<int> begins_;
  int first_, last_, below_, above_;
};

}  // namespace ninefold
