// Host and device agree to the last bit: every operation, in every format that devices have.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/error_bound.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/row_kinds.hpp"
#include "tests/support/turns.hpp"
#include "tests/support/types.hpp"

using namespace ninefold;
namespace testing = ninefold::testing;
using ninefold::testing::Device;
using ninefold::testing::difference;
using ninefold::testing::on_device;
using ninefold::testing::Output;
using ninefold::testing::Outputs;
using ninefold::testing::place;
using ninefold::testing::small;
using ninefold::testing::takes_turn;

namespace {

struct Case {
  int level;
  double nu;
  double reaction;
  Boundary boundary;
  testing::RowKind rows;
};

/// Exponents of random values, both included.
struct Exponents {
  int lowest, highest;
};

/// All signs and many magnitudes; for half such that no result overflows: on the stretched grids
/// entries reach 2^11.
template <class T>
constexpr Exponents moderate() {
  return std::same_as<T, Half> ? Exponents{-9, 0} : Exponents{-12, 12};
}

/// At the ends of what a storage format has, so that results underflow and, in half, overflow.
template <class T>
constexpr Exponents at_the_ends() {
  return std::same_as<T, Half> ? Exponents{-24, 14} : Exponents{-135, -110};
}

/// Random nodal values, the same for every backend, with all digits of the format W that systems
/// for T are assembled in.
template <class T, class W = Assembly<T>>
std::vector<W> random_values(std::size_t n, unsigned seed, Exponents exponents = moderate<T>()) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(exponents.lowest, exponents.highest);
  std::vector<W> values(n);
  for (W& value : values) {
    const double leading = std::ldexp(mantissa(engine), exponent(engine));
    value = W(leading);
    if constexpr (!std::same_as<W, double>) value += leading * 0x1p-53 * mantissa(engine);
  }
  return values;
}

/// Those of a grid's vectors; drawn once for all cases of a level.
template <Number T>
struct GridValues {
  std::vector<Assembly<T>> x, b, y, z, coarse;

  GridValues(int level, Exponents exponents)
      : x(values(level, 1, exponents)),
        b(values(level, 2, exponents)),
        y(values(level, 3, exponents)),
        z(values(level, 4, exponents)),
        coarse(values(level - 1, 5, exponents)) {}

  static std::vector<Assembly<T>> values(int level, unsigned seed, Exponents exponents) {
    const std::size_t n = (std::size_t{1} << level) + 1;
    return random_values<T>(n * n, seed, exponents);
  }
};

/// The grids, vectors and weights that operations work on.
template <Backend B, Number T>
struct Setting {
  using C = Arithmetic<T>;

  std::vector<TensorGrid> grids;
  int nx, ny;
  std::size_t nodes, coarse_nodes;
  Matrix<B, T> matrix;
  Operator<T> A;
  Array<B, TransferWeights<C>> wx, wy;
  Transfer<C> transfer;
  Box box, coarse_box;
  NodeVector<B, T> x, b, y, z, coarse;
  Array<B, C> number;
  Array<B, CgState<C>> state;

  Setting(const B& on, const Case& c)
      : grids(make_hierarchy(1.0, 0.5, c.level, {c.nu, {Side::right, Side::bottom}})),
        nx(grids.back().nx()),
        ny(grids.back().ny()),
        nodes(static_cast<std::size_t>(nx) * ny),
        coarse_nodes(static_cast<std::size_t>(nx / 2 + 1) * (ny / 2 + 1)),
        matrix(on, grids.back(), unknown_nodes(grids.back(), c.boundary),
               {Assembly<T>(1.0), Assembly<T>(0.7), Assembly<T>(c.reaction)}, c.rows.form,
               c.rows.storage),
        A(matrix.view()),
        wx(on, transfer_weights<C>(grids.back().x)),
        wy(on, transfer_weights<C>(grids.back().y)),
        transfer{wx.data(), wy.data()},
        box(A.unknowns),
        coarse_box(unknown_nodes(grids[grids.size() - 2], c.boundary)),
        x(on, nx, ny),
        b(on, nx, ny),
        y(on, nx, ny),
        z(on, nx, ny),
        coarse(on, nx / 2 + 1, ny / 2 + 1),
        number(on, 1),
        state(on, 1) {}

  void restart(const B& on, const GridValues<T>& values) const {
    upload(on, values.x, 0, x.view());
    upload(on, values.b, 0, b.view());
    upload(on, values.y, 0, y.view());
    upload(on, values.z, 0, z.view());
    upload(on, values.coarse, 0, coarse.view());
    const C beta = C(-0.7);
    on.copy_in(number.data(), &beta, sizeof beta);
  }
};

