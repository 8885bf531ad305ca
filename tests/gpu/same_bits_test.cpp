// Host and device agree to the last bit: every operation, and whole solves.

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grids/tensor_grid.hpp"

#include "fem/assembly.hpp"

#include "gpu/graph.hpp"
#include "gpu/operations.hpp"
#include "gpu/vector.hpp"

#include "solvers/multigrid.hpp"
#include "solvers/solve.hpp"
#include "solvers/system.hpp"

using namespace ninefold;

namespace {

struct Case {
  int level;
  double nu;
  double reaction;
  Boundary boundary;
  OperatorForm form;
};

/// Random nodal values, the same for every backend: all signs and many magnitudes.
std::vector<double> random_values(std::size_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::vector<double> values(n);
  for (double& value : values) value = std::ldexp(mantissa(engine), exponent(engine));
  return values;
}

/// The outputs of all operations on one backend, one after the other, as raw values.
template <Backend B, Number T>
std::vector<T> outputs_of_all_operations(const B& on, const Case& c) {
  const std::vector<TensorGrid> grids =
      make_hierarchy(1.0, 0.5, c.level, {c.nu, {Side::right, Side::bottom}});
  const TensorGrid &grid = grids.back(), &coarse_grid = grids[grids.size() - 2];
  const int nx = grid.nx(), ny = grid.ny();
  const Matrix<B, T> matrix(on, grid, unknown_nodes(grid, c.boundary), {1.0, 0.7, c.reaction},
                            c.form);
  const NineBand<const T> A = matrix.view();
  const Array<B, TransferWeights<T>> wx(on, transfer_weights<T>(grid.x));
  const Array<B, TransferWeights<T>> wy(on, transfer_weights<T>(grid.y));
  const Transfer<T> transfer{wx.data(), wy.data()};
  const Box box = A.unknowns, coarse_box = unknown_nodes(coarse_grid, c.boundary);
  const NodeVector<B, T> x(on, nx, ny), b(on, nx, ny), y(on, nx, ny);
  const NodeVector<B, T> coarse(on, coarse_grid.nx(), coarse_grid.ny());
  const Array<B, T> number(on, 1);
  const Array<B, CgState<T>> state(on, 1);

  std::vector<T> outputs;
  const auto keep_field = [&](const Field<T>& field) {
    std::vector<T> values(static_cast<std::size_t>(field.nx) * field.ny);
    on.read(values.data(), field.data, values.size() * sizeof(T));
    outputs.insert(outputs.end(), values.begin(), values.end());
  };
  const auto keep_number = [&](const T* p) { outputs.push_back(read_value(on, p)); };
  const auto restart = [&] {
    upload(on, random_values(static_cast<std::size_t>(nx) * ny, 1), 0, x.view());
    upload(on, random_values(static_cast<std::size_t>(nx) * ny, 2), 0, b.view());
    upload(on, random_values(static_cast<std::size_t>(nx) * ny, 3), 0, y.view());
    upload(on, random_values(static_cast<std::size_t>(coarse_grid.nx()) * coarse_grid.ny(), 4), 0,
           coarse.view());
  };

  for (const T* band : A.band) {
    std::vector<T> values(static_cast<std::size_t>(nx) * ny);
    on.read(values.data(), band, values.size() * sizeof(T));
    outputs.insert(outputs.end(), values.begin(), values.end());
  }
  restart();
  product(on, A, x.view(), y.view());
  keep_field(y.view());
  residual(on, A, b.view(), x.view(), y.view());
  keep_field(y.view());
  jacobi_step(on, A, b.view(), T(0.8), x.view(), y.view());
  keep_field(y.view());
  jacobi_start(on, A, b.view(), T(0.8), y.view());
  keep_field(y.view());
  residual_square(on, A, b.view(), x.view(), number.data());
  keep_number(number.data());
  rounding_scale(on, A, b.view(), x.view(), number.data());
  keep_number(number.data());
  product_dot(on, A, x.view(), y.view(), number.data());
  keep_number(number.data());
  keep_field(y.view());
  dot(on, box, x.view(), b.view(), number.data());
  keep_number(number.data());
  xpby(on, box, number.data(), x.view(), y.view());
  keep_field(y.view());
  copy(on, x.view(), y.view());
  keep_field(y.view());
  restrict_residual(on, coarse_box, box, transfer, x.view(), coarse.view());
  keep_field(coarse.view());
  restart();
  add_prolongated(on, box, transfer, coarse.view(), x.view());
  keep_field(x.view());
  if (c.level == 1) {
    solve_coarsest(on, A, b.view(), x.view());
    keep_field(x.view());
  }

  CgState<T> scalars{};
  scalars.rz = T(3.25);
  scalars.pq = T(7);
  scalars.active = 1;
  scalars.target = T(1e-20);
  scalars.max_iterations = 100;
  on.copy_in(state.data(), &scalars, sizeof scalars);
  cg_alpha(on, state.data());
  cg_update(on, box, x.view(), y.view(), b.view(), y.view(), state.data());
  cg_count(on, state.data());
  cg_beta(on, BetaForm::standard, state.data());
  scalars = read_value(on, state.data());
  outputs.insert(outputs.end(), {scalars.alpha, scalars.beta, scalars.rr, scalars.rz,
                                 scalars.history[0], T(scalars.iterations), T(scalars.active)});
  dot(on, box, x.view(), b.view(), &state.data()->qz);
  cg_beta(on, BetaForm::flexible, state.data());
  keep_number(&state.data()->beta);
  keep_field(b.view());
  keep_field(y.view());
  set_zero(on, x.view());
  keep_field(x.view());
  return outputs;
}

/// Positions at which two sequences differ in any bit.
template <class T>
std::vector<std::size_t> differing(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  std::vector<std::size_t> positions;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::memcmp(&a[k], &b[k], sizeof(T)) != 0) positions.push_back(k);
  }
  return positions;
}

