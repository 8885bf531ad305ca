#include "experiments/program/ranked_run.hpp"

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "gpu/backend/mpi_ranks.hpp"

#include "solvers/devices.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/program/prepared_run.hpp"
#include "experiments/support/run_program.hpp"

namespace ninefold {
namespace {

/// Grids of fewer cells above each other for each rank are solved by all ranks, each by itself, as
/// telling each other takes longer there: measured on two ranks (docs/scaling.md).
constexpr int cells_each_of_processes = 64, cells_each_of_devices = 1024;

std::vector<Plan> with_ranks(std::vector<Plan> plans, const std::shared_ptr<const Ranks>& ranks) {
  for (Plan& plan : plans) plan.configuration.solver.ranks = ranks;
  return plans;
}

/// A follower's part.  What is refused is refused on all ranks, and said by the first.
void follow(const std::vector<Plan>& plans, Refusals refusals) {
  try {
    follow_plans(plans, refusals);
  } catch (const ConfigurationError&) {
  } catch (const std::invalid_argument&) {
  }
}

void require_host(const std::vector<Plan>& plans, int ranks) {
  for (const Plan& plan : plans) {
    const Configuration& c = plan.configuration;
    if (c.backend != "cuda" && c.devices == 1) continue;
    throw ConfigurationError(fmt::format(
        "mpirun has started {} processes, which solve on the host: set backend.name to \"host\" or "
        "\"auto\"; the devices of this machine are driven by one process, without mpirun, with "
        "backend.devices = 2, say",
        ranks));
  }
}

bool run_by_processes(std::vector<Plan> plans, const std::shared_ptr<const Ranks>& ranks,
                      Refusals refusals,
                      const std::function<bool(const std::vector<Plan>&)>& lead) {
  require_host(plans, ranks->size());
  for (Plan& plan : plans) plan.configuration.backend = "host";
  plans = with_ranks(std::move(plans), ranks);
  if (ranks->rank() == 0) return lead(plans);
  follow(plans, refusals);
  return true;
}

bool run_by_devices(const std::vector<Plan>& plans, int devices, Refusals refusals,
                    const std::function<bool(const std::vector<Plan>&)>& lead) {
  const auto ranks = thread_ranks(Slabs(devices, cells_each_of_devices));
  std::vector<std::thread> followers;
  for (int r = 1; r < devices; ++r) {
    followers.emplace_back([&, own = ranks[static_cast<std::size_t>(r)]] {
      try {
        follow(with_ranks(plans, own), refusals);
      } catch (const std::exception& error) {
        own->fail(error.what());
      }
    });
  }
  std::exception_ptr failure;
  bool all_well = false;
  try {
    all_well = lead(with_ranks(plans, ranks.front()));
  } catch (const std::exception& error) {
    failure = std::current_exception();
    ranks.front()->fail(error.what());
  }
  for (std::thread& follower : followers) follower.join();
  if (failure) std::rethrow_exception(failure);
  return all_well;
}

/// The devices that all plans name alike: they are runs of one program.
int devices_of(const std::vector<Plan>& plans) {
  const Configuration& first = plans.front().configuration;
  for (const Plan& plan : plans) {
    if (plan.configuration.devices != first.devices) {
      throw ConfigurationError("backend.devices cannot be varied: all runs take the same devices");
    }
  }
  if (first.devices == 1) return 1;
  for (const Plan& plan : plans) {
    const Configuration& c = plan.configuration;
    if (find_backend(c.backend, c.solver.precision) == BackendKind::cuda) continue;
    throw ConfigurationError(
        fmt::format("backend.devices = {} is not possible on the host: it counts CUDA devices; "
                    "with mpirun -n {} "
                    "as many processes solve there",
                    first.devices == 0 ? "\"all\"" : std::to_string(first.devices),
                    first.devices == 0 ? 2 : first.devices));
  }
  const int present = number_of_devices();
  const int wanted = first.devices == 0 ? present : first.devices;
  if (wanted > present) {
    throw ConfigurationError(
        fmt::format("backend.devices = {} is not possible here: {} CUDA device{} can be used",
                    wanted, present, present == 1 ? "" : "s"));
  }
  return wanted;
}

/// What is chosen by measured times may differ from rank to rank.
void require_stated_precision(const std::vector<Plan>& plans) {
  for (const Plan& plan : plans) {
    if (!plan.configuration.automatic_precision) continue;
    throw ConfigurationError(
        "solver.precision = \"auto\" is not possible with several ranks: it is chosen by one; "
        "ninefold advise says what suffices");
  }
}

}  // namespace

std::shared_ptr<const Ranks> ranks_of_mpi() {
  static const std::shared_ptr<const Ranks> ranks =
      is_started_by_mpi() ? mpi_ranks(cells_each_of_processes) : nullptr;
  return ranks;
}

void require_one_rank_for_matrices(const std::vector<Plan>& plans) {
  const Configuration& c = plans.front().configuration;
  if (!c.has_matrix()) return;
  const auto ranks = ranks_of_mpi();
  if (ranks == nullptr && c.devices == 1) return;
  throw ConfigurationError(fmt::format(
      "{} solves systems with a grid; one with a matrix, a mesh or a fit is solved by one process "
      "and on one device",
      ranks ? fmt::format("mpirun -n {}", ranks->size()) : "backend.devices"));
}

bool run_on_all_ranks(std::vector<Plan> plans, Refusals refusals,
                      const std::function<bool(const std::vector<Plan>&)>& lead) {
  if (const auto ranks = ranks_of_mpi()) {
    require_stated_precision(plans);
    return run_by_processes(std::move(plans), ranks, refusals, lead);
  }
  const int devices = devices_of(plans);
  if (devices == 1) return lead(plans);
  require_stated_precision(plans);
  return run_by_devices(plans, devices, refusals, lead);
}

int run_as_rank(CLI::App& app, int argc, char** argv, const std::function<bool()>& run_command,
                const std::function<std::string()>& kept) {
  std::shared_ptr<const Ranks> ranks;
  try {
    ranks = ranks_of_mpi();
  } catch (const std::exception& error) {
    complain("ninefold", error.what());
    return exit_status::failed;
  }
  const bool follows = ranks->rank() > 0;
  const auto run = [&] {
    const std::string command = app.get_subcommands().front()->get_name();
    return (follows && command != "solve" && command != "study") || run_command();
  };
  const int status = run_program(app, argc, argv, run, kept, follows);
  // Others may wait for what this one will not do; what is wrong on all ranks ends them all.
  const bool is_done = status == exit_status::all_well || status == exit_status::unfulfilled;
  if (!is_done && (!follows || status == exit_status::failed)) ranks->fail("");
  return follows ? exit_status::all_well : status;
}

}  // namespace ninefold
