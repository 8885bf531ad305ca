#include "precision/half.hpp"

#include "gpu/launch_cuda.cuh"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Cuda, float);
NINEFOLD_INSTANTIATE_PAIR(Cuda, float, float);
NINEFOLD_INSTANTIATE_PAIR(Cuda, float, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Cuda, float, Half);
NINEFOLD_INSTANTIATE_OUTER(Cuda, Half);
NINEFOLD_INSTANTIATE_PAIR(Cuda, Half, Half);
NINEFOLD_INSTANTIATE_PAIR(Cuda, Half, BFloat16);
NINEFOLD_INSTANTIATE_OUTER(Cuda, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Cuda, BFloat16, BFloat16);
NINEFOLD_INSTANTIATE_SCALE(Cuda, float);

}  // namespace ninefold
