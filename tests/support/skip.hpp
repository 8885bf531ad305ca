#pragma once
// Tests that cannot be run here: Catch2 2 has no skipping of its own, see tests/main.cpp.

#include <iostream>
#include <string>

namespace ninefold::testing {

/// Test cases that could not be run, so far.
inline int n_skipped = 0;

/// Says why a test case ends without having tested anything.
inline void skip(const std::string& why) {
  std::cerr << "skipped: " << why << "\n";
  ++n_skipped;
}

}  // namespace ninefold::testing
