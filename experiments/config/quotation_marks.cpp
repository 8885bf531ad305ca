#include "experiments/config/quotation_marks.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "experiments/config/settings.hpp"

namespace ninefold {
namespace {

/// The elements of a list without its brackets.
std::vector<std::string> elements_of(const std::string& list) {
  std::vector<std::string> elements(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      elements.emplace_back();
    } else {
      elements.back() += c;
    }
  }
  return elements;
}

}  // namespace

std::string trimmed(std::string text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_space).base(), text.end());
  return text;
}

bool is_toml_value(const std::string& text) {
  try {
    return toml::parse("value = " + text).size() == 1;
  } catch (const toml::parse_error&) {
    return false;
  }
}

std::string with_quotes(const std::string& text) {
  constexpr std::size_t longest = 200;
  const auto is_letter = [](unsigned char c) {
    return std::isalpha(c) != 0 && c != 'e' && c != 'E';
  };
  if (text.size() > longest || text.find_first_of("\"'\\") != std::string::npos
      || std::none_of(text.begin(), text.end(), is_letter)) {
    return "";
  }
  const char first = text.front(), last = text.back();
  std::string quoted;
  if ((first == '[' && last == ']') || (first == '{' && last == '}')) {
    quoted = first;
    for (const std::string& element : elements_of(text.substr(1, text.size() - 2))) {
      const std::size_t behind_key = first == '{' ? element.find('=') + 1 : 0;
      const std::string value = trimmed(element.substr(behind_key));
      if (quoted.size() > 1) quoted += ", ";
      quoted += trimmed(element.substr(0, behind_key)) + (behind_key > 0 ? " " : "");
      quoted += is_toml_value(value) ? value : with_quotes(value);
    }
    quoted += last;
  } else if (std::strchr("[{", first) == nullptr) {
    quoted = to_toml(std::string_view(text));
  }
  return is_toml_value(quoted) ? quoted : "";
}

}  // namespace ninefold
