#pragma once
// Geometric multigrid with point or line smoothing: V-, F- and W-cycles down to 3 x 3 nodes.
//
// Mathematics.  One cycle for A x = b on level l: smooth `pre_smoothing` times; restrict the
// residual to level l-1; visit level l-1 from zero, then (F) once more with a V-cycle or (W) once
// more with a W-cycle on the same coarse problem; add the prolongated correction; smooth
// `post_smoothing` times.  Level 1 is solved exactly.  Coarse matrices are assembled on the coarse
// grids, restriction is the transpose of bilinear interpolation.
//
// Smoothers.  jacobi: damped point relaxation.  tridi: all lines along one direction at once,
// damped.  trigs: one line after the other (sequential), or the even ones and then the odd ones
// (zebra).  adi-tridi, adi-trigs: along x in the first, third, ... step of a visit, along y in the
// second, ...; the steps after the coarse correction go on counting.
//
// Where no side is Dirichlet and there is no reaction, A is singular; right-hand sides then have no
// sum, and each cycle ends with the mean of x taken away.
//
// Shape.  Three vectors per level: x, b, and t, which takes turns with x in the steps of jacobi and
// tridi and holds the residual in between.  Lines on a device need memory beside them, which all
// levels share (gpu/operations/line_operations.hpp).
//
// Cost.  Per cycle and level: (pre + post) steps (12 values per node; trigs 13) and one residual
// of 12, transfers of about 4.5; a level is visited once in a V-cycle, L - l + 1 times in an
// F-cycle.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.1 (MG_JAC, MG_ADITRIGS).
// Tests.      tests/solvers/solve_test.cpp, tests/solvers/multigrid/line_smoothing_test.cpp,
// tests/gpu/device/same_bits_test.cpp

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/measure_operations.hpp"

#include "solvers/multigrid/coarse_schedule.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
class Multigrid {
 public:
  /// `grids` are the levels 0 to L >= 1 of one hierarchy; level 0 is not used.  Matrices are held
  /// as `storage` says, but for the coarsest levels, whose entries are never computed.
  Multigrid(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
            const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
            const MultigridOptions& options, OperatorStorage storage = OperatorStorage::stored)
      : on_(on),
        options_(options),
        smoothing_(choose_smoothing(options, grids.back(), static_cast<double>(coefficients.gx),
                                    static_cast<double>(coefficients.gy))),
        omega_(static_cast<Leading<T>>(smoothing_.damping)) {
    levels_.reserve(grids.size() - 1);
    for (std::size_t l = 1; l < grids.size(); ++l) {
      levels_.emplace_back(on, grids[l], unknown_nodes(grids[l], boundary), coefficients, form,
                           storage_of_level(storage, grids[l].nx(), grids[l].ny()));
    }
    for (Level& level : levels_) level.allocate_vectors(on);
    if (A().has_free_constant) mean_ = Array<B, Arithmetic<T>>(on, 1);
    if (std::is_same_v<B, Cuda> && smoothing_.by_lines()) {
      const int n = std::max(grids.back().nx(), grids.back().ny());
      scratch_ = Array<B, Leading<T>>(on, line_scratch_values<T>(n));
    }
  }

  /// Matrix, solution and right-hand side of the finest level.  The views stay valid and the same.
  const Operator<T>& A() const { return levels_.back().A.view(); }
  Field<T> x() const { return levels_.back().x; }
  Field<T> b() const { return levels_.back().b; }

  /// Puts values of Dirichlet nodes into both vectors that take turns as x; call after x() is set.
  void adopt_start() { copy(on_, levels_.back().x, levels_.back().t); }

  /// x := one cycle applied to x.
  void cycle() { cycle_from(false); }

  /// x := one cycle applied to zero: the multigrid preconditioner.
  void cycle_from_zero() { cycle_from(true); }

  /// x := x + P c by full multigrid (nested iteration): c is found for the residual of x on the
  /// next coarser level in the same way, from an exact solution on the coarsest; then one cycle on
  /// x. The residual of a coarse level is the restricted one, as nested elements have it.
  void full_cycle() {
    Level& finest = levels_.back();
    const T* const home = finest.x.data;
    const std::size_t last = levels_.size() - 1;
    if (last > 0) residual(on_, finest.A.view(), finest.b, finest.x, finest.t);
    for (std::size_t l = last; l > 0; --l) {
      Level &fine = levels_[l], &coarse = levels_[l - 1];
      restrict_residual(on_, coarse.A.view().unknowns, fine.A.view().unknowns, fine.transfer(),
                        l == last ? fine.t : fine.b, coarse.b);
    }
    visit(0, options_.cycle, true);
    for (std::size_t l = 1; l <= last; ++l) {
      Level& fine = levels_[l];
      if (l < last) set_zero(on_, fine.x);
      add_prolongated(on_, fine.A.view().unknowns, fine.transfer(), levels_[l - 1].x, fine.x);
      visit(l, options_.cycle, false);
    }
    return_home(home);
    remove_constant();
  }

