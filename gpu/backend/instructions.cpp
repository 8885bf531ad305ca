// Compiled for each kind of processor that the host's operations are compiled for.
#include "gpu/backend/backend.hpp"

namespace ninefold {

std::string_view host_instructions() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#else
  return "";
#endif
}

}  // namespace ninefold
