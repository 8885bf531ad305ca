#include "precision/half.hpp"

#include "gpu/launch_cuda.cuh"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Cuda, DoubleDouble);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleDouble, DoubleDouble);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleDouble, double);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleDouble, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleDouble, float);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleDouble, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Cuda, DoubleDouble, Half);
NINEFOLD_INSTANTIATE_SCALE(Cuda, DoubleDouble);

}  // namespace ninefold
