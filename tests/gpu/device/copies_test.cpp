// Copies to a device and back, in one piece or several.

#include <algorithm>
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
  constexpr std::size_t piece = std::size_t{1} << 22;
  on_device([&] {
    const Device device;
    unsigned char seed = 0;
    // At once and in pieces, with copies in flight.
    for (const std::size_t bytes : {std::size_t{3}, piece / 64, piece - 1, piece, piece + 1,
                                    4 * piece + 1, std::size_t{5}, piece + 7}) {
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

TEST_CASE("arrays of a device hold zeros, apart from each other, also where others have been",
          "[gpu][copies]") {
  on_device([&] {
    const Device device;
    const std::size_t before = device.allocated();
    for (int round = 0; round < 3; ++round) {
      std::vector<Array<Device, unsigned char>> arrays;
      std::vector<unsigned char> values;
      // Small ones, which share memory, more than one block of it holds, and some of their own.
      for (std::size_t k = 0; k < 60; ++k) {
        const std::size_t bytes = k % 20 == 7 ? (std::size_t{3} << 20) + k : 1 + 12345 * k;
        arrays.emplace_back(device, bytes);
        values.resize(bytes);
        device.read(values.data(), arrays.back().data(), bytes);
        REQUIRE(std::all_of(values.begin(), values.end(), [](auto v) { return v == 0; }));
        values.assign(bytes, static_cast<unsigned char>(k + 1));
        device.copy_in(arrays.back().data(), values.data(), bytes);
        if (k % 3 == 2) arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(k / 4));
      }
      for (const auto& array : arrays) {
        values.resize(array.size());
        device.read(values.data(), array.data(), array.size());
        REQUIRE(std::all_of(values.begin(), values.end(), [&](auto v) { return v == values[0]; }));
        REQUIRE(values[0] != 0);
      }
    }
    // Empty ones beside blocks that are full.
    std::vector<Array<Device, unsigned char>> arrays;
    for (int k = 0; k < 40; ++k) {
      arrays.emplace_back(device, std::size_t{k % 2 == 0} << 20);
    }
    arrays.clear();
    const Array<Device, unsigned char> later(device, 1);
    REQUIRE(read_value(device, later.data()) == 0);
    REQUIRE(device.allocated() == before + 1);
    return 0;
  });
}
