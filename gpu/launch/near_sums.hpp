#pragma once
// Sums of rows of a sparse matrix that lie beside each other, on the host: as many as fill vectors.
//
// Those of single and double are held in registers where the processor has AVX2, which g++ does not
// do with arrays; all others are arrays.  Each row has its own chain: what a lane computes is what
// a row alone would be.

#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <immintrin.h>
#define NINEFOLD_HAS_AVX2 1
#else
#define NINEFOLD_HAS_AVX2 0
#endif

#include "precision/half.hpp"

#include "fem/sparse/sparse_rows.hpp"

namespace ninefold {

inline constexpr int near_lanes = 8;
static_assert(slice_rows % near_lanes == 0);

/// True if what lanes have follows each other: places, and columns of neighbours on a grid.
template <class Index>
bool follow_each_other(const Index* index) {
  if (index[near_lanes - 1] - index[0] != near_lanes - 1) return false;
  if constexpr (sizeof(Index) == 2 && std::endian::native == std::endian::little) {
    // Four of 16 bits at once; that nothing is carried from one to the next follows from the above.
    std::uint64_t four[2];
    std::memcpy(four, index, sizeof(four));
    const std::uint64_t first = index[0] * std::uint64_t{0x0001'0001'0001'0001};
    return four[0] == first + 0x0003'0002'0001'0000 && four[1] == first + 0x0007'0006'0005'0004;
  }
  for (int l = 1; l < near_lanes - 1; ++l) {
    if (index[l] - index[0] != l) return false;
  }
  return true;
}

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

/// The values of x that near lanes take: those that follow each other from `first` on ...
template <class T>
struct Following {
  const T* first;
  const T& operator[](int l) const { return first[l]; }
};
/// ... or in columns of their own.
template <class T, class Index>
struct Gathered {
  const T* x;
  const Index* column;
  const T& operator[](int l) const { return x[column[l]]; }
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

/// Eight numbers of single or double precision; of() has exact conversions.
template <class C>
struct Eight;

template <>
struct Eight<float> {
  __m256 all;

  static Eight of(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Eight of(const Half* from) {
    const __m256 v = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    // The one NaN that a half is read as (precision/half.hpp).
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fff'ffff));
    return {_mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q))};
  }
  template <class T>
  static Eight of(const Following<T>& x) {
    return of(x.first);
  }
  /// Words that are converted one by one.
  template <class Words>
  static Eight of(const Words& x) {
    return {_mm256_setr_ps(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])};
  }
  void put(float* to) const { _mm256_storeu_ps(to, all); }

  friend Eight operator-(Eight a, Eight b) { return {_mm256_sub_ps(a.all, b.all)}; }
  friend Eight operator*(Eight a, Eight b) { return {_mm256_mul_ps(a.all, b.all)}; }
  friend Eight fused(Eight a, Eight b, Eight c) { return {_mm256_fmadd_ps(a.all, b.all, c.all)}; }
};

template <>
struct Eight<double> {
  __m256d low, high;

  static Eight of(const double* from) { return {_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)}; }
  static Eight of(const float* from) {
    return {_mm256_cvtps_pd(_mm_loadu_ps(from)), _mm256_cvtps_pd(_mm_loadu_ps(from + 4))};
  }
  static Eight of(const Half* from) {
    const __m256 single = Eight<float>::of(from).all;
    return {_mm256_cvtps_pd(_mm256_castps256_ps128(single)),
            _mm256_cvtps_pd(_mm256_extractf128_ps(single, 1))};
  }
  template <class T>
  static Eight of(const Following<T>& x) {
    return of(x.first);
  }
  template <class Words>
  static Eight of(const Words& x) {
    return {_mm256_setr_pd(x[0], x[1], x[2], x[3]), _mm256_setr_pd(x[4], x[5], x[6], x[7])};
  }
  void put(double* to) const {
    _mm256_storeu_pd(to, low);
    _mm256_storeu_pd(to + 4, high);
  }

  friend Eight operator-(Eight a, Eight b) {
    return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
  }
  friend Eight operator*(Eight a, Eight b) {
    return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
  }
  friend Eight fused(Eight a, Eight b, Eight c) {
    return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
  }
};

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

}  // namespace ninefold