ErrorBoundWeights weights_of(const TensorGrid& grid, const Case& c) {
  Problem problem;
  problem.height = 0.5;
  problem.gy = 0.7;
  problem.reaction = c.reaction;
  problem.boundary = c.boundary;
  return error_bound_weights(problem, grid);
}

/// The operations that write fields only; sums of what overflows would be NaN, whose bits are the
/// machine's own.
template <Backend B, Number T>
std::vector<Output> outputs_of_fields(const B& on, const Case& c, const GridValues<T>& values) {
  const Setting<B, T> s(on, c);
  Outputs<B> outputs(on);
  s.restart(on, values);
  if (const auto* stored = s.A.template as<NineBand<const T>>()) {
    for (const T* band : stored->band) outputs.keep("assemble_bands", band, s.nodes);
  }
  product(on, s.A, s.x.view(), s.y.view());
  outputs.keep("product", s.y.view());
  residual(on, s.A, s.b.view(), s.x.view(), s.y.view());
  outputs.keep("residual", s.y.view());
  rounding_of_rows(on, s.A, s.b.view(), s.x.view(), s.y.view());
  outputs.keep("rounding_of_rows", s.y.view());
  jacobi_step(on, s.A, s.b.view(), Leading<T>(0.8), s.x.view(), s.y.view());
  outputs.keep("jacobi_step", s.y.view());
  jacobi_start(on, s.A, s.b.view(), Leading<T>(0.8), s.y.view());
  outputs.keep("jacobi_start", s.y.view());
  const Array<B, Leading<T>> memory(on, line_scratch_values<T>(std::max(s.nx, s.ny)));
  for (const LineDirection direction : {LineDirection::x, LineDirection::y}) {
    line_step<T>(on, s.A, s.b.view(), Leading<T>(1), {direction, 0, 1}, s.x.view(),
                 {memory.data(), memory.size()}, s.y.view());
    outputs.keep("line_step", s.y.view());
  }
  s.restart(on, values);
  xpby(on, s.box, s.number.data(), s.x.view(), s.y.view());
  outputs.keep("xpby", s.y.view());
  copy(on, s.x.view(), s.y.view());
  outputs.keep("copy", s.y.view());
  restrict_residual(on, s.coarse_box, s.box, s.transfer, s.x.view(), s.coarse.view());
  outputs.keep("restrict_residual", s.coarse.view());
  s.restart(on, values);
  add_prolongated(on, s.box, s.transfer, s.coarse.view(), s.x.view());
  outputs.keep("add_prolongated", s.x.view());
  set_zero(on, s.x.view());
  outputs.keep("set_zero", s.x.view());
  return outputs.all();
}

/// The operations that sum, those between scalars, and the coarsest solve.
template <Backend B, Number T>
std::vector<Output> outputs_of_sums(const B& on, const Case& c, const GridValues<T>& values) {
  using C = Arithmetic<T>;
  const Setting<B, T> s(on, c);
  Outputs<B> outputs(on);
  s.restart(on, values);
  residual_square<B, T>(on, s.A, s.b.view(), s.x.view(), s.number.data());
  outputs.keep("residual_square", s.number.data(), 1);
  rounding_scale<B, T>(on, s.A, s.b.view(), s.x.view(), s.number.data());
  outputs.keep("rounding_scale", s.number.data(), 1);
  dot<B, T>(on, s.box, s.x.view(), s.b.view(), s.number.data());
  outputs.keep("dot", s.number.data(), 1);
  product_dot<B, T>(on, s.A, s.x.view(), s.y.view(), s.number.data());
  outputs.keep("product_dot, sum", s.number.data(), 1);
  outputs.keep("product_dot, product", s.y.view());
  const ErrorBoundWeights w = weights_of(s.grids.back(), c);
  const Array<B, double> stiff_x(on, w.stiff_x), mass_x(on, w.mass_x), stiff_y(on, w.stiff_y),
      mass_y(on, w.mass_y), sum(on, 1);
  const Array<B, Largest> most(on, 1);
  const NodeWeights weights{stiff_x.data(), mass_x.data(), stiff_y.data(), mass_y.data()};
  weighted_residual_square<B, T>(on, s.A, s.b.view(), s.x.view(), weights, sum.data());
  outputs.keep("weighted_residual_square", sum.data(), 1);
  weighted_rounding_square<B, T>(on, s.A, s.b.view(), s.x.view(), weights, sum.data());
  outputs.keep("weighted_rounding_square", sum.data(), 1);
  mass_square<B, T>(on, s.box, s.x.view(), weights, sum.data());
  outputs.keep("mass_square", sum.data(), 1);
  largest<B, T>(on, s.box, s.x.view(), most.data());
  outputs.keep("largest", &most.data()->value, 1);
  remove_mean(on, s.box, s.z.view(), s.number.data());
  outputs.keep("remove_mean, sum", s.number.data(), 1);
  outputs.keep("remove_mean", s.z.view());
  if (c.level == 1) {
    solve_coarsest(on, s.A, s.b.view(), s.x.view());
    outputs.keep("solve_coarsest", s.x.view());
  }

  s.restart(on, values);
  CgState<C> scalars{};
  scalars.rz = C(3.25);
  scalars.pq = C(7);
  scalars.active = 1;
  scalars.target = C(1e-20);
  scalars.max_iterations = 100;
  on.copy_in(s.state.data(), &scalars, sizeof scalars);
  cg_alpha(on, s.state.data());
  cg_update(on, s.box, s.x.view(), s.y.view(), s.b.view(), s.z.view(), s.state.data());
  cg_count(on, s.state.data());
  cg_beta(on, BetaForm::standard, s.state.data());
  outputs.keep("standard iteration", s.state.data());
  dot<B, T>(on, s.box, s.x.view(), s.b.view(), &s.state.data()->qz);
  cg_beta(on, BetaForm::flexible, s.state.data());
  outputs.keep("flexible beta", s.state.data());
  outputs.keep("cg_update, x", s.b.view());
  outputs.keep("cg_update, r", s.z.view());
  return outputs.all();
}

