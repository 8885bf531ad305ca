#include "gpu/direct/libraries.hpp"

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <dlfcn.h>

#include "precision/require.hpp"

namespace ninefold {

namespace {

std::string file_of(CudaLibrary library, int major_version) {
  const std::string base = library == CudaLibrary::cublas ? "libcublas" : "libcusolver";
  return base + ".so." + std::to_string(major_version);
}

[[noreturn]] void refuse(CudaLibrary library, const std::string& reason) {
  throw BadValue(
      "fast-diagonalisation",
      words("{} = \"fast-diagonalisation\" is not possible on this CUDA device: it needs "
            "{}, a library of the CUDA toolkit ({})",
            Parameter::method, name_of(library), reason),
      words("use {} = \"multigrid\", or {} = \"host\"", Parameter::method, Parameter::backend));
}

void* open(CudaLibrary library, int major_version) {
  const std::string file = file_of(library, major_version);
  constexpr const char* folders[] = {"",  // where the loader looks
#ifdef NINEFOLD_CUDA_LIBRARY_FOLDER
                                     NINEFOLD_CUDA_LIBRARY_FOLDER "/",
#endif
                                     "/usr/local/cuda/lib64/"};
  std::string reason;
  for (const char* folder : folders) {
    std::string place = folder;
    place += file;
    if (void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* const said = dlerror();
    if (reason.empty()) reason = said != nullptr ? said : file + " is not found";
  }
  refuse(library, reason);
}

}  // namespace

std::string name_of(CudaLibrary library) {
  switch (library) {
    case CudaLibrary::cublas:
      return "cuBLAS";
    case CudaLibrary::cusolver:
      return "cuSOLVER";
  }
  throw std::logic_error("a library without a name");
}

void* find_function(CudaLibrary library, int major_version, const char* function) {
  static std::mutex lock;
  static std::map<std::pair<CudaLibrary, int>, void*> opened;
  const std::lock_guard guard(lock);
  void*& handle = opened[{library, major_version}];
  if (handle == nullptr) handle = open(library, major_version);
  void* const address = dlsym(handle, function);
  if (address == nullptr) {
    refuse(library, file_of(library, major_version) + " has no " + function);
  }
  return address;
}

}  // namespace ninefold
