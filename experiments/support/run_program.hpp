#pragma once
// How every program begins and ends: the command line, messages on standard error, the status.
//
// Tests.  tests/experiments/support/run_program_test.cpp

#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/config/settings.hpp"
#include "experiments/support/wrong_arguments.hpp"

namespace ninefold {

/// What a program returns; 128 + signal if it is interrupted.
namespace exit_status {
inline constexpr int all_well = 0, unfulfilled = 1, bad_input = 2, failed = 3;
}

/// Says on standard error what went wrong, after all that standard output holds.
inline void complain(const std::string& program, const std::string& message) {
  std::fflush(stdout);
  std::fputs((program + ": " + message + "\n").c_str(), stderr);
}

/// Reads the command line and runs; `run` returns whether all is well.  What it throws is bad input
/// (ConfigurationError, std::invalid_argument, CLI::ParseError) or a failure (all else).  `kept`
/// says what there is of a run that ended half-way.  One of several processes that follow the first
/// leaves it to that to say what is wrong with what both are given, which is then in `unsaid`.
inline int run_program(CLI::App& app, int argc, const char* const* argv,
                       const std::function<bool()>& run,
                       const std::function<std::string()>& kept = {},
                       std::string* unsaid = nullptr) {
  const auto say = [&](int status, const std::string& message) {
    if (unsaid != nullptr && status == exit_status::bad_input) {
      *unsaid = message;
    } else {
      complain(app.get_name(), message);
    }
    return status;
  };
  const auto end = [&](int status, const std::string& message, const std::string& joint) {
    const std::string rest = kept ? kept() : "";
    return say(status, rest.empty() ? message : message + joint + rest);
  };
  // What could not be written, to a full disk, say, is no result.
  const auto written = [&](int status) {
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return status;
    return end(exit_status::failed, "standard output cannot be written", "\n  ");
  };
  try {
    app.parse(argc, argv);
    const bool all_well = run();
    return written(all_well ? exit_status::all_well : exit_status::unfulfilled);
  } catch (const CLI::ParseError& error) {  // --help is one, too
    if (error.get_exit_code() == 0) {
      if (unsaid == nullptr) app.exit(error);
      return written(exit_status::all_well);
    }
    return say(exit_status::bad_input, wrong_arguments(error, app, argc, argv));
  } catch (const ConfigurationError& error) {
    return say(exit_status::bad_input, error.what());
  } catch (const std::invalid_argument& error) {  // known only once a level is set up
    return end(exit_status::bad_input, error.what(), "\n  ");
  } catch (const std::bad_alloc&) {
    return end(exit_status::failed, "out of memory", "; ");
  } catch (const std::exception& error) {
    return end(exit_status::failed, error.what(), "\n  ");
  }
}

}  // namespace ninefold
