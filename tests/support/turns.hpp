#pragma once
// Factors that take turns, where all combinations of them would take too long.

#include <iterator>

namespace ninefold::testing {

/// The place of an element in what it is an element of.
template <class Container, class Element>
int place(const Element& element, const Container& container) {
  return static_cast<int>(&element - std::data(container));
}

/// True for one in n combinations of these values of factors.  Where they are all the combinations
/// there are, and nothing else leaves some out, each pair of values of two factors still meets if a
/// third one has n values in a row.
template <class... Value>
bool takes_turn(int n, Value... value) {
  return (0 + ... + static_cast<int>(value)) % n == 0;
}

}  // namespace ninefold::testing
