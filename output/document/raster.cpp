#include "output/document/raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "precision/require.hpp"

#include "output/plots/colours.hpp"

namespace ninefold {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFFu);
  return bytes;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521u;
    b = (b + a) % 65521u;
  }
  return b << 16 | a;
}

std::string chunk(const std::string& kind, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + kind + data
         + big_endian(crc32(kind + data));
}

/// A zlib stream of stored blocks.
std::string stored(const std::string& bytes) {
  constexpr std::size_t most = 65535;
  std::string stream = "\x78\x01";
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const std::size_t length = std::min(most, bytes.size() - at);
    stream += static_cast<char>(at + length == bytes.size() ? 1 : 0);
    for (const std::size_t word : {length, ~length}) {
      stream += static_cast<char>(word & 0xFFu);
      stream += static_cast<char>(word >> 8 & 0xFFu);
    }
    stream.append(bytes, at, length);
  }
  return stream + big_endian(adler32(bytes));
}

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int channel(std::string_view colour, std::size_t k) {
  return std::stoi(std::string(colour.substr(1 + 2 * k, 2)), nullptr, 16);
}

/// 256 of each kind of colours, the first of which is not shown.
std::string greys() {
  std::string bytes(3, '\0');
  for (int index = 1; index < 256; ++index) bytes.append(3, static_cast<char>(index));
  return bytes;
}

std::string fields() {
  std::string bytes(3, '\0');
  for (int index = 1; index < 256; ++index) {
    const double at = (index - 1) / 254.0 * (static_cast<double>(viridis.size()) - 1);
    const std::size_t lower = std::min(static_cast<std::size_t>(at), viridis.size() - 2);
    const double share = at - static_cast<double>(lower);
    for (std::size_t k = 0; k < 3; ++k) {
      bytes += static_cast<char>(std::lround((1 - share) * channel(viridis[lower], k)
                                             + share * channel(viridis[lower + 1], k)));
    }
  }
  return bytes;
}

}  // namespace

std::string to_png(const Raster& raster) {
  const auto width = static_cast<std::size_t>(raster.width);
  require(raster.width > 0 && raster.height > 0
              && raster.pixels.size() == width * static_cast<std::size_t>(raster.height),
          "an image needs as many pixels as its sides say");
  std::string rows;
  for (std::size_t at = 0; at < raster.pixels.size(); at += width) {
    rows += '\0';  // no filter
    rows.append(raster.pixels.begin() + static_cast<std::ptrdiff_t>(at),
                raster.pixels.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
  static const std::string of_fields = fields(), of_greys = greys();
  const std::string& colours = raster.colours == RasterColours::greys ? of_greys : of_fields;
  const std::string header = big_endian(static_cast<std::uint32_t>(raster.width))
                             + big_endian(static_cast<std::uint32_t>(raster.height))
                             + std::string("\x08\x03\x00\x00\x00", 5);
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) + chunk("PLTE", colours)
         + chunk("tRNS", std::string(1, '\0')) + chunk("IDAT", stored(rows)) + chunk("IEND", "");
}

Raster raster_of(std::span<const double> values, int width, int height, double least,
                 double largest) {
  Raster raster{width, height, {}, RasterColours::fields};
  for (const double value : values) {
    const double place = largest > least ? (value - least) / (largest - least) : 0.5;
    raster.pixels.push_back(std::isfinite(value) ? static_cast<std::uint8_t>(
                                1 + std::lround(254 * std::clamp(place, 0.0, 1.0)))
                                                 : std::uint8_t{0});
  }
  return raster;
}

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? letters[word >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return text;
}

std::string bytes_of_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t place = letters.find(c);
    if (place == std::string_view::npos) continue;
    word = word << 6 | static_cast<std::uint32_t>(place);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(word >> bits & 0xFFu);
  }
  return bytes;
}

}  // namespace ninefold
