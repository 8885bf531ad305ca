#include "fem/problem/formula_advice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/letters.hpp"

namespace ninefold {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Of a name or a number.
bool is_part(char c) {
  return is_letter(c) || is_digit(c) || c == '.';
}

/// The part of the text from `first` to before `end`; empty if it is longer than people's names: no
/// advice is given with half of it.
std::string piece(std::string_view text, std::size_t first, std::size_t end) {
  constexpr std::size_t longest = 20;
  return end - first > longest ? std::string() : std::string(text.substr(first, end - first));
}

/// The factor that begins at `first`: "sin(...)", "y", "2.5", "(...)"; empty if it is too long.
std::string factor_at(std::string_view text, std::size_t first) {
  std::size_t end = first;
  while (end < text.size() && is_part(text[end])) ++end;
  std::string factor = piece(text, first, end);
  if (factor.empty() && end > first) return "";
  if (end < text.size() && text[end] == '(') factor += "(...)";
  return factor;
}

/// The factor that ends before `end`; empty if none does.
std::string factor_before(std::string_view text, std::size_t end) {
  if (end > 0 && text[end - 1] == ')') return "(...)";
  std::size_t first = end;
  while (first > 0 && is_part(text[first - 1])) --first;
  return piece(text, first, end);
}

std::size_t without_blanks(std::string_view text, std::size_t end) {
  while (end > 0 && text[end - 1] == ' ') --end;
  return end;
}

/// "write 2*y", of two factors that are known.
std::string advice_on_product(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? "" : fmt::format("write {}*{}", a, b);
}

/// The parentheses that are open before this position.
std::vector<std::size_t> open_parentheses(std::string_view text, std::size_t position) {
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < std::min(position, text.size()); ++k) {
    if (text[k] == '(') open.push_back(k);
    if (text[k] == ')' && !open.empty()) open.pop_back();
  }
  return open;
}

/// The digits on both sides of a comma.
struct CommaNumber {
  std::string whole, rest;
};

/// Nothing unless they are all that is there: "1.0,5", "x1,5" and "1,2,3" are no numbers.
std::optional<CommaNumber> comma_number(std::string_view text, std::size_t comma) {
  if (comma >= text.size() || text[comma] != ',') return {};
  std::size_t first = comma, end = comma + 1;
  while (first > 0 && is_digit(text[first - 1])) --first;
  while (end < text.size() && is_digit(text[end])) ++end;
  CommaNumber number{piece(text, first, comma), piece(text, comma + 1, end)};
  if (number.whole.empty() || number.rest.empty()) return {};
  const auto goes_on = [](char c) { return is_part(c) || c == ','; };
  if (first > 0 && goes_on(text[first - 1])) return {};
  if (end < text.size() && (text[end] == '.' || text[end] == ',')) return {};
  return number;
}

}  // namespace

std::optional<std::size_t> find_decimal_comma(std::string_view text, std::size_t position) {
  const std::vector<std::size_t> open = open_parentheses(text, position);
  const std::size_t end = position < text.size() ? position + 1 : text.size();
  for (std::size_t k = open.empty() ? 0 : open.back(); k < end; ++k) {
    if (comma_number(text, k)) return k;
  }
  return {};
}

std::string advice_on_comma(std::string_view text, std::size_t comma) {
  const auto number = comma_number(text, comma);
  if (!number) return "";
  const auto& [whole, rest] = *number;
  const std::vector<std::size_t> open = open_parentheses(text, comma);
  const bool in_function = std::any_of(
      open.begin(), open.end(), [&](std::size_t k) { return k > 0 && is_part(text[k - 1]); });
  return in_function ? fmt::format("if {},{} is a number, write {}.{}", whole, rest, whole, rest)
                     : fmt::format("write {}.{} for {},{}", whole, rest, whole, rest);
}

std::optional<std::size_t> find_unmatched(std::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '(') open.push_back(k);
    if (text[k] != ')') continue;
    if (open.empty()) return k;
    open.pop_back();
  }
  if (open.empty()) return {};
  return open.back();
}

std::optional<std::size_t> find_foreign(std::string_view text) {
  const auto is_foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x80u; };
  const auto found = std::find_if(text.begin(), text.end(), is_foreign);
  if (found == text.end()) return {};
  return static_cast<std::size_t>(found - text.begin());
}

std::string_view character_at(std::string_view text, std::size_t position) {
  std::size_t end = position + 1;
  while (end < text.size() && continues_character(text[end])) ++end;
  return text.substr(position, end - position);
}

std::string advice_on_foreign(std::string_view character) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 18> known{{{"²", "^2"},
                                        {"³", "^3"},
                                        {"⁴", "^4"},
                                        {"⁵", "^5"},
                                        {"⁶", "^6"},
                                        {"·", "*"},
                                        {"×", "*"},
                                        {"⋅", "*"},
                                        {"∙", "*"},
                                        {"÷", "/"},
                                        {"−", "-"},
                                        {"–", "-"},
                                        {"π", "pi"},
                                        {"≤", "<="},
                                        {"≥", ">="},
                                        {"√", "sqrt(x)"},
                                        {"≠", "!="},
                                        {"\u00a0", "a blank"}}};
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Pair& pair) { return pair.first == character; });
  return found == known.end() ? "formulas are in ASCII, such as 2*pi*x^2"
                              : fmt::format("write {} for {}", found->second, character);
}

std::string advice_on_operator(std::string_view text, std::size_t position) {
  if (position >= text.size()) return "";
  const std::size_t end = without_blanks(text, position);
  if (text[position] == '*') {
    return end > 0 && text[end - 1] == '*' ? "write ^ for **, as in x^2" : "";
  }
  if (!is_letter(text[position]) && !is_digit(text[position]) && text[position] != '(') return "";
  return advice_on_product(factor_before(text, end), factor_at(text, position));
}

std::string advice_on_name(std::string_view text, std::size_t position,
                           bool (*is_function)(const std::string&)) {
  if (position >= text.size()) return "";
  if (text[position] == '|') return "write abs(x) for |x|";
  std::size_t end = position;
  while (end < text.size() && is_part(text[end])) ++end;
  const std::string name = piece(text, position, end);
  if (name.empty()) return "";
  if (is_digit(name.front())) {  // 2exp(x), whose e could be that of an exponent
    std::size_t digits = 0;
    while (digits < name.size() && (is_digit(name[digits]) || name[digits] == '.')) ++digits;
    if (digits == name.size()) return "";
    return advice_on_product(name.substr(0, digits), factor_at(text, position + digits));
  }
  if (is_function(name)) return fmt::format("write {}(...), without a blank", name);
  if (name == "e") return "write exp(x) for e^x";
  if (name == "pow") return "write x^y for pow(x, y)";
  const auto is_variable = [](char c) { return c == 'x' || c == 'y'; };
  if (name.size() == 2 && is_variable(name[0]) && is_variable(name[1])) {
    return fmt::format("write {}*{}", name[0], name[1]);
  }
  const std::string lower = lower_case(name);
  constexpr std::array<std::string_view, 5> constants{"x", "y", "width", "height", "pi"};
  const bool known =
      std::count(constants.begin(), constants.end(), lower) > 0 || is_function(lower);
  return lower != name && known ? fmt::format("write {}", lower) : "";
}

}  // namespace ninefold
