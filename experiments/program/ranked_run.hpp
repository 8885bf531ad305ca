#pragma once
// Runs by several ranks: the processes that mpirun has started, or threads of this one, each with a
// device.
//
// The first rank is the program that the user sees; the others solve, or check, with it and say
// nothing.
//
// Tests.  tests/experiments/ranks.py

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "gpu/backend/ranks.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/run.hpp"

namespace ninefold {

/// False in a process that mpirun has started beside the first one, which speaks for all.
bool speaks();

/// The ranks that mpirun has started, null where it has not.
std::shared_ptr<const Ranks> ranks_of_mpi();

/// lead(plans) with the ranks that belong to them, on the first rank; follow(plans) on the others,
/// which does the same in the same order and says nothing.  True on those, else what lead()
/// returns.  Throws ConfigurationError where the plans ask for what several ranks do not do, and
/// where processes could not write the results, or `json` beside them.
bool run_on_all_ranks(std::vector<Plan> plans,
                      const std::function<bool(const std::vector<Plan>&)>& lead,
                      const std::function<void(const std::vector<Plan>&)>& follow,
                      const std::string& json = "");

/// Where processes that mpirun has started run an experiment, which asks before it makes plans:
/// "host" for "auto" where they cannot have a device each, else what is wanted.
std::string backend_of_experiments(const std::string& wanted);

/// The status of one of the processes that mpirun has started, for a command that it does not know;
/// all processes end.
int refuse_as_rank(const std::string& complaint);

/// run_program() of one of the processes that mpirun has started: the first does all that others
/// would do, the others solve with it and leave it to that to speak.  What `is_shared` denies, once
/// the command line is read, is the first one's work alone.
int run_as_rank(CLI::App& app, int argc, const char* const* argv,
                const std::function<bool()>& is_shared, const std::function<bool()>& run_command,
                const std::function<std::string()>& kept = {});

}  // namespace ninefold
