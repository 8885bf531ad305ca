#pragma once
// The command line of ninefold: its commands and options.
//
// Tests.  tests/experiments/program/command_line_test.cpp, tests/experiments/program.py,
// tests/experiments/first_contact.py

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/program/matrix_command.hpp"
#include "experiments/program/outline.hpp"

namespace ninefold {

/// Of parameterise and smooth; empty texts for what is not said.
struct MeshArguments {
  std::string file{};  ///< .off, .obj or .ply
  std::string generate{}, size{}, part{}, pins{}, fidelity{};
};

/// What a command line says.
struct Arguments {
  std::string file;
  std::vector<std::string> settings;  ///< of --set, as written
  std::vector<std::string> without;   ///< tables and keys of the file
  std::string output, backend, json;
  std::string topic;                 ///< of help
  std::string shell;                 ///< of completion
  std::vector<std::string> folders;  ///< of compare and gather
  std::string title = "Goeddeke, Strzodka, Turek 2007: the experiments, and past them";
  bool measure = false;    ///< of advise
  bool only_show = false;  ///< of tune
  bool open = false;       ///< the page, at the end
  MatrixArguments matrix{};
  MeshArguments mesh{};
};

/// A parser that writes to `arguments`, which must outlive it.
std::unique_ptr<CLI::App> make_command_line(Arguments& arguments);

/// A word as shells take it.
std::string quoted(const std::string& word);

/// "did you mean: ninefold solve a.toml", as a shell takes it, for words that begin with no command
/// but with what is near one, with a file of a matrix or a mesh, or with a config file, of which
/// `has_study` tells whether it describes a study; an empty text for all else, and for words that a
/// line does not show.
std::string command_meant(const std::vector<std::string>& words,
                          const std::vector<std::string>& commands,
                          bool (*has_study)(const std::string& file));

/// What it offers.
Outline outline_of(const CLI::App& app);

}  // namespace ninefold
