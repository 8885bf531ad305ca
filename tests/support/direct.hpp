#pragma once
// The second oracle for whole solves: Q1 elements by textbook loops, a banded LDL^T, in 113 bits.
//
// It shares no line with fem/, grids/ or gpu/: cell widths and functions go in, element matrices
// are scattered, Gauss points come from Newton's method.  Unlike tests/support/dense.hpp it is fast
// enough for grids of 65 x 65 nodes.
//
// Mathematics.  A = L D L^T by rows; then x is refined by residuals in difference form, which do
// not cancel where cells are thin.  Neumann on all sides without a reaction: the load is made
// compatible by a constant source, one node is held, and the integral of the solution is made zero.
//
// Rounding.  In 2^-113; the last refinement tells how certain the result is.
//
// Cost.  nodes x nx^2 / 2 steps: 0.5 s for 65 x 65 nodes.
//
// Tests.  tests/support/direct_test.cpp

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/direct_problem.hpp"
#include "tests/support/quad.hpp"

namespace ninefold::testing {

/// Rounding has left a pivot that is not positive.
struct NotDefinite : std::runtime_error {
  NotDefinite() : std::runtime_error("the matrix is not positive definite in 113 bits") {}
};

/// Node (i, j) has the number j nx + i; neighbour m of 0 to 8 is (i + m % 3 - 1, j + m / 3 - 1).
class DirectSystem {
 public:
  using Values = std::vector<Quad>;

  explicit DirectSystem(const DirectProblem& problem)
      : problem_(problem),
        x_(positions(problem.widths_x)),
        y_(positions(problem.widths_y)),
        coupling_(nodes()),
        row_sum_(nodes()),
        load_(nodes()),
        load_size_(nodes()) {
    const std::array<bool, 4>& sides = problem_.dirichlet;
    floating_ =
        problem_.c == 0 && std::none_of(sides.begin(), sides.end(), [](bool d) { return d; });
    assemble();
    factorize();
  }

  std::size_t nx() const { return x_.size(); }
  std::size_t ny() const { return y_.size(); }
  std::size_t nodes() const { return nx() * ny(); }

  /// Before boundary conditions; zero where there is no such neighbour.
  Quad coupling(std::size_t node, std::size_t m) const { return coupling_[node][m]; }
  static std::size_t neighbour(std::size_t node, std::size_t m, std::size_t nx) {
    return node + m % 3 + m / 3 * nx - 1 - nx;
  }
  Quad row_sum(std::size_t node) const { return row_sum_[node]; }
  Quad load(std::size_t node) const { return load_[node]; }
  /// The sum of the absolute values of the load's terms.
  Quad load_size(std::size_t node) const { return load_size_[node]; }

  bool is_dirichlet(std::size_t node) const {
    const std::size_t i = node % nx(), j = node / nx();
    const std::array<bool, 4>& sides = problem_.dirichlet;
    return (i == 0 && sides[0]) || (i == nx() - 1 && sides[1]) || (j == 0 && sides[2])
           || (j == ny() - 1 && sides[3]);
  }

  /// The discrete solution at all nodes.
  Values solve() {
    Values x(nodes());
    for (std::size_t node = 0; node < nodes(); ++node) {
      if (is_dirichlet(node)) x[node] = boundary_value(node);
    }
    for (int step = 0; step < 4; ++step) {
      const Values correction = respond(residual(x));
      for (std::size_t node = 0; node < nodes(); ++node) x[node] += correction[node];
      uncertainty_ = relative_max(correction, x);
    }
    return x;
  }

  /// The largest change that the last refinement of solve() made, relative to the solution.
  double uncertainty() const { return uncertainty_; }

  /// The solution for this load and boundary values of zero.
  Values respond(Values b) const {
    if (floating_) make_compatible(b);
    const std::size_t band = nx() + 1;
    for (std::size_t i = 0; i < nodes(); ++i) {
      if (is_held(i)) b[i] = 0;
      for (std::size_t k = first_in_band(i); k < band; ++k) {
        b[i] -= lower_[i * band + k] * b[i + k - band];
      }
    }
    for (std::size_t i = 0; i < nodes(); ++i) b[i] /= pivot_[i];
    for (std::size_t i = nodes(); i-- > 0;) {
      for (std::size_t k = first_in_band(i); k < band; ++k) {
        b[i + k - band] -= lower_[i * band + k] * b[i];
      }
    }
    if (floating_) {
      const Quad mean = integral(b) / (x_.back() * y_.back());
      for (Quad& value : b) value -= mean;
    }
    return b;
  }

  Quad integral(const Values& v) const {
    Quad sum = 0;
    for_corners([&](std::size_t node, Quad share) { sum += share * v[node]; });
    return sum;
  }

