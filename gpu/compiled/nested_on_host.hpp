#pragma once
// What a generated file needs that compiles the operations of full multigrid for the host.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

// clang-format off
#include "gpu/launch/launch_host.hpp"

#include "gpu/compiled/nested_operations.hpp"
#include "gpu/meaning/host_nested_operations.hpp"
// clang-format on
