#pragma once
// The one macro of the project: a function that both compilers see and that runs on both sides.

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif
