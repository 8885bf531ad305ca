#pragma once
// Full multigrid (nested iteration): the solution of each level, in High, begins as that of the
// next coarser one, interpolated, and is corrected there by a few visits of multigrid in Low.
//
// Mathematics.  With b on a level the restricted one of the next finer level, as nested elements
// have it, or evaluated, where it is a load of products (solvers/refinement/load_on_levels.hpp),
// and I the cubic interpolation (grids/cubic.hpp):
//
//     x := the solution on the first level: in High by waves, or in Low, with corrections where
//     that is not to its digits
//     on each finer level
//         x := I x + e       A e = b - A I x by a visit from zero
//         x := x + e         A e = b - A x   the same, for cycles_per_level - 1 more
//
// A visit leaves about a tenth of the error that is there when it begins, which is a few times the
// discretisation error of the level: what is left is a fraction of that error, on every level.
//
// Foresight.  Where errors fall by four, the next finer level will correct its I x by a quarter of
// the e of this one: with x + e/4 in place of x it begins with nearly no error but what is rough.
// Its own e then foresees nothing: so corrections are taken 5/4 times on the last level but one,
// and on every second one before it.  Not on coarse levels, where errors do not yet fall so, and
// only where one V-cycle is all that a level has, whatever its steps: F- and W-cycles, and further
// ones, leave next to nothing of smooth errors, and the rough ones that e/4 adds are then more.
// (V(0,2) on an H200, levels 10 to 15: rms of "peak" is 1.00 to 1.03 of the converged one instead
// of 1.07 to 1.08, of the paper's problem 1.0000 instead of 1.0006; V(1,1) on cells that jump by
// 7 1.004 to 1.000 instead of 1.008.  F(1,1) on cells that jump by 127 would leave 1.017 instead
// of 1.004 on level 10, on a host.)
//
// Cost.  On the finest level, for double over single on a device: that of the next coarser one is
// evaluated (2 bytes a node) or b is read to be restricted (10), b - A I x is stored and restricted
// (15), and what ends the visit, with x := I x + e, moves 15; on all levels 4/3 of that, and the
// visits of coarser levels.
//
// Scaling.  Residuals fall from level to level.  Each is stored with a factor of its own that
// follows from the norm of b and the level alone, so that no sum is waited for; where it is a power
// of two it changes no bit of formats whose range is wide.
//
// Shape.  Levels are counted from the coarsest, 0.  The first level is one that waves solve
// (solvers/refinement/nested_start.hpp), or the one that multigrid solves well
// (solvers/multigrid/base_solver.hpp).
//
// Reference.  Trottenberg, Oosterlee, Schueller, Multigrid, 2001, section 2.6; Brandt, Multi-level
// adaptive solutions to boundary-value problems, 1977.  x + e/4: Chen, Hu, Xie, Li, Analysis of
// extrapolation cascadic multigrid method (EXCMG), Sci. China Ser. A 51, 2008.
// Tests.      tests/solvers/refinement/nested_iteration_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "precision/require.hpp"

#include "grids/cubic.hpp"
#include "grids/transfer.hpp"

#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/nested_operations.hpp"

#include "solvers/refinement/correction.hpp"
#include "solvers/refinement/level_corrections.hpp"
#include "solvers/refinement/load_on_levels.hpp"
#include "solvers/refinement/nested_start.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number High>
class NestedIteration {
 public:
  using C = Arithmetic<High>;

  struct Options {
    OperatorForm form;
    OperatorStorage storage;   ///< of the matrices in High on coarser levels
    ResidualStorage residual;  ///< on the finest level
    int cycles_per_level = 1;
  };

  /// The level that the solution begins on, of the hierarchy's.
  int first_level() const { return first_level_; }
  /// True if the correction of a level, of the hierarchy's, is taken over_correction times.
  bool is_over(int level) const {
    const int k = level - first_level_, count = static_cast<int>(levels_.size());
    return is_taken_over(k, count, first_over_);
  }

