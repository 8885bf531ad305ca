// The operations of full multigrid have the same bits on host and device, those in one pass those
// of their parts, and so do whole solves.

#include "gpu/operations/nested_operations.hpp"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "grids/cubic.hpp"
#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"

#include "solvers/multigrid/base_solver.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/put.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_solve.hpp"
#include "tests/support/sides.hpp"

using namespace ninefold;
namespace testing = ninefold::testing;
using ninefold::testing::boundary_of;
using ninefold::testing::Device;
using ninefold::testing::difference;
using ninefold::testing::full_or_small;
using ninefold::testing::on_device;
using ninefold::testing::Output;
using ninefold::testing::Outputs;
using ninefold::testing::Range;

namespace {

struct Case {
  int level;
  double nu, reaction;
  Boundary boundary;
  Range range;
  double low_scale = 1;  ///< of the matrix in Low
};

template <Backend B, Number High, Number Low>
struct Setting {
  using C = Arithmetic<High>;
  using D = Arithmetic<Low>;

  B on;
  std::vector<TensorGrid> grids;
  Matrix<B, High> matrix;
  int nx, ny, coarse_nx, coarse_ny;
  Array<B, CubicWeights<C>> cubic_x, cubic_y;
  Array<B, TransferWeights<D>> wx, wy;
  CubicTransfer<C> cubic;
  Transfer<D> transfer;
  Box coarse_box;
  NodeVector<B, High> b, x, c;
  NodeVector<B, Low> e, r, coarse;
  Array<B, RefinementState<C>> states;

  Setting(const B& backend, const Case& s, OperatorStorage storage)
      : on(backend),
        grids(make_hierarchy(1.0, 0.5, s.level, {s.nu, {Side::right, Side::bottom}})),
        matrix(on, grids.back(), unknown_nodes(grids.back(), s.boundary),
               {Assembly<High>(1.0), Assembly<High>(0.7), Assembly<High>(s.reaction)},
               OperatorForm::difference, storage),
        nx(grids.back().nx()),
        ny(grids.back().ny()),
        coarse_nx(nx / 2 + 1),
        coarse_ny(ny / 2 + 1),
        cubic_x(on, cubic_weights<C>(grids.back().x)),
        cubic_y(on, cubic_weights<C>(grids.back().y)),
        wx(on, transfer_weights<D>(grids.back().x)),
        wy(on, transfer_weights<D>(grids.back().y)),
        cubic{cubic_x.data(), cubic_y.data()},
        transfer{wx.data(), wy.data()},
        coarse_box(unknown_nodes(grids[grids.size() - 2], s.boundary)),
        b(on, nx, ny),
        x(on, nx, ny),
        c(on, coarse_nx, coarse_ny),
        e(on, nx, ny),
        r(on, nx, ny),
        coarse(on, coarse_nx, coarse_ny),
        states(on, 5) {
    const auto nodes = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    const auto coarse_nodes =
        static_cast<std::size_t>(coarse_nx) * static_cast<std::size_t>(coarse_ny);
    testing::put(on, testing::random_values<High>(nodes, 1, s.range), b.view());
    // As solutions are: zero at Dirichlet nodes.
    std::vector<High> of_c = testing::random_values<High>(coarse_nodes, 2, s.range);
    std::vector<Low> of_e = testing::random_values<Low>(nodes, 3);
    for (int j = 0; j < coarse_ny; ++j) {
      for (int i = 0; i < coarse_nx; ++i) {
        if (!coarse_box.contains(i, j))
          of_c[std::size_t(j) * std::size_t(coarse_nx) + std::size_t(i)] = High(C(0));
      }
    }
    testing::put(on, of_c, c.view());
    testing::put(on, of_e, e.view());
    const std::vector<RefinementState<C>> start(5, {C(3), C(0.25), C(4)});
    on.copy_in(states.data(), start.data(), start.size() * sizeof start[0]);
  }
  const Box& unknowns() const { return matrix.view().unknowns; }
  const RefinementState<C>* state() const { return states.data(); }

