#include "precision/half.hpp"

#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/instantiate.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OPERATIONS(Host, BFloat16);

}  // namespace ninefold
