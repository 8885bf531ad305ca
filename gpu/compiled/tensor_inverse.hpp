#pragma once
// Which operations of direct solvers are compiled; see gpu/compiled/vector_operations.hpp.

#include "gpu/meaning/generic_tensor_inverse.hpp"

#define NINEFOLD_DIRECT_OPERATIONS(how, B, T) \
  how template void divide_by_sums(const B&, const SpectralSums<T>&, const Field<T>&)
