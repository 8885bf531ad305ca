#pragma once
// The solver options of the paper's experiments.
//
// Tests.  tests/experiments/support/solver_paths_test.cpp

#include "solvers/options.hpp"

namespace ninefold {

/// As in Goeddeke, Strzodka, Turek 2007: a solve ends when its residual has fallen, and the matrix
/// is multiplied as it stands.
inline SolverOptions paper_options() {
  SolverOptions options;
  options.norm = StoppingNorm::residual;
  options.form = OperatorForm::plain;
  return options;
}

}  // namespace ninefold
