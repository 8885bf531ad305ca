#pragma once
// What is wrong with a command line, for who typed it.
//
// Tests.  tests/experiments/support/wrong_arguments_test.cpp

#include <string>

#include <CLI/CLI.hpp>

namespace ninefold {

/// What is wrong, what was meant perhaps, and where more is said; `app` has just refused these
/// arguments by that error.
std::string wrong_arguments(const CLI::ParseError& error, const CLI::App& app, int argc,
                            const char* const* argv);

}  // namespace ninefold
