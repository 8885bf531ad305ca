#pragma once
// What ranks find: threads of this process, or, in a program that mpirun has started, this process
// as one of those, whose devices go by way of the host and may be one for several.

#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/backend/mpi_ranks.hpp"
#include "gpu/backend/ranks.hpp"
#include "gpu/backend/ranks_by_host.hpp"

#include "solvers/devices.hpp"

#include "tests/support/catch.hpp"

namespace ninefold::testing {

/// This process among so many of mpirun that divide grids of so many cells for each; null if there
/// are others, or MPI serves one thread at a time.
inline std::shared_ptr<const Ranks> rank_of_process(int count, int cells_each) {
  static const std::shared_ptr<const Ranks> ranks = mpi_ranks(Slabs::fewest_cells);
  if (ranks->size() != count || !machine_of_process().serves_two_threads) return nullptr;
  static const std::shared_ptr<const Ranks> channel = mpi_channel(ranks);
  const int devices = number_of_devices();
  const int place = machine_of_process().place;
  return std::make_shared<const RanksByHost>(ranks, cells_each, channel,
                                             devices > 0 ? place % devices : 0);
}

/// task(ranks) by each of so many, and what those of this process return: none if mpirun has
/// started another number of processes.
template <class Task>
auto found_by_ranks(int count, int cells_each, const Task& task) {
  using Found = decltype(task(std::shared_ptr<const Ranks>()));
  std::vector<Found> found;
  if (is_started_by_mpi()) {
    if (const auto own = rank_of_process(count, cells_each)) found.push_back(task(own));
    return found;
  }
  found.resize(static_cast<std::size_t>(count));
  run_on_ranks(Slabs(count, cells_each), [&](const std::shared_ptr<const Ranks>& ranks) {
    found[static_cast<std::size_t>(ranks->rank())] = task(ranks);
  });
  return found;
}

}  // namespace ninefold::testing
