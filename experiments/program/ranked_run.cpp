#include "experiments/program/ranked_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "gpu/backend/mpi_ranks.hpp"
#include "gpu/backend/ranks_by_host.hpp"
#include "gpu/backend/ranks_with_slabs.hpp"

#include "solvers/devices.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/study.hpp"
#include "experiments/program/prepared_run.hpp"
#include "experiments/program/results_place.hpp"
#include "experiments/support/run_program.hpp"

namespace ninefold {
namespace {

/// backend.min_rows_per_rank, unless it is stated: grids of fewer cells above each other for each
/// rank are solved by all ranks, each by itself, as telling each other takes longer there
/// (docs/scaling.md).
constexpr int cells_each_of_processes = 64, cells_each_of_devices = 1024;

/// How long a process waits at its end for the others: one that has refused what the first will
/// refuse, the first that has, and one that has solved, while others write files.
constexpr double follower_refuses_seconds = 30, first_refuses_seconds = 2,
                 solved_seconds = std::numeric_limits<double>::infinity();

/// The processes that mpirun has started, null without it, and why they cannot have a CUDA device
/// each: empty, on all of them, if they can.
struct Processes {
  std::shared_ptr<const Ranks> ranks;
  std::string why_no_devices;
};

/// The first call, which all of them make first, asks the others.
const Processes& processes_of_mpi() {
  static const Processes processes = [] {
    Processes found;
    if (!is_started_by_mpi()) return found;
    found.ranks = mpi_ranks(cells_each_of_processes);
    const int present = number_of_devices();
    const bool lacks = present < machine_of_process().processes;
    const bool any_lacks = found.ranks->any(lacks);
    if (lacks) {
      found.why_no_devices =
          fmt::format("each process takes a CUDA device, and {} can be used", present);
    } else if (any_lacks) {
      found.why_no_devices = "each process takes a CUDA device, and another machine has too few";
    }
    return found;
  }();
  return processes;
}

/// The ranks of runs, which divide the grids that each run says: one object to all that say the
/// same.
class RanksOfRuns {
 public:
  /// As they are they divide grids of so many cells above each other for each, or more.
  RanksOfRuns(const std::shared_ptr<const Ranks>& ranks, int cells_each) : ranks_(ranks) {
    of_cells_[cells_each] = ranks;
  }

  void give(Configuration& c, int min_rows) {
    const int cells_each = c.min_rows_per_rank.value_or(min_rows);
    std::shared_ptr<const Ranks>& own = of_cells_[cells_each];
    if (own == nullptr) own = std::make_shared<const RanksWithSlabs>(ranks_, cells_each);
    c.solver.ranks = own;
  }
  /// The same of processes whose devices tell each other by way of the hosts; all call it.
  void give_by_host(Configuration& c, int min_rows) {
    const int cells_each = c.min_rows_per_rank.value_or(min_rows);
    std::shared_ptr<const Ranks>& own = by_host_[cells_each];
    if (channel_ == nullptr) channel_ = mpi_channel(ranks_);
    if (own == nullptr) {
      own = std::make_shared<const RanksByHost>(ranks_, cells_each, channel_,
                                                machine_of_process().place);
    }
    c.solver.ranks = own;
  }

 private:
  std::shared_ptr<const Ranks> ranks_, channel_;
  std::map<int, std::shared_ptr<const Ranks>> of_cells_, by_host_;
};

std::vector<Plan> with_devices(std::vector<Plan> plans, const std::shared_ptr<const Ranks>& ranks) {
  RanksOfRuns of_runs(ranks, cells_each_of_devices);
  for (Plan& plan : plans) of_runs.give(plan.configuration, cells_each_of_devices);
  return plans;
}

/// What processes have agreed upon so far.
enum class Agreement { none, refused, begun };
Agreement agreement = Agreement::none;

/// What the first of the processes that refuse says, each stating what it says itself, or nothing:
/// empty if none does.  All processes call it once, before they solve; those that do not, too.
std::string refusal_of_any(const Ranks& ranks, const std::string& own) {
  std::vector<std::size_t> begin{0};
  for (const std::size_t length : ranks.statements(own.size())) {
    begin.push_back(begin.back() + length);
  }
  agreement = begin.back() > 0 ? Agreement::refused : Agreement::begun;
  std::string all(begin.back(), ' ');
  own.copy(all.data() + begin[static_cast<std::size_t>(ranks.rank())], own.size());
  ranks.gather(all.data(), begin);
  for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
    if (begin[r + 1] == begin[r]) continue;
    return fmt::format("process {}: {}", r, all.substr(begin[r], begin[r + 1] - begin[r]));
  }
  return "";
}

/// Throws ConfigurationError unless all processes were given the same.
void require_same(const Ranks& ranks, const std::vector<Plan>& plans) {
  std::string text = std::to_string(plans.size());
  for (const auto& [key, value] : all_options(plans)) text += "\n" + key + " = " + value;
  const auto all = ranks.statements(std::hash<std::string>()(text));
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all[0]) continue;
    throw ConfigurationError(fmt::format("process {} was given other settings than process 0", r));
  }
}

