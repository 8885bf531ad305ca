#include "output/document/escape.hpp"

#include <cstddef>

namespace ninefold {
namespace {

unsigned byte_at(std::string_view text, std::size_t k) {
  return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
}

/// The bytes of the character that begins there; 0 if none does.
std::size_t length_at(std::string_view text, std::size_t k) {
  const unsigned first = byte_at(text, k), second = byte_at(text, k + 1);
  const std::size_t length = first < 0x80u                      ? 1
                             : first >= 0xC2u && first < 0xE0u  ? 2
                             : first >= 0xE0u && first < 0xF0u  ? 3
                             : first >= 0xF0u && first <= 0xF4u ? 4
                                                                : 0;
  for (std::size_t j = 1; j < length; ++j) {
    if ((byte_at(text, k + j) & 0xC0u) != 0x80u) return 0;
  }
  const bool is_wrong = (first == 0xE0u && second < 0xA0u) || (first == 0xEDu && second > 0x9Fu)
                        || (first == 0xF0u && second < 0x90u) || (first == 0xF4u && second > 0x8Fu);
  return is_wrong ? 0 : length;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t length = length_at(text, k);
    const unsigned first = byte_at(text, k);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (first == '&') {
      result += "&amp;";
    } else if (first == '<') {
      result += "&lt;";
    } else if (first == '>') {
      result += "&gt;";
    } else if (first == '"') {
      result += "&quot;";
    } else if ((first < 0x20u && first != '\n') || first == 0x7Fu) {
      result += ' ';
    } else {
      result.append(text, k, length);
    }
    k += length == 0 ? 1 : length;
  }
  return result;
}

}  // namespace ninefold
