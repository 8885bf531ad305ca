#pragma once
// Texts with errors at random places, for readers that must refuse and never crash.

#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace ninefold::testing {

/// NINEFOLD_SAMPLES of the environment, or so many.
inline int samples_or(int usual) {
  const char* text = std::getenv("NINEFOLD_SAMPLES");
  return text ? std::atoi(text) : usual;
}

/// After one to `most` changes: a byte, a digit, some text gone, doubled or cut off, or one of
/// `words` in its midst.
inline std::string mutated(std::string text, const std::vector<std::string>& words, int most,
                           std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t changes = 1 + below(static_cast<std::size_t>(most)); changes > 0; --changes) {
    const std::size_t place = below(text.size() + 1), length = below(8);
    switch (below(6)) {
      case 0:
        if (place < text.size()) text[place] = static_cast<char>(random());
        break;
      case 1:
        text.erase(place, length);
        break;
      case 2:
        text.insert(place, words[below(words.size())]);
        break;
      case 3:
        text.insert(place, text.substr(below(text.size() + 1), 3 * length));
        break;
      case 4:
        if (below(3) == 0) text.resize(place);
        break;
      case 5:
        if (place < text.size() && text[place] >= '0' && text[place] <= '9') {
          text[place] = static_cast<char>('0' + below(10));
        }
        break;
    }
  }
  return text;
}

}  // namespace ninefold::testing
