#pragma once
// The independent oracle: Q1 elements by textbook loops, a dense matrix, Cholesky, in 50 digits.
//
// It shares no line with fem/, grids/ or gpu/: element integrals by Gauss quadrature of products of
// bilinear shape functions (fem/ multiplies closed forms of one dimension), Gauss points from
// Newton's method on Legendre polynomials (fem/ has a table), assembly by scatter (fem/ gathers),
// Dirichlet values by elimination (fem/ keeps the couplings).  Only plain vectors of widths go in.

#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/exact.hpp"

namespace ninefold::testing {

struct ExactRule {
  std::vector<Exact> point, weight;  ///< on [0, 1]
};

/// The n-point Gauss rule: roots of the Legendre polynomial by Newton's method.
inline ExactRule exact_gauss(int n) {
  ExactRule rule;
  for (int k = n; k >= 1; --k) {
    Exact x = std::cos(3.14159265358979 * (k - 0.25) / (n + 0.5)), slope;
    for (int step = 0; step < 10; ++step) {
      Exact before = 1, value = x;  // P_0, P_1
      for (int m = 2; m <= n; ++m) {
        const Exact next = ((2 * m - 1) * x * value - (m - 1) * before) / m;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    rule.point.push_back((1 + x) / 2);
    rule.weight.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

struct DenseMatrix {
  int n = 0;
  std::vector<Exact> entry;

  explicit DenseMatrix(int size) : n(size), entry(std::size_t(size) * std::size_t(size)) {}
  Exact& operator()(int row, int column) {
    return entry[std::size_t(row) * std::size_t(n) + std::size_t(column)];
  }
  const Exact& operator()(int row, int column) const {
    return entry[std::size_t(row) * std::size_t(n) + std::size_t(column)];
  }
};

/// The solution of a symmetric positive definite system; throws if a pivot is not positive.
inline std::vector<Exact> cholesky_solve(DenseMatrix a, std::vector<Exact> b) {
  const int n = a.n;
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) a(j, j) -= a(j, k) * a(j, k);
    if (a(j, j) <= 0) throw std::runtime_error("the matrix is not positive definite");
    a(j, j) = sqrt(a(j, j));
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) b[std::size_t(i)] -= a(i, k) * b[std::size_t(k)];
    b[std::size_t(i)] /= a(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[std::size_t(i)] -= a(k, i) * b[std::size_t(k)];
    b[std::size_t(i)] /= a(i, i);
  }
  return b;
}

using ExactFunction = std::function<Exact(const Exact& x, const Exact& y)>;

/// -div(diag(gx, gy) grad u) + c u = f on a rectangle of cells with these widths.
struct OracleProblem {
  std::vector<double> widths_x, widths_y;
  Exact gx = 1, gy = 1, c = 0;
  std::array<bool, 4> dirichlet{true, true, true, true};  ///< left, right, bottom, top
  ExactFunction source;                                   ///< empty means zero, as for all below
  ExactFunction boundary_value;
  std::array<ExactFunction, 4> flux;
  int load_points = 2;
  bool with_matrix = true;  ///< false leaves the dense matrix out: load only, for larger grids
};

/// Node (i, j) has the number j nx + i.
class Oracle {
 public:
  explicit Oracle(const OracleProblem& problem)
      : problem_(problem),
        x_(positions(problem.widths_x)),
        y_(positions(problem.widths_y)),
        part_x_(problem.with_matrix ? nodes() : 0),
        part_y_(part_x_.n),
        part_mass_(part_x_.n),
        load_(std::size_t(nodes())) {
    for (int row = 0; row + 1 < ny(); ++row) {
      for (int column = 0; column + 1 < nx(); ++column) {
        if (problem_.with_matrix) add_element_matrix(column, row);
        if (problem_.source) add_element_load(column, row);
      }
    }
    for (int side = 0; side < 4; ++side) {
      if (!problem_.dirichlet[std::size_t(side)] && problem_.flux[std::size_t(side)]) {
        add_flux(side);
      }
    }
  }

  int nx() const { return int(x_.size()); }
  int ny() const { return int(y_.size()); }
  int nodes() const { return nx() * ny(); }
  const std::vector<Exact>& x() const { return x_; }
  const std::vector<Exact>& y() const { return y_; }

  /// The entry before boundary conditions, and the sum of the absolute values of its three parts.
  Exact entry(int row, int column) const {
    return problem_.gx * part_x_(row, column) + problem_.gy * part_y_(row, column)
           + problem_.c * part_mass_(row, column);
  }
  Exact magnitude(int row, int column) const {
    return abs(problem_.gx * part_x_(row, column)) + abs(problem_.gy * part_y_(row, column))
           + abs(problem_.c * part_mass_(row, column));
  }

  /// integral of f phi + integral of flux phi, before Dirichlet conditions.
  const Exact& load(int node) const { return load_[std::size_t(node)]; }

  bool is_dirichlet(int node) const {
    const int i = node % nx(), j = node / nx();
    return (i == 0 && problem_.dirichlet[0]) || (i == nx() - 1 && problem_.dirichlet[1])
           || (j == 0 && problem_.dirichlet[2]) || (j == ny() - 1 && problem_.dirichlet[3]);
  }
  Exact boundary_value(int node) const {
    return problem_.boundary_value
               ? problem_.boundary_value(x_[std::size_t(node % nx())], y_[std::size_t(node / nx())])
               : Exact(0);
  }

  /// The discrete solution at all nodes.
  std::vector<Exact> solve() const {
    std::vector<int> unknown;
    std::vector<Exact> solution(std::size_t(nodes()), Exact(0));
    for (int node = 0; node < nodes(); ++node) {
      if (is_dirichlet(node)) {
        solution[std::size_t(node)] = boundary_value(node);
      } else {
        unknown.push_back(node);
      }
    }
    DenseMatrix a(static_cast<int>(unknown.size()));
    std::vector<Exact> b;
    for (int p = 0; p < a.n; ++p) {
      const int row = unknown[std::size_t(p)];
      for (int q = 0; q < a.n; ++q) a(p, q) = entry(row, unknown[std::size_t(q)]);
      Exact right = load(row);
      for (int node = 0; node < nodes(); ++node) {
        if (is_dirichlet(node)) right -= entry(row, node) * solution[std::size_t(node)];
      }
      b.push_back(right);
    }
    const std::vector<Exact> values = cholesky_solve(std::move(a), std::move(b));
    for (std::size_t p = 0; p < unknown.size(); ++p) solution[std::size_t(unknown[p])] = values[p];
    return solution;
  }

  /// The square root of the integral of (u_h - u)^2 by 3 x 3 Gauss points, u_h bilinear.
  Exact l2_distance(const std::vector<Exact>& u_h, const ExactFunction& u) const {
    const ExactRule rule = exact_gauss(3);
    Exact sum = 0;
    for (int row = 0; row + 1 < ny(); ++row) {
      for (int column = 0; column + 1 < nx(); ++column) {
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) {
            Exact value = 0;
            for (int corner = 0; corner < 4; ++corner) {
              value += u_h[std::size_t(number(column, row, corner))]
                       * shape(corner, rule.point[a], rule.point[b]);
            }
            const Exact error = value - at(u, column, row, rule.point[a], rule.point[b]);
            sum += rule.weight[a] * rule.weight[b] * hx(column) * hy(row) * error * error;
          }
        }
      }
    }
    return sqrt(sum);
  }

 private:
  static std::vector<Exact> positions(const std::vector<double>& widths) {
    std::vector<Exact> x{0};
    for (const double width : widths) x.push_back(x.back() + Exact(width));
    return x;
  }
  Exact hx(int column) const { return Exact(problem_.widths_x[std::size_t(column)]); }
  Exact hy(int row) const { return Exact(problem_.widths_y[std::size_t(row)]); }

  // Corners 0 to 3 of a cell: (0,0), (1,0), (0,1), (1,1); xi, eta in [0, 1].
  int number(int column, int row, int corner) const {
    return (row + corner / 2) * nx() + column + corner % 2;
  }
  static Exact shape(int corner, const Exact& xi, const Exact& eta) {
    return (corner % 2 ? xi : 1 - xi) * (corner / 2 ? eta : 1 - eta);
  }
  static Exact d_xi(int corner, const Exact& eta) {
    return (corner % 2 ? 1 : -1) * (corner / 2 ? eta : 1 - eta);
  }
  static Exact d_eta(int corner, const Exact& xi) {
    return (corner / 2 ? 1 : -1) * (corner % 2 ? xi : 1 - xi);
  }
  Exact at(const ExactFunction& f, int column, int row, const Exact& xi, const Exact& eta) const {
    return f(x_[std::size_t(column)] + xi * hx(column), y_[std::size_t(row)] + eta * hy(row));
  }

  void add_element_matrix(int column, int row) {
    static const ExactRule rule = exact_gauss(2);  // exact: degree 2 in each direction
    const Exact a = hx(column), b = hy(row);
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t q = 0; q < 2; ++q) {
        const Exact xi = rule.point[p], eta = rule.point[q];
        const Exact weight = rule.weight[p] * rule.weight[q] * a * b;
        for (int r = 0; r < 4; ++r) {
          for (int s = 0; s < 4; ++s) {
            const int m = number(column, row, r), n = number(column, row, s);
            part_x_(m, n) += weight * (d_xi(r, eta) / a) * (d_xi(s, eta) / a);
            part_y_(m, n) += weight * (d_eta(r, xi) / b) * (d_eta(s, xi) / b);
            part_mass_(m, n) += weight * shape(r, xi, eta) * shape(s, xi, eta);
          }
        }
      }
    }
  }

  void add_element_load(int column, int row) {
    const ExactRule rule = exact_gauss(problem_.load_points);
    for (std::size_t p = 0; p < rule.point.size(); ++p) {
      for (std::size_t q = 0; q < rule.point.size(); ++q) {
        const Exact xi = rule.point[p], eta = rule.point[q];
        const Exact f = at(problem_.source, column, row, xi, eta) * rule.weight[p] * rule.weight[q]
                        * hx(column) * hy(row);
        for (int r = 0; r < 4; ++r) {
          load_[std::size_t(number(column, row, r))] += f * shape(r, xi, eta);
        }
      }
    }
  }

  void add_flux(int side) {
    const ExactRule rule = exact_gauss(problem_.load_points);
    const bool vertical = side < 2;
    const int cells = (vertical ? ny() : nx()) - 1;
    for (int cell = 0; cell < cells; ++cell) {
      const int column = side == 0 ? 0 : side == 1 ? nx() - 2 : cell;
      const int row = side == 2 ? 0 : side == 3 ? ny() - 2 : cell;
      for (std::size_t p = 0; p < rule.point.size(); ++p) {
        const Exact xi = vertical ? Exact(side == 1 ? 1 : 0) : rule.point[p];
        const Exact eta = vertical ? rule.point[p] : Exact(side == 3 ? 1 : 0);
        const Exact f = at(problem_.flux[std::size_t(side)], column, row, xi, eta) * rule.weight[p]
                        * (vertical ? hy(row) : hx(column));
        for (int r = 0; r < 4; ++r) {
          load_[std::size_t(number(column, row, r))] += f * shape(r, xi, eta);
        }
      }
    }
  }

  OracleProblem problem_;
  std::vector<Exact> x_, y_;
  DenseMatrix part_x_, part_y_, part_mass_;
  std::vector<Exact> load_;
};

}  // namespace ninefold::testing
