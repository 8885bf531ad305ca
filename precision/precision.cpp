#include "precision/precision.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/letters.hpp"

namespace ninefold {
namespace {

/// The number at the start of `text`, which is left with the rest; none with a leading zero.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '0' || text.front() == '-') return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// The software format of that name, if it is one.
std::optional<Precision> soft_from_name(std::string_view name) {
  if (!take(name, 's')) return {};
  const std::optional<int> mantissa = take_number(name);
  if (!mantissa || !take(name, 'e')) return {};
  const std::optional<int> exponent = take_number(name);
  if (!exponent || !name.empty() || !SoftFormat::is_possible(*mantissa, *exponent)) return {};
  return Precision::soft(*mantissa, *exponent);
}

}  // namespace

Precision Precision::soft(int mantissa, int exponent) {
  const SoftFormat format(mantissa, exponent);
  return Precision(Kind::soft, format.mantissa, format.exponent);
}

const std::vector<Precision>& named_precisions() {
  static const std::vector<Precision> all{
#define NINEFOLD_FORMAT(kind, type, role) Precision::kind,
#include "precision/formats.def"
  };
  return all;
}

std::string to_string(Precision p) {
  if (p.kind() == Precision::Kind::soft) return fmt::format("s{}e{}", p.mantissa(), p.exponent());
  return std::string(with_type(p, []<class T>() { return Format<T>::name; }));
}

std::optional<Precision> precision_meant_by(std::string_view name) {
  static const std::vector<std::pair<std::string_view, Precision>> elsewhere{
      {"fp16", Precision::half},
      {"float16", Precision::half},
      {"f16", Precision::half},
      {"binary16", Precision::half},
      {"bf16", Precision::bfloat16},
      {"bfloat", Precision::bfloat16},
      {"tf32", Precision::soft(10, 8)},
      {"float", Precision::single_},
      {"fp32", Precision::single_},
      {"float32", Precision::single_},
      {"f32", Precision::single_},
      {"binary32", Precision::single_},
      {"ds", Precision::double_single},
      {"float-float", Precision::double_single},
      {"fp64", Precision::double_},
      {"float64", Precision::double_},
      {"f64", Precision::double_},
      {"binary64", Precision::double_},
      {"dd", Precision::double_double},
      {"quad", Precision::double_double},
      {"quadruple", Precision::double_double},
      {"fp128", Precision::double_double},
      {"float128", Precision::double_double},
      {"binary128", Precision::double_double}};
  constexpr std::size_t compared = 16;  // longer than any of them
  const std::string lower = lower_case(name.substr(0, compared));
  const auto found = std::find_if(elsewhere.begin(), elsewhere.end(),
                                  [&](const auto& entry) { return entry.first == lower; });
  if (found == elsewhere.end()) return {};
  return found->second;
}

Precision precision_from_name(std::string_view name) {
  if (const auto soft = soft_from_name(name)) return *soft;
  std::string names;
  for (const Precision p : named_precisions()) {
    if (to_string(p) == name) return p;
    names += to_string(p) + ", ";
  }
  const auto meant = precision_meant_by(name);
  throw std::invalid_argument(fmt::format(
      "\"{}\" is no number format: {}or sMeE with M = 10 to 52 mantissa bits and E = 8 "
      "or 11 exponent bits, such as s28e11{}",
      name, names, meant ? fmt::format("; did you mean \"{}\"?", to_string(*meant)) : ""));
}

FormatFacts facts(Precision p) {
  if (p.kind() == Precision::Kind::soft) {
    const SoftFormat format(p.mantissa(), p.exponent());
    return {format.unit_roundoff(),
            1 + format.exponent + format.mantissa,
            format.min_exponent(),
            format.max_exponent(),
            false,
            false};
  }
  return with_type(p, []<class T>() -> FormatFacts {
    if constexpr (std::same_as<T, SoftFloat>) {
      throw std::logic_error("facts of software formats are known at run time only");
    } else {
      return {Format<T>::unit_roundoff,
              Format<T>::bits,
              Format<T>::min_exponent,
              Format<T>::max_exponent,
              true,
              !std::same_as<T, Arithmetic<T>>};
    }
  });
}

}  // namespace ninefold
