#include "experiments/program/screen.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "gpu/backend/mpi_ranks.hpp"

#include "experiments/program/information.hpp"
#include "experiments/program/interrupt.hpp"
#include "experiments/program/summary.hpp"

namespace ninefold {
namespace {

/// False under a launcher of MPI, which passes on what a terminal of its own shows, wherever that
/// goes.
bool is_on_terminal() {
  return ::isatty(STDOUT_FILENO) != 0 && !is_started_by_mpi();
}

}  // namespace

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::string run_prefix(const std::vector<Plan>& plans, const std::string& name) {
  return plans.size() > 1 ? name + ", " : "";
}

Screen::Screen() : on_terminal_(is_on_terminal()) {}

RunEvents Screen::events() {
  RunEvents events;
  events.begin = [this](const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
    print(run_summary(plans, runs));
    table_.emplace(plans, runs);
  };
  events.run_begins = [this](const Plan&, const Problem& problem) { begin_run(problem); };
  events.level_begins = [this](const Plan& plan, int level) {
    const std::string run = plan.varied.empty() ? "" : plan.name + ", ";
    if (on_terminal_) print(fmt::format("{}level {} ...", run, level));
  };
  events.level_ends = [this](const Plan& plan, const RunResult& run) {
    clear_progress();
    print(table_->row(run));
    ++levels_;
    kept_ = fmt::format(
        "the {} in {}",
        levels_ == 1 ? "finished level is" : fmt::format("{} finished levels are", levels_),
        plan.configuration.output.directory);
    set_interrupt_message("\ninterrupted; " + kept_ + "\n");
  };
  events.note = [this](const std::string& note) {
    clear_progress();
    print("note: " + note + "\n");
  };
  return events;
}

void Screen::clear_progress() const {
  if (on_terminal_) print("\r\033[K");
}

void Screen::begin_run(const Problem& problem) {
  for (const std::string& remark : problem.remarks) {
    if (told_.insert(remark).second) print("note: " + remark + "\n");
  }
  if (headed_) return;
  print("\n" + table_->heading());
  headed_ = true;
}

}  // namespace ninefold
