#pragma once
// Eight numbers of single or double precision in vector registers, by AVX2 and FMA, or by AVX-512.
//
// g++ keeps arrays of sums in memory; these it keeps in registers.  Each operation is that of
// each number alone: the same bits, by whichever instructions.

#include <cstdint>

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <immintrin.h>
#define NINEFOLD_HAS_AVX2 1
#else
#define NINEFOLD_HAS_AVX2 0
#endif
// One program has both widths, of files that are compiled for AVX-512 and of others: what is made
// of them has names of its own.
#if NINEFOLD_HAS_AVX2 && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define NINEFOLD_HAS_AVX512 1
#define NINEFOLD_VECTORS by_avx512
#else
#define NINEFOLD_HAS_AVX512 0
#define NINEFOLD_VECTORS by_avx2
#endif

#include "precision/half.hpp"

#include "gpu/launch/near_values.hpp"

namespace ninefold {

inline namespace NINEFOLD_VECTORS {

#if NINEFOLD_HAS_AVX512
/// Of the operations that take a mask: those without leave what g++ 12 takes for not initialised.
inline constexpr __mmask8 all_lanes = 0xff;

/// The first `lanes`.
inline __mmask8 first_lanes(int lanes) {
  return static_cast<__mmask8>((1u << lanes) - 1);
}

/// The columns of eight lanes ...
inline __m256i eight_columns(const std::int32_t* column) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(column));
}
inline __m256i eight_columns(const std::uint16_t* column) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(column)));
}
/// ... from that of x's first value on.
template <class T, class Index>
__m256i eight_columns(const Gathered<T, Index>& x) {
  return _mm256_add_epi32(eight_columns(x.column), _mm256_set1_epi32(x.column_0));
}
/// Those of the first lanes.
template <class T>
__m256i some_columns(const Gathered<T, std::int32_t>& x, int lanes) {
  return _mm256_add_epi32(_mm256_maskz_loadu_epi32(first_lanes(lanes), x.column),
                          _mm256_set1_epi32(x.column_0));
}
#endif

/// True where values within a window are sooner read all, and sorted, than one by one.
inline constexpr bool reads_windows = NINEFOLD_HAS_AVX512 != 0;
/// True where eight values in columns of their own are read by one instruction, as soon as others
/// (measured on an Intel Xeon of 2023).
inline constexpr bool gathers_at_once = NINEFOLD_HAS_AVX512 != 0;

/// How columns lie to each other; `places` are set where that is within a window.
inline Lie lie_of(const std::int32_t* column, [[maybe_unused]] NearPlaces& places) {
#if NINEFOLD_HAS_AVX512
  const __m256i place = _mm256_sub_epi32(eight_columns(column), _mm256_set1_epi32(column[0]));
  if (_mm256_cmpgt_epu32_mask(place, _mm256_set1_epi32(near_window - 1)) == 0) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(places.place), place);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const bool follow = _mm256_cmpneq_epi32_mask(place, lanes) == 0;
    return follow ? Lie::behind_each_other : Lie::within_window;
  }
  return Lie::apart;
#else
  return follow_each_other(column) ? Lie::behind_each_other : Lie::apart;
#endif
}

#if NINEFOLD_HAS_AVX2

/// of() has exact conversions.
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
#if NINEFOLD_HAS_AVX512
  static Eight of(const Windowed<float>& x) {
    return {_mm256_permutex2var_ps(_mm256_loadu_ps(x.first), eight_columns(x.places.place),
                                   _mm256_loadu_ps(x.first + near_lanes))};
  }
  template <class Index>
  static Eight of(const Gathered<float, Index>& x) {
    return {_mm256_i32gather_ps(x.x, eight_columns(x), sizeof(float))};
  }
  /// Those of the first lanes, and zeros; what others would read is not read.
  static Eight some_of(const float* from, int lanes) {
    return {_mm256_maskz_loadu_ps(first_lanes(lanes), from)};
  }
  static Eight some_of(const Gathered<float, std::int32_t>& x, int lanes) {
    return {_mm256_mmask_i32gather_ps(_mm256_setzero_ps(), first_lanes(lanes),
                                      some_columns(x, lanes), x.x, sizeof(float))};
  }
  /// a b + c in the first lanes, c in the others.
  friend Eight fused_in_some(Eight a, Eight b, Eight c, int lanes) {
    return {_mm256_mask3_fmadd_ps(a.all, b.all, c.all, first_lanes(lanes))};
  }
#endif
  /// Words that are converted one by one.
  template <class Words>
  static Eight of(const Words& x) {
    return {_mm256_setr_ps(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])};
  }
  void put(float* to) const {
    _mm256_storeu_ps(to, all);
  }

  friend Eight operator+(Eight a, Eight b) {
    return {_mm256_add_ps(a.all, b.all)};
  }
  friend Eight operator-(Eight a, Eight b) {
    return {_mm256_sub_ps(a.all, b.all)};
  }
  friend Eight operator*(Eight a, Eight b) {
    return {_mm256_mul_ps(a.all, b.all)};
  }
  friend Eight fused(Eight a, Eight b, Eight c) {
    return {_mm256_fmadd_ps(a.all, b.all, c.all)};
  }
};

#if NINEFOLD_HAS_AVX512

template <>
struct Eight<double> {
  __m512d all;

  static Eight of(const double* from) { return {_mm512_loadu_pd(from)}; }
  static Eight of(const float* from) {
    return {_mm512_maskz_cvtps_pd(all_lanes, _mm256_loadu_ps(from))};
  }
  static Eight of(const Half* from) {
    return {_mm512_maskz_cvtps_pd(all_lanes, Eight<float>::of(from).all)};
  }
  template <class T>
  static Eight of(const Following<T>& x) {
    return of(x.first);
  }
  static Eight of(const Windowed<double>& x) {
    const __m512i places = _mm512_maskz_cvtepu32_epi64(all_lanes, eight_columns(x.places.place));
    return {_mm512_permutex2var_pd(_mm512_loadu_pd(x.first), places,
                                   _mm512_loadu_pd(x.first + near_lanes))};
  }
  template <class Index>
  static Eight of(const Gathered<double, Index>& x) {
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), all_lanes, eight_columns(x), x.x,
                                     sizeof(double))};
  }
  static Eight some_of(const double* from, int lanes) {
    return {_mm512_maskz_loadu_pd(first_lanes(lanes), from)};
  }
  static Eight some_of(const Gathered<double, std::int32_t>& x, int lanes) {
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), first_lanes(lanes),
                                     some_columns(x, lanes), x.x, sizeof(double))};
  }
  friend Eight fused_in_some(Eight a, Eight b, Eight c, int lanes) {
    return {_mm512_mask3_fmadd_pd(a.all, b.all, c.all, first_lanes(lanes))};
  }
  template <class Words>
  static Eight of(const Words& x) {
    return {_mm512_setr_pd(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])};
  }
  void put(double* to) const { _mm512_storeu_pd(to, all); }

  friend Eight operator+(Eight a, Eight b) { return {_mm512_add_pd(a.all, b.all)}; }
  friend Eight operator-(Eight a, Eight b) { return {_mm512_sub_pd(a.all, b.all)}; }
  friend Eight operator*(Eight a, Eight b) { return {_mm512_mul_pd(a.all, b.all)}; }
  friend Eight fused(Eight a, Eight b, Eight c) { return {_mm512_fmadd_pd(a.all, b.all, c.all)}; }
};

#else

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

  friend Eight operator+(Eight a, Eight b) {
    return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
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

#endif
#endif

}  // namespace NINEFOLD_VECTORS
}  // namespace ninefold
