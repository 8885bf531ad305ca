#include "precision/double_word.hpp"

#include "gpu/launch_host.hpp"
// The launch primitives come first: they are found by the operations' definitions.
#include "gpu/host_line_operations.hpp"
#include "gpu/instantiate.hpp"

namespace ninefold {

NINEFOLD_INSTANTIATE_OPERATIONS(Host, DoubleSingle);
NINEFOLD_INSTANTIATE_HOST_LINE_OPERATIONS(DoubleSingle);
NINEFOLD_INSTANTIATE_SCALAR_OPERATIONS(Host, DoubleSingle);

}  // namespace ninefold
