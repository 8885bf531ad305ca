#pragma once
// Text in gzip's format (RFC 1952), by zlib where the library was built with it.
//
// Tests.  tests/fem/sparse/matrix_market_test.cpp

#include <string>
#include <string_view>

namespace ninefold {

/// Whether this library can.
bool has_zlib();

/// True of bytes that begin as gzip's do.
bool is_compressed(std::string_view bytes);

/// The text, of all members one after the other.  Throws std::invalid_argument, naming the file
/// `name`, if the bytes are damaged, end too soon or are followed by others, and without zlib.
std::string decompressed(std::string_view bytes, const std::string& name);

/// The bytes of a file.  Throws std::invalid_argument without zlib.
std::string compressed(std::string_view text);

}  // namespace ninefold
