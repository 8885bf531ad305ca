#include "solvers/options.hpp"

#include <cmath>
#include <sstream>

namespace ninefold {

namespace {

template <class Value>
void require_option(bool condition, const char* key, const Value& value, const char* allowed) {
  if (condition) return;
  std::ostringstream message;
  message << key << " = " << value << " is not possible: " << allowed;
  throw std::invalid_argument(message.str());
}

}  // namespace

std::string_view to_string(Method method) {
  return method == Method::cg ? "cg" : "multigrid";
}

std::string_view to_string(Preconditioning preconditioning) {
  switch (preconditioning) {
    case Preconditioning::none:
      return "none";
    case Preconditioning::jacobi:
      return "jacobi";
    case Preconditioning::multigrid:
      return "multigrid";
  }
  throw std::logic_error("a preconditioner without a name");
}

std::string_view to_string(Cycle cycle) {
  switch (cycle) {
    case Cycle::v:
      return "V";
    case Cycle::f:
      return "F";
    case Cycle::w:
      return "W";
  }
  throw std::logic_error("a cycle without a name");
}

std::string_view to_string(Smoother smoother) {
  switch (smoother) {
    case Smoother::jacobi:
      return "jacobi";
  }
  throw std::logic_error("a smoother without a name");
}

void validate(const SolverOptions& options) {
  require_option(options.tolerance > 0 && options.tolerance < 1, "solver.tolerance",
                 options.tolerance, "a number between 0 and 1, both excluded");
  require_option(options.max_iterations >= 1, "solver.max_iterations", options.max_iterations,
                 "at least 1");
  require_option(options.method == Method::cg || options.preconditioner == Preconditioning::none,
                 "solver.preconditioner", to_string(options.preconditioner),
                 "solver.method = \"multigrid\" takes none; use solver.method = \"cg\"");
  const MultigridOptions& multigrid = options.multigrid;
  require_option(multigrid.damping > 0 && multigrid.damping < 2, "multigrid.damping",
                 multigrid.damping, "a number between 0 and 2, both excluded");
  require_option(multigrid.pre_smoothing >= 0 && multigrid.pre_smoothing <= 1000,
                 "multigrid.pre_smoothing", multigrid.pre_smoothing, "0 to 1000 steps");
  require_option(multigrid.post_smoothing >= 0 && multigrid.post_smoothing <= 1000,
                 "multigrid.post_smoothing", multigrid.post_smoothing, "0 to 1000 steps");
  require_option(multigrid.pre_smoothing + multigrid.post_smoothing > 0,
                 "multigrid.pre_smoothing + multigrid.post_smoothing", 0,
                 "at least one step in all, or nothing is smoothed");
}

}  // namespace ninefold
