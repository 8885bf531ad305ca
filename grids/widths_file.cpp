#include "grids/widths_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "grids/tensor_grid.hpp"
#include "grids/text_file.hpp"

namespace ninefold {
namespace {

constexpr std::size_t most = std::size_t{1} << max_level;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // UTF-8's, which some editors write

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& what) {
  throw std::invalid_argument(fmt::format("{}{}", file.string(), what));
}

/// True for a comma between two digits, that of a decimal number in many languages.
bool has_decimal_comma(std::string_view word) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t k = 1; k + 1 < word.size(); ++k) {
    if (word[k] == ',' && is_digit(word[k - 1]) && is_digit(word[k + 1])) return true;
  }
  return false;
}

/// The width that a word states; what is wrong with the word else.
double width_of(std::string_view word, std::string& wrong) {
  // from_chars, unlike everything else, knows no locale; nor does it know a plus sign.
  const std::size_t sign = word.starts_with('+') && !word.starts_with("+-") ? 1 : 0;
  double width = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + sign, end, width);
  if (error == std::errc::result_out_of_range) {
    wrong = "is beyond the range of a double";
  } else if (has_decimal_comma(word)) {
    wrong = "is not a number: write 1.5, not 1,5, and a blank behind a comma between two widths";
  } else if (error != std::errc() || stop != end) {
    wrong = "is not a number";
  } else if (!std::isfinite(width) || width <= 0) {
    wrong = "is not a width, which is positive and finite";
  }
  return width;
}

/// "a power of two is needed, such as 8 or 16"
std::string advice(std::size_t count) {
  if (count > most) return fmt::format("at most {} are possible", most);
  if (count < 2) return fmt::format("at least 2 are needed, at most {} are possible", most);
  const std::size_t below = std::bit_floor(count);
  return fmt::format("it must be a power of two from 2 to {}: {} or {}, for example", most, below,
                     2 * below);
}

}  // namespace

std::vector<double> read_widths(const std::filesystem::path& file) {
  std::istringstream stream(read_text_file(file, "file of cell widths"));
  std::vector<double> widths;
  std::size_t count = 0, number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    std::string_view text = std::string_view(line).substr(0, line.find('#'));
    if (number == 1 && text.starts_with(byte_order_mark)) {
      text.remove_prefix(byte_order_mark.size());
    }
    constexpr std::string_view blanks = " \t\r\v\f";
    for (std::size_t begin = 0; (begin = text.find_first_not_of(blanks, begin)) != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
      std::string_view word = text.substr(begin, end - begin);
      begin = end;
      if (word.ends_with(',')) word.remove_suffix(1);
      if (word.empty()) continue;
      std::string wrong;
      const double width = width_of(word, wrong);
      if (!wrong.empty()) {
        constexpr std::size_t shown = 40;
        refuse_file(file, fmt::format(", line {}: \"{}{}\" {}", number, word.substr(0, shown),
                                      word.size() > shown ? "..." : "", wrong));
      }
      if (++count <= most) widths.push_back(width);
    }
  }
  if (count < 2 || count > most || !std::has_single_bit(count)) {
    refuse_file(file, fmt::format(" holds {} cell width{}; {}", count, count == 1 ? "" : "s",
                                  advice(count)));
  }
  return widths;
}

}  // namespace ninefold
