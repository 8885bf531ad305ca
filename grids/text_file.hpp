#pragma once
// A text file of the user's own, read as a whole.
//
// A device, a pipe or a socket is refused: it may have no end.
//
// Tests.  tests/grids/text_file_test.cpp

#include <cstddef>
#include <filesystem>
#include <string>

namespace ninefold {

/// Far more than a config file or a file of cell widths needs.
inline constexpr std::size_t largest_text_file = std::size_t{16} << 20;

/// The bytes of a file.  Throws std::invalid_argument, naming the file, if it is no regular file,
/// cannot be read, or holds more than `largest` bytes; `kind` is what it should be: "config file".
std::string read_text_file(const std::filesystem::path& file, const std::string& kind,
                           std::size_t largest = largest_text_file);

}  // namespace ninefold
