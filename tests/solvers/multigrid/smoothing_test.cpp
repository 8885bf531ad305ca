// Which smoother "auto" takes, and what the others leave open.
#include "solvers/multigrid/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

const std::vector<Smoother> smoothers{Smoother::jacobi, Smoother::chebyshev, Smoother::tridi,
                                      Smoother::trigs,  Smoother::adi_tridi, Smoother::adi_trigs};

TensorGrid rectangle(double width, double height, int level = 4) {
  return make_hierarchy(width, height, level).back();
}

/// Narrow cells at both ends of x, uniform ones along y.
TensorGrid graded_along_x(double nu) {
  return make_hierarchy(1, 1, 4, {nu, {Side::left, Side::right}}).back();
}

TensorGrid transposed(const TensorGrid& grid) {
  return {grid.y, grid.x};
}

Smoothing chosen(const TensorGrid& grid, double gx = 1, double gy = 1) {
  return choose_smoothing({}, grid, gx, gy);
}

TEST_CASE("the ratios of couplings are those of the cells that differ most",
          "[solvers][smoother]") {
  // Cells of 2 x 1: hy / hx = 1/2 on all of them.
  const CouplingRatios wide = coupling_ratios(rectangle(2, 1), 1, 1);
  CHECK(wide.smallest == 0.25);
  CHECK(wide.largest == 0.25);
  const CouplingRatios strong = coupling_ratios(rectangle(2, 1), 3, 0.5);
  CHECK(strong.smallest == 1.5);
  CHECK(strong.largest == 1.5);
  // One step towards all sides: the widths 3/8, 1/8, 1/8, 3/8 along x, 1/4 along y.
  const TensorGrid grid = make_hierarchy(1, 1, 2, {0.25, {Side::left, Side::right}}).back();
  const auto [least, most] = std::minmax_element(grid.x.width.begin(), grid.x.width.end());
  const CouplingRatios graded = coupling_ratios(grid, 1, 1);
  CHECK(graded.smallest == Approx(std::pow(0.25 / *most, 2)));
  CHECK(graded.largest == Approx(std::pow(0.25 / *least, 2)));
  CHECK(graded.smallest < graded.largest);
}

TEST_CASE("auto takes Jacobi where both directions are about as strong", "[solvers][smoother]") {
  CHECK(chosen(rectangle(1, 1)).smoother == Smoother::jacobi);
  CHECK(chosen(rectangle(1.4, 1)).smoother == Smoother::jacobi);
  CHECK(chosen(rectangle(1, 1.4)).smoother == Smoother::jacobi);
  CHECK(chosen(rectangle(1, 1), 2.2, 1).smoother == Smoother::jacobi);
  // Coefficients that make up for the cells.
  CHECK(chosen(rectangle(10, 1), 100, 1).smoother == Smoother::jacobi);
  CHECK_FALSE(chosen(rectangle(1, 1)).by_lines());
}

TEST_CASE("auto takes lines along the strong direction", "[solvers][smoother]") {
  const auto check = [](const Smoothing& smoothing, LineDirection direction) {
    CHECK(smoothing.smoother == Smoother::trigs);
    CHECK(smoothing.order == LineOrder::zebra);
    CHECK(smoothing.direction == direction);
    CHECK(smoothing.damping == 1);
    CHECK(smoothing.by_lines());
    for (const int k : {0, 1, 2, 3}) CHECK(smoothing.sweep().direction_of(k) == direction);
  };
  check(chosen(rectangle(1.6, 1)), LineDirection::y);
  check(chosen(rectangle(1, 1.6)), LineDirection::x);
  check(chosen(rectangle(1, 1), 2.3, 1), LineDirection::x);
  check(chosen(rectangle(1, 1), 1, 2.3), LineDirection::y);
  check(chosen(rectangle(1e-11, 1)), LineDirection::x);  // test D of the paper
  // The widest cell along x is hardly wider than a cell along y, the narrowest one is much
  // narrower: strong along x only.
  check(chosen(graded_along_x(0.8)), LineDirection::x);
  check(chosen(transposed(graded_along_x(0.8))), LineDirection::y);
}

