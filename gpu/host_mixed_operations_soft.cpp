#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Host, SoftFloat);
NINEFOLD_INSTANTIATE_PAIR(Host, SoftFloat, SoftFloat);
NINEFOLD_INSTANTIATE_PAIR(Host, SoftFloat, double);
NINEFOLD_INSTANTIATE_PAIR(Host, SoftFloat, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Host, SoftFloat, float);
NINEFOLD_INSTANTIATE_PAIR(Host, SoftFloat, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Host, SoftFloat, Half);
NINEFOLD_INSTANTIATE_PAIR(Host, Half, SoftFloat);
NINEFOLD_INSTANTIATE_SCALE(Host, SoftFloat);

}  // namespace ninefold
