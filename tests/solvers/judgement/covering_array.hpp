#pragma once
// Combinations of factors in which every pair of values occurs.
//
// Mathematics.  A factor takes one of a few values, by number; a combination takes one of each
// factor.  Some pairs of values do not go together.  A pair is possible if some combination of
// values that go together has it; a covering array has every possible pair.  It is found greedily:
// each row begins with a pair that is missing, and of several completions the one with most missing
// pairs is taken.
//
// Cost.  Rows x candidates x values; less than a second for a dozen factors.
//
// Tests.  tests/solvers/judgement/covering_array_test.cpp

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "tests/guard/draw.hpp"

namespace ninefold::testing {

/// The number of a value for each factor.
using Combination = std::vector<int>;

struct ValuePair {
  int factor, value, other_factor, other_value;
};

/// Factors, and which of their values go together.
class Factors {
 public:
  static constexpr std::size_t most_values = 128;
  using Set = std::bitset<most_values>;  ///< of values of all factors, one after the other

  explicit Factors(const std::vector<int>& sizes) : sizes_(sizes) {
    int first = 0;
    for (const int size : sizes) {
      first_.push_back(first);
      Set values;
      for (int v = 0; v < size; ++v) values.set(static_cast<std::size_t>(first + v));
      values_.push_back(values);
      first += size;
    }
    if (first > static_cast<int>(most_values)) throw std::invalid_argument("too many values");
    friends_.assign(static_cast<std::size_t>(first), Set().set());
    // A factor has one value at a time.
    for (int f = 0; f < count(); ++f) {
      for (int v = 0; v < size(f); ++v) friends_[id(f, v)] &= ~values(f) | Set().set(id(f, v));
    }
  }

  int count() const { return static_cast<int>(sizes_.size()); }
  int size(int factor) const { return sizes_[static_cast<std::size_t>(factor)]; }
  std::size_t id(int factor, int value) const {
    return static_cast<std::size_t>(first_[static_cast<std::size_t>(factor)] + value);
  }
  const Set& values(int factor) const { return values_[static_cast<std::size_t>(factor)]; }
  /// The values that go with this one.
  const Set& friends(int factor, int value) const { return friends_[id(factor, value)]; }

  /// Wherever apart(value of f, value of g), the two do not go together.
  template <class Apart>
  void exclude(int f, int g, const Apart& apart) {
    for (int v = 0; v < size(f); ++v) {
      for (int w = 0; w < size(g); ++w) {
        if (!apart(v, w)) continue;
        friends_[id(f, v)].reset(id(g, w));
        friends_[id(g, w)].reset(id(f, v));
      }
    }
  }

  /// True if factors of which several values are left in `open` can take one each.
  bool can_complete(Set open) const {
    int narrowest = -1;
    std::size_t fewest = most_values + 1;
    for (int f = 0; f < count(); ++f) {
      const std::size_t left = (open & values(f)).count();
      if (left == 0) return false;
      if (left >= fewest || agrees_with_all(open, f)) continue;
      fewest = left;
      narrowest = f;
    }
    if (narrowest < 0) return true;
    for (int v = 0; v < size(narrowest); ++v) {
      if (open[id(narrowest, v)] && can_complete(open & friends(narrowest, v))) return true;
    }
    return false;
  }

  /// All pairs that occur in a combination of values that go together.
  std::vector<ValuePair> possible_pairs() const {
    std::vector<ValuePair> pairs;
    for (int f = 0; f < count(); ++f) {
      for (int v = 0; v < size(f); ++v) {
        for (int g = f + 1; g < count(); ++g) {
          for (int w = 0; w < size(g); ++w) {
            if (can_complete(friends(f, v) & friends(g, w))) pairs.push_back({f, v, g, w});
          }
        }
      }
    }
    return pairs;
  }

 private:
  /// Nothing is left that a value of this factor excludes.
  bool agrees_with_all(const Set& open, int factor) const {
    for (int v = 0; v < size(factor); ++v) {
      if (!open[id(factor, v)]) continue;
      if (((open & ~values(factor)) & ~friends(factor, v)).any()) return false;
    }
    return true;
  }

