#include "precision/array_functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "precision/elementary_kernels.hpp"
#include "precision/large_angle.hpp"

namespace ninefold {
namespace {

using kernels::bits_of, kernels::number_of, kernels::sign_bit, kernels::size_of;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest_normal = std::numeric_limits<double>::min();

/// Values at once: a loop of fixed length over arrays of its own, which compilers vectorise.
constexpr std::size_t piece = 64;

/// to[k] = usual(x[k]...), or unusual(x[k]...) where is_unusual(x[k]...) is not zero.  The first is
/// also called, and its result not used, for values outside its range.
template <class IsUnusual, class Usual, class Unusual>
void apply(std::span<const double> x, double* to, const IsUnusual& is_unusual, const Usual& usual,
           const Unusual& unusual) {
  for (std::size_t first = 0; first < x.size(); first += piece) {
    const std::size_t n = std::min(piece, x.size() - first);
    double in[piece], out[piece];
    std::copy_n(x.data() + first, n, in);
    std::fill(in + n, in + piece, 1.0);
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < piece; ++k) any |= is_unusual(in[k]);
    for (std::size_t k = 0; k < piece; ++k) out[k] = usual(in[k]);
    if (any != 0) {
      for (std::size_t k = 0; k < n; ++k) {
        if (is_unusual(in[k]) != 0) out[k] = unusual(in[k]);
      }
    }
    std::copy_n(out, n, to + first);
  }
}

/// Not zero if |x| > limit, or x is NaN; comparisons of bits have no branch.
template <std::uint64_t limit>
std::uint64_t is_larger(double x) {
  return (limit - (bits_of(x) & ~sign_bit)) & sign_bit;
}
constexpr std::uint64_t two_24 = 0x4170000000000000, largest_power = 0x4086200000000000,  // 708
    infinite = 0x7ff0000000000000;

/// Not zero unless x is positive, normal and finite.
std::uint64_t is_no_normal(double x) {
  constexpr std::uint64_t least = 0x0010000000000000, beyond = 0x7ff0000000000000;
  const std::uint64_t bits = bits_of(x);
  return (bits | (bits - least) | (beyond - 1 - bits)) & sign_bit;
}

double with_sign_of(double x, double positive) {
  return number_of(bits_of(positive) ^ (bits_of(x) & sign_bit));
}

kernels::ReducedAngle any_angle(double x) {
  const double size = size_of(x);
  return size <= 0x1p24 ? kernels::reduced_angle(size) : reduced_large_angle(size);
}

/// e^(x + more), whatever the result.
double any_exponential(double x, double more = 0) {
  if (x != x) return x;
  if (x > 710) return infinity;
  if (x < -746) return 0;
  const kernels::ReducedPower p = kernels::reduced_power(x, more);
  return std::ldexp(kernels::one_and(p), static_cast<int>(p.k));
}

/// A logarithm, given that of 2^more x, of what is not positive, normal and finite.
template <class F>
double any_logarithm(double x, const F& logarithm) {
  if (x == 0) return -infinity;
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  return x == infinity ? x : logarithm(x * 0x1p54, -54.0);
}

double any_power(double x, double power) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (power == 0 || x == 1) return 1;
  if (x != x || power != power) return nan;
  // 0, 1 or infinite, with their signs: the standard says all of these.
  if (x == 0 || size_of(x) == infinity || size_of(power) == infinity) return std::pow(x, power);
  const double size = size_of(x);
  const auto [exponent, rest] = size < smallest_normal
                                    ? kernels::exponent_of_power(size * 0x1p54, power, -54)
                                    : kernels::exponent_of_power(size, power);
  const double value = any_exponential(exponent, rest);
  if (x > 0) return value;
  if (std::trunc(power) != power) return nan;
  return std::fmod(power, 2) == 0 ? value : -value;
}

}  // namespace

