#pragma once
// The meaning of the one kernel of coarse levels, run by a team of the host's.
//
// Brings the operations' definitions for Host: not for files that call those of Cuda.

#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "gpu/compiled/elsewhere.hpp"
#include "gpu/launch/launch_host.hpp"
#include "gpu/launch/team.hpp"
#include "gpu/meaning/generic_coarse_cycle.hpp"
#include "gpu/operations/coarse_operations.hpp"

namespace ninefold::testing {

/// Memory as a device gives it: aligned to 16, with values left behind by others.
template <class T>
std::vector<unsigned char> used_memory(const CoarseProblem<T>& problem) {
  std::vector<unsigned char> memory(static_cast<std::size_t>(problem.memory_bytes), 0xff);
  REQUIRE(reinterpret_cast<std::uintptr_t>(memory.data()) % 16 == 0);
  return memory;
}

template <class Team, OperatorForm form, class T>
void work_through(const CoarseProblem<T>& problem, const CoarseSchedule& schedule, Leading<T> omega,
                  unsigned char* memory) {
  const CoarseCycle<Row<form>, T, Team> cycle{problem, omega, memory};
  cycle.load();
  cycle.run(schedule);
  cycle.store(schedule);
}

template <class Team, class T>
void work_through(const CoarseProblem<T>& problem, const CoarseSchedule& schedule, Leading<T> omega,
                  unsigned char* memory) {
  if (problem.level[0].A.form == OperatorForm::plain) {
    work_through<Team, OperatorForm::plain>(problem, schedule, omega, memory);
  } else {
    work_through<Team, OperatorForm::difference>(problem, schedule, omega, memory);
  }
}

}  // namespace ninefold::testing