/// Each process gets its share of the cores, unless the user has said how many threads it takes.
void share_cores() {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  omp_set_num_threads(
      std::clamp(all / std::max(1, machine_of_process().processes), 1, omp_get_num_procs()));
}

/// Why devices, of which each process has one, cannot reach each other's memory; empty if they can.
/// All processes call it.
std::string why_by_host(const Ranks& ranks) {
  if (ranks.any(machine_of_process().processes != ranks.size())) {
    return "the processes run on several machines";
  }
  if (ranks.any(!devices_reach_each_other(ranks.size()))) {
    return "one of the devices cannot reach another's memory";
  }
  return "";
}

/// True if such a run's devices tell each other by way of the hosts, `why` being why_by_host().
/// Throws ConfigurationError if it asks for what they cannot.
bool goes_by_host(const Configuration& c, const std::string& why) {
  if (c.transfers == "direct" && !why.empty()) {
    throw ConfigurationError(fmt::format(
        "backend.transfers = \"direct\" is not possible: {}; \"auto\" and \"host\" are", why));
  }
  const bool by_host = c.transfers == "host" || !why.empty();
  if (by_host && !machine_of_process().serves_two_threads) {
    throw ConfigurationError(
        fmt::format("backend.transfers = \"{}\" is not possible: {} serves one thread at a time{}; "
                    "backend.name = \"host\" is",
                    c.transfers, describe_mpi(), why.empty() ? "" : fmt::format(", and {}", why)));
  }
  return by_host;
}

/// Throws ConfigurationError for what no processes do, and where devices are asked for that there
/// are not.
void require_processes(const std::vector<Plan>& plans, int processes) {
  const std::string why = processes_of_mpi().why_no_devices;
  for (const Plan& plan : plans) {
    const Configuration& c = plan.configuration;
    if (c.devices != 1) {
      throw ConfigurationError(fmt::format(
          "backend.devices is not possible with mpirun -n {}, whose processes have one device each",
          processes));
    }
    if (c.backend == "cuda" && !why.empty()) {
      throw ConfigurationError(
          fmt::format("backend.name = \"cuda\" is not possible with mpirun -n {}: {}; \"host\" is",
                      processes, why));
    }
  }
}

/// Where the machine has devices, which are left.
void note_host(const std::string& why) {
  if (number_of_devices() > 0) fmt::print("note: the processes solve on the host: {}\n", why);
}

bool run_by_processes(std::vector<Plan> plans, const std::shared_ptr<const Ranks>& ranks,
                      const std::function<bool(const std::vector<Plan>&)>& lead,
                      const std::function<void(const std::vector<Plan>&)>& follow,
                      const std::string& json) {
  const int processes = ranks->size();
  require_processes(plans, processes);
  // Others could not be told any more when they solve.
  if (ranks->rank() == 0) require_place(plans, json);
  if (const std::string refusal = refusal_of_any(*ranks, ""); !refusal.empty()) {
    throw ConfigurationError(refusal);
  }
  require_same(*ranks, plans);
  share_cores();
  const bool have_devices = processes_of_mpi().why_no_devices.empty();
  const std::string by_host = have_devices ? why_by_host(*ranks) : "";
  RanksOfRuns of_runs(ranks, cells_each_of_processes);
  bool leaves_devices = false, must_go_by_host = false;
  for (Plan& plan : plans) {
    Configuration& c = plan.configuration;
    const bool takes_device =
        have_devices
        && !ranks->any(find_backend(c.backend, c.solver.precision) != BackendKind::cuda);
    leaves_devices = leaves_devices || (!takes_device && c.backend == "auto");
    c.backend = takes_device ? "cuda" : "host";
    if (takes_device && goes_by_host(c, by_host)) {
      must_go_by_host = must_go_by_host || c.transfers != "host";
      of_runs.give_by_host(c, cells_each_of_devices);
    } else {
      of_runs.give(c, takes_device ? cells_each_of_devices : cells_each_of_processes);
    }
  }
  if (ranks->rank() == 0) {
    if (leaves_devices && !have_devices) note_host(processes_of_mpi().why_no_devices);
    if (must_go_by_host) {
      fmt::print("note: the devices tell each other by way of the hosts' memory: {}\n", by_host);
    }
    return lead(plans);
  }
  follow(plans);
  return true;
}

