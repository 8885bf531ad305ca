#pragma once
// Fits of measured data, and the part of the experiment reconstruction that shows images.

#include "fem/sparse/tomography.hpp"

#include "solvers/least_squares/least_squares.hpp"

#include "experiments/support/report.hpp"

namespace ninefold {

/// Measured against the truth.
LeastSquaresProblem problem_of(const MeasuredRows& data);

/// An image with nothing added, regularised, and within bounds, in double and in single.
void report_images(ExperimentReport& report, BackendKind where);

}  // namespace ninefold
