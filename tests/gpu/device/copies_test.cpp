// Copies to a device and back, in one piece or several.

#include <cstddef>
#include <numeric>
#include <vector>

#include "gpu/backend/vector.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

using namespace ninefold;
using ninefold::testing::Device;
using ninefold::testing::on_device;

TEST_CASE("what is copied to a device comes back, whatever becomes of the caller's memory",
          "[gpu][copies]") {
  constexpr std::size_t piece = std::size_t{1} << 17, many = std::size_t{1} << 23;
  on_device([&] {
    const Device device;
    unsigned char seed = 0;
    // Page-locked memory grows on the way, with copies in flight, and is larger than needed then.
    for (const std::size_t bytes : {std::size_t{3}, piece, piece + 1, 3 * piece, many - 1, many,
                                    2 * many + 1, std::size_t{5}, piece + 7}) {
      CAPTURE(bytes);
      std::vector<unsigned char> values(bytes);
      std::iota(values.begin(), values.end(), ++seed);
      const std::vector<unsigned char> expected = values;
      const Array<Device, unsigned char> first(device, bytes), second(device, bytes);
      device.copy_in(first.data(), values.data(), bytes);
      for (unsigned char& value : values) value = static_cast<unsigned char>(~value);
      device.copy_in(second.data(), values.data(), bytes);
      const std::vector<unsigned char> inverted = values;
      values.assign(bytes, 0);
      device.read(values.data(), first.data(), bytes);
      CHECK(values == expected);
      device.read(values.data(), second.data(), bytes);
      CHECK(values == inverted);
    }
    return 0;
  });
}