TEST_CASE("auto alternates where cells are long in both directions", "[solvers][smoother]") {
  const auto check = [](const Smoothing& smoothing) {
    CHECK(smoothing.smoother == Smoother::adi_trigs);
    CHECK(smoothing.order == LineOrder::zebra);
    CHECK(smoothing.damping == 1);
    CHECK(smoothing.sweep().direction_of(0) == LineDirection::x);
    CHECK(smoothing.sweep().direction_of(1) == LineDirection::y);
    CHECK(smoothing.sweep().direction_of(2) == LineDirection::x);
    CHECK(smoothing.sweep().direction_of(7) == LineDirection::y);
  };
  for (const double nu : {0.75, 0.5, 0.25, 0.0625, 0.03125}) {  // tests E to I of the paper
    check(chosen(make_hierarchy(1, 1, 5, {nu, {Side::right, Side::bottom}}).back()));
  }
  check(chosen(graded_along_x(0.2)));  // the widest cells are weak along x
}

// So a problem and its mirror image are solved alike.
TEST_CASE("auto of a transposed problem is the transposed smoother", "[solvers][smoother]") {
  for (const double width : {1e-3, 0.5, 0.65, 0.9, 1.0, 1.3, 1.6, 20.0}) {
    for (const double nu : {1.0, 0.9, 0.6}) {
      for (const double gx : {0.1, 1.0, 7.0}) {
        const TensorGrid grid = make_hierarchy(width, 1, 3, {nu, {Side::right}}).back();
        const Smoothing here = chosen(grid, gx, 1), there = chosen(transposed(grid), 1, gx);
        CAPTURE(width, nu, gx, to_words(here), to_words(there));
        CHECK(here.smoother == there.smoother);
        CHECK(here.damping == there.damping);
        if (here.smoother == Smoother::trigs) CHECK(here.direction != there.direction);
      }
    }
  }
}

TEST_CASE("factored rows are smoothed by chebyshev in V-cycles, unless options do not go with it",
          "[solvers][smoother]") {
  const auto chosen = [](const TensorGrid& grid, OperatorStorage storage, const auto& change) {
    MultigridOptions options;
    change(options);
    const Smoothing smoothing = choose_smoothing(options, grid, 1, 1, storage);
    return std::pair{smoothing.smoother, smoothing.cycle};
  };
  const auto nothing = [](MultigridOptions&) {};
  const TensorGrid square = rectangle(1, 1), lines = rectangle(30, 1);
  using enum OperatorStorage;
  CHECK(chosen(square, factored, nothing) == std::pair{Smoother::chebyshev, Cycle::v});
  CHECK(chosen(square, stored, nothing) == std::pair{Smoother::jacobi, Cycle::f});
  CHECK(chosen(square, computed, nothing) == std::pair{Smoother::jacobi, Cycle::f});
  CHECK(chosen(lines, factored, nothing) == std::pair{Smoother::trigs, Cycle::f});
  CHECK(chosen(square, factored, [](auto& o) { o.damping = 0.7; })
        == std::pair{Smoother::jacobi, Cycle::f});
  CHECK(chosen(square, factored, [](auto& o) { o.pre_smoothing = 7; })
        == std::pair{Smoother::jacobi, Cycle::f});
  CHECK(chosen(square, factored, [](auto& o) { o.pre_smoothing = 6; })
        == std::pair{Smoother::chebyshev, Cycle::v});
  CHECK(chosen(square, factored, [](auto& o) { o.cycle = Cycle::w; })
        == std::pair{Smoother::chebyshev, Cycle::w});
  CHECK(chosen(square, stored, [](auto& o) { o.cycle = Cycle::v; })
        == std::pair{Smoother::jacobi, Cycle::v});
}

TEST_CASE("a smoother that is named is taken, whatever the grid", "[solvers][smoother]") {
  for (const Smoother smoother : smoothers) {
    for (const TensorGrid& grid : {rectangle(1, 1), rectangle(30, 1), graded_along_x(0.1)}) {
      MultigridOptions options;
      options.smoother = smoother;
      CHECK(choose_smoothing(options, grid, 1, 1).smoother == smoother);
      options.damping = 0.7;
      CHECK(choose_smoothing(options, grid, 1, 1).damping == 0.7);
    }
  }
}

