#pragma once
// Facts of CUDA devices for which no backend is made.

namespace ninefold {

/// Of one that describe_cuda() finds present, counted from 0; 0 in builds without CUDA.  Throws
/// std::runtime_error if CUDA reports an error.
int multiprocessors_of(int device);

}  // namespace ninefold
