#include "precision/half.hpp"

#include "gpu/launch_cuda.cuh"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Cuda, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleSingle, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleSingle, float);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleSingle, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleSingle, Half);
NINEFOLD_INSTANTIATE_SCALE(Cuda, DoubleSingle);

}  // namespace ninefold
