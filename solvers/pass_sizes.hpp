#pragma once
// What a device was measured to do fastest, for users of the library: PassSizes and
// keep_pass_sizes().

#include "gpu/backend/pass_sizes.hpp"