  /// The integral of the square of the bilinear function with these nodal values.
  Quad square(const Values& v) const {
    Quad sum = 0;
    for_cells([&](std::size_t column, std::size_t row, Quad a, Quad b) {
      for (std::size_t r = 0; r < 4; ++r) {
        for (std::size_t s = 0; s < 4; ++s) {
          sum += mass(r, s, a, b) * v[corner(column, row, r)] * v[corner(column, row, s)];
        }
      }
    });
    return sum;
  }

  /// v A v with all its entries, in difference form: the integral of gx v_x^2 + gy v_y^2 + c v^2.
  Quad energy(const Values& v) const {
    Quad sum = 0;
    for (std::size_t node = 0; node < nodes(); ++node) {
      sum += row_sum_[node] * v[node] * v[node];
      for (std::size_t m = 0; m < 9; ++m) {
        const Quad a = coupling_[node][m];
        if (m == 4 || a == 0) continue;
        const Quad difference = v[neighbour(node, m, nx())] - v[node];
        sum -= a * difference * difference / 2;
      }
    }
    return sum;
  }
  static Quad largest(const Values& v) {
    Quad most = 0;
    for (const Quad value : v) most = std::max(most, size_of(value));
    return most;
  }

  /// |e| / |x| in the integral norm, and at the largest nodes; infinite if x alone is zero.
  double relative_l2(const Values& e, const Values& x) const {
    return std::sqrt(ratio(square(e), square(x)));
  }
  static double relative_max(const Values& e, const Values& x) {
    return ratio(largest(e), largest(x));
  }

 private:
  static Values positions(const std::vector<double>& widths) {
    Values x{0};
    for (const double width : widths) x.push_back(x.back() + width);
    return x;
  }
  static double ratio(Quad part, Quad whole) {
    if (part == 0) return 0;
    return whole > 0 ? static_cast<double>(part / whole) : std::numeric_limits<double>::infinity();
  }

  // Corners 0 to 3 of a cell: (0,0), (1,0), (0,1), (1,1).
  std::size_t corner(std::size_t column, std::size_t row, std::size_t r) const {
    return (row + r / 2) * nx() + column + r % 2;
  }
  static Quad shape(std::size_t r, Quad xi, Quad eta) {
    return (r % 2 != 0 ? xi : 1 - xi) * (r / 2 != 0 ? eta : 1 - eta);
  }
  static Quad third(bool same) { return Quad(same ? 2 : 1) / 6; }
  static Quad mass(std::size_t r, std::size_t s, Quad a, Quad b) {
    return a * b * third(r % 2 == s % 2) * third(r / 2 == s / 2);
  }

  template <class Visit>
  void for_cells(const Visit& visit) const {
    for (std::size_t row = 0; row + 1 < ny(); ++row) {
      for (std::size_t column = 0; column + 1 < nx(); ++column) {
        visit(column, row, Quad(problem_.widths_x[column]), Quad(problem_.widths_y[row]));
      }
    }
  }
  /// visit(node, a quarter of the cell) for all corners of all cells.
  template <class Visit>
  void for_corners(const Visit& visit) const {
    for_cells([&](std::size_t column, std::size_t row, Quad a, Quad b) {
      for (std::size_t r = 0; r < 4; ++r) visit(corner(column, row, r), a * b / 4);
    });
  }

  PointOf<Quad> point(Quad x, Quad y) const { return {x, x_.back() - x, y, y_.back() - y}; }
  Quad boundary_value(std::size_t node) const {
    const PointOf<Quad> p = point(x_[node % nx()], y_[node / nx()]);
    return problem_.boundary_value ? problem_.boundary_value(p) : Quad(0);
  }

  void add_load(std::size_t node, Quad value) {
    load_[node] += value;
    load_size_[node] += size_of(value);
  }

  void assemble() {
    const QuadRule rule = quad_gauss(problem_.load_points);
    for_cells([&](std::size_t column, std::size_t row, Quad a, Quad b) {
      add_element_matrix(column, row, a, b);
      if (!problem_.source) return;
      for (std::size_t p = 0; p < rule.point.size(); ++p) {
        for (std::size_t q = 0; q < rule.point.size(); ++q) {
          const Quad xi = rule.point[p], eta = rule.point[q];
          const Quad f = problem_.source(point(x_[column] + xi * a, y_[row] + eta * b));
          for (std::size_t r = 0; r < 4; ++r) {
            add_load(corner(column, row, r),
                     f * rule.weight[p] * rule.weight[q] * a * b * shape(r, xi, eta));
          }
        }
      }
    });
    for (std::size_t side = 0; side < 4; ++side) {
      if (!problem_.dirichlet[side] && problem_.flux[side]) add_flux(side, rule);
    }
    if (floating_) make_compatible(load_);
  }

