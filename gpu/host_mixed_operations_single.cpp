#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/generic_split_operations.hpp"
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Host, float);
NINEFOLD_INSTANTIATE_PAIR(Host, float, float);
NINEFOLD_INSTANTIATE_PAIR(Host, float, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Host, float, Half);
NINEFOLD_INSTANTIATE_PAIR(Host, float, SoftFloat);
NINEFOLD_INSTANTIATE_OUTER(Host, Half);
NINEFOLD_INSTANTIATE_PAIR(Host, Half, Half);
NINEFOLD_INSTANTIATE_PAIR(Host, Half, BFloat16);
NINEFOLD_INSTANTIATE_OUTER(Host, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Host, BFloat16, BFloat16);
NINEFOLD_INSTANTIATE_SCALE(Host, float);
NINEFOLD_INSTANTIATE_SPLIT(float, float);
NINEFOLD_INSTANTIATE_SPLIT(float, BFloat16);
NINEFOLD_INSTANTIATE_SPLIT(float, Half);
NINEFOLD_INSTANTIATE_SPLIT_SQUARE(float);
NINEFOLD_INSTANTIATE_SPLIT(Half, Half);
NINEFOLD_INSTANTIATE_SPLIT(Half, BFloat16);
NINEFOLD_INSTANTIATE_SPLIT_SQUARE(Half);
NINEFOLD_INSTANTIATE_SPLIT(BFloat16, BFloat16);
NINEFOLD_INSTANTIATE_SPLIT_SQUARE(BFloat16);

}  // namespace ninefold
