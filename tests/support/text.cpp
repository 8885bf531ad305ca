#include "tests/support/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "tests/support/natural.hpp"

namespace ninefold::testing {
namespace {

/// (-1)^negative magnitude 10^exponent.
struct Decimal {
  bool negative = false;
  Natural magnitude;
  int exponent = 0;
};

Decimal sum(Decimal a, Decimal b) {
  if (a.exponent < b.exponent) std::swap(a, b);
  a.magnitude.multiply_power_of_ten(a.exponent - b.exponent);
  a.exponent = b.exponent;
  if (a.negative == b.negative) {
    a.magnitude.add(b.magnitude);
    return a;
  }
  if (a.magnitude < b.magnitude) std::swap(a, b);
  a.magnitude.subtract(b.magnitude);
  return a;
}

/// The exact value of a finite x.
Decimal decimal(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  while (mantissa != 0 && mantissa % 2 == 0) {
    mantissa /= 2;
    ++exponent;
  }
  Decimal result{std::signbit(x), Natural(mantissa), 0};
  if (exponent >= 0) {
    result.magnitude.multiply_power_of_two(exponent);
  } else {  // 2^-n = 5^n 10^-n
    result.magnitude.multiply_power_of_five(-exponent);
    result.exponent = exponent;
  }
  return result;
}

/// Plain notation where it is short, else scientific, as %g; `digits` without a point, the first
/// one standing for `exponent` powers of ten.
std::string written(bool negative, std::string digits, int exponent, int most_plain_digits) {
  digits.erase(std::max<std::size_t>(digits.find_last_not_of('0') + 1, 1));
  const int n = static_cast<int>(digits.size());
  const auto zeros = [](int count) { return std::string(static_cast<std::size_t>(count), '0'); };
  const auto insert_point = [&](int after) {
    if (after < n) digits.insert(static_cast<std::size_t>(after), 1, '.');
  };
  std::string tail;
  if (exponent < -5 || exponent >= most_plain_digits) {
    insert_point(1);
    tail = fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  } else if (exponent < 0) {
    digits = fmt::format("0.{}{}", zeros(-exponent - 1), digits);
  } else {
    if (exponent >= n) digits += zeros(exponent + 1 - n);
    insert_point(exponent + 1);
  }
  return fmt::format("{}{}{}", negative ? "-" : "", digits, tail);
}

/// `digits`, of which the first stands for `exponent` powers of ten, to n digits, halves away from
/// zero.
std::pair<std::string, int> shortened(std::string digits, int exponent, std::size_t n) {
  if (digits.size() <= n) return {digits, exponent};
  const bool up = digits[n] >= '5';
  digits.resize(n);
  if (up) {
    const std::size_t last = digits.find_last_not_of('9');
    if (last == std::string::npos) return {"1", exponent + 1};
    digits.resize(last + 1);
    ++digits[last];
  }
  return {digits, exponent};
}

template <class F>
std::string word_to_text(F x) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), x).ptr};
}

template <class F>
std::string pair_to_text(DoubleWord<F> x) {
  if (!is_finite(x) || x.high == 0) return word_to_text(x.high);
  const Decimal exact = sum(decimal(x.high), decimal(x.low));
  const std::string digits = exact.magnitude.text();
  const int exponent = exact.exponent + static_cast<int>(digits.size()) - 1;
  // Every text of this many digits is the rounded form of its pair: trailing zeros go, and none
  // shorter is missed.  Pairs below the full range are sparser and may have a shorter text.
  constexpr bool is_single = std::is_same_v<F, float>;
  const bool full = std::abs(x.high) >= std::ldexp(F(1), Format<DoubleWord<F>>::min_exponent);
  const std::size_t enough = !full ? 1 : is_single ? 14 : 31;
  const auto text = [&](std::size_t n) {
    const auto [some, power] = shortened(digits, exponent, n);
    return written(exact.negative, some, power, is_single ? 17 : 33);
  };
  const auto reads_back = [&](std::size_t n) {
    try {
      return from_text<DoubleWord<F>>(text(n)) == x;
    } catch (const std::out_of_range&) {  // rounded up beyond the largest number
      return false;
    }
  };
  std::size_t n = enough, too_few = enough - 1;
  for (std::size_t step = 1; n < digits.size() && !reads_back(n); n += step) {
    too_few = n;
    if (n >= enough + 8) step *= 2;  // words far apart
  }
  n = std::min(n, digits.size());
  while (n > too_few + 1) {
    const std::size_t middle = (n + too_few) / 2;
    (reads_back(middle) ? n : too_few) = middle;
  }
  return text(n);
}

