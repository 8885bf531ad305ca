#pragma once
// The choices of a solve, by the names that config files use.

#include <string_view>

#include "precision/precision.hpp"

#include "fem/nine_band.hpp"

namespace ninefold {

enum class Method { cg, multigrid };
enum class Preconditioning { none, jacobi, multigrid };
enum class Cycle { v, f, w };
enum class Smoother { jacobi };

std::string_view to_string(Method method);
std::string_view to_string(Preconditioning preconditioning);
std::string_view to_string(Cycle cycle);
std::string_view to_string(Smoother smoother);

struct MultigridOptions {
  Cycle cycle = Cycle::f;
  Smoother smoother = Smoother::jacobi;
  double damping = 0.8;    ///< omega, 0 < omega < 2
  int pre_smoothing = 2;   ///< steps before the coarse correction, >= 0
  int post_smoothing = 2;  ///< steps after it, >= 0; not both may be zero
};

struct SolverOptions {
  Method method = Method::multigrid;
  Precision precision = Precision::double_;
  OperatorForm form = OperatorForm::plain;
  double tolerance = 1e-10;  ///< on |b - A x| / |b - A x0|, 0 < tolerance < 1
  int max_iterations = 10000;
  Preconditioning preconditioner = Preconditioning::none;  ///< of method cg
  MultigridOptions multigrid;
};

/// Throws std::invalid_argument, naming the config key, its value and what is allowed.
void validate(const SolverOptions& options);

}  // namespace ninefold
