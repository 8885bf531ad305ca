#pragma once
// What is won by solving small systems in one solve instead of one after the other.

#include "solvers/devices.hpp"

#include "output/tables/table.hpp"

#include "experiments/support/measuring.hpp"

namespace ninefold {

/// 1, 4, 16 and 64 systems of about a thousand unknowns, in double and single, to 1e-6 of the
/// right-hand side: medians of `stretches` times of both ways, iterations alone and calls as a
/// whole.  Throws std::runtime_error where solutions differ in a bit.
Table systems_together(BackendKind where, int stretches, const Context& context);

}  // namespace ninefold
