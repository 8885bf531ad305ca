#pragma once
// What a multigrid cycle does on a grid, where the options leave it open.
//
// Mathematics.  A cell hx x hy couples its nodes gx hy / hx along x and gy hx / hy along y; where
// one is much larger than the other, errors that are rough in the weak direction only survive point
// relaxation, and lines along the strong one must be solved at once.  "auto" takes the cheapest
// smoother whose convergence does not suffer: Jacobi if the two couplings of every cell are within
// `isotropic_ratio` of each other; lines along one direction (trigs) if the other one is nowhere
// stronger than that; alternating lines (adi-trigs) else.  Where rows are factored, chebyshev takes
// Jacobi's place; full multigrid takes it on longer cells, too (with_nested_cycle).
//
// The cycle that is left open is V with chebyshev, F with the others: on the paper's problem each
// then takes seven or eight cycles, and a V-cycle visits the coarse levels, which keep no device
// busy, but once (docs/performance.md, "Smoothers and cycles").  Of full multigrid it is what
// with_nested_cycle() says.
//
// Tests.  tests/solvers/multigrid/smoothing_test.cpp

#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "gpu/operations/refinement_state.hpp"
#include "gpu/operations/relaxation.hpp"

#include "solvers/options.hpp"

namespace ninefold {

/// The largest ratio of two couplings that Jacobi's method takes: cells up to 1 : 1.5.
inline constexpr double isotropic_ratio = 2.25;

/// The smallest and the largest (gx hy / hx) / (gy hx / hy) of a grid's cells.
struct CouplingRatios {
  double smallest, largest;
};
CouplingRatios coupling_ratios(const TensorGrid& grid, double gx, double gy);

/// A cycle with nothing left open.
struct Smoothing {
  Smoother smoother = Smoother::jacobi;        ///< not automatic
  LineOrder order = LineOrder::zebra;          ///< of trigs and adi-trigs
  LineDirection direction = LineDirection::x;  ///< of tridi and trigs, and the first one of others
  double damping = 0.8;                        ///< of all steps, but for chebyshev
  Cycle cycle = Cycle::f;
  int pre_steps = 2, post_steps = 2;  ///< of a visit, before the coarse correction and after it
  bool solves_base = false;           ///< a coarse level well: see BaseLevel
  /// What steps of full multigrid by points suit: the largest ratio of both directions' couplings
  /// in a cell, or 1 where that is above most_nested_coupling or cells jump.
  double coupling = 1;
  bool suits_points = true;  ///< those that are chosen, if they are points

