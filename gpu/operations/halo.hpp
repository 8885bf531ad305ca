#pragma once
// What ranks give each other before a product with a matrix of which each has a part
// (fem/sparse/matrix_part.hpp).
//
// Cost.  One kernel that packs what others need, and one that takes theirs; both are recorded. What
// goes from rank to rank is no part of the bytes that are counted, as on grids.
//
// Tests.  tests/solvers/matrix_parts_test.cpp, tests/gpu/device/matrix_parts_test.cpp

#include <cstdint>
#include <vector>

#include "fem/sparse/matrix_part.hpp"
#include "fem/sparse/sparse_rows.hpp"

namespace ninefold {

template <class T>
struct Halo {
  const std::vector<HaloShare>* shares;  ///< in the host's memory
  int count;                             ///< of own values that others need
  const std::int32_t* sent;  ///< which, in the order of `shares`, counted from the first
  T* packed;                 ///< their place
};

}  // namespace ninefold
