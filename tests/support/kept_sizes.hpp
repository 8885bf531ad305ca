#pragma once
// Sizes of passes that devices have for as long as a test keeps them.

#include <atomic>
#include <memory>
#include <string>

#include "gpu/backend/pass_sizes.hpp"

namespace ninefold::testing {

class KeptSizes {
 public:
  explicit KeptSizes(const PassSizes& sizes) {
    keep_pass_sizes([sizes, asked = asked_](const std::string&, int) {
      ++*asked;
      return sizes;
    });
  }
  KeptSizes(const KeptSizes&) = delete;
  KeptSizes& operator=(const KeptSizes&) = delete;
  ~KeptSizes() { keep_pass_sizes({}); }

  /// How many devices have asked for them.
  int asked() const { return *asked_; }

 private:
  std::shared_ptr<std::atomic<int>> asked_ = std::make_shared<std::atomic<int>>(0);
};

/// All grids as large ones, or as small ones.
inline constexpr PassSizes large_ways{};
inline constexpr PassSizes small_ways{
    {PassSizes::never, PassSizes::never, PassSizes::never}, PassSizes::never, PassSizes::never};

}  // namespace ninefold::testing
