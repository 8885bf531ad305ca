#pragma once
// What the library asks of its module for MPI (gpu/backend/mpi_module.cpp).

#include <memory>

#include "gpu/backend/ranks.hpp"

namespace ninefold {

/// Initialises MPI, which ends with the last copy of what is returned.
using MakeMpiRanks = void (*)(int cells_each, std::shared_ptr<const Ranks>* ranks);
using DescribeMpi = const char* (*)();

inline constexpr const char* make_mpi_ranks_name = "ninefold_make_mpi_ranks";
inline constexpr const char* describe_mpi_name = "ninefold_describe_mpi";

}  // namespace ninefold
