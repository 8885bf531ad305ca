#pragma once
// What is solved: the equation's coefficients, boundary conditions and data, with the analytic
// solution where there is one.
//
// Mathematics.  -div(diag(gx, gy) grad u) + c u = f on [0, X] x [0, Y], gx, gy > 0, c >= 0;
// u = solution (or `dirichlet`) on the Dirichlet sides, n . diag(gx, gy) grad u = flux on the
// Neumann sides, n the outward normal.
//
// Tests.  tests/fem/problem/problems_test.cpp

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precision/parameter.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/problem/function.hpp"

namespace ninefold {

enum class BoundaryKind { dirichlet, neumann };
std::string_view to_string(BoundaryKind kind);

/// The kind of each side, indexed by Side.
struct Boundary {
  std::array<BoundaryKind, 4> kind{BoundaryKind::dirichlet, BoundaryKind::dirichlet,
                                   BoundaryKind::dirichlet, BoundaryKind::dirichlet};
  BoundaryKind operator[](Side side) const { return kind[static_cast<std::size_t>(side)]; }
  BoundaryKind& operator[](Side side) { return kind[static_cast<std::size_t>(side)]; }
  bool any_dirichlet() const {
    return std::find(kind.begin(), kind.end(), BoundaryKind::dirichlet) != kind.end();
  }
};

/// A problem by names and expressions, as a config file states it.
///
/// `solution` is one of problem_names(), or an expression in x and y (muParser syntax; the
/// constants width, height and pi are known), or empty if the solution is unknown.  Everything
/// else that is a string is such an expression or empty.  A named solution brings its own source,
/// boundary values and fluxes, and the other strings must then be empty.
struct ProblemOptions {
  std::string solution = "polynomial";
  std::string source;                 ///< f; required unless the solution is a name
  std::string dirichlet;              ///< u on Dirichlet sides; default: the solution, or zero
  std::array<std::string, 4> flux{};  ///< outward, by Side, on Neumann sides; default: zero
  double gx = 1.0, gy = 1.0;
  double reaction = 0.0;
  Boundary boundary;
  int quadrature = 2;  ///< Gauss points per direction for the load, 1 to 5
};

/// A problem by functions.  Unlike ProblemOptions, whose make_problem() takes boundary values from
/// the solution, it takes `dirichlet` as it is: left out it is zero, also beside a `solution`.
struct Problem {
  std::string name;
  double width = 1.0, height = 1.0;
  double gx = 1.0, gy = 1.0, reaction = 0.0;
  Boundary boundary;
  int quadrature = 2;
  Function source;     ///< f
  Function solution;   ///< for errors alone; empty if unknown
  Function dirichlet;  ///< u on the Dirichlet sides; empty means zero
  /// n . diag(gx, gy) grad u on the Neumann sides, n pointing outward, indexed by Side: left,
  /// right, bottom, top, as in flux[static_cast<std::size_t>(Side::top)].  Empty means zero.
  std::array<Function, 4> flux;
  std::vector<std::string> remarks;  ///< what the user should be told: data that disagree
};

/// That of ProblemOptions::flux on this side.
Parameter flux_parameter(Side side);

/// True if no side is Dirichlet and there is no reaction: a constant is free, and the solution is
/// the one whose mean is zero.
bool has_free_constant(const Problem& problem);

/// Throws BadValue, with both numbers, if the source and the fluxes of such a problem
/// do not balance: to 1e-3 of their size, or to what 320 x 320 Gauss points can tell.
void require_balance(const Problem& problem);

/// Throws BadValue unless sizes and coefficients are in range and there is a solution (see
/// make_problem), std::invalid_argument if there is no source; for problems that were put together
/// by hand.
void validate(const Problem& problem);

/// Whether source, boundary values and fluxes are known in double-double, as they are for named
/// solutions.  If not, a system in double-double holds data that are as good as double.
bool has_wide_data(const Problem& problem);

/// The named analytic solutions, in the order of the documentation.
std::vector<std::string> problem_names();

/// One line on a named solution: its formula and what it is good for.
std::string problem_description(const std::string& name);

/// The problem that the options state on [0, width] x [0, height].  Functions of the result may be
/// called from several threads at once.
///
/// Given data are compared with a given solution by differences at sample points; a disagreement
/// beyond what these can tell, and beyond 1e-6, is reported in `remarks` (see
/// fem/problem/consistency.hpp).
///
/// Throws BadValue for a nonsense expression, a value out of range, a missing source, or data that
/// do not balance where no side is Dirichlet and the reaction is 0.  The solution of such a problem
/// is the one whose mean is zero, and `solution` is given without its mean, by 320 x 320 Gauss
/// points.
Problem make_problem(const ProblemOptions& options, double width, double height);

}  // namespace ninefold
