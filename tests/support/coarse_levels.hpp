#pragma once
// Coarse levels with random vectors on any backend, and what tests of their cycles vary.

#include <utility>
#include <vector>

#include "grids/tensor_grid.hpp"
#include "grids/transfer.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/coarse_operations.hpp"

#include "solvers/multigrid/kept_lines.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/schedule.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/exact.hpp"
#include "tests/support/put.hpp"
#include "tests/support/row_kinds.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold::testing {

/// Dirichlet values everywhere, and on two sides only.
inline std::vector<Boundary> coarse_boundaries() {
  Boundary dirichlet, mixed;
  mixed[Side::left] = mixed[Side::top] = BoundaryKind::neumann;
  return {dirichlet, mixed};
}

/// Every smoother, with numbers of steps before and after the correction: odd and even, with a side
/// that has none.
inline std::vector<MultigridOptions> coarse_options() {
  std::vector<MultigridOptions> all;
  const auto add = [&](Cycle cycle, Smoother smoother, LineOrder order, int before, int after) {
    MultigridOptions options;
    options.cycle = cycle;
    options.smoother = smoother;
    options.line_order = order;
    options.pre_smoothing = before;
    options.post_smoothing = after;
    all.push_back(options);
  };
  const std::vector<std::pair<int, int>> steps{{0, 1}, {1, 0}, {2, 2}, {3, 1}};
  const std::vector<std::pair<Smoother, LineOrder>> by_lines{
      {Smoother::tridi, LineOrder::zebra},      {Smoother::trigs, LineOrder::zebra},
      {Smoother::trigs, LineOrder::sequential}, {Smoother::adi_tridi, LineOrder::zebra},
      {Smoother::adi_trigs, LineOrder::zebra},  {Smoother::adi_trigs, LineOrder::sequential}};
  std::size_t k = 0;
  for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
    for (const auto& [before, after] : steps) {
      add(cycle, Smoother::jacobi, LineOrder::zebra, before, after);
      add(cycle, Smoother::chebyshev, LineOrder::zebra, before, after);
    }
    for (const auto& [smoother, order] : by_lines) {
      const auto& [before, after] = steps[k++ % steps.size()];
      add(cycle, smoother, order, before, after);
    }
  }
  // Along the other direction, which the grid would not choose.
  add(Cycle::v, Smoother::trigs, LineOrder::zebra, 2, 1);
  all.back().line_direction = LineDirection::x;
  add(Cycle::v, Smoother::tridi, LineOrder::zebra, 1, 2);
  all.back().line_direction = LineDirection::y;
  return all;
}

/// True if rows of this kind have what the smoother divides by.
inline bool can_smooth(const RowKind& kind, const MultigridOptions& options) {
  return options.smoother != Smoother::chebyshev || kind.storage == OperatorStorage::factored;
}

/// A rectangle's grids, stretched: no two rows of a matrix are alike.
inline std::vector<TensorGrid> coarse_grids(int level) {
  return make_hierarchy(1.0, 0.5, level, {0.75, {Side::right, Side::bottom}});
}

template <class T>
Coefficients<Assembly<T>> coarse_coefficients() {
  return {Assembly<T>(1.0), Assembly<T>(0.75), Assembly<T>(0.5)};
}

/// x and b of a level, at all nodes.
template <class T>
std::vector<Assembly<T>> coarse_values(int level, std::uint64_t seed) {
  const std::size_t n = (std::size_t{1} << level) + 1;
  return random_values<Assembly<T>>(n * n, seed);
}

/// The x to begin with.  Where a cycle from zero follows, it is zero but at unknowns: the vectors
/// that take turns must agree there.
template <class T>
std::vector<Assembly<T>> coarse_start(int level, const Box& unknowns, bool zero_start) {
  std::vector<Assembly<T>> values = coarse_values<T>(level, 1);
  if (!zero_start) return values;
  const int n = (1 << level) + 1;
  for (int k = 0; k < n * n; ++k) {
    if (!unknowns.contains(k % n, k / n)) values[static_cast<std::size_t>(k)] = Assembly<T>(0);
  }
  return values;
}

