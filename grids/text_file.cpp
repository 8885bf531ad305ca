#include "grids/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "precision/shortened.hpp"

namespace ninefold {
namespace {

/// What is there in place of a regular file.
std::string_view kind_of(std::filesystem::file_type type) {
  using enum std::filesystem::file_type;
  switch (type) {
    case directory:
      return "a folder";
    case block:
    case character:
      return "a device";
    case fifo:
      return "a pipe";
    case socket:
      return "a socket";
    default:
      return "no regular file";
  }
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file, const std::string& kind,
                           std::size_t largest) {
  const std::string name = shortened(file.string(), 300);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw std::invalid_argument(
        fmt::format("{} is {}, not a {}", name, kind_of(status.type()), kind));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw std::invalid_argument(fmt::format("{} cannot be read: {}", name, std::strerror(errno)));
  }
  // Not by its size: files of /proc, say, have none.  Nor at once: what the process once held
  // counts as needed by a run.
  std::string text;
  std::array<char, 4096> piece;
  while (text.size() <= largest && stream) {
    stream.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw std::invalid_argument(name + " cannot be read to its end");
  if (text.size() > largest) {
    throw std::invalid_argument(
        fmt::format("{} is too large for a {}: more than {} MiB", name, kind, largest >> 20));
  }
  return text;
}

}  // namespace ninefold
