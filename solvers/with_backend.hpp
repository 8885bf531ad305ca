#pragma once
// From the kind of a backend, known at run time, to its type.
//
// Tests.  tests/solvers/devices_test.cpp

#include <cstddef>

#include "precision/require.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/devices.hpp"

namespace ninefold {

/// run(on), `on` being a new backend of this kind with so much scratch for sums; a CUDA one is the
/// first device.  Throws BadValue in builds without CUDA that are asked for one.
template <class Run>
decltype(auto) with_backend(BackendKind where, const Run& run,
                            std::size_t scratch_bytes = largest_scratch_bytes) {
  if (where == BackendKind::cuda) {
#ifdef NINEFOLD_HAS_CUDA
    return run(Cuda(scratch_bytes));
#else
    throw BadValue("cuda", words("{} = \"cuda\" is not possible", Parameter::backend),
                   words("this build has no CUDA: solve on the host"));
#endif
  }
  return run(Host(scratch_bytes));
}

}  // namespace ninefold
