#pragma once
// What the program can say about itself, about this machine and about a config file.
//
// Tests.  tests/experiments/program/information_test.cpp

#include <string>
#include <vector>

#include "experiments/config/study.hpp"
#include "experiments/program/run.hpp"

namespace ninefold {

/// "512 B", "1.50 MiB", "141 GiB"
std::string readable_bytes(std::size_t bytes);

/// The memory that this process holds now, its code and libraries included; where the system does
/// not tell, 20 MiB, about what it is.
std::size_t process_bytes();

/// Version, commit and compilers; the devices with their memory; the number formats; the problems.
std::string program_information();

/// What is solved, how, where, and where the results go: a few lines before the runs.  What differs
/// between the plans is left out; the table shows it.
std::string run_summary(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs);

/// The memory of each run's levels, on the host that of the process included.  Of several ranks,
/// all of which call it: the most that one of their backends holds, and what all hold on their
/// hosts, backends there included.
std::vector<std::vector<MemoryForecast>> memory_of_levels(const std::vector<Plan>& plans,
                                                          const std::vector<PreparedRun>& runs);

/// All options in force and the memory that each level needs.
std::string check_report(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs,
                         const std::vector<std::vector<MemoryForecast>>& memory);

}  // namespace ninefold
