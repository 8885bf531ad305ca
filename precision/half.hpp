#pragma once
// The 16-bit formats for storage: half (IEEE binary16) and bfloat16.
//
// Mathematics.  half has 11 significant bits and reaches from 2^-14 (subnormal numbers: 2^-24) to
// 65504; bfloat16 has 8 and the range of float.
//
// Shape.  The 16 bits of the number, trivially copyable.  There is no arithmetic here: a value
// becomes a float by itself, exactly, and what was computed in float is rounded where that is
// written, T(x).
//
// Rounding.  Once, to nearest even, from whatever type: what is too large becomes infinite, what is
// small subnormal or zero with its sign.  Every NaN becomes 0x7fff when it is stored and 0x7fffffff
// when it is read, so that host and device agree on those bits too.
//
// Cost.  A few integer operations without a branch, which g++ makes vector instructions; on a
// device of capability 9.0 one instruction, whose NaN are these (all were tried there); on
// others one and a question for half, and the integer operations for bfloat16.
//
// Tests.  tests/precision/half_test.cpp, tests/gpu/device/conversions_test.cpp

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/error_free.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

namespace ninefold {

/// The 32 bits of a float.
HOST_DEVICE inline std::uint32_t float_bits(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  return std::bit_cast<std::uint32_t>(x);
#endif
}

/// The float of these 32 bits.
HOST_DEVICE inline float float_of_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

/// The same for a double.
HOST_DEVICE inline std::uint64_t double_bits(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return std::bit_cast<std::uint64_t>(x);
#endif
}
HOST_DEVICE inline double double_of_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

/// x if it is a float, otherwise the one of the two floats around x whose last bit is 1: rounding
/// the result to at most 22 bits is rounding x, once.  NaN stays NaN.
HOST_DEVICE inline float round_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const double size = x < 0 ? -x : x;
  const double nearest_size = nearest < 0 ? -static_cast<double>(nearest) : nearest;
  // Of the two floats around x one is odd; of the same sign, they differ by 1 as integers.
  const std::uint32_t bits = float_bits(nearest), even = ~bits & 1U;
  const std::uint32_t up = size > nearest_size ? even : 0U;
  const std::uint32_t down = size < nearest_size ? even : 0U;
  return float_of_bits(bits + up - down);
}

/// The same for a pair, as a double: rounding the result to at most 51 bits is rounding x, once.
template <Word F>
HOST_DEVICE inline double round_to_odd(const DoubleWord<F>& x) {
  if (!is_finite(x)) return static_cast<double>(x.high);
  const Rounded<double> sum = two_sum(static_cast<double>(x.high), static_cast<double>(x.low));
  const std::uint64_t bits = double_bits(sum.value);
  if (sum.error == 0 || bits % 2 == 1) return sum.value;
  return double_of_bits((sum.error < 0) == (sum.value < 0) ? bits + 1 : bits - 1);
}

/// condition ? yes : no without a branch, which g++ makes where a float operation may be saved.
HOST_DEVICE inline std::uint32_t selected(bool condition, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = 0U - std::uint32_t{condition};
  return (yes & mask) | (no & ~mask);
}

// Of compute capability 9.0 alone it has been seen that conversions give the NaN of these formats
// by themselves (tests/gpu/device/conversions_test.cpp).

/// The bits of the half nearest to x.
HOST_DEVICE inline std::uint16_t half_bits(float x) {
#if __CUDA_ARCH__ == 900
  unsigned short result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
#elif defined(__CUDA_ARCH__)
  // Of one piece: what is decided in C++ around it takes nvcc three times as long to compile.
  unsigned short result;
  asm("{\n\t.reg .pred is_nan;\n\t"
      "cvt.rn.f16.f32 %0, %1;\n\t"
      "setp.nan.f32 is_nan, %1, %1;\n\t"
      "@is_nan mov.b16 %0, 0x7fff;\n\t}"
      : "=h"(result)
      : "f"(x));
  return result;
#else
  const std::uint32_t bits = float_bits(x), size = bits & 0x7fffffffU;
  // A carry from the digits goes to the exponent, up to that of infinity, as it should.
  const std::uint32_t normal = (size - (112U << 23) + 0xfffU + (size >> 13 & 1U)) >> 13;
  // The last bit of a sum with 1/2 is 2^-24, as that of every subnormal half.
  const std::uint32_t subnormal = float_bits(float_of_bits(size) + 0.5F) - float_bits(0.5F);
  std::uint32_t result = selected(size < (113U << 23), subnormal, normal);
  result = selected(size >= (143U << 23), 0x7c00U, result) | (bits >> 16 & 0x8000U);
  return static_cast<std::uint16_t>(selected(size > 0x7f800000U, 0x7fffU, result));
#endif
}

