#pragma once
// Facts of CUDA devices for which no backend is made.

namespace ninefold {

/// Of one that describe_cuda() finds present; 0 in builds without CUDA.
int multiprocessors_of(int device);

}  // namespace ninefold
