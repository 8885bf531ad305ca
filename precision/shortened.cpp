#include "precision/shortened.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "precision/letters.hpp"

namespace ninefold {
namespace {

/// The last place up to `position` at which a character begins.
std::size_t beginning(std::string_view text, std::size_t position) {
  while (position > 0 && position < text.size() && continues_character(text[position])) {
    --position;
  }
  return position;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  return fmt::format("{}... ({} characters)", text.substr(0, beginning(text, longest / 2)),
                     count_characters(text));
}

std::string shortened(double number) {
  const std::string text = fmt::format("{:.12g}", number);
  const double error = std::abs(std::stod(text) - number);
  return error <= 4 * std::numeric_limits<double>::epsilon() * std::abs(number)
             ? text
             : fmt::format("{}", number);
}

std::string excerpt_around(std::string_view text, std::size_t position, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  const std::size_t middle = std::min(position, text.size());
  const std::size_t first = beginning(text, middle > longest / 2 ? middle - longest / 2 : 0);
  const std::size_t end = beginning(text, std::min(first + longest, text.size()));
  return fmt::format("{}{}{}", first > 0 ? "..." : "", text.substr(first, end - first),
                     end < text.size() ? "..." : "");
}

}  // namespace ninefold
