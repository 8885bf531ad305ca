#pragma once
// What of a problem's data a solve needs where it runs: its load at the start, its exact solution
// at the end.
//
// Why.  Data that are sums of products of functions of x and of y (fem/problem/function.hpp) go
// there as two lines of values for each product, and nothing of the size of a grid crosses a bus.
// All other data are evaluated on the host.
//
// Memory.  Taken when this is made; a few lines of the grid.
//
// Tests.  tests/solvers/system/data_on_backend_test.cpp, tests/gpu/device/same_solves_test.cpp

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "precision/require.hpp"

#include "fem/discrete/error_sums.hpp"
#include "fem/discrete/gauss_rule.hpp"
#include "fem/discrete/line_points.hpp"
#include "fem/discrete/parallel.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/error_operations.hpp"

#include "solvers/estimate/level_solution.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
class DataOnBackend {
 public:
  using W = Assembly<T>;

  /// The memory does not depend on the problem: forecasts may not know it.
  DataOnBackend(const B& on, const PreparedSolve& prepared)
      : on_(on),
        products_(on, max_load_products, nx_of(prepared), ny_of(prepared)),
        nodes_(on, max_solution_products, nx_of(prepared), ny_of(prepared)),
        points_(on, max_solution_products, error_points * (nx_of(prepared) - 1),
                error_points * (ny_of(prepared) - 1)),
        width_(on, static_cast<std::size_t>(nx_of(prepared) - 1)),
        height_(on, static_cast<std::size_t>(ny_of(prepared) - 1)),
        share_x_(on, static_cast<std::size_t>(nx_of(prepared))),
        share_y_(on, static_cast<std::size_t>(ny_of(prepared))),
        mean_(on, 1),
        sums_(on, 1) {
    for (const Side side : all_sides) {
      const bool upright = side == Side::left || side == Side::right;
      side_[static_cast<std::size_t>(side)] =
          Array<B, W>(on, static_cast<std::size_t>(upright ? ny_of(prepared) : nx_of(prepared)));
    }
  }

  /// b = the load, scaled, each value rounded once to T.
  void upload_load(const Load<W>& load, const Scaling& scaling, const Field<T>& b) const {
    if (load.by_nodes()) {
      const int first_row = load.share() == nullptr ? 0 : load.share()->own().first;
      upload(on_, load.nodes(), -scaling.load, b, first_row);
      return;
    }
    set_products<B, T>(on_, load.unknowns(), products_.fill(on_, load.products()),
                       PowerOfTwo(-scaling.load), b);
  }

  /// w = the lifting, scaled, each value rounded once to T, at the unknowns.
  void set_lifting(const System<W>& system, const Field<T>& w) const {
    set_products<B, T>(on_, system.unknowns(), products_.fill(on_, system.lifting.products()),
                       PowerOfTwo(-system.scaling.solution()), w);
  }

  /// The mean of the solution that x stands for, where a constant is free, and is to be such that
  /// there is none; zero elsewhere.
  W mean(const System<W>& system, const Field<const T>& x) const {
    if (!has_free_constant(system.problem())) return W(0);
    copy_in(share_x_, shares_of<W>(system.finest().x));
    copy_in(share_y_, shares_of<W>(system.finest().y));
    mean_of_solution<B, T>(on_, solution_of(system, x), share_x_.data(), share_y_.data(),
                           mean_.data());
    return read_value(on_, mean_.data());
  }

  /// The mean of values at the unknowns of a problem all of whose sides are Neumann sides.
  W mean_of(const System<W>& system, const Field<const T>& v) const {
    copy_in(share_x_, shares_of<W>(system.finest().x));
    copy_in(share_y_, shares_of<W>(system.finest().y));
    const FoundSolution<T> as_they_are{
        v, system.unknowns(), PowerOfTwo(0), products_.fill(on_, {}), {}, W(0)};
    mean_of_solution<B, T>(on_, as_they_are, share_x_.data(), share_y_.data(), mean_.data());
    return read_value(on_, mean_.data());
  }

  /// The errors of the solution that x stands for; nothing if they cannot be measured here, or are
  /// not finite.
  std::optional<Errors> errors(const System<W>& system, const Field<const T>& x) const {
    if (!compares_on_backend(system.problem())) return {};
    const TensorGrid& grid = system.finest();
    const FoundSolution<T> found = found_solution(system, x);
    const ExactSolution<W> exact = exact_solution(system, system.problem().solution.products());
    const auto sum = [&](const ErrorExponents& out) {
      compare_solution<B, T>(on_, found, exact, ErrorScales(out), sums_.data());
      return read_value(on_, sums_.data());
    };
    return scaled_sums(sum, grid);
  }

