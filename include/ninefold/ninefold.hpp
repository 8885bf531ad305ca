#pragma once
// The library for its users: these headers, and what they include, are what is installed.
//
// Usage.  #include <ninefold/ninefold.hpp>, or one of them: <ninefold/solvers/solve.hpp>.  Inside
// this project, where includes are written from the top of the tree, it is not used.

#include "precision/bad_value.hpp"  // what is thrown
#include "precision/double_word.hpp"
#include "precision/precision.hpp"

#include "grids/mesh/mesh_file.hpp"        // surfaces of triangles: OFF, OBJ, PLY ...
#include "grids/mesh/mesh_generators.hpp"  // ... and without a file
#include "grids/tensor_grid.hpp"           // make_hierarchy(): rectangles, graded or by cell widths
#include "grids/widths_file.hpp"

#include "fem/discrete/errors.hpp"        // measure_errors()
#include "fem/discrete/point_values.hpp"  // the solution anywhere, and along lines
#include "fem/discrete/quantities.hpp"    // its integrals and energies
#include "fem/problem/consistency.hpp"
#include "fem/problem/expression.hpp"
#include "fem/problem/function.hpp"
#include "fem/problem/problems.hpp"      // Problem, make_problem()
#include "fem/sparse/generators.hpp"     // sparse matrices without a file ...
#include "fem/sparse/matrix_market.hpp"  // ... and with one
#include "fem/surface/lscm.hpp"          // conformal_system(): a mesh laid flat
#include "fem/surface/smoothing.hpp"     // smoothing_system(): a mesh smoothed

#include "solvers/devices.hpp"                      // choose_backend()
#include "solvers/estimate/level_errors.hpp"        // the three errors, without the solution
#include "solvers/estimate/precision_forecast.hpp"  // which formats will be enough
#include "solvers/least_squares/least_squares.hpp"  // fits with a matrix of any shape
#include "solvers/options.hpp"
#include "solvers/pass_sizes.hpp"  // what a device was measured to do fastest
#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"
#include "solvers/solve_batch.hpp"  // several right-hand sides at once
#include "solvers/solver.hpp"       // one set-up for many right-hand sides, and steps in time
#include "solvers/sparse/sparse_solve.hpp"    // systems with a sparse matrix
#include "solvers/sparse/sparse_systems.hpp"  // several of them in one solve
#include "solvers/stopping.hpp"               // Report
