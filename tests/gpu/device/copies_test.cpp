// Copies to a device and back, in one piece or several.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
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

TEST_CASE("a few values of a device come to the host from any address, after the work before",
          "[gpu][copies]") {
  on_device([&] {
    const Device device;
    constexpr std::size_t most = 1100, copied = 2 * most - 5;  // more than come without a copy
    const Array<Device, unsigned char> there(device, 2 * most), next(device, 2 * most);
    std::vector<unsigned char> values(2 * most), found;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<unsigned char>(7 * k);
    device.copy_in(next.data(), values.data(), values.size());
    std::vector<std::size_t> sizes{1023, 1024, 1025};
    for (std::size_t bytes = 0; bytes <= most; bytes += 1 + bytes / 64) sizes.push_back(bytes);
    for (const std::size_t bytes : sizes) {
      for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{8}, most - 3}) {
        CAPTURE(bytes, offset);
        device.copy_within(there.data(), next.data() + bytes % 5, copied);
        found.assign(bytes + 2, 0xee);  // what lies beside stays
        device.read(found.data() + 1, there.data() + offset, bytes);
        REQUIRE(found.front() == 0xee);
        REQUIRE(found.back() == 0xee);
        for (std::size_t k = 0; k < bytes && offset + k < copied; ++k) {
          REQUIRE(found[k + 1] == values[bytes % 5 + offset + k]);
        }
      }
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

TEST_CASE("memory that is reserved serves arrays of all sizes, and holds zeros",
          "[gpu][copies][memory]") {
  on_device([&] {
    const Device device;
    constexpr std::size_t large = std::size_t{5} << 20;
    const std::size_t before = device.allocated();
    const auto available = [] {  // other programs hold and release a host's memory
      return testing::rehearsed ? std::size_t{0} : describe_cuda().memory_available;
    };
    const std::size_t at_first = available();
    device.reserve(before + 4 * large);
    REQUIRE(device.allocated() == before);  // arrays count, not what is reserved
    if (!testing::rehearsed) REQUIRE(available() + 4 * large <= at_first);
    std::vector<unsigned char> values(large);
    const auto zeros_of = [&](const Array<Device, unsigned char>& array) {
      values.resize(array.size());
      device.read(values.data(), array.data(), array.size());
      return std::all_of(values.begin(), values.end(), [](auto v) { return v == 0; });
    };
    for (int round = 0; round < 3; ++round) {
      std::vector<Array<Device, unsigned char>> arrays;
      for (int k = 0; k < 6; ++k) {  // more than is reserved
        arrays.emplace_back(device, k % 2 == 0 ? large : std::size_t{1000} + 7);
        REQUIRE(zeros_of(arrays.back()));
        values.assign(arrays.back().size(), static_cast<unsigned char>(k + 1));
        device.copy_in(arrays.back().data(), values.data(), values.size());
        if (k == 3) arrays.erase(arrays.begin());
      }
      for (const auto& array : arrays) {
        values.resize(array.size());
        device.read(values.data(), array.data(), array.size());
        REQUIRE(std::all_of(values.begin(), values.end(), [&](auto v) { return v == values[0]; }));
        REQUIRE(values[0] != 0);
      }
    }
    REQUIRE(device.allocated() == before);
    // It goes back with the last of them; what was made apart never was a part of it.
    device.reserve(before + 4 * large);
    const std::size_t reserved = available();
    // More than blocks of small arrays have.
    std::optional<Array<Device, unsigned char>> inside(std::in_place, device, 4 * large);
    const Array<Device, unsigned char> outside(device.apart(), large);
    REQUIRE(zeros_of(outside));
    inside.reset();
    if (!testing::rehearsed) REQUIRE(available() >= reserved + 2 * large);
    REQUIRE(device.allocated() == before + large);
    return 0;
  });
}

// Pages of the host serve one device after the other: what the one before has left is nobody's.
TEST_CASE("values come to the host of backends that follow each other", "[gpu][copies]") {
  on_device([&] {
    for (double round = 0; round < 20; ++round) {
      const Device first, second;
      const Array<Device, double> of_first(first, std::vector<double>{round}),
          of_second(second, std::vector<double>{-round});
      for (int k = 0; k < (round < 10 ? 1 : 3); ++k) {
        REQUIRE(read_value(first, of_first.data()) == round);
        REQUIRE(read_value(second, of_second.data()) == -round);
      }
    }
    return 0;
  });
}