  /// The norms of the solution that x stands for, as if zero were the exact one; not a number if
  /// they are not finite.
  Errors norms(const System<W>& system, const Field<const T>& x) const {
    const FoundSolution<T> found = found_solution(system, x);
    const ExactSolution<W> zero = exact_solution(system, {});
    const auto sum = [&](const ErrorExponents& out) {
      compare_solution<B, T>(on_, found, zero, ErrorScales(out), sums_.data());
      return read_value(on_, sums_.data());
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return scaled_sums(sum, system.finest()).value_or(Errors{nan, nan, nan});
  }

  /// The solution that x stands for, but for its mean, at the nodes of the rows system.here(), on
  /// the host.
  std::vector<W> on_host(const System<W>& system, const Field<const T>& x) const {
    std::vector<W> values = download<B, T>(on_, x, system.scaling.solution(), system.share.get());
    system.lifting.add_value(values, system.here());
    return values;
  }

  /// The values of the solution that x stands for.
  std::shared_ptr<const LevelSolution> values(const System<W>& system,
                                              const Field<const T>& x) const {
    auto level = std::make_shared<LevelSolutionOn<B>>(on_, system.finest(), system.share);
    solution_values<B, T>(on_, found_solution(system, x), level->values.view());
    on_.wait();  // the next level is solved by a backend of its own
    return level;
  }

  /// The errors of the solution that x stands for as the next coarser level tells them, where
  /// errors fall by four from level to level.  What stays while x is iterated on is taken to the
  /// backend once.
  class LevelComparison {
   public:
    /// All of these must outlive this, and no other data be taken or measured meanwhile.  Throws
    /// std::invalid_argument unless `coarser` is of the next coarser level, and on this backend.
    LevelComparison(const DataOnBackend& data, const System<W>& system, const Field<const T>& x,
                    const LevelSolution& coarser)
        : data_(data),
          system_(system),
          level_(on_backend(coarser)),
          found_(data.solution_of(system, x)),
          x_(data.on_, halved_cells(system.finest().x)),
          y_(data.on_, halved_cells(system.finest().y)) {
      const TensorGrid& grid = system.finest();
      require(is_coarser(level_.grid.x, grid.x) && is_coarser(level_.grid.y, grid.y),
              "a solution that is not the next coarser level's");
      data.copy_in(data.width_, level_.grid.x.width);
      data.copy_in(data.height_, level_.grid.y.width);
    }

    /// Nothing if they are not finite.
    std::optional<Errors> errors() const {
      FoundSolution<T> found = found_;
      found.mean = data_.mean(system_, found.x);
      const CoarserSolution from{level_.values.view(), x_.data(), y_.data(), data_.width_.data(),
                                 data_.height_.data()};
      const auto sum = [&](const ErrorExponents& out) {
        compare_levels<B, T>(data_.on_, found, from, ErrorScales(out), data_.sums_.data());
        return read_value(data_.on_, data_.sums_.data());
      };
      return scaled_sums(sum, level_.grid);
    }

   private:
    static const LevelSolutionOn<B>& on_backend(const LevelSolution& coarser) {
      const auto* const level = dynamic_cast<const LevelSolutionOn<B>*>(&coarser);
      require(level != nullptr, "a level's solution that lies on another backend");
      return *level;
    }

    const DataOnBackend& data_;
    const System<W>& system_;
    const LevelSolutionOn<B>& level_;
    FoundSolution<T> found_;
    Array<B, HalvedCell> x_, y_;
  };

  /// The size of the same solution: the largest value, and the root of the sum of squares times
  /// masses.
  struct Size {
    double l2, largest;
  };
  Size size(const System<W>& system, const Field<const T>& x, const NodeWeights& masses) const {
    const FoundSolution<T> found = found_solution(system, x);
    const auto sum = [&](int exponent) {
      sum_solution<B, T>(on_, found, masses, PowerOfTwo(-exponent), sums_.data());
      return read_value(on_, sums_.data());
    };
    const double largest = sum(0).max;
    if (!(largest > 0) || !std::isfinite(largest)) return {0, largest};
    const int exponent = std::ilogb(largest);
    return {std::ldexp(std::sqrt(sum(exponent).squares), exponent), largest};
  }

 private:
  /// The errors that a sum tells, whose squares stay inside the range of double.
  template <class Sum>
  static std::optional<Errors> scaled_sums(const Sum& sum, const TensorGrid& grid) {
    ErrorExponents out;
    ErrorSums sums = sum(out);
    if (!std::isfinite(sums.largest)) return {};
    if (const auto needed = needed_exponents(sums.largest, grid)) {
      out = *needed;
      sums = sum(out);
    }
    return errors_of(sums, out, grid);
  }

  /// True if its cells are two of the finer line's each, up to rounding.
  static bool is_coarser(const Line& coarser, const Line& finer) {
    if (2 * coarser.cells() != finer.cells()) return false;
    for (std::size_t k = 0; k < coarser.width.size(); ++k) {
      const double width = finer.width[2 * k] + finer.width[2 * k + 1];
      if (!(std::abs(coarser.width[k] - width) <= 1e-9 * width)) return false;
    }
    return true;
  }

  static int nx_of(const PreparedSolve& prepared) { return prepared.finest().nx(); }
  static int ny_of(const PreparedSolve& prepared) { return prepared.finest().ny(); }

  template <class V>
  void copy_in(const Array<B, V>& to, const std::vector<V>& values) const {
    if (values.empty()) return;  // of a Neumann side
    on_.copy_in(to.data(), values.data(), values.size() * sizeof(V));
  }

  FoundSolution<T> found_solution(const System<W>& system, const Field<const T>& x) const {
    FoundSolution<T> found = solution_of(system, x);
    found.mean = mean(system, x);
    return found;
  }

  /// With its mean.
  FoundSolution<T> solution_of(const System<W>& system, const Field<const T>& x) const {
    const Lifting<W>& lifting = system.lifting;
    FoundSolution<T> found{x,
                           system.unknowns(),
                           PowerOfTwo(system.scaling.solution()),
                           products_.fill(on_, lifting.products()),
                           {}};
    for (std::size_t s = 0; s < side_.size(); ++s) {
      copy_in(side_[s], lifting.sides()[s]);
      found.side[s] = side_[s].data();
    }
    return found;
  }

  ExactSolution<W> exact_solution(const System<W>& system,
                                  const std::vector<ProductFunction>& terms) const {
    const TensorGrid& grid = system.finest();
    const GaussRule<W> rule = gauss_rule<W>(error_points);
    const Distances<W> x = distances<W>(grid.x), y = distances<W>(grid.y);
    const std::vector<LinePoint<W>> x_points = line_points(grid.x, rule);
    const std::vector<LinePoint<W>> y_points = line_points(grid.y, rule);
    std::vector<NodeProduct<W>> nodes, points;
    for (const ProductFunction& term : terms) {
      nodes.push_back({on_nodes(term.x, term.factor, x), on_nodes(term.y, 1.0, y)});
      points.push_back(
          {on_points(term.x, term.factor, x_points), on_points(term.y, 1.0, y_points)});
    }
    copy_in(width_, grid.x.width);
    copy_in(height_, grid.y.width);
    ExactSolution<W> exact{
        nodes_.fill(on_, nodes), points_.fill(on_, points), width_.data(), height_.data(), {}, {}};
    for (std::size_t q = 0; q < error_points; ++q) {
      exact.place[q] = rule.point[q];
      exact.weight[q] = static_cast<double>(rule.weight[q]);
    }
    return exact;
  }

  static std::vector<W> on_nodes(const LineFunction& f, double factor, const Distances<W>& nodes) {
    std::vector<W> values(nodes.from_start.size());
    for_points(values.size(), [&](std::size_t k) {
      values[k] = factor * f.at(nodes.from_start[k], nodes.from_end[k]);
    });
    return values;
  }
  static std::vector<W> on_points(const LineFunction& f, double factor,
                                  const std::vector<LinePoint<W>>& points) {
    std::vector<W> values(points.size());
    for_points(points.size(), [&](std::size_t k) {
      values[k] = factor * f.at(points[k].from_start, points[k].from_end);
    });
    return values;
  }

  B on_;
  ProductTables<B, W> products_;  ///< of the load, then of the lifting
  ProductTables<B, W> nodes_, points_;
  Array<B, double> width_, height_;
  std::array<Array<B, W>, 4> side_;
  Array<B, W> share_x_, share_y_, mean_;
  Array<B, ErrorSums> sums_;
};

}  // namespace ninefold
