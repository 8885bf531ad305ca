#pragma once
// Natural numbers of any size, for exact decimal text.
//
// Tests.  tests/support/text_test.cpp

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace ninefold::testing {

/// A natural number in base 10^9, least digit first, no leading zeros.
class Natural {
 public:
  explicit Natural(std::uint64_t value = 0) {
    for (; value > 0; value /= base) digits_.push_back(static_cast<std::uint32_t>(value % base));
  }
  /// From decimal digits, and nothing else.
  explicit Natural(std::string_view text) {
    while (!text.empty()) {
      const std::size_t n = std::min<std::size_t>(9, text.size());
      std::uint32_t digit = 0;
      for (const char c : text.substr(text.size() - n)) {
        digit = 10 * digit + static_cast<std::uint32_t>(c - '0');
      }
      digits_.push_back(digit);
      text.remove_suffix(n);
    }
    trim();
  }

  bool is_zero() const { return digits_.empty(); }

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& digit : digits_) {
      carry += std::uint64_t{factor} * digit;
      digit = static_cast<std::uint32_t>(carry % base);
      carry /= base;
    }
    if (carry > 0) digits_.push_back(static_cast<std::uint32_t>(carry));
    trim();
  }
  /// Times factor^exponent, where factor^step fits into a digit.
  void multiply_power(std::uint32_t factor, int exponent, int step) {
    for (int n = 0; exponent > 0; exponent -= n) {
      n = std::min(exponent, step);
      std::uint32_t power = 1;
      for (int k = 0; k < n; ++k) power *= factor;
      multiply(power);
    }
  }
  void multiply_power_of_two(int exponent) { multiply_power(2, exponent, 29); }
  void multiply_power_of_five(int exponent) { multiply_power(5, exponent, 12); }
  void multiply_power_of_ten(int exponent) {
    if (is_zero()) return;
    digits_.insert(digits_.begin(), static_cast<std::size_t>(exponent / 9), 0);
    multiply_power(10, exponent % 9, 9);
  }

  void add(const Natural& other) {
    digits_.resize(std::max(digits_.size(), other.digits_.size()) + 1);
    std::uint32_t carry = 0;
    for (std::size_t k = 0; k < digits_.size(); ++k) {
      const std::uint32_t sum = digits_[k] + carry + other.digit(k);
      digits_[k] = sum % base;
      carry = sum / base;
    }
    trim();
  }
  /// Requires that `other` is not greater.
  void subtract(const Natural& other) {
    std::uint32_t borrow = 0;
    for (std::size_t k = 0; k < digits_.size(); ++k) {
      const std::uint32_t taken = other.digit(k) + borrow;
      borrow = digits_[k] < taken ? 1 : 0;
      digits_[k] += borrow * base - taken;
    }
    trim();
  }

  friend bool operator<(const Natural& a, const Natural& b) {
    if (a.digits_.size() != b.digits_.size()) return a.digits_.size() < b.digits_.size();
    return std::lexicographical_compare(a.digits_.rbegin(), a.digits_.rend(), b.digits_.rbegin(),
                                        b.digits_.rend());
  }

  std::string text() const {
    if (is_zero()) return "0";
    std::string result = fmt::format("{}", digits_.back());
    for (std::size_t k = digits_.size() - 1; k-- > 0;) {
      result += fmt::format("{:09}", digits_[k]);
    }
    return result;
  }

 private:
  static constexpr std::uint32_t base = 1'000'000'000;

  std::uint32_t digit(std::size_t k) const { return k < digits_.size() ? digits_[k] : 0; }
  void trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }

  std::vector<std::uint32_t> digits_;
};

}  // namespace ninefold::testing
