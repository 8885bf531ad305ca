#include "precision/half.hpp"

#include "gpu/launch_cuda.cuh"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Cuda, double);
NINEFOLD_INSTANTIATE_PAIR(Cuda, double, double);
NINEFOLD_INSTANTIATE_PAIR(Cuda, double, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Cuda, double, float);
NINEFOLD_INSTANTIATE_PAIR(Cuda, double, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Cuda, double, Half);
NINEFOLD_INSTANTIATE_SCALE(Cuda, double);

}  // namespace ninefold
