#include "gpu/backend/mpi_module.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <mpi.h>

namespace ninefold {

namespace {

/// Counts of MPI are ints: longer messages go in pieces.
constexpr std::size_t longest_message = std::size_t{1} << 30;

void check_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error(std::string(call) + " failed: " + text);
}

#define NINEFOLD_CHECK_MPI(call) check_mpi((call), #call)

int rank_of_process() {
  int rank = 0;
  NINEFOLD_CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  return rank;
}

int number_of_processes() {
  int size = 1;
  NINEFOLD_CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
  return size;
}

/// Where processes meet at their ends, beside what they solve together.
MPI_Comm ends = MPI_COMM_NULL;

/// The processes, in a communicator of all of them.
class MpiRanks : public Ranks {
 public:
  MpiRanks(MPI_Comm all, const Slabs& slabs) : Ranks(rank_of_process(), slabs), all_(all) {}

  void exchange(const std::vector<BorderRows>& vectors) const override {
    std::vector<MPI_Request> requests;
    const int below = rank() - 1, above = rank() + 1;
    const bool has_below = rank() > 0, has_above = above < size();
    for (const BorderRows& rows : vectors) {
      if (has_below) begin_receive(rows.below, rows.bytes, below, upwards, requests);
      if (has_above) begin_receive(rows.above, rows.bytes, above, downwards, requests);
      if (has_below) begin_send(rows.lowest, rows.bytes, below, downwards, requests);
      if (has_above) begin_send(rows.highest, rows.bytes, above, upwards, requests);
    }
    wait_for(requests);
  }

  void trade(const std::vector<Message>& messages) const override {
    std::vector<MPI_Request> requests;
    for (const Message& message : messages) {
      begin_receive(message.to, message.received, message.other, sideways, requests);
    }
    for (const Message& message : messages) {
      begin_send(message.from, message.sent, message.other, sideways, requests);
    }
    wait_for(requests);
  }

  void gather(void* values, const std::vector<std::size_t>& begin) const override {
    char* const all = static_cast<char*>(values);
    if (begin.back() == begin.front()) return;  // nobody has anything
    if (begin.back() - begin.front() <= longest_message) {
      std::vector<int> counts, starts;
      for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
        counts.push_back(static_cast<int>(begin[r + 1] - begin[r]));
        starts.push_back(static_cast<int>(begin[r] - begin.front()));
      }
      NINEFOLD_CHECK_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all + begin.front(),
                                        counts.data(), starts.data(), MPI_BYTE, all_));
      return;
    }
    for (int r = 0; r < size(); ++r) {
      const std::size_t end = begin[static_cast<std::size_t>(r) + 1];
      for (std::size_t at = begin[static_cast<std::size_t>(r)]; at < end; at += longest_message) {
        const int bytes = static_cast<int>(std::min(longest_message, end - at));
        NINEFOLD_CHECK_MPI(MPI_Bcast(all + at, bytes, MPI_BYTE, r, all_));
      }
    }
  }

  void fail(const std::string&) const noexcept override {
    constexpr int failed = 3;  // as programs end that fail (experiments/support/run_program.hpp)
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, failed);
  }
  void when_failed(std::function<void()>) const override {}  // all processes end

 private:
  static constexpr int upwards = 1, downwards = 2, sideways = 3;

  /// In pieces.
  void begin_receive(void* to, std::size_t bytes, int from, int tag,
                     std::vector<MPI_Request>& requests) const {
    for (std::size_t at = 0; at < bytes; at += longest_message) {
      const int piece = static_cast<int>(std::min(longest_message, bytes - at));
      requests.emplace_back();
      NINEFOLD_CHECK_MPI(MPI_Irecv(static_cast<char*>(to) + at, piece, MPI_BYTE, from, tag, all_,
                                   &requests.back()));
    }
  }
  void begin_send(const void* from, std::size_t bytes, int to, int tag,
                  std::vector<MPI_Request>& requests) const {
    for (std::size_t at = 0; at < bytes; at += longest_message) {
      const int piece = static_cast<int>(std::min(longest_message, bytes - at));
      requests.emplace_back();
      NINEFOLD_CHECK_MPI(MPI_Isend(static_cast<const char*>(from) + at, piece, MPI_BYTE, to, tag,
                                   all_, &requests.back()));
    }
  }
  static void wait_for(std::vector<MPI_Request>& requests) {
    NINEFOLD_CHECK_MPI(
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  MPI_Comm all_;
};

/// MPI ends with them.
class AllOfMpi final : public MpiRanks {
 public:
  explicit AllOfMpi(int cells_each)
      : MpiRanks(MPI_COMM_WORLD, Slabs(number_of_processes(), cells_each)) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    NINEFOLD_CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &ends));
  }
  AllOfMpi(const AllOfMpi&) = delete;
  AllOfMpi& operator=(const AllOfMpi&) = delete;
  ~AllOfMpi() override { MPI_Finalize(); }
};

