#include "experiments/support/options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "gpu/backend/mpi_ranks.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/ranked_run.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/report.hpp"
#include "experiments/support/run_program.hpp"

namespace ninefold {
namespace {

/// The command line of an experiment.
class ExperimentCommand {
 public:
  explicit ExperimentCommand(const Experiment& experiment)
      : app(experiment.question, experiment.name), output_("results/" + experiment.name) {
    app.footer("Status: 0 all compared values agree, 1 one does not, 2 bad input, 3 failure.");
    CLI::Option* const levels =
        app.add_option("--levels", levels_,
                       fmt::format("first and last level (default: {})", experiment.defaults))
            ->expected(2)
            ->type_name("FIRST LAST")
            ->check(CLI::Range(experiment.possible.first, experiment.possible.last));
    app.add_flag("--full", options_.full, experiment.full)->excludes(levels);
    app.add_option("--backend", options_.backend, "where to run: auto, host or cuda")
        ->type_name("NAME")
        ->check(CLI::IsMember({"auto", "host", "cuda"}));
    app.add_option("--output", output_, "folder for the tables and pictures")
        ->type_name("DIR")
        ->capture_default_str();
  }

  /// What was read; throws CLI::ValidationError.
  ExperimentOptions options() const {
    ExperimentOptions options = options_;
    if (levels_.size() == 2) {
      if (levels_[0] > levels_[1]) {
        throw CLI::ValidationError(
            "--levels",
            fmt::format("the first level, {}, is finer than the last, {}", levels_[0], levels_[1]));
      }
      options.levels = {levels_[0], levels_[1]};
    }
    options.output = output_;
    return options;
  }

  CLI::App app;

 private:
  ExperimentOptions options_;
  std::vector<int> levels_;
  std::string output_;
};

void answer_interrupts() {
  set_interrupt_message("\ninterrupted before the first level was finished\n");
  handle_interrupts();
}

/// run_program(), or that of one of the processes that mpirun has started.
int run_command(ExperimentCommand& command, int argc, const char* const* argv,
                const std::function<bool()>& run) {
  if (!is_started_by_mpi()) return run_program(command.app, argc, argv, run);
  return run_as_rank(
      command.app, argc, argv, [] { return true; }, run);
}

}  // namespace

int run_experiment(int argc, const char* const* argv, const Experiment& experiment,
                   const std::function<bool(const ExperimentOptions&)>& run) {
  ExperimentCommand command(experiment);
  return run_command(command, argc, argv, [&] {
    const ExperimentOptions options = command.options();
    if (const auto ranks = ranks_of_mpi()) {
      throw ConfigurationError(
          fmt::format("mpirun -n {} is not possible: {} runs in one process, without mpirun",
                      ranks->size(), experiment.name));
    }
    answer_interrupts();
    return run(options);
  });
}

int run_experiment(int argc, const char* const* argv, const Experiment& experiment,
                   const ExperimentPlans& plans, const ReportResults& report) {
  ExperimentCommand command(experiment);
  return run_command(command, argc, argv, [&] {
    ExperimentOptions options = command.options();
    options.backend = backend_of_experiments(options.backend);
    return run_on_all_ranks(
        plans(options),
        [&](const std::vector<Plan>& own) {
          answer_interrupts();  // others leave it to this one to speak
          return report(options, run_with_progress(own));
        },
        [](const std::vector<Plan>& own) { follow_plans(own); });
  });
}

}  // namespace ninefold
