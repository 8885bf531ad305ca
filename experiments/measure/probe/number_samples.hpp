#pragma once
// Operands for the survey of pair operations: sample k of a seed, random and adversarial, computed
// on the backend itself.
//
// Mathematics.  A counter-based generator: sample k draws its bits from splitmix64, started at a
// hash of seed and k.  Half of the samples lie near one, half anywhere in the range.  Errors that
// random digits never show need digits that are not random: powers of two and their neighbours,
// ties, long runs of zeros or ones, words far apart, subnormal words, operands that cancel, the
// neighbourhoods of published worst cases, infinities and NaN.
//
// Rounding.  Numbers are put together from integers, so that all backends see the same bits even if
// their arithmetic is broken; only low words are rounded, by the addition that normalises a pair.
//
// Reference.  Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
// Tests.      tests/experiments/measure/number_probe_test.cpp

#include <bit>
#include <cstdint>
#include <limits>

#include "precision/double_word.hpp"
#include "precision/host_device.hpp"

namespace ninefold {

/// A finite machine number as digits times 2^exponent.
struct WordParts {
  bool negative;
  std::uint64_t digits;
  int exponent;
};

/// The layout of a machine number.
template <Word F>
struct WordLayout {
  static constexpr int precision = std::numeric_limits<F>::digits;
  static constexpr int lowest =
      std::numeric_limits<F>::min_exponent - precision;  ///< 2^lowest: eta
  static constexpr int smallest_normal = std::numeric_limits<F>::min_exponent - 1;
  static constexpr int highest = std::numeric_limits<F>::max_exponent - 1;
  static constexpr std::uint64_t leading = std::uint64_t{1} << (precision - 1);
  static constexpr std::uint64_t fields = 2 * static_cast<std::uint64_t>(highest) + 1;
  static constexpr std::uint64_t sign = leading * (fields + 1);
  static constexpr F eta = std::numeric_limits<F>::denorm_min();
  static constexpr F largest = std::numeric_limits<F>::max();
  static constexpr F infinity = std::numeric_limits<F>::infinity();
  static constexpr F nan = std::numeric_limits<F>::quiet_NaN();
};

HOST_DEVICE inline std::uint64_t bits_of(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  return std::bit_cast<std::uint32_t>(x);
#endif
}

HOST_DEVICE inline std::uint64_t bits_of(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return std::bit_cast<std::uint64_t>(x);
#endif
}

template <Word F>
HOST_DEVICE inline F word_of_bits(std::uint64_t bits) {
  if constexpr (sizeof(F) == sizeof(float)) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(static_cast<unsigned>(bits));
#else
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
#endif
  } else {
#ifdef __CUDA_ARCH__
    return __longlong_as_double(static_cast<long long>(bits));
#else
    return std::bit_cast<double>(bits);
#endif
  }
}

/// Also of infinities and NaN, whose exponent is then the largest.
template <Word F>
HOST_DEVICE inline WordParts parts_of(F x) {
  using Layout = WordLayout<F>;
  const std::uint64_t bits = bits_of(x), size = bits & (Layout::sign - 1);
  const std::uint64_t field = size / Layout::leading, fraction = size % Layout::leading;
  if (field == 0) return {(bits & Layout::sign) != 0, fraction, Layout::lowest};
  return {(bits & Layout::sign) != 0, fraction | Layout::leading,
          static_cast<int>(field) - 1 + Layout::lowest};
}

/// floor(log2(n)) for n > 0.
HOST_DEVICE inline int top_bit(std::uint64_t n) {
#ifdef __CUDA_ARCH__
  return 63 - __clzll(static_cast<long long>(n));
#else
  return 63 - std::countl_zero(n);
#endif
}

/// floor(log2(|x|)) for a finite x other than zero; `lowest` - 1 for zero.
template <Word F>
HOST_DEVICE inline int exponent_of(F x) {
  const WordParts parts = parts_of(x);
  return parts.digits == 0 ? WordLayout<F>::lowest - 1 : parts.exponent + top_bit(parts.digits);
}

/// 2^exponent; digits that fall below the range are cut off, above it the result is infinite.
template <Word F>
HOST_DEVICE inline F power_of_two(int exponent) {
  using Layout = WordLayout<F>;
  if (exponent < Layout::lowest) return 0;
  if (exponent > Layout::highest) exponent = Layout::highest + 1;
  if (exponent < Layout::smallest_normal) {
    return word_of_bits<F>(std::uint64_t{1} << (exponent - Layout::lowest));
  }
  return word_of_bits<F>(static_cast<std::uint64_t>(exponent + Layout::highest) * Layout::leading);
}

/// Draws the operands of one sample.
template <Word F>
class PairSource {
 public:
  using Layout = WordLayout<F>;

  HOST_DEVICE PairSource(std::uint64_t seed, std::uint64_t index)
      : state_(mixed(mixed(seed) ^ index)), wide_(index % 2 == 1) {}

  HOST_DEVICE std::uint64_t bits() { return mixed(state_ += 0x9e3779b97f4a7c15U); }

  /// lowest <= n <= highest, nearly evenly.
  HOST_DEVICE int integer(int lowest, int highest) {
    const std::uint64_t range = static_cast<std::uint64_t>(highest - lowest) + 1;
    return lowest + static_cast<int>((bits() >> 32) * range >> 32);
  }
  HOST_DEVICE bool one_in(int n) { return integer(1, n) == 1; }
  HOST_DEVICE int exponent() {
    return wide_ ? integer(Layout::lowest, Layout::highest) : integer(-20, 20);
  }