bool serves_two_threads() {
  int provided = MPI_THREAD_SINGLE;
  NINEFOLD_CHECK_MPI(MPI_Query_thread(&provided));
  return provided >= MPI_THREAD_MULTIPLE;
}

/// A communicator beside theirs, made once, which ends with MPI.
class ChannelOfMpi final : public MpiRanks {
 public:
  explicit ChannelOfMpi(std::shared_ptr<const Ranks> all)
      : MpiRanks(communicator(), all->slabs()), all_ranks_(std::move(all)) {}

 private:
  static MPI_Comm communicator() {
    if (!serves_two_threads()) {
      throw std::runtime_error("this MPI serves one thread at a time, and has no second channel");
    }
    static MPI_Comm made = MPI_COMM_NULL;
    if (made == MPI_COMM_NULL) NINEFOLD_CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    return made;
  }

  std::shared_ptr<const Ranks> all_ranks_;
};

}  // namespace

extern "C" const char* ninefold_describe_mpi() {
  static const std::string text = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    const std::string all(version);
    return all.substr(0, all.find_first_of(",\n"));
  }();
  return text.c_str();
}

extern "C" void ninefold_make_mpi_ranks(int cells_each, int started,
                                        std::shared_ptr<const Ranks>* ranks) {
  int provided = 0;
  // One speaks, or two where devices go by way of the host (gpu/backend/transfers_by_host.cuh).
  NINEFOLD_CHECK_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
  if (number_of_processes() != started) {
    throw std::runtime_error(
        "the launcher has started " + std::to_string(started) + " processes, of which MPI finds "
        + std::to_string(number_of_processes())
        + ": the launcher is of another MPI than ninefold's, " + ninefold_describe_mpi());
  }
  *ranks = std::make_shared<AllOfMpi>(cells_each);
}

extern "C" void ninefold_make_mpi_channel(const std::shared_ptr<const Ranks>& of,
                                          std::shared_ptr<const Ranks>* channel) {
  *channel = std::make_shared<ChannelOfMpi>(of);
}

extern "C" void ninefold_find_machine_of_process(MachineOfProcess* machine) {
  MPI_Comm here = MPI_COMM_NULL;
  NINEFOLD_CHECK_MPI(
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
  NINEFOLD_CHECK_MPI(MPI_Comm_size(here, &machine->processes));
  NINEFOLD_CHECK_MPI(MPI_Comm_rank(here, &machine->place));
  NINEFOLD_CHECK_MPI(MPI_Comm_free(&here));
  machine->serves_two_threads = serves_two_threads();
}

extern "C" bool ninefold_all_processes_end(double patience_seconds) {
  MPI_Request all_come = MPI_REQUEST_NULL;
  NINEFOLD_CHECK_MPI(MPI_Ibarrier(ends, &all_come));
  const double began = MPI_Wtime();
  int are_here = 0;
  for (;;) {
    NINEFOLD_CHECK_MPI(MPI_Test(&all_come, &are_here, MPI_STATUS_IGNORE));
    if (are_here != 0) return true;
    if (MPI_Wtime() - began > patience_seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace ninefold
