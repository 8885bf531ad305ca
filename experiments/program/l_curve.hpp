#pragma once
// The L-curve: what regularisation takes from the fit, over what it takes from the solution.
//
// Mathematics.  Points (|A x - b|, |L x|) for several lambda, by logarithms.  The corner is where
// the circle through a point and its two neighbours is smallest, of those that bend as an L does.
//
// Reference.  Hansen, O'Leary, The use of the L-curve in the regularization of discrete ill-posed
// problems, SIAM J. Sci. Comput. 14 (1993).
// Tests.      tests/experiments/program/l_curve_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "output/document/document.hpp"

#include "experiments/config/study.hpp"

namespace ninefold {

/// Why runs that differ in lambda have no L-curve, in a sentence; empty where they have one, or do
/// not differ.
std::string without_l_curve(const std::vector<Plan>& plans);

struct LCurvePoint {
  double lambda = 0, residual = 0, size = 0;
  std::string run{};
};

/// True where all three are.
bool has_logarithms(const LCurvePoint& point);

/// Those that have, by lambda.
std::vector<LCurvePoint> sorted_l_curve(std::vector<LCurvePoint> points);

/// The place of the corner among sorted points; none where no point bends so by three degrees, as
/// of fewer than three points.
std::optional<std::size_t> l_curve_corner(const std::vector<LCurvePoint>& points);

/// Lambda stands beside points: all of them if they are few, else the ends, the corner and powers
/// of ten.
Figure l_curve_figure(const std::vector<LCurvePoint>& points, std::optional<std::size_t> corner);
std::string l_curve_csv(const std::vector<LCurvePoint>& points, std::optional<std::size_t> corner);

}  // namespace ninefold
