#pragma once
// Pictures drawn by gnuplot, which runs as a program of its own.
//
// Shape.  The script, with its data inside, is kept beside the picture: NAME.gp and NAME.png.  In
// its folder, `gnuplot NAME.gp` draws the picture again.
//
// Tests.  tests/output/plots/plot_test.cpp

#include <filesystem>
#include <string>
#include <string_view>

namespace ninefold {

/// What became of a picture.
struct [[nodiscard]] Picture {
  std::filesystem::path script{}, image{};
  bool drawn = false;
  std::string remark{};  ///< why it was not drawn; empty if it was
};

/// Writes `script` to image.gp, replacing the extension, and runs gnuplot on it; the script
/// draws to the file named by the gnuplot variable `image`.  Throws std::runtime_error if the
/// script cannot be written; a missing or failing gnuplot is told in the result.
Picture draw(const std::filesystem::path& image, std::string_view script);

/// `text` as a gnuplot string that means nothing but its characters.
std::string gnuplot_string(std::string_view text);

}  // namespace ninefold
