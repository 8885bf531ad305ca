#pragma once
// Cell widths of the user's own, from a text file.
//
// Shape.  Numbers between blanks or line ends, a comma before either or none; "#" begins a comment.
// A comma inside a word, as in 1,5, is refused: it may be meant as a decimal point.  From the start
// of the direction (left, bottom) to its end.
//
// Tests.  tests/grids/widths_file_test.cpp

#include <filesystem>
#include <vector>

namespace ninefold {

/// The widths in the file.  Throws std::invalid_argument, naming file, line and text, if it is no
/// regular file (a device may have no end) or cannot be read, if something in it is not a positive
/// number, and if the number of widths is not a power of two from 2 to 2^max_level.
std::vector<double> read_widths(const std::filesystem::path& file);

}  // namespace ninefold