  void residual_of_interpolated([[maybe_unused]] FusedBy by) const {
    if constexpr (std::is_same_v<B, Cuda> && has_nested_passes<High, Low>) {
      if (const auto* rows = matrix.view().template as<FactoredRows<High>>()) {
        return nested_residual<High, Low>(on, *rows, b.view(), cubic, c.view(), state(), r.view(),
                                          coarse_box, transfer, coarse.view(), by);
      }
    }
    interpolate<B, High>(on, unknowns(), cubic, c.view(), x.view());
    residual_narrowed<B, High, Low>(on, matrix.view(), b.view(), x.view(), state(), r.view());
    restrict_residual<B, Low>(on, coarse_box, unknowns(), transfer, r.view(), coarse.view());
  }
};

/// e = two steps on the prolongation of the coarse correction that is there.
template <Backend B, Number High, Number Low>
void steps_on_prolongation(const Setting<B, High, Low>& s, const FactoredRows<Low>& A,
                           const StepRelaxations<Low>& relaxations, const NodeVector<B, Low>& e) {
  const NodeVector<B, Low> t(s.on, A.nx, A.ny);
  add_prolongated<B, Low>(s.on, A.unknowns, s.transfer, s.coarse.view(), e.view());
  jacobi_step<B, Low>(s.on, A, s.r.view(), relaxations[0], e.view(), t.view());
  jacobi_step<B, Low>(s.on, A, s.r.view(), relaxations[1], t.view(), e.view());
}

/// x = (I c + e) + d, e being one step on the prolongation and d what another one adds; on a device
/// in one pass.
template <Backend B, Number High, Number Low>
void correct(const Setting<B, High, Low>& s, const FactoredRows<Low>& A,
             const StepRelaxations<Low>& relaxations, [[maybe_unused]] FusedBy by) {
  if constexpr (std::is_same_v<B, Cuda> && has_nested_passes<High, Low>) {
    nested_correction<High, Low>(s.on, s.transfer, s.coarse.view(), A, s.r.view(), relaxations,
                                 s.cubic, s.c.view(), s.state(), s.x.view(), by);
  } else {
    const NodeVector<B, Low> start(s.on, A.nx, A.ny), e(s.on, A.nx, A.ny), d(s.on, A.nx, A.ny);
    add_prolongated<B, Low>(s.on, A.unknowns, s.transfer, s.coarse.view(), start.view());
    jacobi_step<B, Low>(s.on, A, s.r.view(), relaxations[0], start.view(), e.view());
    add_interpolated<B, High, Low>(s.on, A.unknowns, s.cubic, s.c.view(), s.state(), e.view(),
                                   s.x.view());
    residual<B, Low>(s.on, A, s.r.view(), e.view(), d.view());
    jacobi_start<B, Low>(s.on, A, d.view(), relaxations[1], d.view());
    add_correction<B, High, Low>(s.on, A.unknowns, s.state(), d.view(), s.x.view());
  }
}

/// x = x + e, e being the same; on a device in one pass.
template <Backend B, Number High, Number Low>
void add_after_steps(const Setting<B, High, Low>& s, const FactoredRows<Low>& A,
                     const StepRelaxations<Low>& relaxations, [[maybe_unused]] FusedBy by) {
  if constexpr (std::is_same_v<B, Cuda> && has_correction_passes<High, Low>) {
    add_correction_after_steps<High, Low>(s.on, s.transfer, s.coarse.view(), A, s.r.view(),
                                          relaxations, s.state(), s.x.view(), by);
  } else {
    const NodeVector<B, Low> e(s.on, A.nx, A.ny);
    steps_on_prolongation(s, A, relaxations, e);
    add_correction<B, High, Low>(s.on, A.unknowns, s.state(), e.view(), s.x.view());
  }
}

template <Backend B, Number High, Number Low>
std::vector<Output> outputs_of(const B& on, const Case& c, OperatorStorage storage) {
  Outputs<B> outputs(on);
  {
    const Setting<B, High, Low> s(on, c, storage);
    interpolate<B, High>(on, s.unknowns(), s.cubic, s.c.view(), s.x.view());
    outputs.keep("interpolated", s.x.view());
    residual_narrowed<B, High, Low>(on, s.matrix.view(), s.b.view(), s.x.view(), s.state(),
                                    s.r.view());
    outputs.keep("its residual", s.r.view());
  }
  {
    const Setting<B, High, Low> s(on, c, storage);
    add_interpolated<B, High, Low>(on, s.unknowns(), s.cubic, s.c.view(), s.state(), s.e.view(),
                                   s.x.view());
    outputs.keep("interpolated and corrected", s.x.view());
    using C = Arithmetic<High>;
    for (const auto scaling : {RefinementScaling::power_of_two, RefinementScaling::norm}) {
      set_scales<B, C>(on, scaling, 2, 3, 5, 1, s.states.data());
      for (int k = 0; k < 5; ++k) {
        outputs.keep("scale " + std::to_string(k), s.states.data() + k);
      }
    }
  }
  {
    const Setting<B, High, Low> s(on, c, storage);
    using V = LoadValue<High>;
    constexpr int terms = 3;
    const Array<B, V> lines(
        on, testing::random_values<V>(terms * (std::size_t(s.nx) + std::size_t(s.ny)), 4));
    const V* const x = lines.data();
    evaluate_load<B, High>(on, s.unknowns(), {x, x + terms * s.nx, terms, s.nx, s.ny}, s.x.view());
    outputs.keep("a load", s.x.view());
  }
  for (const FusedBy by : {FusedBy::strips, FusedBy::tiles}) {
    const Setting<B, High, Low> s(on, c, storage);
    s.residual_of_interpolated(by);
    outputs.keep("residual", s.r.view());
    outputs.keep("restricted", s.coarse.view());
    using W = Assembly<Low>;
    const Matrix<B, Low> low(on, s.grids.back(), s.unknowns(),
                             {W(c.low_scale), W(0.7 * c.low_scale), W(c.reaction)},
                             OperatorForm::difference, OperatorStorage::factored);
    const auto* rows = low.view().template as<FactoredRows<Low>>();
    REQUIRE(rows != nullptr);
    using D = Leading<Low>;
    for (const Divisor divisor : {Divisor::diagonal, Divisor::bound}) {
      StepRelaxations<Low> relaxations(D(0.7), divisor);
      relaxations.damping[1] = D(1.25);
      correct<B, High, Low>(s, *rows, relaxations, by);
      outputs.keep("corrected", s.x.view());
      add_after_steps<B, High, Low>(s, *rows, relaxations, by);
      outputs.keep("corrected again", s.x.view());
    }
  }
  return outputs.all();
}

template <Number High, Number Low>
void check(const Case& c) {
  for (const auto storage : {OperatorStorage::factored, OperatorStorage::computed}) {
    CAPTURE(c.level, c.nu, c.reaction, int(c.range), to_string(storage));
    const auto expected = outputs_of<Host, High, Low>(Host(), c, storage);
    const auto found =
        on_device([&] { return outputs_of<Device, High, Low>(Device(), c, storage); });
    CHECK(difference(found, expected) == "");
  }
}

std::size_t nodes_of(const TensorGrid& grid) {
  return static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(grid.ny());
}

template <class High_, class Low_>
struct Formats {
  using High = High_;
  using Low = Low_;
};

/// A small grid's solves, of right-hand sides as they are, and as they are on the next finer one.
template <Backend B, Number T>
std::vector<Output> solved_small(const B& on, const std::vector<TensorGrid>& grids,
                                 const Boundary& boundary) {
  using W = Assembly<T>;
  const TensorGrid &grid = grids[grids.size() - 2], &fine = grids.back();
  const auto solver = BaseSolver<B, T>::make(on, grid, boundary, {W(1), W(0.7), W(0.1)});
  REQUIRE(solver);
  Outputs<B> outputs(on);
  {
    const NodeVector<B, T> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
    testing::put(on, testing::random_values<T>(nodes_of(grid), 7), b.view());
    solver->solve(on, b.view(), x.view());
    outputs.keep("x", x.view());
  }
  {
    using D = Arithmetic<T>;
    const Array<B, TransferWeights<D>> wx(on, transfer_weights<D>(fine.x)),
        wy(on, transfer_weights<D>(fine.y));
    const Transfer<D> transfer{wx.data(), wy.data()};
    const NodeVector<B, T> b(on, fine.nx(), fine.ny()), x(on, grid.nx(), grid.ny());
    const Box box = unknown_nodes(fine, boundary);
    testing::put(on, testing::random_values<T>(nodes_of(fine), 8), b.view());
    if constexpr (std::is_same_v<B, Cuda>) {
      solver->solve_restricted(on, box, transfer, b.view(), x.view());
    } else {
      const NodeVector<B, T> coarse(on, grid.nx(), grid.ny());
      restrict_residual<B, T>(on, unknown_nodes(grid, boundary), box, transfer, b.view(),
                              coarse.view());
      solver->solve(on, coarse.view(), x.view());
    }
    outputs.keep("x of what is restricted", x.view());
  }
  return outputs.all();
}

/// The same for a solution in High, which begins at zero.
template <Backend B, Number High, Number Low>
std::vector<Output> solved_small_between(const B& on, const TensorGrid& grid,
                                         const Boundary& boundary) {
  using W = Assembly<Low>;
  using C = Arithmetic<High>;
  const auto solver = BaseSolver<B, Low>::make(on, grid, boundary, {W(1), W(0.7), W(0.1)});
  REQUIRE(solver);
  const NodeVector<B, High> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  testing::put(on, testing::random_values<High>(nodes_of(grid), 9), b.view());
  const Array<B, RefinementState<C>> state(on, {RefinementState<C>{C(3), C(0.25), C(4)}});
  if constexpr (std::is_same_v<B, Cuda>) {
    solver->template solve_narrowed<High>(on, b.view(), state.data(), x.view());
  } else {
    const Matrix<B, High> matrix(on, grid, unknown_nodes(grid, boundary),
                                 {Assembly<High>(1), Assembly<High>(0.7), Assembly<High>(0.1)},
                                 OperatorForm::difference, OperatorStorage::factored);
    const NodeVector<B, Low> r(on, grid.nx(), grid.ny()), e(on, grid.nx(), grid.ny());
    residual_narrowed<B, High, Low>(on, matrix.view(), b.view(), x.view(), state.data(), r.view());
    solver->solve(on, r.view(), e.view());
    add_correction<B, High, Low>(on, matrix.view().unknowns, state.data(), e.view(), x.view());
  }
  Outputs<B> outputs(on);
  outputs.keep("x", x.view());
  return outputs.all();
}

}  // namespace

