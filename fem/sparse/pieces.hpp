#pragma once
// Work that is cut into pieces, however many threads there are.

#include "fem/discrete/parallel.hpp"

namespace ninefold {

/// f(piece) for 0 <= piece < n as for_rows(), one after the other by each thread; of a single piece
/// no other thread is told, which takes longer than a small matrix does.
template <class F>
void for_pieces(int n, const F& f) {
  if (n == 1) return f(0);
  for_rows(n, f, 1);
}

}  // namespace ninefold
