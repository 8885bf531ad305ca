#include "experiments/config/reading.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>

#include "experiments/config/bad_input.hpp"

namespace ninefold {

void refuse_kind(const Setting& setting, const std::string& expected) {
  const bool integer = expected == "an integer";
  std::string advice;
  if (integer || expected == "a number") {
    const auto* text = std::get_if<std::string>(&setting.value.content);
    const auto* number = std::get_if<double>(&setting.value.content);
    char* end = nullptr;
    const double meant = number != nullptr ? *number
                         : text != nullptr ? std::strtod(text->c_str(), &end)
                                           : 0.0;
    const bool legible = number != nullptr || (end != nullptr && !text->empty() && *end == '\0');
    const bool whole = meant == std::floor(meant) && std::abs(meant) < 1e15;
    if (legible && (whole || !integer)) {
      advice = "write it as " + (integer ? fmt::format("{:.0f}", meant) : to_toml(meant));
    }
  }
  refuse(setting, fmt::format("is {}, but {} is expected", kind_of(setting.value), expected),
         advice);
}

double number_of(const Setting& setting) {
  if (const auto* number = std::get_if<double>(&setting.value.content)) return *number;
  if (const auto* integer = std::get_if<std::int64_t>(&setting.value.content)) {
    return static_cast<double>(*integer);
  }
  refuse_kind(setting, "a number");
}

std::int64_t integer_of(const Setting& setting) {
  const auto* integer = std::get_if<std::int64_t>(&setting.value.content);
  if (integer == nullptr) refuse_kind(setting, "an integer");
  return *integer;
}

const std::string& text_of(const Setting& setting) {
  const auto* text = std::get_if<std::string>(&setting.value.content);
  if (text == nullptr) refuse_kind(setting, "a text");
  return *text;
}

const List& list_of(const Setting& setting, std::string_view example) {
  const auto* list = std::get_if<List>(&setting.value.content);
  if (list == nullptr) refuse_kind(setting, fmt::format("a list such as {}", example));
  return *list;
}

Setting element_of(const Setting& setting, std::size_t k) {
  return {setting.key, std::get<List>(setting.value.content)[k], setting.origin};
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0) text += k + 1 == words.size() ? " or " : ", ";
    text += to_toml(words[k]);
  }
  return text;
}

std::size_t choice_of(const Setting& setting, const std::vector<std::string>& names) {
  const std::string& text = text_of(setting);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) {
    refuse(setting, "is not a choice", suggestion(text, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

Precision precision_of(const Setting& setting, const std::vector<std::string>& also) {
  const std::string& name = text_of(setting);
  try {
    return precision_from_name(name);
  } catch (const std::invalid_argument&) {
    if (const auto meant = precision_meant_by(name)) {
      refuse(setting, "is not a number format",
             fmt::format("did you mean {}?", to_toml(to_string(*meant))));
    }
    std::vector<std::string> names = also;
    for (const Precision precision : named_precisions()) names.push_back(to_string(precision));
    refuse(setting, "is not a number format", suggestion(name, names));
  }
}

std::string precision_names() {
  std::string names;
  for (const Precision precision : named_precisions())
    names += to_toml(to_string(precision)) + ", ";
  return names + "or \"sMeE\" with M from 10 to 52 mantissa bits and E = 8 or 11 exponent bits";
}

Shapes precision_shapes() {
  std::vector<std::string> names;
  for (const Precision precision : named_precisions()) names.push_back(to_string(precision));
  return {{WordShape{names}}, {TextShape{"s(1[0-9]|[2-4][0-9]|5[0-2])e(8|11)"}}};
}

}  // namespace ninefold
