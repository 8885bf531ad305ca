#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/generic_split_operations.hpp"
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Host, DoubleDouble);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleDouble, DoubleDouble);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleDouble, double);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleDouble, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleDouble, float);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleDouble, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleDouble, Half);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleDouble, SoftFloat);
NINEFOLD_INSTANTIATE_SCALE(Host, DoubleDouble);
NINEFOLD_INSTANTIATE_SPLIT(DoubleDouble, DoubleDouble);
NINEFOLD_INSTANTIATE_SPLIT(DoubleDouble, double);
NINEFOLD_INSTANTIATE_SPLIT(DoubleDouble, DoubleSingle);
NINEFOLD_INSTANTIATE_SPLIT(DoubleDouble, float);
NINEFOLD_INSTANTIATE_SPLIT(DoubleDouble, BFloat16);
NINEFOLD_INSTANTIATE_SPLIT(DoubleDouble, Half);
NINEFOLD_INSTANTIATE_SPLIT_SQUARE(DoubleDouble);

}  // namespace ninefold
