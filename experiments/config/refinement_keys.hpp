#pragma once
// The keys of [refinement]: which formats solve for corrections, and for how long.
//
// Shape.  Two pairs of keys share one member.  inner_precision and cascade both name the formats of
// the stages: one of them by a word, several by a list; at most one key may name any.  inner_digits
// and inner_iterations each give one half of every stage's stopping rule; "auto" leaves it open.
//
// Tests.  tests/experiments/config/refinement_keys_test.cpp

#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// In the order of the documentation.
std::vector<Key> refinement_keys();

}  // namespace ninefold