// Small enough for what looks at each access to memory.
TEMPLATE_TEST_CASE("full multigrid's operations have the same bits on small grids", "[gpu][nested]",
                   (Formats<double, float>), (Formats<double, double>), (Formats<float, float>),
                   (Formats<double, Half>), (Formats<float, BFloat16>), (Formats<Half, Half>),
                   (Formats<DoubleSingle, float>), (Formats<DoubleSingle, Half>),
                   (Formats<DoubleDouble, double>)) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  for (int sides = 0; sides < 16; sides += sides % 5 == 0 ? 2 : 3) {
    for (const int level : {2, 3, full_or_small(6, 4)}) {
      check<High, Low>({level, sides % 3 == 0 ? 1.0 : 0.7, sides % 4 < 2 ? 0.0 : 0.3,
                        boundary_of(sides), sides % 2 == 0 ? Range::tame : Range::alike});
    }
  }
}

// From that level on a device's threads have several coarse cells each.
TEST_CASE("pairs are interpolated with the same bits on large grids", "[gpu][nested]") {
  using High = DoubleSingle;
  for (const int sides : {0, 5, 14}) {
    const Case c{full_or_small(12, 5), 0.7, 0, boundary_of(sides), Range::tame};
    const auto outputs = [&]<class B>(const B& on) {
      Outputs<B> kept(on);
      const Setting<B, High, float> s(on, c, OperatorStorage::factored);
      interpolate<B, High>(on, s.unknowns(), s.cubic, s.c.view(), s.x.view());
      kept.keep("interpolated", s.x.view());
      add_interpolated<B, High, float>(on, s.unknowns(), s.cubic, s.c.view(), s.state(), s.e.view(),
                                       s.x.view());
      kept.keep("and corrected", s.x.view());
      return kept.all();
    };
    CAPTURE(sides);
    const auto expected = outputs(Host());
    CHECK(difference(on_device([&] { return outputs(Device()); }), expected) == "");
  }
}