  /// True if cycles from zero on the finest level have steps of their own there
  /// (correction_dampings): V-cycles of full multigrid with two steps of "chebyshev", none of them
  /// before.
  bool has_own_corrections() const {
    return smoother == Smoother::chebyshev && cycle == Cycle::v && pre_steps == 0 && post_steps == 2
           && solves_base;
  }
  /// How many times corrections by one such cycle are taken: see correction_dampings.
  OverCorrections over_corrections() const {
    if (!has_own_corrections()) return {};
    return {3, {1.04, 1.12, 0.99}};
  }
  /// The place, among the relaxations of steps, of the first one after the coarse correction of a
  /// visit, of one for an interpolated solution, and of a correction of the finest level.
  int first_post_step() const { return pre_steps; }
  int first_interpolated_step() const {
    return smoother == Smoother::chebyshev ? pre_steps + post_steps : pre_steps;
  }
  int first_correction_step() const {
    return has_own_corrections() ? pre_steps + 2 * post_steps : pre_steps;
  }
  bool by_lines() const { return smoother != Smoother::jacobi && smoother != Smoother::chebyshev; }
  LineSweep sweep() const;
};
/// `storage` is that of the matrices on all levels.
Smoothing choose_smoothing(const MultigridOptions& options, const TensorGrid& finest, double gx,
                           double gy, OperatorStorage storage = OperatorStorage::stored);

/// The largest ratio of neighbouring cells' widths in a direction.
double neighbour_ratio(const TensorGrid& grid);

/// By lines, full multigrid takes other cycles where neighbouring cells differ more.
inline constexpr double most_even_neighbours = 6, most_uneven_neighbours = 20;

/// Full multigrid takes points where couplings differ less, cells up to 1 : 3, with two steps or,
/// beyond the second ratio, four, and only where neighbouring cells are at most 3 : 1.
inline constexpr double most_nested_coupling = 10, most_coupling_of_two_steps = 4,
                        most_jump_of_points = 3;

/// What full multigrid leaves open of its cycle and steps, decided, and up to which coupling it
/// takes points, in rows of that storage: most_nested_coupling or, as 16 bits inside would take
/// three times as many corrections, less.
///
/// Points take V-cycles with no step before the coarse correction and two or four after it.  So do
/// lines, with two, where neighbours are at most most_even_neighbours : 1; others have one before
/// and one after, beyond most_uneven_neighbours in F-cycles.
///
/// Why.  Points with steps that suit the coupling (relaxations_of) leave rms errors of 1.000
/// to 1.003 times that of the discretisation on cells to 1 : 2 and 1 : 3, on levels 8 to 14, and
/// take 0.13 to 0.60 of the time of lines, and 0.17 to 1.23 of it to 1e-8; on cells to 1 : 4 that
/// is more, and where cells jump by 4 : 1 the error is 3.5 times as large.
///
/// The kinks that interpolation leaves where cells jump last: at 7 : 1 (anisotropy 0.25)
/// V(0,2) leaves an rms error of 1.04 (level 9) to 1.28 (12) times that of the discretisation,
/// V(1,1) in the same time 1.009 to 1.000.  Before levels foresaw each other's corrections: at
/// 127 : 1 V(1,1) left 2.1 times on level 11 and 11 on 13, F(1,1) 1.002 and 1.0005; to 5 : 1, on
/// geometric grids and for unequal coefficients V(0,2) was the better one, 1.0002 instead of 1.006
/// at 5 : 1 (docs/performance-notes.md).
MultigridOptions with_nested_cycle(MultigridOptions options, const TensorGrid& finest, double gx,
                                   double gy, OperatorStorage storage = OperatorStorage::stored,
                                   double point_coupling = most_nested_coupling);

/// The largest eigenvalue (gpu/operations/relaxation.hpp), on square cells that of the waves that
/// are as rough as can be in one direction and smooth in the other.
inline constexpr double largest_rough = 1.5;

/// The omegas of n steps by Chebyshev's roots, in order; see relaxations_of.
std::vector<double> chebyshev_dampings(int n, double coupling = 1);
/// The same for an interpolated solution.
std::vector<double> interpolation_dampings(int n);
/// The same for corrections of the finest level (Smoothing::has_own_corrections): the roots are on
/// [0.85 / coupling, 3/2], since what is rough in the weaker direction has eigenvalues that are so
/// many times smaller.
///
/// Why.  By the roots above a V(0,2) cycle leaves up to a ninth of what is smooth on the finest
/// level and rough on coarser ones, and takes what is rough there up to 1.10 times.  With the lower
/// end at 0.85 the latter is 1.05 at most, and cycles that are taken 1.04, 1.12 and 0.99 times in
/// turns gain 14 to 24 times each in the mean, by trial for smooth solutions, peaks, jumps, loads
/// that are not zero at corners, and random ones, where they gained 6.5 to 18 while all were taken
/// 16/15 times, and 7 to 18 taken once.  At couplings of 1.5 and 2 they gain at least 6.4 and 5.5
/// times instead of 6.0 and 3.4.
std::vector<double> correction_dampings(int n, double coupling);

/// Of all steps of "chebyshev" in the order of their places (relaxations_of), at most
/// cycle_relaxations: of a visit, before the coarse correction and after it; for an interpolated
/// solution; for corrections of the finest level, where these have steps of their own.
std::vector<double> cycle_dampings(const Smoothing& smoothing);

/// How the points' steps of a visit weigh the residual, those before the coarse correction first.
/// Of n steps of "chebyshev", before it or after it, number k takes omega = 1 / root, the roots
/// those of the Chebyshev polynomial of degree n on [3 / (n + 3), 3/2], the largest first: of all
/// polynomials that are one at zero theirs is least there, and 3/2 is the largest eigenvalue
/// (gpu/operations/relaxation.hpp).  The lower end is the best one of V-cycles without steps
/// before, by trial for n = 1 to 3.  In full multigrid it is so many times smaller as the coupling
/// is larger, but not for an interpolated solution: on cells to 1 : 3 corrections then gain 3.0
/// instead of 1.5 times each by three steps (level 10), and full multigrid leaves less.
///
/// What cubic interpolation leaves of a smooth solution is for the most part rough in one direction
/// alone.  The steps that end a visit for its residual have their largest root there, at
/// largest_rough, if they are several: the upper end of their interval is larger.  The residual
/// after full multigrid was then 0.31 (n = 2), 0.53 (3) and 0.79 (4) of the one by the roots above
/// for the paper's polynomial on level 10, 0.02 for "sine" (n = 2); for loads that are not zero at
/// corners, where solutions are not smooth, 1.05.
template <class D>
Relaxations<D, cycle_relaxations> relaxations_of(const Smoothing& smoothing) {
  Relaxations<D, cycle_relaxations> relaxations(static_cast<D>(smoothing.damping));
  if (smoothing.smoother != Smoother::chebyshev) return relaxations;
  relaxations.divisor = Divisor::bound;
  int place = 0;
  for (const double damping : cycle_dampings(smoothing)) {
    relaxations.damping[place++] = static_cast<D>(damping);
  }
  return relaxations;
}

/// What options with smoother, direction and damping left open would take.
Smoothing suitable_smoothing(MultigridOptions options, const TensorGrid& finest, double gx,
                             double gy, OperatorStorage storage);

/// True if the smoother is one like that which "auto" takes, or by alternating lines.
bool suits(const Smoothing& chosen, const Smoothing& suitable);

/// "jacobi", "trigs along x, zebra", ...
std::string to_words(const Smoothing& smoothing);

}  // namespace ninefold
