#pragma once

#include <cstdlib>

namespace ninefold::testing {

inline bool has_gnuplot() {
  static const bool found = std::system("gnuplot --version > /dev/null 2>&1") == 0;
  return found;
}

}  // namespace ninefold::testing
