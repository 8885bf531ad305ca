#include "fem/sparse/value_range.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

ValueRange range_of_piece(std::span<const double> values) {
  ValueRange range;
  for (const double value : values) {
    if (value == 0) {
      ++range.zeros;
      continue;
    }
    int exponent = 0;
    const double fraction = std::frexp(std::abs(value), &exponent);  // 1/2 <= fraction < 1
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    const int zeros = std::countr_zero(mantissa);
    const int highest = exponent - 1, lowest = exponent - 53 + zeros;
    if (range.others++ == 0) {
      range.smallest = range.largest = std::abs(value);
      range.lowest_bit = lowest;
      range.highest_bit = highest;
    }
    range.smallest = std::min(range.smallest, std::abs(value));
    range.largest = std::max(range.largest, std::abs(value));
    range.bits = std::max(range.bits, highest - lowest + 1);
    range.lowest_bit = std::min(range.lowest_bit, lowest);
    range.highest_bit = std::max(range.highest_bit, highest);
  }
  return range;
}

void add(const ValueRange& piece, ValueRange& range) {
  const std::int64_t zeros = range.zeros + piece.zeros, others = range.others + piece.others;
  if (piece.others > 0 && range.others == 0) {
    range = piece;
  } else if (piece.others > 0) {
    range.smallest = std::min(range.smallest, piece.smallest);
    range.largest = std::max(range.largest, piece.largest);
    range.bits = std::max(range.bits, piece.bits);
    range.lowest_bit = std::min(range.lowest_bit, piece.lowest_bit);
    range.highest_bit = std::max(range.highest_bit, piece.highest_bit);
  }
  range.zeros = zeros;
  range.others = others;
}

}  // namespace

ValueRange value_range(std::span<const double> values) {
  constexpr std::size_t values_at_once = std::size_t{1} << 16;
  const std::size_t pieces = (values.size() + values_at_once - 1) / values_at_once;
  std::vector<ValueRange> of_pieces(pieces);
  for_pieces(static_cast<int>(pieces), [&](int piece) {
    const std::size_t first = static_cast<std::size_t>(piece) * values_at_once;
    of_pieces[static_cast<std::size_t>(piece)] =
        range_of_piece(values.subspan(first, std::min(values_at_once, values.size() - first)));
  });
  ValueRange range;
  for (const ValueRange& piece : of_pieces) add(piece, range);
  return range;
}

bool ValueRange::fits(Precision format, bool scaled) const {
  if (others == 0) return true;
  const FormatFacts facts_of = facts(format);
  const int p = -std::ilogb(facts_of.unit_roundoff);
  const int first = facts_of.min_exponent - p + 1, last = facts_of.max_exponent;
  if (bits > p) return false;
  if (scaled) return highest_bit - lowest_bit <= last - first;
  return lowest_bit >= first && highest_bit <= last;
}

Precision narrowest_format(const ValueRange& range) {
  for (const Precision format : {Precision::half, Precision::bfloat16, Precision::single_}) {
    if (range.fits(format, true)) return format;
  }
  return Precision::double_;
}

}  // namespace ninefold
