#pragma once
// Sums of rows of a sparse matrix that lie beside each other, on the host: as many as fill vectors.
//
// Those of single and double are held in registers where the processor has AVX2
// (gpu/launch/eight_numbers.hpp); all others are arrays.  Each row has its own chain: what a lane
// computes is what a row alone would be.

#include <new>
#include <type_traits>

#include "fem/sparse/sparse_rows.hpp"

#include "gpu/launch/eight_numbers.hpp"
#include "gpu/launch/near_values.hpp"

namespace ninefold {
inline namespace NINEFOLD_VECTORS {

/// Sums that are begun one after the other, by assignment: nothing is set before.
template <class Sum, int count>
class BegunSums {
  static_assert(std::is_trivially_copyable_v<Sum> && std::is_trivially_destructible_v<Sum>);

 public:
  /// Outside of loops: behind each call nothing is known of what memory holds.
  Sum* first() { return std::launder(reinterpret_cast<Sum*>(memory_)); }

 private:
  alignas(Sum) unsigned char memory_[count * sizeof(Sum)];
};

/// The sums of near lanes, which compare x with here[0], here[1], ..., where they do.
template <class Sum, class C>
class NearSums {
 public:
  explicit NearSums(const C* here) : here_(here) {}

  /// Begins with an entry of each lane; add() adds one of each, or of the first `lanes`.
  template <class V, class X>
  void begin(const V* entries, const X& x) {
    Sum* const sum = sums_.first();
#pragma omp simd
    for (int l = 0; l < near_lanes; ++l) {
      sum[l] = Sum(held_value<C>(entries[l]), C(x[l]), here(l));
    }
  }
  template <class V, class X>
  void add(const V* entries, const X& x, int lanes = near_lanes) {
    Sum* const sum = sums_.first();
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
      sum[l].add(held_value<C>(entries[l]), C(x[l]), here(l));
    }
  }
  /// finish(l, sum of lane l) for all.
  template <class Finish>
  void finish(const Finish& finish) {
    Sum* const sum = sums_.first();
#pragma omp simd
    for (int l = 0; l < near_lanes; ++l) finish(l, sum[l]);
  }

 private:
  C here(int l) const {
    if constexpr (Sum::needs_here) {
      return here_[l];
    } else {
      return C(0);
    }
  }

  const C* here_;
  BegunSums<Sum, near_lanes> sums_;
};

#if NINEFOLD_HAS_AVX2

/// A TermSum of each lane.
template <OperatorForm form, class C>
requires std::is_same_v<C, float> || std::is_same_v<C, double>
class NearSums<TermSum<form, C>, C> {
  using Sum = TermSum<form, C>;

 public:
  explicit NearSums(const C* here) {
    if constexpr (Sum::needs_here) here_ = Eight<C>::of(here);
  }

  template <class V, class X>
  void begin(const V* entries, const X& x) {
    sum_ = Eight<C>::of(entries) * term(x);
  }
  template <class V, class X>
  void add(const V* entries, const X& x) {
    sum_ = fused(Eight<C>::of(entries), term(x), sum_);
  }
  template <class V, class X>
  void add(const V* entries, const X& x, int lanes) {
    if constexpr (requires {
                    Eight<C>::some_of(entries, lanes);
                    Eight<C>::some_of(x, lanes);
                  }) {
      Eight<C> value = Eight<C>::some_of(x, lanes);
      if constexpr (Sum::needs_here) value = value - here_;
      sum_ = fused_in_some(Eight<C>::some_of(entries, lanes), value, sum_, lanes);
      return;
    }
    C sum[near_lanes], here[near_lanes];
    sum_.put(sum);
    if constexpr (Sum::needs_here) here_.put(here);
    for (int l = 0; l < lanes; ++l) {
      C value = x[l];
      if constexpr (Sum::needs_here) value = value - here[l];
      sum[l] = ninefold::fused(held_value<C>(entries[l]), value, sum[l]);
    }
    sum_ = Eight<C>::of(sum);
  }
  template <class Finish>
  void finish(const Finish& finish) {
    C sum[near_lanes];
    sum_.put(sum);
    for (int l = 0; l < near_lanes; ++l) finish(l, Begun{sum[l]});
  }

  /// Adds to each lane's sum that of another one.
  void add_lanes_of(const NearSums& other) { sum_ = sum_ + other.sum_; }

 private:
  /// As a TermSum is finished: the last term is fused, too.
  struct Begun {
    C sum;
    C value() const { return sum; }
    template <class Rows, class Own>
    C finish(const Rows& A, int i, const Own& own) const {
      return Sum::finished(sum, A, i, own);
    }
  };
  template <class X>
  Eight<C> term(const X& x) const {
    if constexpr (Sum::needs_here) return Eight<C>::of(x) - here_;
    return Eight<C>::of(x);
  }

  Eight<C> here_, sum_;
};

#endif

}  // namespace NINEFOLD_VECTORS
}  // namespace ninefold
