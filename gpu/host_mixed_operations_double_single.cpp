#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/generic_split_operations.hpp"
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Host, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleSingle, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleSingle, float);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleSingle, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleSingle, Half);
NINEFOLD_INSTANTIATE_PAIR(Host, DoubleSingle, SoftFloat);
NINEFOLD_INSTANTIATE_SCALE(Host, DoubleSingle);
NINEFOLD_INSTANTIATE_SPLIT(DoubleSingle, DoubleSingle);
NINEFOLD_INSTANTIATE_SPLIT(DoubleSingle, float);
NINEFOLD_INSTANTIATE_SPLIT(DoubleSingle, BFloat16);
NINEFOLD_INSTANTIATE_SPLIT(DoubleSingle, Half);
NINEFOLD_INSTANTIATE_SPLIT_SQUARE(DoubleSingle);

}  // namespace ninefold
