#pragma once
// What the library asks of its module for MPI (gpu/backend/mpi_module.cpp).

#include <memory>

#include "gpu/backend/mpi_ranks.hpp"
#include "gpu/backend/ranks.hpp"

namespace ninefold {

/// Initialises MPI, which ends with the last copy of what is returned.  Throws std::runtime_error
/// unless as many processes are found as have been `started`.
using MakeMpiRanks = void (*)(int cells_each, int started, std::shared_ptr<const Ranks>* ranks);
/// mpi_channel() and machine_of_process() of mpi_ranks.hpp; all processes call the latter.
using MakeMpiChannel = void (*)(const std::shared_ptr<const Ranks>& of,
                                std::shared_ptr<const Ranks>* channel);
using FindMachineOfProcess = void (*)(MachineOfProcess* machine);
/// all_processes_end() of mpi_ranks.hpp.
using AllProcessesEnd = bool (*)(double patience_seconds);
using DescribeMpi = const char* (*)();

inline constexpr const char* make_mpi_ranks_name = "ninefold_make_mpi_ranks";
inline constexpr const char* make_mpi_channel_name = "ninefold_make_mpi_channel";
inline constexpr const char* find_machine_name = "ninefold_find_machine_of_process";
inline constexpr const char* all_processes_end_name = "ninefold_all_processes_end";
inline constexpr const char* describe_mpi_name = "ninefold_describe_mpi";

}  // namespace ninefold
