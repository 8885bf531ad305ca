#pragma once
// Pairs of machine numbers as one number of about twice the digits: double-single, double-double.
//
// Mathematics.  A pair stands for high + low, where |low| <= ulp(high) / 2, more precisely
// high = RN(high + low): the pair is normalised.  Every function here expects normalised operands
// and returns normalised results.  u is the unit roundoff of the word: 2^-24, 2^-53.
//
// Shape.  high first, then low: 8 or 16 bytes, aligned so that devices move a pair at once,
// trivially copyable.  Not an aggregate, since T(0.1) would then drop the low word without a word.
//
// Cost.  Stated at each function, in operations of the word.
//
// Rounding.  Each bound is relative to the exact result of the exact operands and proven for an
// unbounded exponent range.  Sums and differences keep it as far down as numbers go, because sums
// never underflow.  Where a product underflows, as the low half of a product below 2^-101
// (float) or 2^-968 (double) does, an absolute term in eta (smallest subnormal: 2^-149, 2^-1074)
// is added to the bound; it stands in brackets.  For operands and results of at least
// 2^(min_exponent + p) (see Format; 2^-78, 2^-916) the term is at most 6u^3 of the result, or of
// |a b| for fused; whoever works with smaller ones must scale.
//
// Infinities and NaN.  high alone tells: is_finite(x).  An operation with an operand that is not
// finite, a division by zero, the root of a negative number or a result beyond the range gives
// a result that is not finite: mostly NaN, sometimes infinite, also where the word alone
// would give a number (1 / infinity is NaN here).  So no digit of a finite result is wrong,
// and no operation is spent on it.  Close to the largest number (a factor of 2) finite
// results may be lost to NaN as well.  Comparisons with NaN are false, except !=.
//
// Reference.  "JMP": Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building
// blocks of double-word arithmetic, ACM TOMS 44(2), 2017.  "MR": Muller, Rideau, Formalization of
// double-word arithmetic, ACM TOMS 48(1), 2022: the same bounds, some of them sharpened, proven
// with Coq for rounding to nearest even and words of at least 7 bits.  "LLMPR": Lefevre, Louvet,
// Muller, Picot, Rideau, Accurate calculation of Euclidean norms using double-word arithmetic, ACM
// TOMS 49(1), 2023.  What is proven, what observed: docs/precision.md.
//
// Tests.  tests/precision/double_word_test.cpp, tests/precision/double_word_conversions_test.cpp,
// tests/precision/product_sum_test.cpp, tests/experiments/measure/number_probe_test.cpp

#include <cmath>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "precision/error_free.hpp"
#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"
#include "precision/square_root.hpp"

namespace ninefold {

template <Word F>
struct DoubleWord;

using DoubleSingle = DoubleWord<float>;
using DoubleDouble = DoubleWord<double>;

template <class T>
inline constexpr bool is_double_word = false;
template <class F>
inline constexpr bool is_double_word<DoubleWord<F>> = true;

/// Integers that every pair holds exactly.
template <class I>
concept SmallInteger = std::integral<I> && !std::same_as<I, bool> && sizeof(I) <= 4;

template <Word F>
struct alignas(2 * sizeof(F)) DoubleWord {
  F high, low;

  DoubleWord() = default;  ///< Not initialised, as for float and double.

  /// The pair of these words; normalised only if they are.
  HOST_DEVICE constexpr DoubleWord(F high_word, F low_word) : high(high_word), low(low_word) {}

  /// Exact, except from double to a pair of float: there within u^2 (nearest word, then the
  /// nearest to the rest) [eta / 2].
  template <Word S>
  HOST_DEVICE constexpr explicit(sizeof(S) > sizeof(F)) DoubleWord(S value)
      : high(static_cast<F>(value)), low(0) {
    if constexpr (sizeof(S) > sizeof(F)) {
      if (is_finite_word(high)) *this = normalise(high, static_cast<F>(value - S(high)));
    }
  }

  /// Exact.
  template <SmallInteger I>
  HOST_DEVICE constexpr DoubleWord(I value) : DoubleWord(static_cast<double>(value)) {}

