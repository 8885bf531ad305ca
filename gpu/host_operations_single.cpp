#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/host_line_operations.hpp"
#include "gpu/instantiate.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OPERATIONS(Host, float);
NINEFOLD_INSTANTIATE_HOST_LINE_OPERATIONS(float);
NINEFOLD_INSTANTIATE_SCALAR_OPERATIONS(Host, float);

}  // namespace ninefold
