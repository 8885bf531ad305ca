#pragma once
// Whether single is enough for a fit, by the error of the answer rather than by the gradient.
//
// Mathematics.  Where the solution is known otherwise than by what data are of, its error is
// measured.  Else the condition of the fit times roundoff (solvers/least_squares/fit_condition.hpp)
// stands for it, about the most by which rounding moves x, with the most that the gradient may have
// left: where that is too much, nothing is known.
//
// Tests.  tests/experiments/program/fit_verdict_test.cpp, tests/experiments/least_squares.py

#include <optional>
#include <string>
#include <vector>

#include "experiments/program/least_squares_run.hpp"

namespace ninefold {

/// Of an error, as a part of x: up to here a format is enough.
inline constexpr double part_enough = 1e-3;

/// The error of a run's x, measured, or else by the condition that the runs about the same x know
/// best; nothing where that is not known, or the run has not come to an end.
std::optional<double> answer_error(const std::vector<LeastSquaresRun>& runs,
                                   const LeastSquaresRun& run);

/// Why a run has no condition; empty where it has one.
std::string without_condition(const LeastSquaresRun& run);

/// Of runs that have been made, those in other formats telling of single where it was not tried.
std::string fit_verdict(const std::vector<LeastSquaresRun>& runs);

}  // namespace ninefold