  /// Bytes held for grids of levels 1 to `finest`, `lines` being true if a device smooths by lines.
  static std::size_t bytes(int finest, OperatorStorage storage, bool lines) {
    std::size_t sum = lines ? line_scratch_values<T>((1 << finest) + 1) * sizeof(Leading<T>) : 0;
    for (int l = 1; l <= finest; ++l) {
      const int n = (1 << l) + 1;
      sum += matrix_bytes(n, storage) + weight_bytes(n)
             + 3 * NodeVector<B, T>::storage(n, n) * sizeof(T);
    }
    return sum;
  }

  /// Bytes held while the matrix of the finest level is assembled.
  static std::size_t bytes_of_assembly(int finest, OperatorStorage storage) {
    const int n = (1 << finest) + 1;
    std::size_t sum = matrix_bytes(n, storage)
                      + Matrix<B, T>::bytes_of_couplings(n, n, storage_of_level(storage, n, n));
    for (int l = 1; l < finest; ++l) {
      sum += matrix_bytes((1 << l) + 1, storage) + weight_bytes((1 << l) + 1);
    }
    return sum;
  }

 private:
  using C = Arithmetic<T>;

  static bool can_take_over(int nx, int ny) { return CoarseProblem<T>::can_take(nx, ny); }
  /// What the coarse levels take is little, and one kernel works on them in place.
  static OperatorStorage storage_of_level(OperatorStorage storage, int nx, int ny) {
    const bool coarse = storage == OperatorStorage::computed && can_take_over(nx, ny);
    return coarse ? OperatorStorage::stored : storage;
  }
  static std::size_t matrix_bytes(int n, OperatorStorage storage) {
    return Matrix<B, T>::bytes(n, n, storage_of_level(storage, n, n));
  }
  static std::size_t weight_bytes(int n) {
    return 2 * static_cast<std::size_t>(n) * sizeof(TransferWeights<C>);
  }

  struct Level {
    Level(const B& on, const TensorGrid& grid, const Box& unknowns,
          const Coefficients<Assembly<T>>& coefficients, OperatorForm form, OperatorStorage storage)
        : A(on, grid, unknowns, coefficients, form, storage),
          x_weights(on, transfer_weights<C>(grid.x)),
          y_weights(on, transfer_weights<C>(grid.y)) {}

    void allocate_vectors(const B& on) {
      const int nx = A.view().nx, ny = A.view().ny;
      for (NodeVector<B, T>& v : vectors) v = NodeVector<B, T>(on, nx, ny);
      x = vectors[0].view();
      b = vectors[1].view();
      t = vectors[2].view();
    }

    /// To this level from the next coarser one.
    Transfer<C> transfer() const { return {x_weights.data(), y_weights.data()}; }

    Matrix<B, T> A;
    Array<B, TransferWeights<C>> x_weights, y_weights;
    NodeVector<B, T> vectors[3];
    Field<T> x{}, b{}, t{};
  };

  void cycle_from(bool zero_start) {
    Level& finest = levels_.back();
    const T* const home = finest.x.data;
    visit(levels_.size() - 1, options_.cycle, zero_start);
    return_home(home);
    remove_constant();
  }

  /// Where A says nothing of it, the constant that the coarsest level has left is taken away.
  void remove_constant() {
    if (mean_.size() == 0) return;
    remove_mean(on_, levels_.back().A.view().unknowns, levels_.back().x, mean_.data());
  }

  /// An odd number of steps has left the result in t; a replayed cycle must start where it ends.
  void return_home(const T* home) {
    Level& finest = levels_.back();
    if (finest.x.data == home) return;
    copy(on_, finest.x, finest.t);
    std::swap(finest.x, finest.t);
  }