  /// The finest level's system is the caller's, and must outlive this, as `grids` and `corrections`
  /// must; x is zero at Dirichlet nodes.
  NestedIteration(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
                  const Coefficients<Assembly<High>>& coefficients, const Options& options,
                  const LevelSystem<High>& finest, LevelCorrections<B, High>& corrections)
      : on_(on),
        options_(options),
        finest_(finest),
        corrections_(corrections),
        first_level_(first_level(grids, boundary)),
        load_(on, grids, static_cast<std::size_t>(first_level_) + 1, boundary) {
    const int last = corrections.levels() - 1;
    for (int l = first_level_; l <= last; ++l) {
      const TensorGrid& grid = grids[static_cast<std::size_t>(l) + 1];
      levels_.push_back({});
      Level& level = levels_.back();
      if (l < last) {
        level.unknowns = unknown_nodes(grid, boundary);
        if (l > first_level_ || first_level_ == corrections.base_level()) {
          level.A.emplace_back(on, grid, level.unknowns, coefficients, options.form,
                               options.storage);
        }
        level.b = NodeVector<B, High>(on, grid.nx(), grid.ny());
        level.x = NodeVector<B, High>(on, grid.nx(), grid.ny());
      }
      if (l == first_level_) continue;
      if (!foresees(grid)) first_over_ = l + 1 - first_level_;
      level.x_weights = {on, transfer_weights<C>(grid.x)};
      level.y_weights = {on, transfer_weights<C>(grid.y)};
      level.x_cubic = {on, cubic_weights<C>(grid.x)};
      level.y_cubic = {on, cubic_weights<C>(grid.y)};
    }
    states_ = Array<B, RefinementState<C>>(on, levels_.size());
    if (first_level_ > corrections.base_level()) {
      start_.emplace(on, grids[static_cast<std::size_t>(first_level_) + 1], boundary, coefficients);
    }
  }
  NestedIteration(const NestedIteration&) = delete;
  NestedIteration& operator=(const NestedIteration&) = delete;

  /// Scales residuals for the b that is there, from its norm; to be called when that has changed
  /// much.  Neither waits nor reads.
  void scale() {
    if (solves_at_once()) return;
    dot<B, High>(on_, finest_.A.unknowns, finest_.b, finest_.b, &states_.data()->square);
    // The first level takes the factor of the finest one: b is restricted, but solutions are of one
    // size.  In a narrow format factors grow less, so that what falls slowly stays in its range.
    const int finer = std::max(1, static_cast<int>(levels_.size()) - 1);
    const int most = std::ilogb(options_.residual.widest_change);
    set_scales(on_, options_.residual.scaling, options_.residual.exponent,
               std::min(residual_growth, most / finer), static_cast<int>(levels_.size()),
               first_over_, states_.data());
  }

  /// Tells what b is, until it is told again.  Returns true if run() does other work from here on.
  bool take_load(const ScaledLoad<Assembly<High>>& load) {
    const std::size_t before = load_.terms();
    load_.take(load);
    return load_.terms() != before;
  }

  /// x of the finest level := the solution, for the b that is there; neither waits nor reads.
  void run() {
    const std::size_t last = levels_.size() - 1;
    // Where loads are evaluated, each is when it is needed: it may still be in a cache then.
    const bool evaluates = load_.terms() > 0;
    if (!evaluates) {
      for (std::size_t k = last; k > 0; --k) restrict_right(k);
    } else if (last > 0) {
      evaluate_right(0);
    }
    solve_first();
    for (std::size_t k = 1; k <= last; ++k) {
      const int l = first_level_ + static_cast<int>(k);
      const Level& level = levels_[k];
      const LevelSystem<High> here = system(k);
      if (evaluates && k < last) evaluate_right(k);
      corrections_.correct_interpolated(l, here, {level.x_cubic.data(), level.y_cubic.data()},
                                        levels_[k - 1].x.view(), state(k));
      for (int m = 1; m < options_.cycles_per_level; ++m) corrections_.correct(l, here, state(k));
    }
  }

  /// True if nothing but rounding is left by run(): waves solve the finest level.
  bool solves_at_once() const { return start_ && levels_.size() == 1; }

  /// True if eigenvectors alone have made so many steps on the finest level, the first of them by
  /// run() if `is_run`: where that is the first level, or the one that corrections begin on.
  bool solves_by_vectors(bool is_run, int steps) const {
    if (levels_.size() > 1) return false;
    return start_ ? is_run && steps <= 1 : corrections_.solves_base();
  }

  /// Visits of the finest level, or 1 where it is solved at once.
  int cycles() const {
    if (levels_.size() > 1) return options_.cycles_per_level;
    return solves_at_once() ? 1 : 1 + corrections_.first_corrections();
  }

