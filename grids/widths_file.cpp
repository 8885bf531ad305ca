#include "grids/widths_file.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "grids/tensor_grid.hpp"

namespace ninefold {
namespace {

constexpr std::size_t most = std::size_t{1} << max_level;

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& what) {
  throw std::invalid_argument(fmt::format("{}{}", file.string(), what));
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
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    refuse_file(file, " is a folder, not a file of cell widths");
  }
  std::ifstream stream(file);
  if (!stream) refuse_file(file, fmt::format(" cannot be read: {}", std::strerror(errno)));
  std::vector<double> widths;
  std::size_t count = 0, number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::string_view text = std::string_view(line).substr(0, line.find('#'));
    constexpr std::string_view between = " \t\r\v\f,";
    for (std::size_t begin = 0; (begin = text.find_first_not_of(between, begin)) != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
      const std::string_view word = text.substr(begin, end - begin);
      std::string wrong;
      const double width = width_of(word, wrong);
      if (!wrong.empty()) {
        constexpr std::size_t shown = 40;
        refuse_file(file, fmt::format(", line {}: \"{}{}\" {}", number, word.substr(0, shown),
                                      word.size() > shown ? "..." : "", wrong));
      }
      if (++count <= most) widths.push_back(width);
      begin = end;
    }
  }
  if (stream.bad()) refuse_file(file, " cannot be read to its end");
  if (count < 2 || count > most || !std::has_single_bit(count)) {
    refuse_file(file, fmt::format(" holds {} cell width{}; {}", count, count == 1 ? "" : "s",
                                  advice(count)));
  }
  return widths;
}

}  // namespace ninefold
