#pragma once
// The ranks that mpirun has started: this process is one of them.
//
// MPI stays outside of the library: what uses it is a module of its own, ninefold_mpi, which is
// loaded where a program runs under mpirun, so that others need no MPI and do not wait for it.

#include <memory>
#include <string>

#include "gpu/backend/ranks.hpp"

namespace ninefold {

/// True if a launcher of MPI has started this process as one of several.
bool is_started_by_mpi();

/// Those ranks, whose grids of fewer cells above each other for each of them are not divided.  Once
/// in a process.  Throws std::runtime_error, with the reason, if the module cannot be loaded.
std::shared_ptr<const Ranks> mpi_ranks(int cells_each);

/// What the module is linked with, or why there is none.
std::string describe_mpi();

}  // namespace ninefold
