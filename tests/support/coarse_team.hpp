#pragma once
// The one kernel of coarse levels, and its meaning run by a team of the host's.

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

/// visit_coarse on whatever plays the device.
template <Number T>
void visit_levels(const Cuda& on, const CoarseProblem<T>& problem, const CoarseSchedule& schedule,
                  Leading<T> omega) {
  visit_coarse<T>(on, problem, schedule, omega);
}
template <Number T>
void visit_levels(const Host&, const CoarseProblem<T>& problem, const CoarseSchedule& schedule,
                  Leading<T> omega) {
  auto memory = used_memory(problem);
  work_through<OneWorker>(problem, schedule, omega, memory.data());
}

/// Bytes that the kernel can have; the host's team takes what an H200 has.
inline int memory_of_block(const Cuda& on) {
  return on.shared_memory();
}
inline int memory_of_block(const Host&) {
  return 227 * 1024;
}

}  // namespace ninefold::testing
