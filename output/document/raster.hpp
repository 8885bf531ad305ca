#pragma once
// Small images of numbers: a PNG with a palette, without a library.
//
// Cost.  The bytes of the pixels are stored, not compressed: about one for each pixel.
//
// Reference.  ISO/IEC 15948 (PNG); RFC 1950, 1951 (stored blocks); RFC 4648 (base64).
// Tests.      tests/output/document/raster_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ninefold {

/// Of fields, whose values are read off, or greys, of what is lit.
enum class RasterColours { fields, greys };

/// Rows from top to bottom, each from left to right; 0 is transparent, 1 to 255 go over the colours
/// from dark to light.
struct Raster {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  RasterColours colours = RasterColours::fields;
};

/// The bytes of a PNG file.  Throws std::invalid_argument unless there are width times height
/// pixels, and some.
std::string to_png(const Raster& raster);

/// `values` between their least and largest, in the order of their pixels; not finite: transparent.
Raster raster_of(std::span<const double> values, int width, int height, double least,
                 double largest);

std::string base64(std::string_view bytes);

/// The bytes again; letters that are none of its own are passed over.
std::string bytes_of_base64(std::string_view text);

}  // namespace ninefold