TEMPLATE_TEST_CASE("the same on grids of many strips and tiles", "[gpu][nested]",
                   (Formats<double, float>), (Formats<double, double>), (Formats<float, float>),
                   (Formats<double, Half>), (Formats<float, BFloat16>), (Formats<Half, Half>),
                   (Formats<DoubleSingle, float>), (Formats<DoubleDouble, double>)) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  for (int sides = 0; sides < 16; sides += sides % 5 == 0 ? 2 : 3) {
    check<High, Low>({full_or_small(8, 5), sides % 3 == 0 ? 1.0 : 0.7, sides % 4 < 2 ? 0.0 : 0.3,
                      boundary_of(sides), sides % 2 == 0 ? Range::tame : Range::alike});
  }
  check<High, Low>({full_or_small(11, 5), 0.9, 0.0, boundary_of(6), Range::tame});
}

TEST_CASE("corrections are the same where inverses of diagonals leave the range of normal numbers",
          "[gpu][nested]") {
  check<double, float>({full_or_small(8, 5), 0.9, 0.0, boundary_of(6), Range::tame, 0x1p125});
}

/// As many unknowns along x as along y, or other numbers.
constexpr int some_sides[] = {0, 1, 3, 5, 10, 12, 14, 15};

TEMPLATE_TEST_CASE("a small inverse has the same bits on host and device", "[gpu][nested]", float,
                   double, Half) {
  for (const int level : {1, 2, 5, 6}) {
    for (const int sides : some_sides) {
      for (const double anisotropy : {1.0, 0.9, 0.3}) {  // in double from level 5 on
        const auto grids = make_hierarchy(1.0, 0.8, level + 1, {anisotropy, {Side::right}});
        const auto expected = solved_small<Host, TestType>(Host(), grids, boundary_of(sides));
        const auto found = on_device(
            [&] { return solved_small<Device, TestType>(Device(), grids, boundary_of(sides)); });
        CAPTURE(level, sides, anisotropy);
        CHECK(difference(found, expected) == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("so has one between formats", "[gpu][nested]", (Formats<double, float>),
                   (Formats<double, double>), (Formats<float, float>), (Formats<double, Half>),
                   (Formats<float, BFloat16>), (Formats<Half, Half>)) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  for (const int level : {1, 2, 5, 6}) {
    for (const int sides : some_sides) {
      for (const double anisotropy : {1.0, 0.9, 0.3}) {
        const auto grid = make_hierarchy(1.0, 0.8, level, {anisotropy, {Side::right}}).back();
        const auto boundary = boundary_of(sides);
        const auto expected = solved_small_between<Host, High, Low>(Host(), grid, boundary);
        const auto found = on_device(
            [&] { return solved_small_between<Device, High, Low>(Device(), grid, boundary); });
        CAPTURE(level, sides, anisotropy);
        CHECK(difference(found, expected) == "");
      }
    }
  }
}

// Passes by tiles on levels to 8, by strips on those from 10 on; by lines on stretched grids.
TEST_CASE("full multigrid gives the same bits on host and device", "[gpu][nested][solve]") {
  const auto compare = [](const testing::Stated& stated, SolverOptions options) {
    options.method = Method::full_multigrid;
    CAPTURE(testing::name_of(options), stated.grids.size() - 1);
    const Solved host = solve(stated.problem, stated.grids, options, BackendKind::host);
    const Solved device = testing::solve_on_device(stated.problem, stated.grids, options);
    testing::check_same_solve(host, device);
    CHECK(host.report.outcome == Outcome::converged);
    CHECK(device.report.memory_bytes
          == forecast_memory(stated.problem, stated.grids, options, testing::device_kind).backend);
  };
  SolverOptions native, mixed = testing::refined("double", {"single"}),
                        half = testing::refined("single", {"half"}),
                        pairs = testing::refined("double-single", {"single"});
  native.tolerance = mixed.tolerance = pairs.tolerance = 1e-8;
  half.tolerance = 1e-3;
  for (const SolverOptions& options : {native, mixed, half, pairs}) {
    for (const int level : {1, 3, 5, 6, full_or_small(8, 7)}) {
      compare(testing::polynomial(level), options);
    }
    compare(testing::exponential(5), options);
  }
  // From a level that waves solve.
  ProblemOptions sides;
  sides.solution = "cosine";
  sides.boundary[Side::left] = sides.boundary[Side::top] = BoundaryKind::neumann;
  for (const SolverOptions& options : {native, mixed}) {
    compare(testing::polynomial(full_or_small(10, 9)), options);
    compare(testing::exponential(9), options);
    compare(testing::problem_on(sides, 9, {}), options);
  }
  // A free constant: by visits from a small level, and from one that waves solve.
  for (const Side side : all_sides) sides.boundary[side] = BoundaryKind::neumann;
  for (const SolverOptions& options : {native, mixed, half, pairs}) {
    compare(testing::problem_on(sides, 7, {}), options);
  }
  for (const SolverOptions& options : {native, mixed}) {
    compare(testing::problem_on(sides, full_or_small(10, 9), {}), options);
  }
  // By points with two and with four steps that suit the couplings.
  for (const double gy : {3.0, 9.0}) {
    ProblemOptions coupled;
    coupled.gy = gy;
    for (const SolverOptions& options : {native, mixed}) {
      compare(testing::problem_on(coupled, 7, {}), options);
    }
  }
  SolverOptions tight = mixed;  // three corrections at once
  tight.tolerance = 1e-11;
  compare(testing::exponential(full_or_small(8, 7)), tight);
  compare(testing::stretched(6), native);
  compare(testing::stretched(6), mixed);
  compare(testing::stretched(6, 0.4), mixed);  // eigenvectors in double
  // Residuals not in one pass with their restriction, the last steps with the interpolation.
  SolverOptions computed = mixed;
  computed.storage = OperatorStorage::computed;
  compare(testing::polynomial(full_or_small(8, 7)), computed);
  // Visits that end otherwise than in two steps on a prolongation.
  for (const auto& [pre, post] : {std::pair{0, 1}, {0, 3}, {0, 4}, {1, 2}, {2, 0}}) {
    SolverOptions other = mixed;
    other.multigrid.pre_smoothing = pre;
    other.multigrid.post_smoothing = post;
    CAPTURE(pre, post);
    compare(testing::polynomial(full_or_small(8, 7)), other);
    other.multigrid.smoother = Smoother::jacobi;
    compare(testing::polynomial(full_or_small(8, 7)), other);
  }
  mixed.multigrid.cycles_per_level = 2;
  compare(testing::exponential(full_or_small(12, 7)), mixed);
}