std::vector<Boundary> boundaries() {
  Boundary dirichlet, mixed, neumann;
  mixed[Side::left] = mixed[Side::top] = BoundaryKind::neumann;
  for (const Side side : all_sides) neumann[side] = BoundaryKind::neumann;
  return {dirichlet, mixed, neumann};
}

}  // namespace

TEMPLATE_TEST_CASE("every operation gives the same bits on host and device", "[gpu][operations]",
                   float, double) {
  const Host host;
  const Cuda cuda;
  // Levels around one warp, one block and one chunk of a sum, and the smallest.
  for (const int level : {1, 2, 5, 7, 8, 9}) {
    for (const double nu : {1.0, 0.5}) {
      for (const Boundary& boundary : boundaries()) {
        for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
          const Case c{level, nu, 0.3, boundary, form};
          CAPTURE(level, nu, form, boundary[Side::left], boundary[Side::right]);
          CHECK(differing(outputs_of_all_operations<Host, TestType>(host, c),
                          outputs_of_all_operations<Cuda, TestType>(cuda, c))
                    .empty());
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("sums of long rows give the same bits on host and device", "[gpu][summation]",
                   float, double) {
  const Host host;
  const Cuda cuda;
  const auto sum_on = [](const auto& on, int nx, int ny) {
    using B = std::decay_t<decltype(on)>;
    const NodeVector<B, TestType> x(on, nx, ny);
    const Array<B, TestType> result(on, 1);
    upload(on, random_values(static_cast<std::size_t>(nx) * ny, 5), 0, x.view());
    dot(on, Box{0, nx, 0, ny}, x.view(), x.view(), result.data());
    return read_value(on, result.data());
  };
  for (const auto& [nx, ny] : {std::pair{4095, 3}, {4096, 3}, {4097, 3}, {8193, 700}, {3, 4999}}) {
    CAPTURE(nx, ny);
    CHECK(sum_on(host, nx, ny) == sum_on(cuda, nx, ny));
  }
}

TEMPLATE_TEST_CASE("a recorded cycle gives the bits of one that is not recorded", "[gpu][graph]",
                   float, double) {
  const std::vector<TensorGrid> grids = make_hierarchy(1.0, 1.0, 6);
  const Cuda cuda;
  const auto run = [&](bool recorded, int smoothing) {
    MultigridOptions options;
    options.pre_smoothing = smoothing;
    Multigrid<Cuda, TestType> multigrid(cuda, grids, {}, {1.0, 1.0, 0.0}, OperatorForm::plain,
                                        options);
    upload(cuda, random_values(65 * 65, 6), 0, multigrid.b());
    multigrid.adopt_start();
    if (recorded) {
      const Recording<Cuda> cycle(cuda, [&] { multigrid.cycle(); });
      for (int k = 0; k < 3; ++k) cycle.replay();
    } else {
      for (int k = 0; k < 3; ++k) multigrid.cycle();
    }
    return download<Cuda, TestType>(cuda, multigrid.x(), 0);
  };
  CHECK(differing(run(true, 2), run(false, 2)).empty());
  CHECK(differing(run(true, 1), run(false, 1)).empty());  // an odd number of steps
}

TEST_CASE("whole solves give the same bits on host and device", "[gpu][solve]") {
  Boundary mixed;
  mixed[Side::top] = BoundaryKind::neumann;
  const auto compare = [](const ProblemOptions& stated, const SolverOptions& options, int level,
                          double nu) {
    const Problem problem = make_problem(stated, 1.0, 1.0);
    const auto grids = make_hierarchy(1.0, 1.0, level, {nu, {Side::right, Side::bottom}});
    const Solved host = solve(problem, grids, options, BackendKind::host);
    const Solved cuda = solve(problem, grids, options, BackendKind::cuda);
    CAPTURE(stated.solution, to_string(options.precision), to_string(options.form), level, nu,
            to_string(options.method), to_string(options.preconditioner));
    CHECK(host.report.outcome == cuda.report.outcome);
    CHECK(host.report.iterations == cuda.report.iterations);
    CHECK(differing(host.report.history, cuda.report.history).empty());
    CHECK(host.report.true_residual_reduction == cuda.report.true_residual_reduction);
    CHECK(differing(host.solution, cuda.solution).empty());
  };
  ProblemOptions polynomial, exponential;
  exponential.solution = "exponential";
  exponential.boundary = mixed;
  exponential.reaction = 2.0;
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      SolverOptions options;
      options.precision = precision;
      options.form = form;
      options.max_iterations = 500;
      options.method = Method::cg;
      compare(polynomial, options, 7, 1.0);
      compare(exponential, options, 6, 0.75);
      options.preconditioner = Preconditioning::jacobi;
      compare(polynomial, options, 6, 0.5);
      options.preconditioner = Preconditioning::multigrid;
      compare(polynomial, options, 8, 1.0);
      options.preconditioner = Preconditioning::none;
      options.method = Method::multigrid;
      for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
        options.multigrid.cycle = cycle;
        compare(polynomial, options, 8, 1.0);
        compare(exponential, options, 7, 1.0);
      }
      options.multigrid.pre_smoothing = 1;  // an odd number of steps
      compare(exponential, options, 6, 0.9);
    }
  }
}

TEST_CASE("the device holds what was forecast, and gives it back", "[gpu][memory]") {
  const Problem problem = make_problem({}, 1.0, 1.0);
  const auto grids = make_hierarchy(1.0, 1.0, 6);
  SolverOptions options;
  const Solved solved = solve(problem, grids, options, BackendKind::cuda);
  CHECK(solved.report.memory_bytes == forecast_memory(grids, options, BackendKind::cuda).backend);
  const std::size_t before = describe_cuda().memory_available;
  for (int k = 0; k < 3; ++k) (void)solve(problem, grids, options, BackendKind::cuda);
  CHECK(describe_cuda().memory_available >= before);
}
