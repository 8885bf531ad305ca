#include "experiments/support/options.hpp"

#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "experiments/program/interrupt.hpp"
#include "experiments/support/run_program.hpp"

namespace ninefold {

int run_experiment(int argc, const char* const* argv, const Experiment& experiment,
                   const std::function<bool(const ExperimentOptions&)>& run) {
  CLI::App app{experiment.question, experiment.name};
  app.footer("Status: 0 all compared values agree, 1 one does not, 2 bad input, 3 failure.");
  ExperimentOptions options;
  std::vector<int> levels;
  std::string output = "results/" + experiment.name;
  CLI::Option* const levels_option =
      app.add_option("--levels", levels,
                     fmt::format("first and last level (default: {})", experiment.defaults))
          ->expected(2)
          ->type_name("FIRST LAST")
          ->check(CLI::Range(experiment.possible.first, experiment.possible.last));
  app.add_flag("--full", options.full, experiment.full)->excludes(levels_option);
  app.add_option("--backend", options.backend, "where to run: auto, host or cuda")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "host", "cuda"}));
  app.add_option("--output", output, "folder for the tables and pictures")
      ->type_name("DIR")
      ->capture_default_str();
  return run_program(app, argc, argv, [&] {
    if (levels.size() == 2) {
      if (levels[0] > levels[1]) {
        throw CLI::ValidationError(
            "--levels",
            fmt::format("the first level, {}, is finer than the last, {}", levels[0], levels[1]));
      }
      options.levels = {levels[0], levels[1]};
    }
    options.output = output;
    set_interrupt_message("\ninterrupted before the first level was finished\n");
    handle_interrupts();
    return run(options);
  });
}

}  // namespace ninefold
