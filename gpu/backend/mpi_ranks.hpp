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

/// True unless the launcher says that this is another process than the first.
bool seems_first_process();

/// Those ranks, whose grids of fewer cells above each other for each of them are not divided.  Once
/// in a process.  Throws std::runtime_error, with the reason, if the module cannot be loaded, or if
/// it is of another MPI than the launcher, and finds no other process.
std::shared_ptr<const Ranks> mpi_ranks(int cells_each);

/// Those ranks once more, whose messages another thread may send at the same time.  All processes
/// call it.  Throws std::runtime_error where MPI serves one thread only.
std::shared_ptr<const Ranks> mpi_channel(const std::shared_ptr<const Ranks>& ranks);

struct MachineOfProcess {
  int processes = 1;                ///< that run on it
  int place = 0;                    ///< which of them this one is, from 0 on
  bool serves_two_threads = false;  ///< MPI does
};
/// Known since mpi_ranks().
MachineOfProcess machine_of_process();

/// True once all those processes have called it; false if that takes longer.  What they do not
/// share any more, such as writing files, may lie before it.
bool all_processes_end(double patience_seconds);

/// What the module is linked with, or why there is none.
std::string describe_mpi();

}  // namespace ninefold