  /// Exact from pairs of float to pairs of double; the other way within u^2 [eta / 2].
  template <Word S>
  requires(!std::same_as<S, F>) HOST_DEVICE explicit(sizeof(S) > sizeof(F))
      DoubleWord(const DoubleWord<S>& x)
      : high(static_cast<F>(x.high)), low(0) {
    if (!is_finite_word(high)) return;
    *this = normalise(high, static_cast<F>((x.high - static_cast<S>(high)) + x.low));
  }

  /// The nearest machine number; a pair of double that lies within 2^-53 of the middle between two
  /// floats may go to the farther one.
  template <Word S>
  HOST_DEVICE explicit operator S() const {
    if constexpr (sizeof(S) > sizeof(F)) {
      return static_cast<S>(high) + static_cast<S>(low);
    } else {
      return static_cast<S>(high);
    }
  }

  /// Towards zero, as for float; requires that the result is an int, which is not checked.
  HOST_DEVICE explicit operator int() const {
    const DoubleWord a = abs(*this);
    const F whole = std::floor(a.high);
    // With a fraction in high, low cannot reach the next integer; without one it decides.
    const F rest = whole == a.high ? std::floor(a.low) : F(0);
    const double value = static_cast<double>(whole) + static_cast<double>(rest);
    return static_cast<int>(high < 0 ? -value : value);
  }

  /// The sum of the words in a wider format, such as the 50 digits of the tests.  Host only.
  template <class T>
  requires(std::is_class_v<
               T> && !is_double_word<T> && Number<T> && std::constructible_from<T, F>) explicit
  operator T() const {
    return T(high) + T(low);
  }

  /// 20 operations, 3u^2 + 13u^3 (JMP algorithm 6, AccurateDWPlusDW, theorem 3.1).  There are
  /// operands with an error of 3u^2 - 11u^3 (MR, property 2.1).
  HOST_DEVICE friend DoubleWord operator+(DoubleWord a, DoubleWord b) {
    const Rounded<F> s = two_sum(a.high, b.high);
    const Rounded<F> t = two_sum(a.low, b.low);
    const Rounded<F> v = quick_two_sum(s.value, s.error + t.value);
    return normalise(v.value, t.error + v.error);
  }

  /// 10 operations, 2u^2 (JMP algorithm 4, DWPlusFP, theorem 2.2).
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord operator+(DoubleWord a, S b) {
    const Rounded<F> s = two_sum(a.high, b);
    return normalise(s.value, a.low + s.error);
  }

  /// 9 operations, 4u^2 [2 eta] (JMP algorithm 12, DWTimesDW3; 5u^2 there, 4u^2 in MR,
  /// theorem 2.8).
  HOST_DEVICE friend DoubleWord operator*(DoubleWord a, DoubleWord b) {
    const Rounded<F> p = two_product(a.high, b.high);
    const F cross = fused(a.high, b.low, a.low * b.low);
    return normalise(p.value, p.error + fused(a.low, b.high, cross));
  }

  /// 6 operations, 2u^2 [eta] (JMP algorithm 9, DWTimesFP3, theorem 4.3).
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord operator*(DoubleWord a, S b) {
    const Rounded<F> p = two_product(a.high, b);
    return normalise(p.value, fused(a.low, b, p.error));
  }

  /// 18 operations, 15u^2 + 56u^3 [eta (1 + 2 / |b|)] (JMP algorithm 17, DWDivDW2, theorem 7.1,
  /// which is proven for the product with a word that is used here).  Chosen over their algorithm
  /// 18 (31 operations, 9.8u^2), whose 1 / b leaves the range while a / b is in it.
  HOST_DEVICE friend DoubleWord operator/(DoubleWord a, DoubleWord b) {
    const F quotient = a.high / b.high;
    const DoubleWord product = accurate_product(b, quotient);
    const F rest = (a.high - product.high) + (a.low - product.low);
    return normalise(quotient, rest / b.high);
  }

