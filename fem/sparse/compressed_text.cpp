#include "fem/sparse/compressed_text.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "precision/shortened.hpp"

#ifdef NINEFOLD_HAS_ZLIB
#include <zlib.h>
#endif

namespace ninefold {

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

#ifdef NINEFOLD_HAS_ZLIB

namespace {

constexpr int gzip_format = 16 + MAX_WBITS;
constexpr std::size_t piece_size = std::size_t{1} << 18;

/// Gives zlib its input in pieces that its counter can hold.
void feed(z_stream& stream, std::string_view& rest) {
  if (stream.avail_in > 0 || rest.empty()) return;
  const std::size_t n = std::min<std::size_t>(rest.size(), std::numeric_limits<int>::max());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
  stream.avail_in = static_cast<uInt>(n);
  rest.remove_prefix(n);
}

/// A stream that is ended with its scope.
struct Inflater {
  z_stream stream{};
  Inflater() {
    if (inflateInit2(&stream, gzip_format) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

struct Deflater {
  z_stream stream{};
  Deflater() {
    constexpr int memory = 8;  // zlib's own default
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, memory,
                     Z_DEFAULT_STRATEGY)
        != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream); }
};

}  // namespace

bool has_zlib() {
  return true;
}

std::string decompressed(std::string_view bytes, const std::string& name) {
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("{} {}", shortened(name, 300), what));
  };
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::vector<char> piece(piece_size);
  std::string text;
  while (true) {
    feed(stream, bytes);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
    if (status == Z_STREAM_END) {
      feed(stream, bytes);
      if (stream.avail_in == 0) return text;
      const std::string_view next(reinterpret_cast<const char*>(stream.next_in), stream.avail_in);
      if (!is_compressed(next)) refuse("holds other bytes behind what gzip has compressed");
      if (inflateReset(&stream) != Z_OK) throw std::bad_alloc();
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status == Z_BUF_ERROR && stream.avail_in == 0) {
      refuse("ends before what gzip has compressed does");
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      refuse(fmt::format("is damaged: gzip's format has {}",
                         stream.msg ? stream.msg : "no such bytes"));
    }
  }
}

std::string compressed(std::string_view text) {
  Deflater deflater;
  z_stream& stream = deflater.stream;
  std::vector<char> piece(piece_size);
  std::string bytes;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    feed(stream, text);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    bytes.append(piece.data(), piece.size() - stream.avail_out);
  }
  return bytes;
}

#else

bool has_zlib() {
  return false;
}

std::string decompressed(std::string_view, const std::string& name) {
  throw std::invalid_argument(
      fmt::format("{} is compressed by gzip, which this build of ninefold cannot read: it was made "
                  "without zlib; gunzip the file first",
                  shortened(name, 300)));
}

std::string compressed(std::string_view) {
  throw std::invalid_argument(
      "this build of ninefold was made without zlib and writes no .gz files");
}

#endif

}  // namespace ninefold
