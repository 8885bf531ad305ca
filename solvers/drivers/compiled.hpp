#pragma once
// What a generated file needs that compiles all solvers of one format on one backend: in one file,
// since the plain solver, the one outside and the ones inside have their parts in common.
//
// Built by solvers/CMakeLists.txt, which names the macros inside namespace ninefold.

#include <cstddef>
#include <memory>

#include "solvers/drivers/make_stages.hpp"
#include "solvers/drivers/solve_in_format.hpp"
#include "solvers/drivers/solve_mixed.hpp"
#include "solvers/drivers/solve_on.hpp"
#include "solvers/drivers/stages.hpp"

#define NINEFOLD_SOLVERS(B, T)                                                                    \
  template std::unique_ptr<StandingSolve> solver_in_format<B, T>(const B&, const PreparedSolve&); \
  template std::unique_ptr<StandingSolve> mixed_solver_in<B, T>(const B&, const PreparedSolve&);  \
  template std::unique_ptr<InnerSolver<B, T>> make_inner(const B&, const Stages&, std::size_t);   \
  template std::unique_ptr<Correction<B, T>> make_correction(const B&, const Stages&, std::size_t)

/// Solvers that are held and not run, which tells their memory.
#define NINEFOLD_HELD_SOLVERS(T)                                      \
  template void hold_in_format<T>(const Host&, const PreparedSolve&); \
  template void hold_mixed_in<T>(const Host&, const Host&, const PreparedSolve&)
