#pragma once
// The loop of Stock and Koch's table 1 as it is printed and as it is meant, in double, by plain
// loops: what the paper's alpha does.
//
// Mathematics.  e = A'A d, f = (d, e), x += alpha d, g = A'(A x - b), beta = (g, g)new / (g, g), d
// = -g + beta d.  Printed is alpha = -(g, e) / f, which is 1 at first, where d = -g; what minimises
// along d is -(g, d) / f.

#include <vector>

#include "fem/sparse/tomography.hpp"

namespace ninefold {

/// |g| after each iteration, as a part of the first one; ends where that is above `most`.
std::vector<double> paper_loop(const MeasuredRows& data, bool as_printed, int iterations,
                               double most = 1e30);

}  // namespace ninefold
