#pragma once
// How ranks share the values of a grid's nodes in the host's memory.
//
// Tests.  tests/solvers/ranks_test.cpp

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "fem/discrete/nodal_values.hpp"

#include "gpu/backend/ranks.hpp"

namespace ninefold {

/// Their rows of a grid of ny that is divided among them.
class RowsOfRanks final : public RowShare {
 public:
  RowsOfRanks(std::shared_ptr<const Ranks> ranks, int ny)
      : RowShare(first_rows(*ranks, ny), ranks->rank()), ranks_(std::move(ranks)) {}

  /// `values` are those of the rows here(), `row_bytes` each: the rows beside its own become those
  /// of the neighbours.  All ranks call it.
  void exchange_border(void* values, std::size_t row_bytes) const {
    const auto row = [&](int j) {
      return static_cast<char*>(values) + static_cast<std::size_t>(j - here().first) * row_bytes;
    };
    const RowRange rows = own();
    // What has no neighbour is neither read nor written.
    const bool is_lowest = rows.first == 0, is_highest = rows.last == this->rows();
    ranks_->exchange(
        {{row(rows.first), row(rows.last - border), is_lowest ? nullptr : row(rows.first - border),
          is_highest ? nullptr : row(rows.last), border * row_bytes}});
  }

 private:
  static std::vector<int> first_rows(const Ranks& ranks, int ny) {
    std::vector<int> first;
    for (int r = 0; r < ranks.size(); ++r) first.push_back(ranks.slabs().rows(ny, r).first);
    first.push_back(ny);
    return first;
  }
  void gather(void* values, const std::vector<std::size_t>& begin) const override {
    ranks_->gather(values, begin);
  }

  std::shared_ptr<const Ranks> ranks_;
};

/// Null where each rank has all rows of a grid of ny, or there are none.
inline std::shared_ptr<const RowsOfRanks> rows_of_ranks(std::shared_ptr<const Ranks> ranks,
                                                        int ny) {
  if (ranks == nullptr || !ranks->slabs().divide(ny)) return nullptr;
  return std::make_shared<const RowsOfRanks>(std::move(ranks), ny);
}

}  // namespace ninefold
