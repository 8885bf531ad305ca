// A device converts to 16 bits and back as the host does, to the bit, NaN included.

#include "tests/support/conversions.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "precision/half.hpp"

#include "tests/support/catch.hpp"

#ifndef NINEFOLD_REHEARSED

using namespace ninefold;

namespace {

/// Numbers at, between and beside all of the 16-bit formats; all NaN.
std::vector<float> hurtful_values() {
  std::vector<float> values;
  const auto add = [&](std::uint32_t bits) { values.push_back(std::bit_cast<float>(bits)); };
  for (std::uint32_t upper = 0; upper < 1U << 19; ++upper) {
    for (const std::uint32_t lower : {0U, 1U, 0xfffU, 0x1000U, 0x1001U, 0x1fffU}) {
      add(upper << 13 | lower);
    }
  }
  for (std::uint32_t upper = 0; upper < 1U << 16; ++upper) {
    for (const std::uint32_t lower : {1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      add(upper << 16 | lower);
    }
  }
  for (const std::uint32_t sign : {0U, 0x80000000U}) {
    for (std::uint32_t digits = 1; digits < 1U << 23; ++digits) add(sign | 0x7f800000U | digits);
  }
  return values;
}

}  // namespace

TEST_CASE("16 bits are written by a device as by the host", "[gpu][numbers]") {
  const std::vector<float> values = hurtful_values();
  const auto found = testing::narrowed_on_device(values);
  std::size_t halves = 0, bfloats = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    halves += found.half[k] != Half(values[k]).bits;
    bfloats += found.bfloat16[k] != BFloat16(values[k]).bits;
  }
  CHECK(halves == 0);
  CHECK(bfloats == 0);
}

TEST_CASE("16 bits are read by a device as by the host", "[gpu][numbers]") {
  const auto found = testing::widened_on_device();
  std::size_t halves = 0, bfloats = 0;
  for (std::uint32_t k = 0; k < 1U << 16; ++k) {
    Half half;
    BFloat16 bfloat16;
    half.bits = bfloat16.bits = static_cast<std::uint16_t>(k);
    halves += found.half[k] != std::bit_cast<std::uint32_t>(static_cast<float>(half));
    bfloats += found.bfloat16[k] != std::bit_cast<std::uint32_t>(static_cast<float>(bfloat16));
  }
  CHECK(halves == 0);
  CHECK(bfloats == 0);
}

#endif
