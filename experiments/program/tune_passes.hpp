#pragma once
// Both ways of a device through grids of rising size, measured side by side.
//
// Tests.  tests/gpu/device/pass_sizes_test.cpp

#include "gpu/backend/backend.hpp"

#include "output/tables/table.hpp"

namespace ninefold {

struct Tuning {
  PassSizes sizes;
  Table times;  ///< of each pass and level
};

/// On the levels first <= level <= last of square grids, double over values of 2, 4 and 8 bytes, as
/// many of them as there is memory for; throws ConfigurationError if that is none.  The backend's
/// sizes are those of before when it returns or throws.  Defined in CUDA builds only.
Tuning tune_passes(const Cuda& on, int first = 7, int last = 12);

}  // namespace ninefold
