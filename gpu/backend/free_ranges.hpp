#pragma once
// Which parts of a block of memory are free: ranges that are taken and put back in any order.
//
// Who takes memory of a device asks the driver once, and shares out what it gives: each call takes
// it a tenth of a millisecond and more.
//
// Tests.  tests/gpu/backend/free_ranges_test.cpp

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>

namespace ninefold {

/// Of a block of so many bytes.  Ranges begin at multiples of `alignment`, the lowest that fit
/// first; what is put back joins what is free beside it.
class FreeRanges {
 public:
  static constexpr std::size_t alignment = 512;  // cudaMalloc has 256

  explicit FreeRanges(std::size_t bytes) {
    const std::size_t whole = bytes / alignment * alignment;
    if (whole > 0) free_.emplace(0, whole);
  }

  /// A range that is given to nobody else; nothing if none is left that is as long.  One of no
  /// bytes has a place of its own, too.
  std::optional<std::size_t> take(std::size_t bytes) {
    const std::size_t length =
        (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    const auto fits = [&](const auto& range) { return range.second >= length; };
    const auto found = std::find_if(free_.begin(), free_.end(), fits);
    if (found == free_.end()) return {};
    const auto [begin, most] = *found;
    free_.erase(found);
    if (most > length) free_.emplace(begin + length, most - length);
    taken_.emplace(begin, length);
    used_ = std::max(used_, begin + length);
    return begin;
  }

  /// A range that was taken, by its beginning.
  void put_back(std::size_t begin) {
    auto entry = taken_.extract(begin);
    const auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == begin + entry.mapped()) {
      entry.mapped() += next->second;
      free_.erase(next);
    }
    const auto above = free_.lower_bound(begin);
    if (above != free_.begin()) {
      const auto below = std::prev(above);
      if (below->first + below->second == begin) {
        below->second += entry.mapped();
        return;
      }
    }
    free_.insert(std::move(entry));
  }

  /// True if nothing is taken.
  bool is_free() const { return taken_.empty(); }
  /// What lies from here on has never been taken.
  std::size_t used() const { return used_; }

 private:
  std::map<std::size_t, std::size_t> free_, taken_;  ///< lengths, by their beginnings
  std::size_t used_ = 0;
};

}  // namespace ninefold
