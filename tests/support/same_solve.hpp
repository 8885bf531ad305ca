#pragma once
// Two solves that must agree to the last bit.

#include <cmath>
#include <optional>

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold::testing {

/// The same errors, or none.
inline void check_same_errors(const std::optional<Errors>& a, const std::optional<Errors>& b) {
  CHECK(a.has_value() == b.has_value());
  if (!a || !b) return;
  CHECK(a->l2 == b->l2);
  CHECK(a->rms == b->rms);
  CHECK(a->max == b->max);
}

/// The same outcome, counts, residuals and solution; all must be finite, since the bits of a NaN
/// are the machine's own.
inline void check_same_solve(const Solved& a, const Solved& b) {
  CAPTURE(a.report.remark, b.report.remark);
  REQUIRE(std::isfinite(a.report.true_residual_reduction));
  CHECK(a.report.outcome == b.report.outcome);
  CHECK(a.report.iterations == b.report.iterations);
  CHECK(a.report.inner_history == b.report.inner_history);
  CHECK(a.report.inner_iterations == b.report.inner_iterations);
  REQUIRE(a.report.history.size() == b.report.history.size());
  CHECK(n_differing_values(a.report.history, b.report.history) == 0);
  CHECK(a.report.true_residual_reduction == b.report.true_residual_reduction);
  CHECK(a.report.attainable_reduction == b.report.attainable_reduction);
  CHECK(n_differing_values(a.solution, b.solution) == 0);
  CHECK(n_differing_values(a.solution_low, b.solution_low) == 0);
  check_same_errors(a.errors, b.errors);
  check_same_errors(a.level_errors, b.level_errors);
}

}  // namespace ninefold::testing
