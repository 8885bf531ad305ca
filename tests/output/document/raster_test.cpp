#include "output/document/raster.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "output/document/field_image.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE("base64 is that of RFC 4648, there and back", "[output][document]") {
  const std::pair<std::string, std::string> known[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : known) {
    CHECK(base64(bytes) == text);
    CHECK(bytes_of_base64(text) == bytes);
  }
}

TEST_CASE("a raster is the PNG file of its pixels", "[output][document]") {
  const std::string png = to_png({2, 1, {0, 255}});
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1A\n");
  CHECK_THAT(png, ContainsSubstring(std::string("IHDR\0\0\0\2\0\0\0\1\x08\x03\0\0\0", 17)));
  // A row without a filter, stored: its length, the complement, the bytes, and their sum.
  CHECK_THAT(png, ContainsSubstring(std::string("\x01\x03\x00\xFC\xFF\x00\x00\xFF", 8)));
  // The check of an empty last chunk, as the standard gives it.
  CHECK(png.substr(png.size() - 8) == "IEND\xAE\x42\x60\x82");
  CHECK_THROWS_AS(to_png({2, 2, {1}}), std::invalid_argument);
}

TEST_CASE("values go over all colours, and what is not finite has none", "[output][document]") {
  const double values[] = {-1, 0, 3, std::numeric_limits<double>::quiet_NaN()};
  const Raster raster = raster_of(values, 2, 2, -1, 3);
  CHECK(raster.pixels[0] == 1);
  CHECK(raster.pixels[2] == 255);
  CHECK(raster.pixels[3] == 0);
}

TEST_CASE("what is lit has greys, fields have colours", "[output][document]") {
  Raster raster{1, 1, {128}, RasterColours::greys};
  const auto colour = [](const std::string& png, std::size_t index) {
    const std::size_t palette = png.find("PLTE") + 4;
    return png.substr(palette + 3 * index, 3);
  };
  CHECK(colour(to_png(raster), 128) == std::string(3, static_cast<char>(128)));
  CHECK(colour(to_png(raster), 255) == std::string(3, static_cast<char>(255)));
  raster.colours = RasterColours::fields;
  const std::string colourful = colour(to_png(raster), 128);
  CHECK(colourful[0] != colourful[1]);
}

TEST_CASE("an image of nodal values says where the largest is", "[output][document]") {
  const TensorGrid grid{make_line({0.5, 0.5}), make_line({1.0, 1.0})};
  std::vector<double> values(9, 0.0);
  values[5] = 2;  // node (2, 1)
  const Image image = field_image(grid, values, "error");
  CHECK(image.description == "error: from 0 to 2, largest at (1, 1)");
  CHECK(image.png.substr(1, 3) == "PNG");
  CHECK(image.place
        == "largest at the right, near (1.00, 1.00); at least half as large at 11 % of the nodes");
  CHECK(image.sides == std::array<std::string, 4>{"0", "1", "0", "2"});
  values[5] = 0;
  values[4] = 1;
  CHECK(field_image(grid, values, "error").place
        == "largest in the middle, near (0.50, 1.00); at least half as large at 11 % of the nodes; "
           "zero at the boundary");
  const TensorGrid finer{make_line({0.2, 0.2, 0.2, 0.2, 0.2}), make_line({1.0, 1.0})};
  std::vector<double> aside(18, 0.0);
  aside[9] = 1;  // node (3, 1)
  CHECK_THAT(field_image(finer, aside, "error").place,
             StartsWith("largest in the interior, near (0.60, 1.00); "));
  values[0] = 3;
  CHECK_THAT(field_image(grid, values, "error").place, StartsWith("largest at the lower left"));
  CHECK(field_image(grid, std::vector<double>(9, 0.0), "error").place.empty());
  const std::vector<double> none(9, std::numeric_limits<double>::quiet_NaN());
  CHECK(field_image(grid, none, "error").png.empty());
  CHECK_THROWS_AS(field_image(grid, std::vector<double>(4), "error"), std::invalid_argument);
}
