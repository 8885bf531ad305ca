#pragma once
// From named options to a solved problem: the only place where precision, method and backend are
// chosen at run time.
//
// Usage.
//     const auto grids = make_hierarchy(1.0, 1.0, 9);
//     const auto problem = make_problem({}, 1.0, 1.0);
//     const auto where = choose_backend("auto");
//     const auto solved = solve(problem, grids, SolverOptions{}, where);
//     const auto errors = measure_errors(problem, grids.back(), solved.solution);
//
// Rounding.  Matrix and load are assembled in double (in double-double for a double-double solver)
// and rounded once to the solver's format.  The system is scaled by powers of two so that its
// largest entries are near one; this changes no digit and keeps squared norms inside the format's
// range.
//
// Tests.  tests/solvers/solve_test.cpp

#include <memory>
#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

#include "solvers/options.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Where a solve runs: "host" or "cuda".
enum class BackendKind { host, cuda };
std::string_view to_string(BackendKind kind);

/// One processor or graphics card as the program sees it.
struct DeviceInfo {
  BackendKind kind = BackendKind::host;
  std::string name;                  ///< e.g. "AMD EPYC" or "NVIDIA H200"
  std::string detail;                ///< threads, or compute capability and driver
  std::size_t memory_total = 0;      ///< bytes
  std::size_t memory_available = 0;  ///< bytes, now
};

/// The host first, then the CUDA device that would be used, if there is one.
std::vector<DeviceInfo> devices();

/// True if this build contains CUDA code.
bool built_with_cuda();

/// Resolves "auto" (a CUDA device if there is one), "host" or "cuda"; throws BadValue
/// if the name is unknown, if "cuda" is asked of a host-only build, or if no device is present.
BackendKind choose_backend(const std::string& name);

/// The same for a solve in this format: software formats run on the host only, so that "auto" is
/// the host and "cuda" is refused.
BackendKind choose_backend(const std::string& name, Precision precision);

/// Bytes that a solve of the finest of `grids` will hold at once on the backend, and those of the
/// values that it and the output of its solution hold on the host: up to three per node, in double
/// or, for a double-double solve, in double-double.
struct MemoryForecast {
  std::size_t backend = 0;
  std::size_t host = 0;
};
MemoryForecast forecast_memory(const Problem& problem, const std::vector<TensorGrid>& grids,
                               const SolverOptions& options, BackendKind where);
/// The same from the level alone (nodes 2^level + 1 squared); nothing is allocated.  With the
/// smoother left open a device's memory for lines is counted.
MemoryForecast forecast_memory(int level, const SolverOptions& options, BackendKind where);

/// Throws std::runtime_error, with both numbers, if the forecast exceeds the memory now available.
void require_memory(const MemoryForecast& forecast, BackendKind where);

struct Solved {
  Report report;
  std::vector<double> solution;      ///< at node (i, j), k = j nx + i; boundary nodes included
  std::vector<double> solution_low;  ///< what double leaves of a double-double solution; else empty
};

/// The solution with all its digits, of a double-double solve.
std::vector<DoubleDouble> wide_solution(const Solved& solved);

/// Solves the problem on the finest of `grids`, starting from zero; `grids` holds the levels 0 to L
/// of one hierarchy, L >= 1.  Throws BadValue for options out of range, a software format on a CUDA
/// device, data that are not finite, and systems that the format's range cannot hold, and
/// std::invalid_argument for grids of another problem or a solution beyond double;
/// std::runtime_error if memory does
/// not suffice or a CUDA call fails; std::logic_error if another thread solves in a software
/// format.
Solved solve(const Problem& problem, const std::vector<TensorGrid>& grids,
             const SolverOptions& options, BackendKind where);

}  // namespace ninefold
