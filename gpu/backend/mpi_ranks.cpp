#include "gpu/backend/mpi_ranks.hpp"

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

#include "gpu/backend/mpi_module.hpp"

namespace ninefold {

namespace {

#ifdef NINEFOLD_HAS_MPI

/// The folder of the library, or program, that this is part of.
std::string own_folder() {
  Dl_info place;
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &place) == 0) return "";
  const std::string file = place.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

/// Throws std::runtime_error with the loader's reason.
void* open_module() {
  static void* const module = [] {
    std::string reason;
    // Beside the library, also where that is the second one (cmake/avx512.cmake), or part of a
    // program.
    for (const char* const folder : {"", "../../", "../", "../lib/"}) {
      const std::string place = own_folder() + folder + NINEFOLD_MPI_MODULE;
      if (void* const opened = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL)) return opened;
      const char* const said = dlerror();
      if (reason.empty() && said != nullptr) reason = said;
    }
    throw std::runtime_error("the module for MPI cannot be loaded: " + reason);
  }();
  return module;
}

template <class Function>
Function function_of_module(const char* name) {
  void* const address = dlsym(open_module(), name);
  if (address == nullptr) {
    throw std::runtime_error(std::string("the module for MPI has no ") + name);
  }
  return reinterpret_cast<Function>(address);
}

#endif

/// The number in the first of the variables that is set.
int number_in(std::initializer_list<const char*> variables, int otherwise = 1) {
  for (const char* const variable : variables) {
    if (const char* const number = std::getenv(variable)) return std::atoi(number);
  }
  return otherwise;
}

MachineOfProcess machine;

/// As the launcher says: Open MPI's, those with PMI, Intel's, or Slurm's with PMIx.
int started_processes() {
  const int started = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"});
  if (started > 1 || std::getenv("PMIX_RANK") == nullptr) return started;
  return number_in({"SLURM_STEP_NUM_TASKS"});
}

}  // namespace

bool is_started_by_mpi() {
  return started_processes() > 1;
}

bool seems_first_process() {
  return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0) == 0;
}

std::shared_ptr<const Ranks> mpi_ranks([[maybe_unused]] int cells_each) {
#ifdef NINEFOLD_HAS_MPI
  std::shared_ptr<const Ranks> ranks;
  function_of_module<MakeMpiRanks>(make_mpi_ranks_name)(cells_each, started_processes(), &ranks);
  function_of_module<FindMachineOfProcess>(find_machine_name)(&machine);
  return ranks;
#else
  throw std::runtime_error("this build has no MPI (Debian: libopenmpi-dev)");
#endif
}

std::shared_ptr<const Ranks> mpi_channel(
    [[maybe_unused]] const std::shared_ptr<const Ranks>& ranks) {
#ifdef NINEFOLD_HAS_MPI
  std::shared_ptr<const Ranks> channel;
  function_of_module<MakeMpiChannel>(make_mpi_channel_name)(ranks, &channel);
  return channel;
#else
  throw std::runtime_error("this build has no MPI (Debian: libopenmpi-dev)");
#endif
}

MachineOfProcess machine_of_process() {
  return machine;
}

bool all_processes_end([[maybe_unused]] double patience_seconds) {
#ifdef NINEFOLD_HAS_MPI
  return function_of_module<AllProcessesEnd>(all_processes_end_name)(patience_seconds);
#else
  return true;
#endif
}

std::string describe_mpi() {
#ifdef NINEFOLD_HAS_MPI
  try {
    return function_of_module<DescribeMpi>(describe_mpi_name)();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
#else
  return "none (it was not found, or NINEFOLD_MPI is OFF; Debian: libopenmpi-dev)";
#endif
}

}  // namespace ninefold