  /// 10 operations, 3u^2 [eta (1 + 1 / |b|)] (JMP algorithm 15, DWDivFP3, theorem 6.2).
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord operator/(DoubleWord a, S b) {
    const F quotient = a.high / b;
    const Rounded<F> p = two_product(quotient, b);
    const F rest = ((a.high - p.value) - p.error) + a.low;
    return normalise(quotient, rest / b);
  }

  /// Exact.
  HOST_DEVICE friend DoubleWord operator-(DoubleWord a) { return {-a.high, -a.low}; }
  /// 20 operations, 3u^2 + 13u^3: the sum with -b.
  HOST_DEVICE friend DoubleWord operator-(DoubleWord a, DoubleWord b) { return a + -b; }

  /// The mixed forms in the other order: the same costs and bounds.
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord operator-(DoubleWord a, S b) {
    return a + -b;
  }
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord operator+(S a, DoubleWord b) {
    return b + a;
  }
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord operator-(S a, DoubleWord b) {
    return -b + a;
  }
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord operator*(S a, DoubleWord b) {
    return b * a;
  }

  /// a b + c as product and sum, 29 operations: off by at most 4u^2 |a b| (1 + 4u^2) + (3u^2 +
  /// 13u^3) |a b + c| [3 eta].  So 7u^2 without cancellation; not one rounding as for the word.
  HOST_DEVICE friend DoubleWord fused(DoubleWord a, DoubleWord b, DoubleWord c) {
    return a * b + c;
  }

  /// a b + c for words a and b, whose product is exact: 22 operations, 3u^2 + 13u^3 [eta].
  template <std::same_as<F> S>
  HOST_DEVICE friend DoubleWord fused(S a, S b, DoubleWord c) {
    const Rounded<F> p = two_product(a, b);
    return DoubleWord(p.value, p.error) + c;
  }

  /// 8 operations, 25/8 u^2 [eta (1 + 1 / result)] (LLMPR, SQRTDWtoDW).  The root of zero is zero.
  HOST_DEVICE friend DoubleWord sqrt(DoubleWord a) {
    if (a.high == 0) return a;
    const F root = square_root(a.high);
    const F rest = fused(-root, root, a.high) + a.low;
    return normalise(root, rest / (root + root));
  }

  /// Exact.
  HOST_DEVICE friend DoubleWord abs(DoubleWord a) { return a.high < 0 ? -a : a; }

