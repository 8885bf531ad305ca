#pragma once
// Other ranks, which divide other grids.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/backend/ranks.hpp"

namespace ninefold {

class RanksWithSlabs : public Ranks {
 public:
  RanksWithSlabs(std::shared_ptr<const Ranks> ranks, int cells_each)
      : Ranks(ranks->rank(), Slabs(ranks->size(), cells_each)), ranks_(std::move(ranks)) {}

  void exchange(const std::vector<BorderRows>& vectors) const override {
    ranks_->exchange(vectors);
  }
  void gather(void* values, const std::vector<std::size_t>& begin) const override {
    ranks_->gather(values, begin);
  }
  void trade(const std::vector<Message>& messages) const override { ranks_->trade(messages); }
  void fail(const std::string& why) const noexcept override { ranks_->fail(why); }
  void when_failed(std::function<void()> act) const override {
    ranks_->when_failed(std::move(act));
  }

 private:
  std::shared_ptr<const Ranks> ranks_;
};

}  // namespace ninefold
