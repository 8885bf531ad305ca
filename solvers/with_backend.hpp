#pragma once
// From the kind of a backend, known at run time, to its type.
//
// Tests.  tests/solvers/devices_test.cpp

#include <cstddef>
#include <memory>

#include "precision/require.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/devices.hpp"

namespace ninefold {

/// True in builds with CUDA: only there does what runs on a device have definitions.
#ifdef NINEFOLD_HAS_CUDA
inline constexpr bool has_cuda = true;
#else
inline constexpr bool has_cuda = false;
#endif

/// run(on), `on` being a new backend of this kind with so much scratch for sums, one of several
/// ranks if there are any; a CUDA one is the first device, or the one of the rank's number.  Throws
/// BadValue in builds without CUDA that are asked for one.
template <class Run>
decltype(auto) with_backend(BackendKind where, const Run& run,
                            std::size_t scratch_bytes = largest_scratch_bytes,
                            const std::shared_ptr<const Ranks>& ranks = nullptr) {
  if (where == BackendKind::cuda) {
    if constexpr (has_cuda) {
      return run(Cuda(scratch_bytes, device_of(ranks.get())).among(ranks));
    } else {
      throw BadValue("cuda", words("{} = \"cuda\" is not possible", Parameter::backend),
                     words("this build has no CUDA: solve on the host"));
    }
  }
  return run(Host(scratch_bytes).among(ranks));
}

}  // namespace ninefold