  /// A finite number of that exponent and either sign, or zero if that is out of range.
  HOST_DEVICE F word(int exponent) {
    constexpr int p = Layout::precision;
    constexpr std::uint64_t one = Layout::leading;
    const std::uint64_t random = bits();
    std::uint64_t digits = random % one;
    const auto small = static_cast<std::uint64_t>(random >> 60) % 4;
    switch ((random >> 56) % 8) {
      case 0:  // a power of two, or its neighbour below
        digits = small % 2 == 0 ? 0 : one - 1;
        break;
      case 1:  // next to a power of two
        digits = (random >> 55) % 2 == 0 ? small + 1 : one - 2 - small;
        break;
      case 2:  // few leading digits
        digits &= ~((one >> (small + 1)) - 1);
        break;
      case 3:  // one bit
        digits = std::uint64_t{1} << integer(0, p - 2);
        break;
      default:
        break;
    }
    return signed_word(one + digits, exponent, (random >> 54) % 2 == 1);
  }

  /// A normalised pair with this high word.
  HOST_DEVICE DoubleWord<F> pair_around(F high) {
    constexpr int p = Layout::precision;
    if (high == 0) return DoubleWord<F>(high);
    const int e = exponent_of(high);
    const int ulp = (e > Layout::smallest_normal ? e : Layout::smallest_normal) - (p - 1);
    F low = 0;
    switch (integer(0, 7)) {
      case 0:
        break;
      case 1:  // a tie, which goes to the even neighbour
        low = either(power_of_two<F>(ulp - 1));
        break;
      case 2:  // close to a tie
        low = either(below(power_of_two<F>(ulp - 1)));
        break;
      case 3:  // far below
        low = word(integer(ulp - 4 * p, ulp - 2));
        break;
      case 4:  // at the end of the range
        low = static_cast<F>(integer(-9, 9)) * power_of_two<F>(Layout::lowest);
        break;
      default:
        low = word(integer(ulp - 3, ulp - 2));
        break;
    }
    const DoubleWord<F> result = DoubleWord<F>::normalise(high, low);
    return is_finite(result) ? result : DoubleWord<F>(high);
  }
  HOST_DEVICE DoubleWord<F> pair() { return pair_around(word(exponent())); }

  /// A pair that meets `a` in a sum: of any size, as large, or cancelling some or all digits.
  HOST_DEVICE DoubleWord<F> partner(DoubleWord<F> a) {
    constexpr int p = Layout::precision;
    if (a.high == 0) return pair();
    const int e = exponent_of(a.high);
    switch (integer(0, 4)) {
      case 0:  // words that just meet
        return pair_around(word(integer(e - 2 * p - 3, e + 3)));
      case 1:  // the same high word or a neighbour, other low word
        return pair_around(one_in(2) ? -a.high : -below(a.high));
      case 2:  // only the low words differ, a little
        return DoubleWord<F>::normalise(-a.high, one_in(4) ? -a.low : -below(a.low));
      case 3:  // half of the other, or about so
        return pair_around(-a.high / 2);
      default:
        return pair();
    }
  }

  /// A number of a few units in the last place more or less.
  HOST_DEVICE F nearby(F x) {
    const std::uint64_t bits = bits_of(x), size = bits & (Layout::sign - 1);
    const int change = one_in(2) ? 0 : integer(-3, 3);
    if (size < 4) return x;
    return word_of_bits<F>(bits + static_cast<std::uint64_t>(static_cast<std::int64_t>(change)));
  }

  /// Operands near those for which the accurate sum is worst (MR, property 2.1), or the sum with a
  /// word (JMP, after theorem 2.2).
  HOST_DEVICE void publish(DoubleWord<F>& a, DoubleWord<F>& b, bool with_word) {
    const F u = power_of_two<F>(-Layout::precision);
    const F scale = either(power_of_two<F>(integer(-20, 20)));
    a = DoubleWord<F>::normalise(scale * nearby(F(1)), scale * nearby(u - u * u));
    const F low = with_word ? F(0) : u * u / 2 - u * u * u;
    b = DoubleWord<F>::normalise(-scale * nearby((1 - u) / 2), -scale * nearby(low));
  }

  /// Zero, infinity, NaN, the largest or the smallest number.
  HOST_DEVICE DoubleWord<F> special() {
    switch (integer(0, 4)) {
      case 0:
        return DoubleWord<F>(either(F(0)));
      case 1:
        return DoubleWord<F>(either(Layout::infinity));
      case 2:
        return DoubleWord<F>(Layout::nan);
      case 3:
        return DoubleWord<F>(either(Layout::largest));
      default:
        return DoubleWord<F>(either(Layout::eta));
    }
  }

  HOST_DEVICE F either(F x) { return one_in(2) ? x : -x; }

  /// The neighbour of x that is nearer to zero; zero itself for zero.
  HOST_DEVICE static F below(F x) {
    const std::uint64_t bits = bits_of(x);
    return (bits & (Layout::sign - 1)) == 0 ? x : word_of_bits<F>(bits - 1);
  }

 private:
  HOST_DEVICE static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

  HOST_DEVICE static F signed_word(std::uint64_t digits, int exponent, bool negative) {
    std::uint64_t size = 0;
    if (exponent > Layout::highest) exponent = Layout::highest;
    if (exponent >= Layout::smallest_normal) {
      size =
          static_cast<std::uint64_t>(exponent - Layout::smallest_normal) * Layout::leading + digits;
    } else if (exponent >= Layout::lowest) {
      size = digits >> (Layout::smallest_normal - exponent);
    }
    return word_of_bits<F>(negative ? size + Layout::sign : size);
  }

  std::uint64_t state_;
  bool wide_;
};

}  // namespace ninefold
