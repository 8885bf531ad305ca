#pragma once
// What a generated file needs that compiles operations of direct solvers for the host.
//
// The launch primitives come first: they are found by the operations' definitions.

// clang-format off
#include "gpu/launch/launch_host.hpp"

#include "gpu/compiled/tensor_inverse.hpp"
// clang-format on
