#pragma once
// How the library checks what it is given; require() of a text is in precision/number.hpp.
//
// Usage.
//     require(values.size() == nodes, [&] { return fmt::format(...); });
//     require_value(omega > 0 && omega < 2, Parameter::damping, omega, "a number between 0 and 2");
//     throw BadValue(text, words("{} is given, but no side is a Dirichlet side",
//                                Parameter::dirichlet));
//
// Tests.  tests/precision/parameter_test.cpp

#include <cmath>
#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "precision/bad_value.hpp"
#include "precision/number.hpp"
#include "precision/parameter_format.hpp"

namespace ninefold {

/// Throws std::invalid_argument with the text that `message` returns unless `condition` holds: for
/// messages that are not to be composed in vain.
template <std::invocable Message>
void require(bool condition, const Message& message) {
  if (!condition) throw std::invalid_argument(message());
}

/// A number for words: a NaN has no sign there, whatever its bits say.
template <class Value>
const Value& for_words(const Value& value) {
  return value;
}
inline double for_words(const double& value) {
  return std::isnan(value) ? std::abs(value) : value;
}

/// fmt::format, which remembers the parameters among the arguments: they appear in their order.
template <class... Args>
Words words(fmt::format_string<Args...> format, Args&&... args) {
  Words result;
  [[maybe_unused]] const auto remember = [&]<class Arg>(const Arg& arg) {
    if constexpr (std::same_as<Arg, Parameter>) result.parameters.push_back(arg);
  };
  (remember(args), ...);
  const auto compose = [&](const auto&... shown) {
    return fmt::vformat(format, fmt::make_format_args(shown...));
  };
  result.text = compose(for_words(args)...);
  return result;
}

/// A value as messages show it: a text, a number with all its digits, what has a to_string() by
/// that, and what a function returns.
template <class Value>
std::string value_text(const Value& value) {
  if constexpr (std::convertible_to<Value, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return fmt::format("{}", for_words(value));
  } else if constexpr (std::invocable<const Value&>) {
    return value_text(value());
  } else {
    return std::string(to_string(value));
  }
}

/// Throws BadValue, "PARAMETER = VALUE is not possible: ALLOWED", unless `condition` holds; nothing
/// is composed if it does.
template <class Value, class... Args>
void require_value(bool condition, Parameter parameter, const Value& value,
                   fmt::format_string<Args...> allowed, Args&&... args) {
  if (condition) return;
  const std::string text = value_text(value);
  throw BadValue(text, words("{} = {} is not possible", parameter, text),
                 words(allowed, std::forward<Args>(args)...));
}

}  // namespace ninefold
