#pragma once
// How solves with sparse matrices end: what is the same of systems and of least squares.
//
// Tests.  tests/solvers/sparse/sparse_solve_test.cpp,
// tests/solvers/least_squares/least_squares_test.cpp

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/backend/backend.hpp"

#include "solvers/options.hpp"
#include "solvers/stopping.hpp"
#include "solvers/timeline.hpp"

namespace ninefold {

/// What ends an outer solver whose residual was `before` and is `norm` now, when its inner
/// iterations are used up; nothing while they are not.
inline std::optional<Outcome> inner_end(const SolverOptions& options, const Report& report,
                                        double before, double norm) {
  constexpr double falls = 0.9;
  const std::int64_t most = inner_iterations_factor * std::int64_t{options.max_iterations};
  if (report.inner_iterations < most) return {};
  return norm > falls * before ? Outcome::stagnated : Outcome::step_limit;
}

/// Waits for the end of a solve that has begun then, and reports what it took and the monitor has
/// seen; one that has seen nothing had nothing to do.
template <Backend B>
void close_report(const B& on, const ResidualMonitor& monitor, Clock::time_point began,
                  const Work& work_before, Report& report) {
  on.wait();
  report.solve_seconds = seconds_since(began);
  report.work = on.work() - work_before;
  const bool is_seen = !monitor.history().empty();
  report.iterations = is_seen ? monitor.iterations() : 0;
  report.history = is_seen ? monitor.history() : std::vector<double>{0.0};
  report.residual_reduction = report.history.back();
}

/// Makes the bytes that move those of all ranks.
inline void add_up(const Ranks& ranks, Report& report, std::int64_t& matrix_bytes) {
  struct Own {
    std::int64_t bytes, outer_bytes, matrix_bytes;
  };
  const std::vector<Own> all =
      ranks.statements(Own{report.work.bytes, report.outer_work.bytes, matrix_bytes});
  report.work.bytes = report.outer_work.bytes = matrix_bytes = 0;
  for (const Own& own : all) {
    report.work.bytes += own.bytes;
    report.outer_work.bytes += own.outer_bytes;
    matrix_bytes += own.matrix_bytes;
  }
}

}  // namespace ninefold