  void add_element_matrix(std::size_t column, std::size_t row, Quad a, Quad b) {
    for (std::size_t r = 0; r < 4; ++r) {
      row_sum_[corner(column, row, r)] += problem_.c * a * b / 4;
      for (std::size_t s = 0; s < 4; ++s) {
        const bool same_x = r % 2 == s % 2, same_y = r / 2 == s / 2;
        const std::size_t m = 4 + s % 2 + 3 * (s / 2) - r % 2 - 3 * (r / 2);
        coupling_[corner(column, row, r)][m] +=
            problem_.gx * (b / a) * (same_x ? 1 : -1) * third(same_y)
            + problem_.gy * (a / b) * (same_y ? 1 : -1) * third(same_x)
            + problem_.c * mass(r, s, a, b);
      }
    }
  }

  void add_flux(std::size_t side, const QuadRule& rule) {
    const bool vertical = side < 2;
    const std::vector<double>& widths = vertical ? problem_.widths_y : problem_.widths_x;
    for (std::size_t cell = 0; cell < widths.size(); ++cell) {
      const std::size_t column = side == 0 ? 0 : side == 1 ? nx() - 2 : cell;
      const std::size_t row = side == 2 ? 0 : side == 3 ? ny() - 2 : cell;
      for (std::size_t p = 0; p < rule.point.size(); ++p) {
        const Quad xi = vertical ? Quad(side) : rule.point[p];
        const Quad eta = vertical ? rule.point[p] : Quad(side - 2);
        const Quad f = problem_.flux[side](
            vertical ? point(side == 0 ? Quad(0) : x_.back(), y_[row] + eta * widths[cell])
                     : point(x_[column] + xi * widths[cell], side == 2 ? Quad(0) : y_.back()));
        for (std::size_t r = 0; r < 4; ++r) {
          add_load(corner(column, row, r), f * rule.weight[p] * widths[cell] * shape(r, xi, eta));
        }
      }
    }
  }

  /// Takes a constant off the source, so that nothing flows in or out.
  void make_compatible(Values& b) const {
    Quad sum = 0;
    for (const Quad value : b) sum += value;
    const Quad excess = sum / (x_.back() * y_.back());
    for_corners([&](std::size_t node, Quad share) { b[node] -= excess * share; });
  }

  /// For the held node any would do; one inside is far from thin cells more often than a corner.
  bool is_held(std::size_t node) const {
    return is_dirichlet(node) || (floating_ && node == nodes() / 2);
  }

  std::size_t first_in_band(std::size_t i) const { return i < nx() + 1 ? nx() + 1 - i : 0; }

  Values residual(const Values& x) const {
    Values r(nodes());
    for (std::size_t node = 0; node < nodes(); ++node) {
      if (is_dirichlet(node)) continue;
      r[node] = load_[node] - row_sum_[node] * x[node];
      for (std::size_t m = 0; m < 9; ++m) {
        const Quad a = coupling_[node][m];
        if (m != 4 && a != 0) r[node] -= a * (x[neighbour(node, m, nx())] - x[node]);
      }
    }
    return r;
  }

  /// Row i of L holds columns i - nx - 1 to i - 1.
  void factorize() {
    const std::size_t band = nx() + 1;
    lower_.assign(nodes() * band, 0);
    pivot_.assign(nodes(), 1);
    Values row(band);
    for (std::size_t i = 0; i < nodes(); ++i) {
      if (is_held(i)) continue;
      std::fill(row.begin(), row.end(), Quad(0));
      for (std::size_t m = 0; m < 4; ++m) {
        if (coupling_[i][m] == 0) continue;
        const std::size_t j = neighbour(i, m, nx());
        if (!is_held(j)) row[band - (i - j)] = coupling_[i][m];
      }
      Quad pivot = coupling_[i][4];
      for (std::size_t k = first_in_band(i); k < band; ++k) {
        const std::size_t j = i + k - band;
        if (is_held(j)) continue;
        const Quad* const above = &lower_[j * band + band - k];
        Quad sum = row[k];
        for (std::size_t q = first_in_band(i); q < k; ++q) sum -= row[q] * above[q];
        row[k] = sum;
        lower_[i * band + k] = sum / pivot_[j];
        pivot -= sum * lower_[i * band + k];
      }
      if (!(pivot > 0)) throw NotDefinite();
      pivot_[i] = pivot;
    }
  }

  DirectProblem problem_;
  Values x_, y_;
  std::vector<std::array<Quad, 9>> coupling_;
  Values row_sum_, load_, load_size_;
  bool floating_ = false;
  Values lower_, pivot_;
  double uncertainty_ = 0;
};

}  // namespace ninefold::testing