// What is chosen from the problem's coefficients is what a scaled system would choose.
TEST_CASE("a power of two in both coefficients chooses no other smoother", "[solvers][smoother]") {
  for (const double width : {0.01, 0.3, 1.0, 7.0}) {
    const TensorGrid grid = rectangle(width, 1);
    for (const double gx : {1e-5, 0.3, 1.0, 1e7}) {
      for (const int exponent : {-300, -70, -1, 1, 55, 300}) {
        const auto scaled = [&](double g) { return std::ldexp(g, exponent); };
        CHECK(to_words(choose_smoothing({}, grid, gx, 0.7))
              == to_words(choose_smoothing({}, grid, scaled(gx), scaled(0.7))));
        const CouplingRatios a = coupling_ratios(grid, gx, 0.7);
        const CouplingRatios b = coupling_ratios(grid, scaled(gx), scaled(0.7));
        CHECK(a.smallest == b.smallest);
        CHECK(a.largest == b.largest);
      }
    }
  }
}

TEST_CASE("full multigrid by lines takes the cycle that suits how much cells jump",
          "[solvers][smoother]") {
  const auto chosen = [](double nu, const MultigridOptions& options = {}, double gy = 1) {
    const auto grid = make_hierarchy(1.0, 1.0, 5, {nu, {Side::right, Side::bottom}}).back();
    const MultigridOptions m = with_nested_cycle(options, grid, 1, gy);
    return std::tuple(*m.cycle, *m.pre_smoothing, *m.post_smoothing);
  };
  CHECK(neighbour_ratio(make_hierarchy(1.0, 1.0, 5, {0.25, {Side::right}}).back()) == 7);
  CHECK(neighbour_ratio(make_hierarchy(1.0, 2.0, 5).back()) == 1);
  CHECK(chosen(1) == std::tuple(Cycle::v, 0, 2));
  CHECK(chosen(1, {}, 100) == std::tuple(Cycle::v, 0, 2));  // lines on equal cells
  CHECK(chosen(0.3) == std::tuple(Cycle::v, 0, 2));
  CHECK(chosen(0.25) == std::tuple(Cycle::v, 1, 1));
  CHECK(chosen(0.1) == std::tuple(Cycle::v, 1, 1));
  CHECK(chosen(0.0625) == std::tuple(Cycle::f, 1, 1));
  // What is said is kept.
  MultigridOptions w, post, pre, jacobi;
  w.cycle = Cycle::w;
  post.post_smoothing = 3;
  pre.pre_smoothing = 2;
  jacobi.smoother = Smoother::jacobi;
  CHECK(chosen(0.0625, w) == std::tuple(Cycle::w, 1, 1));
  CHECK(chosen(0.0625, post) == std::tuple(Cycle::f, 0, 3));
  CHECK(chosen(0.0625, pre) == std::tuple(Cycle::f, 2, 2));
  CHECK(chosen(0.0625, jacobi) == std::tuple(Cycle::v, 0, 2));
}

