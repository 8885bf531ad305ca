#pragma once
// sin, cos, exp and log of a double in its usual range, without a branch, so that loops over them
// are vectorised, and by IEEE operations alone, so that every machine has the same bits.
//
// Mathematics.  x is reduced by a multiple of a constant c in two or three words, c = c1 + c2 + c3.
// x - k c1 is exact: where k is not zero it is a multiple of 2^-53 (pi/2) or 2^-54 (ln 2) below 1
// or 1/2.  What is left of r in a second word enters the result before its one large rounding.
// Polynomials are near-minimax; what they leave out is stated in u = 2^-53 of the result.
//
// Rounding.  Bounds in units in the last place of the result, derived beside each function for the
// exact result of the argument as it is.  "Half" is the last rounding, at most half a unit; a
// result in [1/2, 1) has the unit u.
//
// Reference.  Muller, Elementary Functions, 3rd ed., 2016; for the splitting of log: fdlibm.
// Tests.  tests/precision/array_functions_test.cpp

#include <bit>
#include <cstddef>
#include <cstdint>

#include "precision/error_free.hpp"
#include "precision/fused.hpp"

namespace ninefold::kernels {

/// A number that turns sums with integers below 2^51 to their bits.
inline constexpr double to_integer = 0x1.8p52;

inline std::uint64_t bits_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
inline double number_of(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
inline double size_of(double x) {
  return number_of(bits_of(x) & ~sign_bit);
}

/// c[first] + c[first + 1] x + ... + c[n-1] x^(n-1-first), without a loop inside of others' loops.
template <std::size_t first = 0, std::size_t n>
inline double polynomial(const double (&c)[n], double x) {
  if constexpr (first + 1 == n) {
    return c[first];
  } else {
    return fused(polynomial<first + 1>(c, x), x, c[first]);
  }
}

/// An angle less `quarters` pi/2 (modulo 4 in the last bits): r + rest, |r| <= pi/4 + 2^-28.
struct ReducedAngle {
  double r, rest;
  std::uint64_t quarters;
};

/// Of 0 <= x <= 2^24.  No double is closer than 2^-61 to a multiple of pi/2 other than 0, and
/// k c4 < 2^-138: the error of r + rest is below 2^-70 of it.
inline ReducedAngle reduced_angle(double x) {
  constexpr double c1 = 0x1.921fb54442d18p+0, c2 = 0x1.1a62633145c07p-54,
                   c3 = -0x1.f1976b7ed8fbcp-110, inverse = 0x1.45f306dc9c883p-1;
  const double shifted = fused(x, inverse, to_integer), k = shifted - to_integer;
  const double near = fused(-k, c1, x);
  const Rounded<double> product = two_product(k, c2);
  const Rounded<double> r = two_sum(near, -product.value);
  return {r.value, r.error - fused(k, c3, product.error), bits_of(shifted)};
}

/// (sin(r) - r)/r^3 by z = r^2
inline constexpr double sine_series[] = {-0x1.5555555555548p-3,  0x1.111111110f730p-7,
                                         -0x1.a01a019be9327p-13, 0x1.71de35553db01p-19,
                                         -0x1.ae5e4b945b57bp-26, 0x1.5d8b5ad410353p-33};

/// sin(r + rest) = r + (r^3 P(r^2) + rest cos r), within 0.85: half, and for results in [1/2, 0.71)
/// 0.16 (r^2 and its product with r, twice u of at most 0.079), 0.07 (P), 0.07 (their sum), 0.04
/// (left out, also of the cosine).  Smaller results lose less, since r^3 falls faster.
inline double sine_of_reduced(double r, double rest) {
  const double z = r * r;
  const double of_rest = fused(-0.5 * z, rest, rest);
  return r + fused(z * r, polynomial(sine_series, z), of_rest);
}

/// (cos(r) - 1 + z/2)/z^2 by z = r^2
inline constexpr double cosine_series[] = {0x1.555555555554bp-5,  -0x1.6c16c16c14f91p-10,
                                           0x1.a01a019c844f2p-16, -0x1.27e4f7eac4a7ep-22,
                                           0x1.1ee9d7b4dc298p-29, -0x1.8fa49a06a5008p-37};

/// cos(r + rest) = 1 - r^2/2 + (r^4 Q(r^2) - r rest), within 0.9: half, 0.25 (r^2/2 <= 0.31), 0.08
/// (what is added to the rounded 1 - r^2/2, 5u of at most 0.016), 0.04 (r rest for rest sin r, with
/// |rest| <= u/2), 0.01 (left out).
inline double cosine_of_reduced(double r, double rest) {
  const double z = r * r, half = 0.5 * z;
  const Rounded<double> w = quick_two_sum(1.0, -half);
  return w.value + fused(z * z, polynomial(cosine_series, z), fused(-r, rest, w.error));
}

/// One of them, with its sign.
inline double sine_from(const ReducedAngle& a, std::uint64_t more_quarters) {
  const std::uint64_t quarters = a.quarters + more_quarters, odd = 0 - (quarters & 1);
  const std::uint64_t s = bits_of(sine_of_reduced(a.r, a.rest));
  const std::uint64_t c = bits_of(cosine_of_reduced(a.r, a.rest));
  return number_of(((s & ~odd) | (c & odd)) ^ ((quarters & 2) << 62));
}

/// Within 0.9 for |x| <= 2^24; sin(-0) = -0.
inline double sine(double x) {
  const double positive = sine_from(reduced_angle(size_of(x)), 0);
  return number_of(bits_of(positive) ^ (bits_of(x) & sign_bit));
}

/// Within 0.9 for |x| <= 2^24.
inline double cosine(double x) {
  return sine_from(reduced_angle(size_of(x)), 1);
}

/// Within 4 for |x| <= 2^24: 1.25u of each of the two, relative, and u of the quotient.
inline double tangent_of(const ReducedAngle& a) {
  const std::uint64_t odd = 0 - (a.quarters & 1);
  const std::uint64_t s = bits_of(sine_of_reduced(a.r, a.rest));
  const std::uint64_t c = bits_of(cosine_of_reduced(a.r, a.rest));
  const double above = number_of((s & ~odd) | (c & odd));
  const double below = number_of((c & ~odd) | (s & odd));
  return number_of(bits_of(above / below) ^ (odd & sign_bit));
}
inline double tangent(double x) {
  const double positive = tangent_of(reduced_angle(size_of(x)));
  return number_of(bits_of(positive) ^ (bits_of(x) & sign_bit));
}

/// (e^r - 1 - r)/r^2 by r
inline constexpr double exponential_series[] = {
    0x1.0000000000000p-1,  0x1.555555555555cp-3,  0x1.555555555555ep-5,  0x1.111111110ebbap-7,
    0x1.6c16c16c13588p-10, 0x1.a01a01b3b82c9p-13, 0x1.a01a01b453c09p-16, 0x1.71ddef9b52672p-19,
    0x1.27e4bf3722a86p-22, 0x1.af6cbf85673f6p-26, 0x1.1f9de2703e025p-29};

/// e^(x + more) = 2^k (1 + r + tail), |r| <= ln(2)/2 + 2^-40; `power` is k plus a multiple of 2^12.
/// The error of the tail is below 0.2u for r < 0: 0.09 (r^2 and Q, 1.7u of at most 0.054), 0.07
/// (the second word of r, at most u/4, is added once, not e^r times), 0.03 (rounding), 0.01 (left
/// out). For r > 0, where the result has the unit 2u, it is below 0.3u.
struct ReducedPower {
  double r, tail, k;
  std::uint64_t power;
};

/// Requires |x| <= 1100; `more` is below a unit of x or so.
inline ReducedPower reduced_power(double x, double more = 0) {
  constexpr double c1 = 0x1.62e42fefa39efp-1, c2 = 0x1.abc9e3b39803fp-56,
                   inverse = 0x1.71547652b82fep+0;
  const double shifted = fused(x, inverse, to_integer), k = shifted - to_integer;
  const double near = fused(-k, c1, x);
  const Rounded<double> r = two_sum(near, fused(-k, c2, more));
  return {r.value, fused(r.value * r.value, polynomial(exponential_series, r.value), r.error), k,
          bits_of(shifted)};
}

/// 1 + r + tail, within 0.75: half, 0.2 (the tail), 0.03 (what is added to the rounded 1 + r).
inline double one_and(const ReducedPower& p) {
  const Rounded<double> w = quick_two_sum(1.0, p.r);
  return w.value + (w.error + p.tail);
}

/// Within 0.75 for |x| <= 708.
inline double scaled_power(const ReducedPower& p) {
  return number_of(bits_of(one_and(p)) + (p.power << 52));
}
inline double exponential(double x) {
  return scaled_power(reduced_power(x));
}

/// e^x - 1 within 1.8u of it for 0 <= x <= 708.  Worst for k = 1, r = -ln(2)/2, where it is 0.41:
/// 0.25u (half a unit), 0.4u (the tail, twice), 0.07u (its sum with what 1 + 2 r leaves).
inline double exponential_less_one(double x) {
  const ReducedPower p = reduced_power(x);
  const double scale = number_of((p.power + 1023) << 52);
  const Rounded<double> w = quick_two_sum(scale - 1, scale * p.r);
  return w.value + fused(scale, p.tail, w.error);
}

/// Within 4 for |x| <= 708, E = e^|x| - 1: 1.8u of E, u/2 of E + 1, u/2 of the quotient, u.
inline double hyperbolic_sine(double x) {
  const double E = exponential_less_one(size_of(x));
  const double positive = 0.5 * (E + E / (E + 1));
  return number_of(bits_of(positive) ^ (bits_of(x) & sign_bit));
}

/// Within 4 for |x| <= 708: 1.3u of each exponential, u of the quotient, u of the sum.
inline double hyperbolic_cosine(double x) {
  const double e = exponential(size_of(x));
  return 0.5 * (e + 1 / e);
}

/// Within 4: with E = e^2|x| - 1, 1.8u of E, u of E + 2, u of the quotient.  From 20 on it is 1.
inline double hyperbolic_tangent(double x) {
  constexpr std::uint64_t far = 0x4034000000000000;
  const std::uint64_t size = bits_of(x) & ~sign_bit, is_far = 0 - ((far - size) >> 63);
  const double E = exponential_less_one(2 * number_of((size & ~is_far) | (far & is_far)));
  return number_of(bits_of(E / (E + 2)) ^ (bits_of(x) & sign_bit));
}

/// A positive normal number times 2^more as 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); exact.
struct Significand {
  double k, f;
};
inline Significand significand_of(double x, double more) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd, bias = 1023, two_52 = 0x4330000000000000;
  const std::uint64_t biased = (bits_of(x) - root_half + (bias << 52)) >> 52;  // k + bias
  return {number_of(two_52 | biased) - (0x1p52 + 1023) + more,
          number_of(bits_of(x) - ((biased - bias) << 52)) - 1};
}

/// ln 2 = c1 + c2, within 2^-98; c1 times a whole number below 2^11 is exact.
inline constexpr double ln_2_first = 0x1.62e42fefa3800p-1, ln_2_rest = 0x1.ef35793c76730p-45;

/// S[0] + S[1] z + ... = (2 artanh(s)/s - 2)/z, z = s^2, for |s| <= 0.1716.
inline constexpr double artanh_series[] = {
    0x1.5555555555555p-1, 0x1.9999999999dfbp-2, 0x1.249249242b914p-2, 0x1.c71c7258a52bcp-3,
    0x1.745cde4fc7aeep-3, 0x1.3b20a750307f9p-3, 0x1.0f5d247dffd8cp-3, 0x1.0f5ff448a1dc5p-3};

/// A logarithm as a sum of two words, which need not be normalised.
struct Logarithm {
  double leading, rest;
};

/// log(x), x = 2^k (1 + f), as the exact sum of k c1 + f and a rest: log(1 + f) = f - t with t =
/// f^2/2 - s (f^2/2 + R), s = f / (2 + f), R = s^2 S(s^2).
///
/// The error of t is below 0.16u for results in [1/4, 1/2), where f is largest beside them: 0.1
/// (s (f^2/2 + R) <= 0.019: 0.04 from the second factor, 0.04 from s, within 2u, 0.02 from the
/// product), 0.06 (t itself).  It falls as f^2, and results with larger k have larger units.
inline Logarithm logarithm_of(double x, double more) {
  const auto [k, f] = significand_of(x, more);
  const double s = f / (2 + f), z = s * s, half = 0.5 * f;
  const double t = fused(half, f, -(s * fused(z, polynomial(artanh_series, z), half * f)));
  const Rounded<double> leading = quick_two_sum(k * ln_2_first, f);
  return {leading.value, fused(k, ln_2_rest, leading.error) - t};
}

/// log(2^more x) within 0.95: half, twice 0.16 (t) and 0.06 (the sum of the rest).
inline double logarithm(double x, double more = 0) {
  const Logarithm y = logarithm_of(x, more);
  return y.leading + y.rest;
}

/// log(2^more x) / log(b) for 1 / log(b) = c1 + c2, within 2; exact for whole powers of b.
inline double logarithm_by(double x, double more, double c1, double c2) {
  const Logarithm parts = logarithm_of(x, more);
  const Rounded<double> y = quick_two_sum(parts.leading, parts.rest);
  return fused(y.value, c1, fused(y.value, c2, y.error * c1));
}
inline double logarithm_by_two(double x, double more = 0) {
  return logarithm_by(x, more, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
inline double logarithm_by_ten(double x, double more = 0) {
  return logarithm_by(x, more, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}

/// log(x) as a normalised sum within 0.1u of it: 2 s + s^3 S(s^2) with s = f / (2 + f) in two
/// words; 9u of s^3 S <= 0.0034, which is a hundredth of the result.
inline Logarithm precise_logarithm_of(double x, double more) {
  const auto [k, f] = significand_of(x, more);
  const Rounded<double> below = quick_two_sum(2.0, f);
  const double s = f / below.value, z = s * s;
  const double s_rest = fused(-s, below.error, fused(-s, below.value, f)) / below.value;
  const double last = fused(s * z, polynomial(artanh_series, z), 2 * s_rest);
  const Rounded<double> sum = quick_two_sum(k * ln_2_first, 2 * s);
  const double rest = fused(k, ln_2_rest, sum.error) + last;
  const Rounded<double> whole = quick_two_sum(sum.value, rest);
  return {whole.value, whole.error};
}

/// The exponent of e in x^power; its rest is below 4u of it.
inline Logarithm exponent_of_power(double x, double power, double more = 0) {
  const Logarithm y = precise_logarithm_of(x, more);
  const Rounded<double> p = two_product(power, y.leading);
  return {p.value, fused(power, y.rest, p.error)};
}

}  // namespace ninefold::kernels