 private:
  /// The powers of two by which residuals are smaller from level to level: h^3 and more.
  static constexpr int residual_growth = 3;

  struct NoStart {
    template <class... Arguments>
    explicit NoStart(const Arguments&...) {}
    void solve(const Field<const High>&, const Field<High>&) const {}
  };
  static constexpr bool may_start_by_waves = std::is_same_v<High, double>;
  using Start = std::conditional_t<may_start_by_waves, NestedStart<B>, NoStart>;

  /// True if the correction of a level with this grid foresees that of the next finer one.
  bool foresees(const TensorGrid& grid) const {
    constexpr int fewest_cells = 512;
    return options_.cycles_per_level == 1 && corrections_.smoothing().cycle == Cycle::v
           && std::min(grid.x.cells(), grid.y.cells()) >= fewest_cells;
  }

  int first_level([[maybe_unused]] const std::vector<TensorGrid>& grids,
                  [[maybe_unused]] const Boundary& boundary) const {
    const LevelCorrections<B, High>& corrections = corrections_;
    require(corrections.levels() + 1 == static_cast<int>(grids.size()),
            "corrections of another hierarchy");
    if constexpr (may_start_by_waves) {
      const int last = corrections.levels() - 1;
      for (int l = last; l > corrections.base_level() && corrections.has_twenty_bits(); --l) {
        const TensorGrid& grid = grids[static_cast<std::size_t>(l) + 1];
        // Corrections of another format are made on the last level in any case: they were asked
        // for.
        if (l == last && !corrections.are_in_its_format()) continue;
        // A visit more, which by lines takes longer than it is worth.
        if (l == last - 1 && foresees(grid) && !corrections.smoothing().by_lines()) continue;
        if (Start::suits(grid, boundary)) return l;
      }
    }
    return corrections.base_level();
  }

  struct Level {
    // None of these on the finest level, whose system is the caller's.
    Box unknowns;
    std::vector<Matrix<B, High>> A;  ///< one, or none of a level that is solved at once
    NodeVector<B, High> b, x;
    Array<B, TransferWeights<C>> x_weights, y_weights;  ///< from the next coarser level
    Array<B, CubicWeights<C>> x_cubic, y_cubic;
  };

  LevelSystem<High> system(std::size_t k) const {
    if (k + 1 == levels_.size()) return finest_;
    const Level& level = levels_[k];
    return {level.A.front().view(), level.b.view(), level.x.view()};
  }
  const RefinementState<C>* state(std::size_t k) const { return states_.data() + k; }
  /// Of a level before the finest.
  const Box& unknowns(std::size_t k) const { return levels_[k].unknowns; }

  void solve_first() {
    if (solves_at_once()) return start_->solve(finest_.b, finest_.x);
    if (start_) return start_->solve(levels_.front().b.view(), levels_.front().x.view());
    const LevelSystem<High> first = system(0);
    corrections_.begin(first_level_, first, state(0));
    for (int k = 0; k < corrections_.first_corrections(); ++k)
      corrections_.correct(first_level_, first, state(0));
  }

  /// b of level k.
  void evaluate_right(std::size_t k) const {
    evaluate_load<B, High>(on_, unknowns(k), load_.on_level(k), levels_[k].b.view());
  }
  /// b of the level before level k.
  void restrict_right(std::size_t k) const {
    const Level& level = levels_[k];
    const bool is_finest = k + 1 == levels_.size();
    restrict_residual<B, High>(on_, unknowns(k - 1), is_finest ? finest_.A.unknowns : unknowns(k),
                               {level.x_weights.data(), level.y_weights.data()}, system(k).b,
                               levels_[k - 1].b.view());
  }

  B on_;
  Options options_;
  LevelSystem<High> finest_;
  LevelCorrections<B, High>& corrections_;
  int first_level_;     ///< of the hierarchy
  int first_over_ = 1;  ///< the first of levels_ whose correction may foresee the next one's
  LoadOnLevels<B, Assembly<High>, LoadValue<High>> load_;
  std::vector<Level> levels_;  ///< from the first one on
  Array<B, RefinementState<C>> states_;
  std::optional<Start> start_;  ///< of the first level, if waves solve it
};

}  // namespace ninefold
