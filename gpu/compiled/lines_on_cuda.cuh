#pragma once
// What a generated file needs that compiles line relaxation for a CUDA device.

#include "gpu/compiled/operations.hpp"
#include "gpu/kernels/line_operations.cuh"
