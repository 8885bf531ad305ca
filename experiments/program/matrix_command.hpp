#pragma once
// ninefold matrix: what a sparse matrix is, from a file or generated, before anybody solves with
// it.
//
// Tests.  tests/experiments/program/matrix_command_test.cpp, tests/experiments/program.py

#include <string>
#include <utility>
#include <vector>

#include "fem/sparse/generators.hpp"

namespace ninefold {

/// What its command line says; empty texts and zeros for what it does not.
struct MatrixArguments {
  std::string file{};                   ///< .mtx or .mtx.gz
  std::string generate{};               ///< the name of a generator
  int size = 0;                         ///< of what is generated
  std::vector<std::string> features{};  ///< of --with: "mean=20"
  std::string write{}, picture{}, json{};
  int parts = 0;
};

/// The words before "=" that --with takes.
const std::vector<std::string>& feature_names();

/// The options of a generator.  Throws ConfigurationError for a feature that is not there, or is
/// not for this generator, or has a value that is none.
GeneratorOptions generator_options(const MatrixArguments& arguments);

/// Reads or generates the matrix, writes the files that are asked for, and returns what is to be
/// printed.  Throws ConfigurationError or std::invalid_argument for what is refused.
std::string matrix_command(const MatrixArguments& arguments);

}  // namespace ninefold