TEST_CASE("full multigrid takes points on cells to 1 : 3, if rows are factored",
          "[solvers][smoother]") {
  const auto chosen = [](double gy, const MultigridOptions& options = {},
                         OperatorStorage storage = OperatorStorage::factored) {
    const TensorGrid grid = rectangle(1, 1);
    const MultigridOptions m = with_nested_cycle(options, grid, 1, gy, storage);
    const Smoothing smoothing = choose_smoothing(m, grid, 1, gy, storage);
    return std::tuple(smoothing.smoother, smoothing.pre_steps, smoothing.post_steps);
  };
  CHECK(chosen(1) == std::tuple(Smoother::chebyshev, 0, 2));
  CHECK(chosen(4) == std::tuple(Smoother::chebyshev, 0, 2));
  CHECK(chosen(0.25) == std::tuple(Smoother::chebyshev, 0, 2));
  CHECK(chosen(4.1) == std::tuple(Smoother::chebyshev, 0, 4));
  CHECK(chosen(9.9) == std::tuple(Smoother::chebyshev, 0, 4));
  CHECK(chosen(0.11) == std::tuple(Smoother::chebyshev, 0, 4));
  CHECK(chosen(10.1) == std::tuple(Smoother::trigs, 0, 2));
  // Lines of both directions where cells are long both ways, and where they jump, however long.
  const auto on = [](const TensorGrid& grid, double coupling = most_nested_coupling) {
    constexpr auto factored = OperatorStorage::factored;
    const MultigridOptions m = with_nested_cycle({}, grid, 1, 1, factored, coupling);
    return choose_smoothing(m, grid, 1, 1, factored);
  };
  CHECK(on(graded_along_x(0.3)).smoother == Smoother::adi_trigs);
  const auto jumping = [](double jump) {
    return TensorGrid{make_line({1, 1, jump, jump}), make_line({1.5, 1.5, 1.5, 1.5})};
  };
  CHECK(on(jumping(2.9)).smoother == Smoother::chebyshev);
  CHECK(on(jumping(2.9)).coupling > 1);
  CHECK(on(jumping(3.1)).by_lines());
  CHECK(on(jumping(3.1)).coupling == 1);
  CHECK(on(jumping(2.9), isotropic_ratio).by_lines());
  // By other rows, and with what is said of cycles and steps, as by other methods.
  CHECK(chosen(4, {}, OperatorStorage::stored) == std::tuple(Smoother::trigs, 0, 2));
  MultigridOptions steps, cycle, damped, points;
  steps.post_smoothing = 3;
  cycle.cycle = Cycle::f;
  damped.damping = 0.9;
  points.smoother = Smoother::chebyshev;
  CHECK(chosen(4, steps) == std::tuple(Smoother::trigs, 0, 3));
  CHECK(chosen(4, cycle) == std::tuple(Smoother::trigs, 0, 2));
  CHECK(chosen(4, damped) == std::tuple(Smoother::trigs, 0, 2));
  CHECK(chosen(9, points) == std::tuple(Smoother::chebyshev, 0, 4));
  CHECK(chosen(25, points) == std::tuple(Smoother::chebyshev, 0, 2));
}

TEST_CASE("points in full multigrid crawl on stretched cells, and do not diverge",
          "[solvers][smoother]") {
  SolverOptions options;
  options.method = Method::full_multigrid;
  options.multigrid.smoother = Smoother::chebyshev;
  options.max_iterations = 30;
  options.tolerance = 1e-10;
  const double nu = GENERATE(0.25, 0.0625);
  const auto grids = make_hierarchy(1.0, 1.0, 7, {nu, {Side::right, Side::bottom}});
  const Report report = solve(make_problem({}, 1.0, 1.0), grids, options, BackendKind::host).report;
  CAPTURE(nu, report.remark);
  CHECK(report.outcome == Outcome::step_limit);
  CHECK(report.history.back() <= report.history[1]);
}

TEST_CASE("damping that is left open suits the smoother", "[solvers][smoother]") {
  const auto damping = [](Smoother smoother) {
    MultigridOptions options;
    options.smoother = smoother;
    return choose_smoothing(options, rectangle(1, 1), 1, 1).damping;
  };
  CHECK(damping(Smoother::jacobi) == 0.8);
  CHECK(damping(Smoother::tridi) == 0.8);
  CHECK(damping(Smoother::adi_tridi) == 0.8);
  CHECK(damping(Smoother::trigs) == 1.0);
  CHECK(damping(Smoother::adi_trigs) == 1.0);
  MultigridOptions options;  // auto
  options.damping = 0.9;
  CHECK(choose_smoothing(options, rectangle(1, 1), 1, 1).damping == 0.9);
  CHECK(choose_smoothing(options, rectangle(9, 1), 1, 1).damping == 0.9);
}

TEST_CASE("lines whose direction is left open run along the stronger one", "[solvers][smoother]") {
  for (const Smoother smoother : {Smoother::tridi, Smoother::trigs}) {
    MultigridOptions options;
    options.smoother = smoother;
    CHECK(choose_smoothing(options, rectangle(4, 1), 1, 1).direction == LineDirection::y);
    CHECK(choose_smoothing(options, rectangle(1, 4), 1, 1).direction == LineDirection::x);
    CHECK(choose_smoothing(options, rectangle(1, 1), 1, 1).direction == LineDirection::x);
    CHECK(choose_smoothing(options, rectangle(1, 1), 1, 2).direction == LineDirection::y);
    for (const LineDirection direction : {LineDirection::x, LineDirection::y}) {
      options.line_direction = direction;
      for (const double width : {0.1, 1.0, 10.0}) {
        CHECK(choose_smoothing(options, rectangle(width, 1), 1, 1).direction == direction);
      }
    }
  }
}

