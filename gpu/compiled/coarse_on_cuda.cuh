#pragma once
// What a generated file needs that compiles the cycle on coarse levels for a CUDA device.

#include "gpu/compiled/operations.hpp"
#include "gpu/kernels/coarse_operations.cuh"
