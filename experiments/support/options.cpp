#include "experiments/support/options.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "experiments/config/settings.hpp"
#include "experiments/program/interrupt.hpp"

namespace ninefold {
namespace {

constexpr int all_agree = 0, disagreement = 1, bad_input = 2, failed = 3;

int complain(const Experiment& experiment, const std::string& message, int status) {
  std::fflush(stdout);
  std::fputs(fmt::format("{}: {}\n", experiment.name, message).c_str(), stderr);
  return status;
}

}  // namespace

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
  try {
    app.parse(argc, argv);
    if (levels.size() == 2) {
      if (levels[0] > levels[1]) {
        throw CLI::ValidationError(
            "--levels",
            fmt::format("the first level, {}, is finer than the last, {}", levels[0], levels[1]));
      }
      options.levels = {levels[0], levels[1]};
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? all_agree : bad_input;
  }
  options.output = output;

  set_interrupt_message("\ninterrupted before the first level was finished\n");
  handle_interrupts();
  try {
    return run(options) ? all_agree : disagreement;
  } catch (const ConfigurationError& error) {
    return complain(experiment, error.what(), bad_input);
  } catch (const std::bad_alloc&) {
    return complain(experiment, "out of memory", failed);
  } catch (const std::exception& error) {
    return complain(experiment, error.what(), failed);
  }
}

}  // namespace ninefold