TEST_CASE("a step of each smoother takes its lines in sets", "[solvers][smoother]") {
  const auto sweep = [](Smoother smoother, LineOrder order) {
    return Smoothing{.smoother = smoother, .order = order, .direction = LineDirection::y}.sweep();
  };
  for (const LineOrder order : {LineOrder::zebra, LineOrder::sequential}) {
    for (const Smoother smoother : {Smoother::tridi, Smoother::adi_tridi}) {
      CHECK(sweep(smoother, order).simultaneous());
      CHECK(sweep(smoother, order).stride_of(31) == 1);
    }
    CHECK_FALSE(sweep(Smoother::tridi, order).alternates);
    CHECK(sweep(Smoother::adi_tridi, order).alternates);
    CHECK_FALSE(sweep(Smoother::trigs, order).alternates);
    CHECK(sweep(Smoother::adi_trigs, order).alternates);
  }
  for (const Smoother smoother : {Smoother::trigs, Smoother::adi_trigs}) {
    for (const int lines : {1, 2, 31}) {
      CHECK(sweep(smoother, LineOrder::zebra).stride_of(lines) == 2);
      CHECK(sweep(smoother, LineOrder::sequential).stride_of(lines) == lines);
    }
    CHECK_FALSE(sweep(smoother, LineOrder::zebra).simultaneous());
    CHECK_FALSE(sweep(smoother, LineOrder::sequential).simultaneous());
  }
  const LineSweep along_y = sweep(Smoother::adi_trigs, LineOrder::zebra);
  CHECK(along_y.direction_of(0) == LineDirection::y);
  CHECK(along_y.direction_of(3) == LineDirection::x);
}

TEST_CASE("smoothers are named in words", "[solvers][smoother]") {
  const auto words = [](Smoother smoother, LineOrder order, LineDirection direction) {
    return to_words({smoother, order, direction, 1});
  };
  CHECK(words(Smoother::jacobi, LineOrder::zebra, LineDirection::x) == "jacobi");
  CHECK(words(Smoother::tridi, LineOrder::zebra, LineDirection::y) == "tridi along y");
  CHECK(words(Smoother::trigs, LineOrder::zebra, LineDirection::x) == "trigs along x, zebra");
  CHECK(words(Smoother::trigs, LineOrder::sequential, LineDirection::y)
        == "trigs along y, sequential");
  CHECK(words(Smoother::adi_tridi, LineOrder::zebra, LineDirection::x) == "adi-tridi");
  CHECK(words(Smoother::adi_trigs, LineOrder::zebra, LineDirection::x) == "adi-trigs, zebra");
  CHECK(words(Smoother::adi_trigs, LineOrder::sequential, LineDirection::x)
        == "adi-trigs, sequential");
}

}  // namespace
TEST_CASE("alternating lines with one step in all are refused", "[solvers][smoother]") {
  const auto solve_with = [](Smoother smoother, int before, int after, double nu) {
    SolverOptions options;
    options.multigrid.smoother = smoother;
    options.multigrid.pre_smoothing = before;
    options.multigrid.post_smoothing = after;
    return solve(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 3, {nu}), options,
                 BackendKind::host)
        .report.outcome;
  };
  CHECK_THROWS_WITH(solve_with(Smoother::adi_trigs, 1, 0, 1.0),
                    ContainsSubstring("post_smoothing = 1") && ContainsSubstring("adi-trigs"));
  CHECK_THROWS_WITH(solve_with(Smoother::automatic, 0, 1, 0.25),
                    ContainsSubstring("post_smoothing = 1") && ContainsSubstring("adi-trigs")
                        && ContainsSubstring("\"auto\""));
  CHECK(solve_with(Smoother::adi_trigs, 1, 1, 0.25) == Outcome::converged);
  CHECK(solve_with(Smoother::automatic, 1, 0, 1.0) == Outcome::converged);
  CHECK(solve_with(Smoother::trigs, 1, 0, 1.0) == Outcome::converged);
}

