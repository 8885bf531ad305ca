#pragma once
// One-dimensional linear elements, whose tensor products are the bilinear ones.
//
// Mathematics.  On a line with cell widths h, node i has the stiffness and mass couplings
//
//     K: -1/h_{i-1},   1/h_{i-1} + 1/h_i,   -1/h_i          M: h_{i-1}/6,  (h_{i-1} + h_i)/3, h_i/6
//
// with missing cells left out at the ends, and the bands of the bilinear matrix are
//
//     a_st(i,j) = gx K_s(i) M_t(j) + gy M_s(i) K_t(j) + c M_s(i) M_t(j),    s, t in {-1, 0, 1}.
//
// The row sum of a row is c m(i) m(j) with the lumped mass m(i) = (h_{i-1} + h_i)/2, exactly.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 5.1; any book on tensor-product elements.
// Tests.      tests/fem/discrete/assembly_test.cpp (50 digits), tests/fem/discrete/dealii_test.cpp

#include <algorithm>
#include <cmath>
#include <vector>

#include "precision/host_device.hpp"

#include "grids/tensor_grid.hpp"

namespace ninefold {

/// The share of node i in a line: half of the cells beside it.
template <class W>
W lumped_mass(const Line& line, std::size_t i) {
  const W lower = i > 0 ? W(line.width[i - 1]) : W(0);
  const W upper = i < line.width.size() ? W(line.width[i]) : W(0);
  return (lower + upper) / 2.0;
}

/// Those of all nodes.
template <class W>
std::vector<W> lumped_masses(const Line& line) {
  std::vector<W> masses;
  masses.reserve(line.width.size() + 1);
  for (std::size_t i = 0; i <= line.width.size(); ++i) masses.push_back(lumped_mass<W>(line, i));
  return masses;
}

/// The couplings, in the format W, of one node to its lower neighbour, itself and its upper
/// neighbour.
template <class W>
struct NodeCouplings {
  W stiffness[3];
  W mass[3];
  W lumped_mass;
};

/// The couplings of all nodes of a line.  Widths are exact, so quotients by them or of them have a
/// double in them: in double-double 3u^2 each, the sums 3u^2.
template <class W>
std::vector<NodeCouplings<W>> node_couplings(const Line& line) {
  std::vector<NodeCouplings<W>> nodes(static_cast<std::size_t>(line.nodes()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool has_lower = i > 0, has_upper = i + 1 < nodes.size();
    const W lower = has_lower ? W(line.width[i - 1]) : W(0);
    const W upper = has_upper ? W(line.width[i]) : W(0);
    const W stiff_lower = has_lower ? W(1) / line.width[i - 1] : W(0);
    const W stiff_upper = has_upper ? W(1) / line.width[i] : W(0);
    nodes[i] = {{-stiff_lower, stiff_lower + stiff_upper, -stiff_upper},
                {lower / 6.0, (lower + upper) / 3.0, upper / 6.0},
                lumped_mass<W>(line, i)};
  }
  return nodes;
}

/// The couplings of all nodes of a line, the first number of all nodes first, then the second, ...:
/// neighbouring threads then read neighbouring memory.  Seven arrays of `nodes` values at `data`.
template <class W>
struct LineCouplings {
  static constexpr int numbers = 7;

  const W* data;
  int nodes;

  /// Nothing is checked.
  HOST_DEVICE NodeCouplings<W> operator[](int i) const {
    const auto number = [&](int m) { return data[m * nodes + i]; };
    return {{number(0), number(1), number(2)}, {number(3), number(4), number(5)}, number(6)};
  }
};

/// The numbers that LineCouplings views.
template <class W>
std::vector<W> line_couplings(const Line& line) {
  const std::vector<NodeCouplings<W>> nodes = node_couplings<W>(line);
  std::vector<W> numbers;
  numbers.reserve(nodes.size() * LineCouplings<W>::numbers);
  for (int m = 0; m < 3; ++m) {
    for (const auto& node : nodes) numbers.push_back(node.stiffness[m]);
  }
  for (int m = 0; m < 3; ++m) {
    for (const auto& node : nodes) numbers.push_back(node.mass[m]);
  }
  for (const auto& node : nodes) numbers.push_back(node.lumped_mass);
  return numbers;
}

/// The binary exponent of the largest mass h/6 of a line's cells.
inline int mass_exponent(const Line& line) {
  return std::ilogb(*std::max_element(line.width.begin(), line.width.end()) / 6);
}

/// Values from the stiffnesses of a line of so many nodes to its masses: both begin, and may be
/// read to the end of the last, by fours.
constexpr std::size_t line_factor_pitch(std::size_t nodes) {
  return (nodes + 1 + 3) / 4 * 4;
}

/// The stiffnesses coefficient 2^power / h of the cells before nodes 0, 1, ..., n, that is one cell
/// more at each end, whose stiffness is zero, and then the masses h/6 2^-power of the same; each
/// computed in W and rounded once to C.  Two arrays of n + 1 values, each filled up with zeros to
/// line_factor_pitch(n).
template <class C, class W>
std::vector<C> line_factors(const Line& line, W coefficient, int power_of_stiffness,
                            int power_of_mass) {
  const std::size_t cells = line.width.size();
  const std::size_t pitch = line_factor_pitch(cells + 1);
  std::vector<C> factors(2 * pitch, C(0));
  const W by = W(std::ldexp(1.0, -power_of_mass));
  const W times = coefficient * W(std::ldexp(1.0, power_of_stiffness));
  for (std::size_t i = 0; i < cells; ++i) {
    factors[i + 1] = static_cast<C>(times / W(line.width[i]));
    factors[pitch + i + 1] = static_cast<C>(W(line.width[i]) / 6.0 * by);
  }
  return factors;
}

/// The constant coefficients of -div(diag(gx, gy) grad u) + c u.
template <class W>
struct Coefficients {
  W gx, gy, c;
};

/// The part of coupling() without the reaction.
template <class W>
HOST_DEVICE inline W diffusion(const Coefficients<W>& g, const NodeCouplings<W>& x,
                               const NodeCouplings<W>& y, int s, int t) {
  return g.gx * (x.stiffness[s + 1] * y.mass[t + 1]) + g.gy * (x.mass[s + 1] * y.stiffness[t + 1]);
}

/// Band 3(t+1) + (s+1) of a row from the couplings of its node in x and in y.
template <class W>
HOST_DEVICE inline W coupling(const Coefficients<W>& g, const NodeCouplings<W>& x,
                              const NodeCouplings<W>& y, int s, int t) {
  return diffusion(g, x, y, s, t) + g.c * (x.mass[s + 1] * y.mass[t + 1]);
}

/// The sum of a row: the integral of c phi.
template <class W>
HOST_DEVICE inline W row_sum(const Coefficients<W>& g, const NodeCouplings<W>& x,
                             const NodeCouplings<W>& y) {
  return g.c * (x.lumped_mass * y.lumped_mass);
}

}  // namespace ninefold
