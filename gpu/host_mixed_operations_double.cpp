#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/generic_split_operations.hpp"
#include "gpu/instantiate_mixed.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OUTER(Host, double);
NINEFOLD_INSTANTIATE_PAIR(Host, double, double);
NINEFOLD_INSTANTIATE_PAIR(Host, double, DoubleSingle);
NINEFOLD_INSTANTIATE_PAIR(Host, double, float);
NINEFOLD_INSTANTIATE_PAIR(Host, double, BFloat16);
NINEFOLD_INSTANTIATE_PAIR(Host, double, Half);
NINEFOLD_INSTANTIATE_PAIR(Host, double, SoftFloat);
NINEFOLD_INSTANTIATE_SCALE(Host, double);
NINEFOLD_INSTANTIATE_SPLIT(double, double);
NINEFOLD_INSTANTIATE_SPLIT(double, DoubleSingle);
NINEFOLD_INSTANTIATE_SPLIT(double, float);
NINEFOLD_INSTANTIATE_SPLIT(double, BFloat16);
NINEFOLD_INSTANTIATE_SPLIT(double, Half);
NINEFOLD_INSTANTIATE_SPLIT_SQUARE(double);

}  // namespace ninefold