TEST_CASE("chebyshev takes fewer cycles than Jacobi, and does not diverge where that does",
          "[solvers][smoother]") {
  const auto solved = [](Smoother smoother, int before, int after, double ratio, Cycle cycle) {
    SolverOptions options;
    options.multigrid.cycle = cycle;
    options.multigrid.smoother = smoother;
    options.multigrid.pre_smoothing = before;
    options.multigrid.post_smoothing = after;
    GridGrading grading;
    grading.kind = Grading::geometric;
    grading.expansion_ratio = ratio;
    const Report report = solve(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 7, grading),
                                options, BackendKind::host)
                              .report;
    CAPTURE(report.smoother, report.remark);
    return std::pair{report.outcome, report.iterations};
  };
  const auto [outcome, cycles] = solved(Smoother::chebyshev, 0, 2, 1, Cycle::v);
  CHECK(outcome == Outcome::converged);
  CHECK(cycles <= 12);
  CHECK(cycles < solved(Smoother::jacobi, 0, 2, 1, Cycle::v).second);
  CHECK(solved(Smoother::chebyshev, 0, 3, 1, Cycle::v).second <= 10);
  CHECK(solved(Smoother::chebyshev, 2, 2, 1, Cycle::f).second
        <= solved(Smoother::jacobi, 2, 2, 1, Cycle::f).second);
  CHECK(solved(Smoother::jacobi, 2, 2, 3, Cycle::v).first == Outcome::diverged);
  const auto [on_long_cells, many] = solved(Smoother::chebyshev, 2, 2, 3, Cycle::v);
  CHECK(on_long_cells == Outcome::converged);
  CHECK(many <= 60);
}

TEST_CASE("what chebyshev cannot do is refused", "[solvers][smoother]") {
  const auto solve_with = [](const std::function<void(SolverOptions&)>& change) {
    SolverOptions options;
    options.multigrid.smoother = Smoother::chebyshev;
    change(options);
    (void)prepare(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 3), options,
                  BackendKind::host);
  };
  solve_with([](SolverOptions&) {});  // throws nothing
  CHECK_THROWS_WITH(solve_with([](SolverOptions& o) { o.multigrid.damping = 0.7; }),
                    ContainsSubstring("multigrid.damping") && ContainsSubstring("each step"));
  CHECK_THROWS_WITH(solve_with([](SolverOptions& o) { o.multigrid.post_smoothing = 7; }),
                    ContainsSubstring("at most 8 steps"));
  CHECK_THROWS_WITH(solve_with([](SolverOptions& o) { o.storage = OperatorStorage::stored; }),
                    ContainsSubstring("operator.storage = \"factored\""));
  CHECK_THROWS_WITH(solve_with([](SolverOptions& o) {
                      o.refinement.inner = {Precision::single_};
                      o.refinement.inner_storage = {OperatorStorage::computed};
                    }),
                    ContainsSubstring("refinement.inner_storage = \"factored\""));
  // Pairs of words have factored rows then, too.
  solve_with([](SolverOptions& o) { o.precision = Precision::double_single; });
  // Where no multigrid smooths, nothing is asked for.
  solve_with([](SolverOptions& o) {
    o.method = Method::cg;
    o.storage = OperatorStorage::stored;
  });
}

TEST_CASE("a report names the smoother that suits the grid", "[solvers][smoother]") {
  SolverOptions options;
  options.multigrid.smoother = Smoother::jacobi;
  options.max_iterations = 5;
  const auto remark = [&](double nu) {
    return solve(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 5, {nu}), options,
                 BackendKind::host)
        .report.remark;
  };
  CHECK_THAT(remark(0.25),
             Catch::Matchers::ContainsSubstring("multigrid.smoother = \"auto\", which takes "
                                                "adi-trigs, zebra here"));
  CHECK_THAT(remark(1.0), !Catch::Matchers::ContainsSubstring("smoother"));
}

}  // namespace ninefold
