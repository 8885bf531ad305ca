// The exact errors of tests E to I once more: the discrete equations set up and solved in 80 bits
// by textbook formulas, without a line of grids/, fem/ or solvers/.
//
// Mathematics.  A = K (x) M + M (x) K with stiffness K and mass M of one direction; both directions
// have the same cells up to a reflection, under which the solution does not change.  Solved by a
// Cholesky factorisation of the band.

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/paper/paper.hpp"
#include "experiments/support/comparison.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

using Wide = long double;
using Vector = std::vector<Wide>;

/// Cell widths of [0, 1], refined to its end by nu, level times.
Vector widths_of(Wide nu, int level) {
  Vector widths{1};
  for (int step = 0; step < level; ++step) {
    Vector finer;
    for (std::size_t k = 0; k < widths.size(); ++k) {
      const Wide upper = k + 1 == widths.size() ? nu / 2 : 0.5L;
      finer.push_back((1 - upper) * widths[k]);
      finer.push_back(upper * widths[k]);
    }
    widths = finer;
  }
  return widths;
}

class StretchedSolution {
 public:
  StretchedSolution(Wide nu, int level)
      : width_(widths_of(nu, level)), n_(static_cast<int>(width_.size())), m_(n_ - 1) {
    // Distances to both ends: close to an end a coordinate would lose the cell.
    start_.assign(width_.size() + 1, 0);
    end_.assign(width_.size() + 1, 0);
    for (int i = 0; i < n_; ++i) start_[at(i + 1)] = start_[at(i)] + width_[at(i)];
    for (int i = n_; i-- > 0;) end_[at(i)] = end_[at(i + 1)] + width_[at(i)];
    solve();
  }

  double rms() const {
    Wide sum = 0;
    for (int j = 0; j <= n_; ++j) {
      for (int i = 0; i <= n_; ++i) {
        const Wide error = nodal(i, j) - start_[at(i)] * end_[at(i)] * start_[at(j)] * end_[at(j)];
        sum += error * error;
      }
    }
    return static_cast<double>(std::sqrt(sum) / (n_ + 1));
  }

  double l2() const {
    const Wide point[] = {0.5L - std::sqrt(0.15L), 0.5L, 0.5L + std::sqrt(0.15L)};
    const Wide weight[] = {5 / 18.0L, 4 / 9.0L, 5 / 18.0L};
    Wide sum = 0;
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) {
        for (int q = 0; q < 9; ++q) {
          const Wide s = point[q % 3], t = point[q / 3];
          const Wide u = (1 - t) * ((1 - s) * nodal(i, j) + s * nodal(i + 1, j))
                         + t * ((1 - s) * nodal(i, j + 1) + s * nodal(i + 1, j + 1));
          const Wide error = u - parabola(i, s) * parabola(j, t);
          sum += weight[q % 3] * weight[q / 3] * width_[at(i)] * width_[at(j)] * error * error;
        }
      }
    }
    return static_cast<double>(std::sqrt(sum));
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  /// x (1 - x) at place s of cell i.
  Wide parabola(int i, Wide s) const {
    return (start_[at(i)] + s * width_[at(i)]) * (end_[at(i + 1)] + (1 - s) * width_[at(i)]);
  }

  Wide nodal(int i, int j) const {
    const bool inside = i > 0 && i < n_ && j > 0 && j < n_;
    return inside ? u_[at((j - 1) * m_ + i - 1)] : 0;
  }

  /// The entry between inner nodes i and i + s, s = -1, 0, 1.
  Wide stiffness(int i, int s) const {
    if (s == 0) return 1 / width_[at(i - 1)] + 1 / width_[at(i)];
    return -1 / width_[at(s < 0 ? i - 1 : i)];
  }
  Wide mass(int i, int s) const {
    if (s == 0) return (width_[at(i - 1)] + width_[at(i)]) / 3;
    return width_[at(s < 0 ? i - 1 : i)] / 6;
  }

  void solve() {
    // Integrals of 1 and of x (1 - x) times the basis function, by Simpson's rule.
    Vector one(at(n_)), moment(at(n_));
    for (int i = 1; i < n_; ++i) {
      one[at(i)] = (width_[at(i - 1)] + width_[at(i)]) / 2;
      const Wide here = start_[at(i)] * end_[at(i)];
      moment[at(i)] = width_[at(i - 1)] / 6 * (2 * parabola(i - 1, 0.5L) + here)
                      + width_[at(i)] / 6 * (2 * parabola(i, 0.5L) + here);
    }
    const int unknowns = m_ * m_, band = m_ + 1;
    // Row k of the lower triangle: columns k - band to k.
    std::vector<Vector> factor(at(unknowns), Vector(at(band + 1), 0));
    u_.assign(at(unknowns), 0);
    for (int j = 1; j < n_; ++j) {
      for (int i = 1; i < n_; ++i) {
        const int k = (j - 1) * m_ + i - 1;
        u_[at(k)] = 2 * (one[at(i)] * moment[at(j)] + moment[at(i)] * one[at(j)]);
        for (int t = -1; t <= 0; ++t) {
          for (int s = -1; s <= (t < 0 ? 1 : 0); ++s) {
            if (i + s < 1 || i + s >= n_ || j + t < 1) continue;
            factor[at(k)][at(band + t * m_ + s)] =
                stiffness(i, s) * mass(j, t) + mass(i, s) * stiffness(j, t);
          }
        }
      }
    }
    for (int k = 0; k < unknowns; ++k) {
      for (int l = std::max(0, k - band); l <= k; ++l) {
        Wide sum = factor[at(k)][at(band - k + l)];
        for (int c = std::max(0, k - band); c < l; ++c) {
          sum -= factor[at(k)][at(band - k + c)] * factor[at(l)][at(band - l + c)];
        }
        factor[at(k)][at(band - k + l)] = l == k ? std::sqrt(sum) : sum / factor[at(l)][at(band)];
      }
    }
    for (int k = 0; k < unknowns; ++k) {
      for (int c = std::max(0, k - band); c < k; ++c) {
        u_[at(k)] -= factor[at(k)][at(band - k + c)] * u_[at(c)];
      }
      u_[at(k)] /= factor[at(k)][at(band)];
    }
    for (int k = unknowns; k-- > 0;) {
      u_[at(k)] /= factor[at(k)][at(band)];
      for (int c = std::max(0, k - band); c < k; ++c) {
        u_[at(c)] -= factor[at(k)][at(band - k + c)] * u_[at(k)];
      }
    }
  }

  Vector width_;
  int n_, m_;  ///< cells, and inner nodes, of each direction
  Vector start_, end_, u_;
};

}  // namespace

TEST_CASE("the exact errors on refined grids are those of equations solved in 80 bits",
          "[experiments][paper]") {
  const char test = GENERATE('E', 'F', 'G', 'H', 'I');
  const int level = GENERATE(2, 3, 4, 5);
  CAPTURE(test, level);
  const StretchedSolution solution(static_cast<Wide>(grid_of_test(test).nu), level);
  const ExactErrors* const errors = find_exact_errors(test, level);
  REQUIRE(errors != nullptr);
  REQUIRE(std::abs(solution.rms() - errors->rms) <= 1.001 * half_unit(errors->rms, 10));
  REQUIRE(std::abs(solution.l2() - errors->l2) <= 1.001 * half_unit(errors->l2, 10));
}