std::vector<Boundary> boundaries() {
  Boundary dirichlet, mixed, neumann;
  mixed[Side::left] = mixed[Side::top] = BoundaryKind::neumann;
  for (const Side side : all_sides) neumann[side] = BoundaryKind::neumann;
  return {dirichlet, mixed, neumann};
}

}  // namespace

TEMPLATE_TEST_CASE("every operation gives the same bits on host and device", "[gpu][operations]",
                   NINEFOLD_DEVICE_FORMATS) {
  const Host host;
  const Device device;
  // Levels around one warp, one block and one chunk of a sum, and the smallest.
  std::vector<int> levels{1, 2, 5, 7, 8};
  if (std::is_floating_point_v<TestType>) levels.push_back(9);
  for (const int level : levels) {
    if (small && level > 7) continue;
    const GridValues<TestType> values(level, moderate<TestType>());
    const std::vector<Boundary> all_boundaries = boundaries();
    for (const double nu : {1.0, 0.45}) {
      for (const Boundary& boundary : all_boundaries) {
        for (const testing::RowKind& rows : testing::row_kinds) {
          if (level >= 5
              && !takes_turn(2, level / 2, nu, place(boundary, all_boundaries),
                             place(rows, testing::row_kinds))) {
            continue;
          }
          // On many nodes the width of cells decides nothing.
          if (level > 7 && (nu == 1.0) != (rows.form == OperatorForm::plain)) continue;
          const Case c{level, nu, 0.3, boundary, rows};
          CAPTURE(level, nu, to_string(rows.form), to_string(rows.storage), boundary[Side::left],
                  boundary[Side::right]);
          CHECK(difference(outputs_of_fields<Host, TestType>(host, c, values), on_device([&] {
                             return outputs_of_fields<Device, TestType>(device, c, values);
                           }))
                == "");
          CHECK(difference(outputs_of_sums<Host, TestType>(host, c, values), on_device([&] {
                             return outputs_of_sums<Device, TestType>(device, c, values);
                           }))
                == "");
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("what storage formats cannot hold becomes the same on host and device",
                   "[gpu][operations]", NINEFOLD_STORAGE_FORMATS) {
  const Host host;
  const Device device;
  for (const int level : {5, 6}) {
    for (const testing::RowKind& rows : testing::row_kinds) {
      const Case c{level, 0.45, 0.3, boundaries()[1], rows};
      CAPTURE(level, to_string(rows.form), to_string(rows.storage));
      const GridValues<TestType> values(level, at_the_ends<TestType>());
      const auto on_host = outputs_of_fields<Host, TestType>(host, c, values);
      const auto found =
          on_device([&] { return outputs_of_fields<Device, TestType>(device, c, values); });
      CHECK(difference(on_host, found) == "");
      int infinite = 0, subnormal = 0;
      for (const Output& output : on_host) {
        for (std::size_t k = 0; k < output.bytes.size(); k += sizeof(TestType)) {
          TestType value;
          std::memcpy(&value, &output.bytes[k], sizeof value);
          const float size = std::abs(static_cast<float>(value));
          infinite += std::isinf(size);
          subnormal += size > 0 && size < std::ldexp(1.0F, Format<TestType>::min_exponent);
        }
      }
      CHECK(subnormal > 0);
      if (std::same_as<TestType, Half>) CHECK(infinite > 0);
    }
  }
}
