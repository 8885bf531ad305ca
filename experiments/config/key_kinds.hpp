#pragma once
// Makers of keys that are a single value: a number, an integer, a flag, one of several names.
//
// Usage.
//     number_key("domain.width", "Length of the rectangle in x.", above(0), "0.25",
//                [](auto& c) -> auto& { return c.width; })
//
// Tests.  tests/experiments/config/keys_test.cpp

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/keys.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {

/// A member of Configuration: f(c) is a reference, const or not as c is.
template <class F>
concept Member = requires(F f, Configuration& c, const Configuration& k) {
  f(c) = f(k);
};

template <Member M>
Key number_key(std::string name, std::string text, Range range, std::string example, M member) {
  return {std::move(name),
          std::move(text),
          "number",
          range.words(),
          {{NumberShape{range}}},
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            const double number = number_of(setting);
            if (!range.contains(number)) refuse(setting, "is out of range");
            member(c) = number;
          },
          [=](const Configuration& c) { return to_toml(member(c)); }};
}

/// The word for "what suits the problem".
inline constexpr std::string_view automatic = "auto";

inline Shape automatic_shape() {
  return {WordShape{{std::string(automatic)}}};
}

inline bool is_automatic(const Setting& setting) {
  const auto* text = std::get_if<std::string>(&setting.value.content);
  return text != nullptr && *text == automatic;
}

/// A number or "auto", for a member that is an std::optional<double>.
template <Member M>
Key optional_number_key(std::string name, std::string text, Range range, std::string example,
                        M member) {
  return {std::move(name),
          std::move(text),
          "number",
          range.words() + ", or " + to_toml(automatic),
          {{NumberShape{range}}, automatic_shape()},
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            member(c).reset();
            if (is_automatic(setting)) return;
            const double number = number_of(setting);
            if (!range.contains(number)) refuse(setting, "is out of range");
            member(c) = number;
          },
          [=](const Configuration& c) {
            const std::optional<double>& number = member(c);
            return number ? to_toml(*number) : to_toml(automatic);
          }};
}

inline std::string words_of(const IntegerShape& range) {
  return range.most == std::numeric_limits<int>::max()
             ? fmt::format("at least {}", range.least)
             : fmt::format("from {} to {}", range.least, range.most);
}

inline int integer_within(const IntegerShape& range, const Setting& setting) {
  const std::int64_t integer = integer_of(setting);
  if (integer < range.least || integer > range.most) refuse(setting, "is out of range");
  return static_cast<int>(integer);
}

template <Member M>
Key integer_key(std::string name, std::string text, IntegerShape range, std::string example,
                M member) {
  return {
      std::move(name),
      std::move(text),
      "integer",
      words_of(range),
      {{range}},
      std::move(example),
      [=](const Setting& setting, Configuration& c) { member(c) = integer_within(range, setting); },
      [=](const Configuration& c) { return fmt::format("{}", member(c)); }};
}

/// An integer or "auto", for a member that is an std::optional<int>.
template <Member M>
Key optional_integer_key(std::string name, std::string text, IntegerShape range,
                         std::string example, M member) {
  return {std::move(name),
          std::move(text),
          "integer",
          words_of(range) + ", or " + to_toml(automatic),
          {{range}, automatic_shape()},
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            member(c).reset();
            if (!is_automatic(setting)) member(c) = integer_within(range, setting);
          },
          [=](const Configuration& c) {
            const std::optional<int>& integer = member(c);
            return integer ? fmt::format("{}", *integer) : to_toml(automatic);
          }};
}

template <Member M>
Key flag_key(std::string name, std::string text, M member, std::string example = "true") {
  return {std::move(name),
          std::move(text),
          "true or false",
          "",
          {{FlagShape{}}},
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            const auto* flag = std::get_if<bool>(&setting.value.content);
            if (flag == nullptr) refuse_kind(setting, "true or false");
            member(c) = *flag;
          },
          [=](const Configuration& c) { return std::string(member(c) ? "true" : "false"); }};
}

template <class Enum>
std::vector<std::string> names_of(const std::vector<Enum>& values) {
  std::vector<std::string> names;
  for (const Enum value : values) names.emplace_back(to_string(value));
  return names;
}

template <class Enum, Member M>
Key choice_key(std::string name, std::string text, const std::vector<Enum>& values,
               std::string example, M member) {
  const std::vector<std::string> names = names_of(values);
  return {std::move(name),
          std::move(text),
          "text",
          alternatives(names),
          {{WordShape{names}}},
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            member(c) = values[choice_of(setting, names)];
          },
          [=](const Configuration& c) { return to_toml(to_string(member(c))); }};
}

/// One of the values or "auto", for a member that is an std::optional<Enum>.
template <class Enum, Member M>
Key optional_choice_key(std::string name, std::string text, const std::vector<Enum>& values,
                        std::string example, M member) {
  std::vector<std::string> names = names_of(values);
  names.emplace(names.begin(), automatic);
  return {std::move(name),
          std::move(text),
          "text",
          alternatives(names),
          {{WordShape{names}}},
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            member(c).reset();
            const std::size_t choice = choice_of(setting, names);
            if (choice > 0) member(c) = values[choice - 1];
          },
          [=](const Configuration& c) {
            const std::optional<Enum>& value = member(c);
            return to_toml(value ? to_string(*value) : automatic);
          }};
}

/// A file of Matrix Market, or one of these words.
template <Member M>
Key matrix_file_key(std::string name, std::string text, const std::vector<std::string>& words,
                    std::string allowed, std::string example, M member) {
  Shapes shapes{{TextShape{R"(.*\.mtx(\.gz)?)"}}};
  if (!words.empty()) shapes.push_back({WordShape{words}});
  return {std::move(name),
          std::move(text),
          "text",
          std::move(allowed),
          std::move(shapes),
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            const std::string& file = text_of(setting);
            if (std::count(words.begin(), words.end(), file) == 0 && !file.ends_with(".mtx")
                && !file.ends_with(".mtx.gz")) {
              refuse(setting, "is no .mtx file", suggestion(file, words));
            }
            member(c) = file;
          },
          [=](const Configuration& c) { return to_toml(member(c)); }};
}

}  // namespace ninefold
