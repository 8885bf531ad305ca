#pragma once
// Whether the diagonals of factored rows lie well within a format's range, so that a kernel need
// not ask it of each.
//
// Tests.  tests/fem/matrix/factored_rows_test.cpp

#include <algorithm>
#include <limits>

#include "fem/matrix/factored_rows.hpp"

namespace ninefold {

/// What FactoredRows::is_tame promises, found from the extremes of both directions; on the host.
template <class T>
bool has_tame_diagonals(const FactoredRows<T>& A) {
  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    void take(double value) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  };
  struct Ranges {
    Range stiffness, mass;
  };
  const auto along = [](const LineFactors<Arithmetic<T>>& factors, int begin, int end) {
    Ranges ranges;
    for (int i = begin; i < end; ++i) {
      ranges.stiffness.take(static_cast<double>(factors[i].stiffness()));
      ranges.mass.take(static_cast<double>(factors[i].mass()));
    }
    return ranges;
  };
  const Ranges x = along(A.x, A.unknowns.i0, A.unknowns.i1),
               y = along(A.y, A.unknowns.j0, A.unknowns.j1);
  const double least = std::max(x.stiffness.least * y.mass.least, x.mass.least * y.stiffness.least);
  const double most = 2 * (x.stiffness.most * y.mass.most + x.mass.most * y.stiffness.most)
                      + 1.5 * static_cast<double>(A.reaction) * x.mass.most * y.mass.most;
  return least >= 0x1p-99 && most <= 0x1p99;
}

}  // namespace ninefold