/// What is refused is refused on all ranks; the first to find it tells the others.
bool run_by_devices(const std::vector<Plan>& plans, int devices,
                    const std::function<bool(const std::vector<Plan>&)>& lead,
                    const std::function<void(const std::vector<Plan>&)>& follow) {
  bool all_well = false;
  run_on_ranks(Slabs(devices, cells_each_of_devices), [&](const std::shared_ptr<const Ranks>& own) {
    if (own->rank() == 0) {
      all_well = lead(with_devices(plans, own));
    } else {
      follow(with_devices(plans, own));
    }
  });
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
    if (c.transfers == "host") {
      throw ConfigurationError(
          "backend.transfers = \"host\" is not possible with backend.devices, whose devices are of "
          "one process; it is with mpirun, which starts a process for each device");
    }
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

bool speaks() {
  try {
    return !is_started_by_mpi() || ranks_of_mpi()->rank() == 0;
  } catch (const std::exception&) {  // which is said later
    return seems_first_process();
  }
}

std::shared_ptr<const Ranks> ranks_of_mpi() {
  return processes_of_mpi().ranks;
}

bool run_on_all_ranks(std::vector<Plan> plans,
                      const std::function<bool(const std::vector<Plan>&)>& lead,
                      const std::function<void(const std::vector<Plan>&)>& follow,
                      const std::string& json) {
  if (const auto ranks = ranks_of_mpi()) {
    require_stated_precision(plans);
    return run_by_processes(std::move(plans), ranks, lead, follow, json);
  }
  const int devices = devices_of(plans);
  if (devices == 1) return lead(plans);
  require_stated_precision(plans);
  return run_by_devices(plans, devices, lead, follow);
}

std::string backend_of_experiments(const std::string& wanted) {
  const auto ranks = ranks_of_mpi();
  if (ranks == nullptr || wanted != "auto") return wanted;
  const std::string why = processes_of_mpi().why_no_devices;
  if (why.empty()) return wanted;
  if (ranks->rank() == 0) note_host(why);
  return "host";
}

int refuse_as_rank(const std::string& complaint) {
  try {
    const auto ranks = ranks_of_mpi();
    (void)refusal_of_any(*ranks, complaint);
    if (ranks->rank() > 0) return exit_status::all_well;  // the first process says it
  } catch (const std::exception&) {                       // there is no MPI to ask
    if (!seems_first_process()) return exit_status::bad_input;
  }
  complain("ninefold", complaint);
  return exit_status::bad_input;
}

int run_as_rank(CLI::App& app, int argc, const char* const* argv,
                const std::function<bool()>& is_shared, const std::function<bool()>& run_command,
                const std::function<std::string()>& kept) {
  std::shared_ptr<const Ranks> ranks;
  try {
    ranks = ranks_of_mpi();
  } catch (const std::exception& error) {
    if (seems_first_process()) {
      complain(app.get_name(), fmt::format("{}; without mpirun no MPI is needed", error.what()));
    }
    return exit_status::failed;
  }
  const bool follows = ranks->rank() > 0;
  bool shares = true;  // also what cannot be read as a command
  const auto run = [&] {
    shares = is_shared();
    return (follows && !shares) || run_command();
  };
  std::string unsaid;
  const int status = run_program(app, argc, argv, run, kept, follows ? &unsaid : nullptr);
  if (status != exit_status::all_well && status != exit_status::unfulfilled
      && status != exit_status::bad_input) {
    ranks->fail("");  // others may wait for what this one will not do
  }
  if (!shares) {
    (void)refusal_of_any(*ranks, "another command, which is one process's work");
    return follows ? exit_status::all_well : status;
  }
  const bool is_refused = status == exit_status::bad_input;
  if (agreement == Agreement::none) {
    (void)refusal_of_any(*ranks, follows ? unsaid : "refused");  // which it has said itself
  } else if (agreement == Agreement::begun
             && !all_processes_end(!is_refused ? solved_seconds
                                   : follows   ? follower_refuses_seconds
                                               : first_refuses_seconds)) {
    // Others go on to solve what this one refuses.
    if (follows) complain(app.get_name(), fmt::format("process {}: {}", ranks->rank(), unsaid));
    ranks->fail("");
  }
  return follows ? exit_status::all_well : status;
}

}  // namespace ninefold
