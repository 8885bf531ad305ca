#pragma once
// Libraries of CUDA, loaded when something of them is first needed: a program runs without them
// where nothing is, and nothing of their hundreds of megabytes is linked.
//
// They are looked for as the system looks for libraries (LD_LIBRARY_PATH, the loader's cache), then
// in the folder of the CUDA toolkit that this build was made with, then in /usr/local/cuda/lib64;
// and by the version of the headers, since others may have other functions.
//
// Tests.  tests/gpu/direct/libraries_test.cpp

#include <string>

namespace ninefold {

enum class CudaLibrary { cublas, cusolver };

/// "cuBLAS" or "cuSOLVER".
std::string name_of(CudaLibrary library);

/// The address of a function of this major version of a library, which stays loaded.  Throws
/// BadValue, which names the library and the method that needs it, where it is not there.
void* find_function(CudaLibrary library, int major_version, const char* function);

}  // namespace ninefold