void sin_of(std::span<const double> x, double* to) {
  apply(x, to, is_larger<two_24>, kernels::sine,
        [](double v) { return with_sign_of(v, kernels::sine_from(any_angle(v), 0)); });
}

void cos_of(std::span<const double> x, double* to) {
  apply(
      x, to, is_larger<two_24>, [](double v) { return kernels::cosine(v); },
      [](double v) { return kernels::sine_from(any_angle(v), 1); });
}

void tan_of(std::span<const double> x, double* to) {
  apply(
      x, to, is_larger<two_24>, [](double v) { return kernels::tangent(v); },
      [](double v) { return with_sign_of(v, kernels::tangent_of(any_angle(v))); });
}

void exp_of(std::span<const double> x, double* to) {
  apply(
      x, to, is_larger<largest_power>, [](double v) { return kernels::exponential(v); },
      [](double v) { return any_exponential(v); });
}

void sinh_of(std::span<const double> x, double* to) {
  apply(
      x, to, is_larger<largest_power>, [](double v) { return kernels::hyperbolic_sine(v); },
      [](double v) {
        const double root = any_exponential(0.5 * size_of(v));
        return with_sign_of(v, 0.5 * root * root);
      });
}

void cosh_of(std::span<const double> x, double* to) {
  apply(
      x, to, is_larger<largest_power>, [](double v) { return kernels::hyperbolic_cosine(v); },
      [](double v) {
        const double root = any_exponential(0.5 * size_of(v));
        return 0.5 * root * root;
      });
}

void tanh_of(std::span<const double> x, double* to) {
  // Comparisons with NaN are false, so that tanh would be 1.
  apply(
      x, to, is_larger<infinite>, [](double v) { return kernels::hyperbolic_tangent(v); },
      [](double v) { return v; });
}

void log_of(std::span<const double> x, double* to) {
  const auto logarithm = [](double v, double more = 0) { return kernels::logarithm(v, more); };
  apply(x, to, is_no_normal, logarithm, [&](double v) { return any_logarithm(v, logarithm); });
}

void log2_of(std::span<const double> x, double* to) {
  const auto logarithm = [](double v, double more = 0) {
    return kernels::logarithm_by_two(v, more);
  };
  apply(x, to, is_no_normal, logarithm, [&](double v) { return any_logarithm(v, logarithm); });
}

void log10_of(std::span<const double> x, double* to) {
  const auto logarithm = [](double v, double more = 0) {
    return kernels::logarithm_by_ten(v, more);
  };
  apply(x, to, is_no_normal, logarithm, [&](double v) { return any_logarithm(v, logarithm); });
}

void power_of(std::span<const double> x, std::span<const double> power, double* to) {
  for (std::size_t first = 0; first < x.size(); first += piece) {
    const std::size_t n = std::min(piece, x.size() - first);
    double in[piece], by[piece], exponent[piece], rest[piece], out[piece];
    std::copy_n(x.data() + first, n, in);
    std::copy_n(power.data() + first, n, by);
    std::fill(in + n, in + piece, 1.0);
    std::fill(by + n, by + piece, 1.0);
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < piece; ++k) {
      const auto both = kernels::exponent_of_power(in[k], by[k]);
      exponent[k] = both.leading;
      rest[k] = both.rest;
    }
    for (std::size_t k = 0; k < piece; ++k) {
      any |= is_no_normal(in[k]) | is_larger<largest_power>(exponent[k]);
      const kernels::ReducedPower p = kernels::reduced_power(exponent[k], rest[k]);
      out[k] = kernels::scaled_power(p);
    }
    if (any != 0) {
      for (std::size_t k = 0; k < n; ++k) {
        if ((is_no_normal(in[k]) | is_larger<largest_power>(exponent[k])) != 0) {
          out[k] = any_power(in[k], by[k]);
        }
      }
    }
    std::copy_n(out, n, to + first);
  }
}

}  // namespace ninefold