  void visit(std::size_t l, Cycle cycle, bool zero_start) {
    if (visited_at_once(l, [&](CoarseSchedule& schedule, int top) {
          add_visit(schedule, options_, smoothing_, top, cycle, zero_start);
        })) {
      return;
    }
    Level& level = levels_[l];
    if (l == 0) {
      solve_coarsest(on_, level.A.view(), level.b, level.x);
      return;
    }
    Level& coarse = levels_[l - 1];
    smooth(level, 0, options_.pre_smoothing, zero_start);
    residual(on_, level.A.view(), level.b, level.x, level.t);
    restrict_residual(on_, coarse.A.view().unknowns, level.A.view().unknowns, level.transfer(),
                      level.t, coarse.b);
    correct(l - 1, cycle);
    add_prolongated(on_, level.A.view().unknowns, level.transfer(), coarse.x, level.x);
    smooth(level, options_.pre_smoothing, options_.post_smoothing, false);
  }

  /// The visits of level l on behalf of the next finer one.
  void correct(std::size_t l, Cycle cycle) {
    if (visited_at_once(l, [&](CoarseSchedule& schedule, int top) {
          add_correction(schedule, options_, smoothing_, top, cycle);
        })) {
      return;
    }
    visit(l, cycle, true);
    if (cycle != Cycle::v && l > 0) visit(l, cycle == Cycle::f ? Cycle::v : cycle, false);
  }

  /// On a device, if level l is small enough: one kernel for all visits that add(schedule, l) adds.
  template <class Add>
  bool visited_at_once([[maybe_unused]] std::size_t l, [[maybe_unused]] const Add& add) const {
    if constexpr (std::is_same_v<B, Cuda>) {
      if (!can_take_over(levels_[l].x.nx, levels_[l].x.ny)) return false;
      return visited_by_rows<NineBand<const T>>(l, add) || visited_by_rows<FactoredRows<T>>(l, add);
    }
    return false;
  }

  /// The same if the matrices are of this kind.
  template <class Rows, class Add>
  bool visited_by_rows(std::size_t l, const Add& add) const {
    const Level& top = levels_[l];
    CoarseProblem<T, Rows> problem;
    for (std::size_t k = 0; k <= l; ++k) {
      const Rows* const A = levels_[k].A.view().template as<Rows>();
      if (A == nullptr) return false;
      problem.add(*A, levels_[k].transfer());
    }
    if (smoothing_.by_lines()) problem.add_lines(smoothing_.sweep());
    if (problem.memory_bytes > on_.shared_memory()) return false;
    problem.x = top.x;
    problem.t = top.t;
    problem.b = top.b;
    CoarseSchedule schedule;
    add(schedule, static_cast<int>(l));
    visit_coarse<T>(on_, problem, schedule, omega_);
    return true;
  }

  /// The steps first <= k < first + count of a visit.
  void smooth(Level& level, int first, int count, bool zero_start) {
    if (smoothing_.smoother == Smoother::jacobi) {
      smooth_by_points(level, count, zero_start);
      return;
    }
    if (zero_start) set_zero(on_, level.x);
    for (int k = first; k < first + count; ++k) smooth_by_lines(level, k);
  }

  void smooth_by_points(Level& level, int steps, bool zero_start) {
    if (zero_start) {
      if (steps == 0) {
        set_zero(on_, level.x);
        return;
      }
      jacobi_start(on_, level.A.view(), level.b, omega_, level.x);
      --steps;
    }
    for (int step = 0; step < steps; ++step) {
      jacobi_step(on_, level.A.view(), level.b, omega_, level.x, level.t);
      std::swap(level.x, level.t);
    }
  }

  void smooth_by_lines(Level& level, int k) {
    const LineSweep sweep = smoothing_.sweep();
    const LineDirection direction = sweep.direction_of(k);
    const LineScratch<Leading<T>> scratch{scratch_.data(), scratch_.size()};
    const auto step = [&](int first, int stride, const Field<T>& y) {
      line_step<T>(on_, level.A.view(), level.b, omega_, Lines{direction, first, stride}, level.x,
                   scratch, y);
    };
    if (sweep.simultaneous()) {
      step(0, 1, level.t);
      std::swap(level.x, level.t);
      return;
    }
    const int lines = Lines{direction}.count(level.A.view().unknowns);
    const int stride = sweep.stride_of(lines);
    for (int first = 0; first < std::min(stride, lines); ++first) step(first, stride, level.x);
  }

  B on_;
  MultigridOptions options_;
  Smoothing smoothing_;
  Leading<T> omega_;
  std::vector<Level> levels_;
  Array<B, Leading<T>> scratch_;  // for lines
  Array<B, Arithmetic<T>> mean_;  // of x, where the system has a free constant
};

}  // namespace ninefold
