#pragma once
// Quotients by the entries of a diagonal, several at once, with the bits of the operator /.
//
// Why.  Division in single precision ends with a branch to what it does at the ends of the range.
// Four divisions of a lane then wait for each other, which takes longer than all else in a step.
// Here the ranges of all are looked at first, and one branch is left.
//
// Mathematics.  With y = 1/d to the last digit or nearly so, q = n y is corrected twice by its
// remainder: q + (n - q d) y.  Where no remainder underflows, the second one is correctly rounded:
// it is what / itself does there.
//
// Reference.  Markstein, IA-64 and Elementary Functions, 2000, chapter 8.
// Tests.      tests/gpu/device/fused_operations_test.cpp

#include <cmath>
#include <type_traits>

#include "fem/matrix/factored_rows.hpp"

namespace ninefold::kernels {

/// 1/d to the last digit, for d whose quotients stay normal: correctly rounded, as
/// tests/gpu/device/fused_operations_test.cpp asks of each mantissa.
__device__ inline float reciprocal(float d) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(d));
  return __fmaf_rn(y, __fmaf_rn(-d, y, 1.0F), y);
}

/// True where reciprocal(d) has the bits of 1/d.
__device__ inline bool has_plain_inverse(float d) {
  return d >= 0x1p-100F && d <= 0x1p100F;
}

/// FactoredForm::inverse_in, with its bits, and without branches where inverses are plain.
template <class D, class C>
__device__ InverseFactors<D> inverse_factors(const NodeFactors<C>& f, const C& reaction) {
  if constexpr (std::is_same_v<D, float> && std::is_same_v<C, float>) {
    const float mass = f.mass(), half = fused(0.75F * reaction, mass, f.stiffness()),
                twice = half + half;
    if (has_plain_inverse(twice) && has_plain_inverse(mass)) {
      return {reciprocal(twice), reciprocal(mass)};
    }
  }
  return FactoredForm::inverse_in<D>(f, reaction);
}

/// Divisors d of n quotients that may be taken more than once.
template <class D, int n>
struct Divisors {
  D value[n];

  __device__ static Divisors of(const D (&d)[n]) {
    Divisors divisors;
#pragma unroll
    for (int c = 0; c < n; ++c) divisors.value[c] = d[c];
    return divisors;
  }
  /// q = r / d
  __device__ void quotients(const D (&r)[n], D (&q)[n]) const {
#pragma unroll
    for (int c = 0; c < n; ++c) q[c] = r[c] / value[c];
  }
};

template <int n>
struct Divisors<float, n> {
  float value[n];

  __device__ static Divisors of(const float (&d)[n]) {
    Divisors divisors;
    divisors.are_plain_ = true;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      divisors.value[c] = d[c];
      divisors.are_plain_ = divisors.are_plain_ && d[c] >= least && d[c] <= most;
      divisors.inverse_[c] = reciprocal(d[c]);
    }
    return divisors;
  }
  __device__ void quotients(const float (&r)[n], float (&q)[n]) const {
    float largest = fabsf(r[0]);
    unsigned smallest = position(r[0]);
#pragma unroll
    for (int c = 1; c < n; ++c) {
      largest = fmaxf(largest, fabsf(r[c]));
      smallest = min(smallest, position(r[c]));
    }
    // NaN is not the largest, and divides either way.
    if (are_plain_ && largest <= most && smallest >= position(least)) {
#pragma unroll
      for (int c = 0; c < n; ++c) q[c] = plain(r[c], c);
    } else {
#pragma unroll
      for (int c = 0; c < n; ++c) q[c] = r[c] / value[c];
    }
  }

 private:
  /// Between these neither quotients nor remainders leave the range of normal numbers.
  static constexpr float least = 0x1p-40F, most = 0x1p40F;

  /// Of a magnitude among all; zero, which divides well, comes last.
  __device__ static unsigned position(float r) {
    return 2 * __float_as_uint(r) - 1;
  }

  __device__ float plain(float r, int c) const {
    const float quotient = corrected(corrected(__fmul_rn(r, inverse_[c]), r, c), r, c);
    return copysignf(quotient, r);  // a remainder of zero has lost that of a zero
  }
  __device__ float corrected(float quotient, float r, int c) const {
    return __fmaf_rn(__fmaf_rn(-quotient, value[c], r), inverse_[c], quotient);
  }

  float inverse_[n];
  bool are_plain_;
};

}  // namespace ninefold::kernels