/// x after two cycles on a backend, each step a whole operation, the second from zero if wanted.
template <Backend B, Number T>
std::vector<T> after_cycles(const B& on, const std::vector<TensorGrid>& grids,
                            const Boundary& boundary, const RowKind& kind,
                            const MultigridOptions& options, bool zero_start) {
  const int level = static_cast<int>(grids.size()) - 1;
  Multigrid<B, T> multigrid(on, grids, boundary, coarse_coefficients<T>(), kind.form,
                            choose_smoothing(options, grids.back(), 1.0, 0.75), kind.storage);
  upload(on, coarse_start<T>(level, unknown_nodes(grids.back(), boundary), zero_start), 0,
         multigrid.x());
  upload(on, coarse_values<T>(level, 2), 0, multigrid.b());
  multigrid.adopt_start();
  multigrid.cycle();
  if (zero_start) {
    multigrid.cycle_from_zero();
  } else {
    multigrid.cycle();
  }
  return take(on, multigrid.x());
}

/// Levels 1 to that of `grids` as one problem, with the vectors that after_cycles begins with.
template <Backend B, Number T, class Rows = NineBand<const T>>
class CoarseLevels {
 public:
  using C = Arithmetic<T>;

  CoarseLevels(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
               const RowKind& kind)
      : finest_(grids.back()) {
    for (std::size_t l = 1; l < grids.size(); ++l) {
      matrices_.emplace_back(on, grids[l], unknown_nodes(grids[l], boundary),
                             coarse_coefficients<T>(), kind.form, kind.storage);
      weights_.emplace_back(on, transfer_weights<C>(grids[l].x));
      weights_.emplace_back(on, transfer_weights<C>(grids[l].y));
    }
    for (std::size_t l = 0; l < matrices_.size(); ++l) {
      problem.add(*matrices_[l].view().template as<Rows>(),
                  {weights_[2 * l].data(), weights_[2 * l + 1].data()});
    }
    for (auto& v : vectors_) v = NodeVector<B, T>(on, grids.back().nx(), grids.back().ny());
    problem.x = vectors_[0].view();
    problem.t = vectors_[1].view();
    problem.b = vectors_[2].view();
    without_lines_ = problem;
  }

  /// To be called before anything else; `keeps`: with what lines keep.
  void smooth_by(const B& on, const MultigridOptions& options, bool keeps) {
    smoothing = choose_smoothing(options, finest_, 1.0, 0.75);
    problem = without_lines_;
    if (!smoothing.by_lines()) return;
    problem.add_lines(smoothing.sweep());
    lines_.clear();
    for (std::size_t l = 0; keeps && l < matrices_.size(); ++l) {
      const auto& lines = lines_.emplace_back(on, matrices_[l].view(), smoothing.sweep());
      problem.keep_lines(static_cast<int>(l), lines.along(LineDirection::x),
                         lines.along(LineDirection::y));
    }
  }

  /// `zero_start`: a cycle from zero will follow.
  void restart(const B& on, bool zero_start) const {
    const Box& unknowns = problem.level[problem.levels - 1].A.unknowns;
    const auto x = coarse_start<T>(problem.levels, unknowns, zero_start);
    upload(on, x, 0, problem.x);
    upload(on, x, 0, problem.t);
    upload(on, coarse_values<T>(problem.levels, 2), 0, vectors_[2].view());
  }

  /// The steps of one cycle.
  CoarseSchedule cycle(bool zero_start) const {
    CycleSchedule schedule(smoothing);
    schedule.add_visit(problem.levels - 1, smoothing.cycle, zero_start);
    return coarse_schedule(schedule, schedule.spans().front());
  }

  std::vector<T> x(const B& on) const { return take(on, problem.x); }

  CycleRelaxations<T> relaxations() const { return relaxations_of<Leading<T>>(smoothing); }

  CoarseProblem<T, Rows> problem;
  Smoothing smoothing;

 private:
  TensorGrid finest_;
  CoarseProblem<T, Rows> without_lines_;
  std::vector<Matrix<B, T>> matrices_;
  std::vector<Array<B, TransferWeights<C>>> weights_;
  std::vector<KeptLines<B, T>> lines_;
  NodeVector<B, T> vectors_[3];
};

/// Calls run.template operator()<Rows>() with the kind of rows that is stored so.
template <class T, class Run>
void with_coarse_rows(const RowKind& kind, const Run& run) {
  if (kind.storage == OperatorStorage::factored) {
    run.template operator()<FactoredRows<T>>();
  } else {
    run.template operator()<NineBand<const T>>();
  }
}

/// Values that are not finite: their bits would be the machine's own.
template <class T>
int n_not_finite(const std::vector<T>& a) {
  int n = 0;
  for (const T& value : a) {
    const auto difference = Arithmetic<T>(value) - Arithmetic<T>(value);
    n += !(static_cast<double>(difference) == 0);
  }
  return n;
}

}  // namespace ninefold::testing