/// What is left of a decimal number once its parts are told apart.
struct Parsed {
  bool negative = false;
  std::string word;    ///< "inf" or "nan", else empty
  std::string digits;  ///< without point and leading zeros; empty for zero
  int exponent = 0;    ///< of the last digit

  std::string text() const { return fmt::format("{}{}e{}", negative ? "-" : "", digits, exponent); }
};

[[noreturn]] void refuse_as_too_large(std::string_view text) {
  throw std::out_of_range(fmt::format("\"{}\" is too large for this number format", text));
}

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument(fmt::format("\"{}\" is not a decimal number", text));
}

Parsed parsed(const std::string_view text) {
  Parsed result;
  std::string_view rest = text;
  const auto take = [&](char c) {
    const bool there = !rest.empty() && rest.front() == c;
    if (there) rest.remove_prefix(1);
    return there;
  };
  const auto take_digits = [&] {
    const auto n = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::string_view digits = rest.substr(0, n);
    rest.remove_prefix(n);
    return digits;
  };
  result.negative = take('-');
  if (!result.negative) take('+');
  if (rest == "inf" || rest == "nan") {
    result.word = rest;
    return result;
  }
  const std::string_view whole = take_digits();
  const std::string_view fraction = take('.') ? take_digits() : std::string_view();
  if (whole.empty() && fraction.empty()) refuse(text);

  // Far beyond every format, and far from the ends of int even with the fraction's digits.
  constexpr long long limit = 1'000'000'000;
  long long exponent = 0;
  if (take('e') || take('E')) {
    const bool down = take('-');
    if (!down) take('+');
    const std::string_view digits = take_digits();
    if (digits.empty()) refuse(text);
    for (const char c : digits) exponent = std::min(limit, 10 * exponent + (c - '0'));
    if (down) exponent = -exponent;
  }
  if (!rest.empty()) refuse(text);

  result.digits.append(whole).append(fraction);
  result.digits.erase(0, result.digits.find_first_not_of('0'));
  exponent -= static_cast<long long>(fraction.size());
  result.exponent = static_cast<int>(std::clamp(exponent, -limit, limit));
  return result;
}

/// The nearest word; infinite if the number is too large.
template <class F>
F nearest(const Parsed& number) {
  const F sign = number.negative ? F(-1) : F(1);
  if (number.digits.empty()) return sign * F(0);
  const std::string text = number.text();
  F result{};
  const auto status = std::from_chars(text.data(), text.data() + text.size(), result).ec;
  if (status == std::errc()) return result;
  const bool large = number.exponent + static_cast<long long>(number.digits.size()) > 0;
  return sign * (large ? std::numeric_limits<F>::infinity() : F(0));
}

template <class F>
F word(const Parsed& number, std::string_view text) {
  const F sign = number.negative ? F(-1) : F(1);
  if (number.word == "inf") return sign * std::numeric_limits<F>::infinity();
  if (number.word == "nan") return std::copysign(std::numeric_limits<F>::quiet_NaN(), sign);
  const F result = nearest<F>(number);
  if (std::isinf(result)) refuse_as_too_large(text);
  return result;
}

template <class F>
DoubleWord<F> pair(std::string_view text) {
  const Parsed number = parsed(text);
  const F high = word<F>(number, text);
  if (!std::isfinite(high) || high == 0) return {high, F(0)};
  // Not zero, so the exponent is within the range of F, up to the number of digits.
  const Decimal exact{number.negative, Natural(number.digits), number.exponent};
  const Decimal rest = sum(exact, decimal(-high));
  if (rest.magnitude.is_zero()) return {high, F(0)};
  const F low = nearest<F>(Parsed{rest.negative, {}, rest.magnitude.text(), rest.exponent});
  const DoubleWord<F> result = DoubleWord<F>::normalise(high, low);
  if (!is_finite(result)) refuse_as_too_large(text);  // the very last digit carried
  return result;
}

}  // namespace

std::string to_text(float x) {
  return word_to_text(x);
}
std::string to_text(double x) {
  return word_to_text(x);
}
std::string to_text(DoubleSingle x) {
  return pair_to_text(x);
}
std::string to_text(DoubleDouble x) {
  return pair_to_text(x);
}

template <>
float from_text<float>(std::string_view text) {
  return word<float>(parsed(text), text);
}
template <>
double from_text<double>(std::string_view text) {
  return word<double>(parsed(text), text);
}
template <>
DoubleSingle from_text<DoubleSingle>(std::string_view text) {
  return pair<float>(text);
}
template <>
DoubleDouble from_text<DoubleDouble>(std::string_view text) {
  return pair<double>(text);
}

}  // namespace ninefold::testing
