#include "precision/large_angle.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "precision/double_word.hpp"

namespace ninefold {
namespace {

/// 64 zeros, then the digits of 2/pi behind the point.
constexpr std::uint64_t two_over_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d};

/// The 64 digits from this one on.
std::uint64_t digits_from(std::size_t first) {
  const std::size_t word = first / 64, shift = first % 64;
  if (shift == 0) return two_over_pi[word];
  return (two_over_pi[word] << shift) | (two_over_pi[word + 1] >> (64 - shift));
}

/// a b, whole.
struct Product {
  std::uint64_t high, low;
};
Product product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t half = 0xffffffff;
  const std::uint64_t low = (a & half) * (b & half), cross = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t other = (a & half) * (b >> 32) + (cross & half);
  return {(a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32), (other << 32) | (low & half)};
}

}  // namespace

kernels::ReducedAngle reduced_large_angle(double x) {
  if (!std::isfinite(x)) return {std::numeric_limits<double>::quiet_NaN(), 0, 0};
  const std::uint64_t bits = kernels::bits_of(x), one = std::uint64_t{1} << 52;
  const std::uint64_t m = (bits & (one - 1)) | one;
  // The last digit of m is 2^e with e = (bits >> 52) - 1075 >= -32; the digits begin behind
  // 2^(1-e).
  const std::size_t first = 64 + (bits >> 52) - 1077;
  const Product c = product(m, digits_from(first + 128)), b = product(m, digits_from(first + 64));
  std::uint64_t middle = b.low + c.high;
  std::uint64_t high = m * digits_from(first) + b.high + (middle < b.low ? 1 : 0);
  std::uint64_t low = c.low;
  // Two digits of whole quarters, then the fraction: to the nearest quarter.
  const std::uint64_t quarters = (high >> 62) + ((high >> 61) & 1);
  high = (high << 2) | (middle >> 62);  // a whole quarter is 2^64 now
  middle = (middle << 2) | (low >> 62);
  low <<= 2;
  const bool negative = high >> 63 != 0;
  if (negative) {
    high = ~high, middle = ~middle, low = ~low;  // less by 2^-190
  }
  const auto word = [](std::uint64_t digits, int exponent) {  // exact
    return DoubleDouble(std::ldexp(static_cast<double>(digits >> 32), exponent + 32),
                        std::ldexp(static_cast<double>(digits & 0xffffffff), exponent));
  };
  const DoubleDouble fraction =
      DoubleDouble::normalise(0, 0) + word(high, -64) + (word(middle, -128) + word(low, -192));
  const DoubleDouble r = fraction * DoubleDouble(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
  return {negative ? -r.high : r.high, negative ? -r.low : r.low, quarters};
}

}  // namespace ninefold