  /// The comparisons are those of the exact values, since the pairs are normalised.
  HOST_DEVICE friend bool operator==(DoubleWord a, DoubleWord b) {
    return a.high == b.high && a.low == b.low;
  }
  HOST_DEVICE friend bool operator<(DoubleWord a, DoubleWord b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  HOST_DEVICE friend bool operator<=(DoubleWord a, DoubleWord b) {
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
  }
  HOST_DEVICE friend bool operator>(DoubleWord a, DoubleWord b) { return b < a; }
  HOST_DEVICE friend bool operator>=(DoubleWord a, DoubleWord b) { return b <= a; }

  /// As the operators, with a word as with a pair.
  template <class S>
  HOST_DEVICE DoubleWord& operator+=(const S& b) {
    return *this = *this + b;
  }
  template <class S>
  HOST_DEVICE DoubleWord& operator-=(const S& b) {
    return *this = *this - b;
  }
  template <class S>
  HOST_DEVICE DoubleWord& operator*=(const S& b) {
    return *this = *this * b;
  }
  template <class S>
  HOST_DEVICE DoubleWord& operator/=(const S& b) {
    return *this = *this / b;
  }

  /// high + low as a normalised pair, 3 operations, exact if |high| >= |low|.
  HOST_DEVICE static constexpr DoubleWord normalise(F high_word, F low_word) {
    const F value = high_word + low_word;
    return {value, low_word - (value - high_word)};
  }

  HOST_DEVICE friend bool is_finite(DoubleWord a) { return is_finite_word(a.high); }
  HOST_DEVICE friend bool is_nan(DoubleWord a) { return a.high != a.high; }

 private:
  // x - x is NaN for infinities and NaN.
  HOST_DEVICE static constexpr bool is_finite_word(F x) { return x - x == 0; }
};

/// a b for a word b, 10 operations, 1.5u^2 + 4u^3 [eta] (JMP algorithm 7, DWTimesFP1, theorem 4.1).
template <Word F>
HOST_DEVICE inline DoubleWord<F> accurate_product(DoubleWord<F> a, std::type_identity_t<F> b) {
  const Rounded<F> p = two_product(a.high, b);
  const Rounded<F> s = quick_two_sum(p.value, a.low * b);
  return DoubleWord<F>::normalise(s.value, s.error + p.error);
}

/// v + v, 2 operations, exact: the bits of the sum, but for the sign of a zero.
template <Word F>
HOST_DEVICE inline DoubleWord<F> twice(const DoubleWord<F>& v) {
  return {v.high + v.high, v.low + v.low};
}

/// The sum of n products of pairs, 13 operations each instead of the 29 of fused (5 for the first),
/// and 6 for its value: the high words are multiplied and added exactly, everything below is
/// gathered in one word (after Dot2 of Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26(6), 2005).
///
/// Error.  At most (n^2 / 2 + 7n / 2 + 6) u^2 M + O(u^3), M = sum of |a b| [2n eta].  With partial
/// sums |s_k| <= M, the k-th term leaves q_k + c_k in the word below, |q_k| <= u |s_k| from adding
/// (none for k = 1) and |c_k| <= 3u |a_k b_k| from multiplying.  What is lost there: 7u^2 |a_k b_k|
/// in c_k (1 + 2 + 3 in its roundings, 1 for the product of the low words); and for k >= 2
/// u (u |s_k| + 3u |a_k b_k|) in q_k + c_k and u |t_k| <= u^2 (k + 2) M in the sum t_k of all so
/// far.
template <Word F>
class ProductSum<DoubleWord<F>> {
 public:
  HOST_DEVICE ProductSum(DoubleWord<F> a, DoubleWord<F> b) {
    const Rounded<F> p = two_product(a.high, b.high);
    sum_ = p.value;
    rest_ = p.error + cross(a, b);
  }
  HOST_DEVICE void add(DoubleWord<F> a, DoubleWord<F> b) {
    const Rounded<F> p = two_product(a.high, b.high);
    const Rounded<F> s = two_sum(sum_, p.value);
    sum_ = s.value;
    rest_ = rest_ + (s.error + (p.error + cross(a, b)));
  }
  HOST_DEVICE DoubleWord<F> value() const {
    const Rounded<F> s = two_sum(sum_, rest_);  // where products cancel, rest_ may be the larger
    return {s.value, s.error};
  }

 private:
  HOST_DEVICE static F cross(DoubleWord<F> a, DoubleWord<F> b) {
    return fused(a.high, b.low, a.low * b.high);
  }

  F sum_, rest_;
};

/// The unit roundoff of a pair is u^2 by convention, the unit in which the bounds above are stated
/// (3 for a sum, 4 for a product).  It is no half distance between neighbours, for pairs have
/// none: rounding a real number to a pair is within u^2 / 2, but no operation reaches that.
/// From 2^min_exponent on the rounding of a low word to a subnormal (eta / 2) is within u^2.
template <>
struct Format<DoubleSingle> {
  static constexpr std::string_view name = "double-single";
  static constexpr double unit_roundoff = 0x1p-48;
  static constexpr int bits = 64;
  static constexpr int min_exponent = -102, max_exponent = 127;
};

template <>
struct Format<DoubleDouble> {
  static constexpr std::string_view name = "double-double";
  static constexpr double unit_roundoff = 0x1p-106;
  static constexpr int bits = 128;
  static constexpr int min_exponent = -969, max_exponent = 1023;
};

template <class F>
struct LeadingOf<DoubleWord<F>> {
  using type = F;
};

template <>
struct AssemblyOf<DoubleDouble> {
  using type = DoubleDouble;
};

static_assert(std::is_trivially_copyable_v<DoubleSingle> && sizeof(DoubleSingle) == 8);
static_assert(std::is_trivially_copyable_v<DoubleDouble> && sizeof(DoubleDouble) == 16);
static_assert(Number<DoubleSingle> && Number<DoubleDouble>);

}  // namespace ninefold