/// The value of the half with these bits.
HOST_DEVICE inline float half_value(std::uint16_t bits) {
#if __CUDA_ARCH__ == 900
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
  return result;
#elif defined(__CUDA_ARCH__)
  float result;
  asm("{\n\t.reg .pred is_nan;\n\t"
      "cvt.f32.f16 %0, %1;\n\t"
      "setp.nan.f32 is_nan, %0, %0;\n\t"
      "@is_nan mov.b32 %0, 0x7fffffff;\n\t}"
      : "=f"(result)
      : "h"(bits));
  return result;
#else
  const std::uint32_t size = bits & 0x7fffU, digits = size << 13;
  const std::uint32_t normal = digits + (112U << 23);
  // 2^-14 with the digits behind, less the 2^-14.
  const std::uint32_t subnormal = float_bits(float_of_bits(digits + (113U << 23)) - 0x1p-14F);
  std::uint32_t result = selected(size < 0x400U, subnormal, normal);
  result = selected(size >= 0x7c00U, 0x7f800000U, result) | (bits & 0x8000U) << 16;
  return float_of_bits(selected(size > 0x7c00U, 0x7fffffffU, result));
#endif
}

/// The bits of the bfloat16 nearest to x.
HOST_DEVICE inline std::uint16_t bfloat16_bits(float x) {
#if __CUDA_ARCH__ == 900
  unsigned short result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
#else
  const std::uint32_t bits = float_bits(x);
  const std::uint32_t result = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? 0x7fffU : result);
#endif
}

/// The value of the bfloat16 with these bits.
HOST_DEVICE inline float bfloat16_value(std::uint16_t bits) {
#if __CUDA_ARCH__ == 900
  // What is added changes none but NaN, to that of all arithmetic there.
  float result;
  asm("add.rn.f32 %0, %1, 0f80000000;"
      : "=f"(result)
      : "f"(__uint_as_float(std::uint32_t{bits} << 16)));
  return result;
#else
  return float_of_bits((bits & 0x7fffU) > 0x7f80U ? 0x7fffffffU : std::uint32_t{bits} << 16);
#endif
}

/// IEEE binary16.
struct Half {
  std::uint16_t bits;

  Half() = default;  ///< Not initialised, as for float and double.

  /// The nearest half.
  HOST_DEVICE explicit Half(float x) : bits(half_bits(x)) {}
  HOST_DEVICE explicit Half(double x) : Half(round_to_odd(x)) {}
  template <SmallInteger I>
  HOST_DEVICE explicit Half(I x) : Half(static_cast<double>(x)) {}
  template <Word F>
  HOST_DEVICE explicit Half(const DoubleWord<F>& x) : Half(round_to_odd(x)) {}

  /// Exact.
  HOST_DEVICE operator float() const { return half_value(bits); }
  template <Word F>
  HOST_DEVICE explicit operator DoubleWord<F>() const {
    return DoubleWord<F>(static_cast<float>(*this));
  }
};

/// The upper half of a float.
struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;  ///< Not initialised, as for float and double.

  /// The nearest bfloat16.
  HOST_DEVICE explicit BFloat16(float x) : bits(bfloat16_bits(x)) {}
  HOST_DEVICE explicit BFloat16(double x) : BFloat16(round_to_odd(x)) {}
  template <SmallInteger I>
  HOST_DEVICE explicit BFloat16(I x) : BFloat16(static_cast<double>(x)) {}
  template <Word F>
  HOST_DEVICE explicit BFloat16(const DoubleWord<F>& x) : BFloat16(round_to_odd(x)) {}

  /// Exact.
  HOST_DEVICE operator float() const { return bfloat16_value(bits); }
  template <Word F>
  HOST_DEVICE explicit operator DoubleWord<F>() const {
    return DoubleWord<F>(static_cast<float>(*this));
  }
};

template <>
struct ArithmeticOf<Half> {
  using type = float;
};
template <>
struct ArithmeticOf<BFloat16> {
  using type = float;
};

template <>
struct Format<Half> {
  static constexpr std::string_view name = "half";
  static constexpr double unit_roundoff = 0x1p-11;
  static constexpr int bits = 16;
  static constexpr int min_exponent = -14, max_exponent = 15;
};

template <>
struct Format<BFloat16> {
  static constexpr std::string_view name = "bfloat16";
  static constexpr double unit_roundoff = 0x1p-8;
  static constexpr int bits = 16;
  static constexpr int min_exponent = -126, max_exponent = 127;
};

static_assert(std::is_trivially_copyable_v<Half> && sizeof(Half) == 2);
static_assert(std::is_trivially_copyable_v<BFloat16> && sizeof(BFloat16) == 2);
static_assert(Number<Half> && Number<BFloat16>);

}  // namespace ninefold