  std::vector<int> sizes_, first_;
  std::vector<Set> values_, friends_;
};

/// The rows of a covering array, the same for the same seed.  What is left open takes one of the
/// first `easy` values.
class CoveringArray {
 public:
  using Accept = std::function<bool(const Combination&)>;

  /// Only rows that accept() takes, for what more than two values decide; throws std::runtime_error
  /// if it takes none with some pair.
  CoveringArray(const Factors& factors, std::uint64_t seed, const Accept& accept = {})
      : factors_(factors), draw_(seed), missing_(Factors::most_values) {
    std::vector<ValuePair> pairs = factors.possible_pairs();
    for (const ValuePair& p : pairs) {
      missing_[factors.id(p.factor, p.value)].set(factors.id(p.other_factor, p.other_value));
      missing_[factors.id(p.other_factor, p.other_value)].set(factors.id(p.factor, p.value));
    }
    for (int refused = 0; !pairs.empty();) {
      const Candidate best = best_of(pairs);
      if (accept && !accept(best.row)) {
        if (++refused == most_refusals) throw std::runtime_error("a pair is in no accepted row");
        continue;
      }
      refused = 0;
      rows_.push_back(best.row);
      for (std::size_t id = 0; id < missing_.size(); ++id) {
        if (best.taken[id]) missing_[id] &= ~best.taken;
      }
      std::erase_if(pairs, [&](const ValuePair& p) {
        return best.taken[factors_.id(p.factor, p.value)]
               && best.taken[factors_.id(p.other_factor, p.other_value)];
      });
    }
  }

  const std::vector<Combination>& rows() const { return rows_; }

 private:
  struct Candidate {
    Combination row;
    Factors::Set taken;
    std::size_t gain = 0;
  };

  static constexpr int candidates = 20, easy = 3, most_refusals = 1000;

  Candidate best_of(const std::vector<ValuePair>& pairs) {
    Candidate best;
    for (int k = 0; k < candidates; ++k) {
      Candidate next = complete(draw_.one_of(pairs));
      if (next.gain > best.gain) best = next;
    }
    return best;
  }

  Candidate complete(const ValuePair& first) {
    Candidate c;
    c.row.assign(static_cast<std::size_t>(factors_.count()), -1);
    Factors::Set open = Factors::Set().set();
    const auto take = [&](int f, int v) {
      c.row[static_cast<std::size_t>(f)] = v;
      c.gain += (missing_[factors_.id(f, v)] & c.taken).count();
      c.taken.set(factors_.id(f, v));
      open &= factors_.friends(f, v);
    };
    take(first.factor, first.value);
    take(first.other_factor, first.other_value);
    std::vector<int> order;
    for (int f = 0; f < factors_.count(); ++f) {
      if (c.row[static_cast<std::size_t>(f)] < 0) order.push_back(f);
    }
    for (std::size_t k = order.size(); k > 1; --k) {
      std::swap(order[k - 1],
                order[static_cast<std::size_t>(draw_.integer(0, static_cast<int>(k) - 1))]);
    }
    for (const int f : order) take(f, choose(f, open, c.taken));
    return c;
  }

  /// The value that adds most missing pairs; one of the first ones if none adds any.
  int choose(int f, const Factors::Set& open, const Factors::Set& taken) {
    std::vector<int> best;
    std::size_t most = 0;
    for (int v = 0; v < factors_.size(f); ++v) {
      if (!open[factors_.id(f, v)]) continue;
      const std::size_t gain = (missing_[factors_.id(f, v)] & taken).count();
      if (!best.empty() && gain < most) continue;
      if (!factors_.can_complete(open & factors_.friends(f, v))) continue;
      if (gain > most) best.clear();
      most = gain;
      best.push_back(v);
    }
    if (most == 0) best.resize(std::min(best.size(), static_cast<std::size_t>(easy)));
    return draw_.one_of(best);
  }

  const Factors& factors_;
  guard::Draw draw_;
  std::vector<Factors::Set> missing_;
  std::vector<Combination> rows_;
};

}  // namespace ninefold::testing
