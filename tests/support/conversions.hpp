#pragma once
// Conversions as a CUDA device makes them.

#include <cstdint>
#include <vector>

namespace ninefold::testing {

/// The bits of the half and of the bfloat16 nearest to each value; throws std::runtime_error if the
/// device fails.
struct NarrowedBits {
  std::vector<std::uint16_t> half, bfloat16;
};
NarrowedBits narrowed_on_device(const std::vector<float>& values);

/// The bits of the values of all 2^16 halves and bfloat16, by their bits; throws likewise.
struct WidenedBits {
  std::vector<std::uint32_t> half, bfloat16;
};
WidenedBits widened_on_device();

}  // namespace ninefold::testing
