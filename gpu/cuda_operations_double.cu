#include "gpu/launch_cuda.cuh"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/instantiate.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OPERATIONS(Cuda, double);
NINEFOLD_INSTANTIATE_SCALAR_OPERATIONS(Cuda, double);

}  // namespace ninefold
