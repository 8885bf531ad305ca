// Passes that do several steps at once have the bits of these steps one by one, as the host takes
// them.

#include "gpu/operations/fused_operations.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"

#include "solvers/multigrid/multigrid.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/put.hpp"
#include "tests/support/reciprocals.hpp"
#include "tests/support/sides.hpp"
#include "tests/support/types.hpp"

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
using ninefold::testing::small;

namespace {

struct Case {
  int level;
  double nu, reaction;
  Boundary boundary;
  Range range;
  Divisor divisor = Divisor::diagonal;
  double scale = 1;  ///< of the matrix
};

template <Backend B, Number T>
struct Setting {
  using C = Arithmetic<T>;

  B on;
  std::vector<TensorGrid> grids;
  Matrix<B, T> matrix;
  FactoredRows<T> A;
  Array<B, TransferWeights<C>> wx, wy;
  Transfer<C> transfer;
  Box coarse_box;
  NodeVector<B, T> x, b, y, z, coarse;
  FusedBy by;
  Relaxations<Leading<T>, most_fused_steps> weights;

  Setting(const B& backend, const Case& c, FusedBy how)
      : on(backend),
        grids(make_hierarchy(1.0, 0.5, c.level, {c.nu, {Side::right, Side::bottom}})),
        matrix(on, grids.back(), unknown_nodes(grids.back(), c.boundary),
               {Assembly<T>(c.scale), Assembly<T>(0.7 * c.scale), Assembly<T>(c.reaction)},
               OperatorForm::difference, OperatorStorage::factored),
        A(*matrix.view().template as<FactoredRows<T>>()),
        wx(on, transfer_weights<C>(grids.back().x)),
        wy(on, transfer_weights<C>(grids.back().y)),
        transfer{wx.data(), wy.data()},
        coarse_box(unknown_nodes(grids[grids.size() - 2], c.boundary)),
        x(on, A.nx, A.ny),
        b(on, A.nx, A.ny),
        y(on, A.nx, A.ny),
        z(on, A.nx, A.ny),
        coarse(on, A.nx / 2 + 1, A.ny / 2 + 1),
        by(how),
        weights(Leading<T>(0.8), c.divisor) {
    weights.damping[1] = Leading<T>(1.1);
    const std::size_t n = static_cast<std::size_t>(A.nx) * static_cast<std::size_t>(A.ny);
    std::vector<T> values = testing::random_values<T>(n, 1, c.range);
    std::vector<T> right = testing::random_values<T>(n, 2, c.range);
    // Rows in which residuals are zeros of both signs.
    for (std::size_t k = 0; k < n; ++k) {
      if (k / static_cast<std::size_t>(A.nx) % 16 >= 6) continue;
      values[k] = T(C(0));
      right[k] = T(k % 2 == 0 ? C(0) : -C(0));
    }
    testing::put(on, values, x.view());
    // At Dirichlet nodes both vectors hold the values that are given.
    testing::put(on, values, y.view());
    testing::put(on, values, z.view());
    testing::put(on, right, b.view());
    const std::size_t coarse_nodes =
        static_cast<std::size_t>(A.nx / 2 + 1) * static_cast<std::size_t>(A.ny / 2 + 1);
    testing::put(on, testing::random_values<T>(coarse_nodes, 3, c.range), coarse.view());
  }

  // Each leaves its result in y, or in the coarse vector.

  void steps(int count) const {
    if constexpr (std::is_same_v<B, Cuda>) {
      jacobi_steps<T>(on, A, b.view(), weights, x.view(), count, y.view(), by);
    } else {
      jacobi_step<B, T>(on, A, b.view(), weights[0], x.view(), count == 1 ? y.view() : z.view());
      if (count == 2) jacobi_step<B, T>(on, A, b.view(), weights[1], z.view(), y.view());
    }
  }
  void steps_from_zero(int count) const {
    set_zero(on, y.view());
    if constexpr (std::is_same_v<B, Cuda>) {
      jacobi_steps_from_zero<T>(on, A, b.view(), weights, count, y.view(), by);
    } else {
      set_zero(on, z.view());
      jacobi_start<B, T>(on, A, b.view(), weights[0], count == 1 ? y.view() : z.view());
      if (count == 2) jacobi_step<B, T>(on, A, b.view(), weights[1], z.view(), y.view());
    }
  }
  void steps_on_sum(int count) const {
    if constexpr (std::is_same_v<B, Cuda>) {
      jacobi_steps_on_sum<T>(on, transfer, coarse.view(), A, b.view(), weights, x.view(), count,
                             y.view(), by);
    } else {
      add_prolongated<B, T>(on, A.unknowns, transfer, coarse.view(), x.view());
      steps(count);
    }
  }
  void steps_on_prolongation(int count) const {
    set_zero(on, y.view());
    if constexpr (std::is_same_v<B, Cuda>) {
      jacobi_steps_on_prolongation<T>(on, transfer, coarse.view(), A, b.view(), weights, count,
                                      y.view(), by);
    } else {
      set_zero(on, z.view());
      set_zero(on, x.view());
      add_prolongated<B, T>(on, A.unknowns, transfer, coarse.view(), x.view());
      steps(count);
    }
  }
  void restriction() const {
    if constexpr (std::is_same_v<B, Cuda>) {
      restrict_residual_of<T>(on, coarse_box, transfer, A, b.view(), x.view(), coarse.view(), by);
    } else {
      residual<B, T>(on, A, b.view(), x.view(), y.view());
      restrict_residual<B, T>(on, coarse_box, A.unknowns, transfer, y.view(), coarse.view());
    }
  }
};

template <Backend B, Number T>
std::vector<Output> outputs_of(const B& on, const Case& c, FusedBy by) {
  using S = Setting<B, T>;
  Outputs<B> outputs(on);
  const auto keep = [&](const std::string& name, const auto& operation, const auto& result) {
    const S setting(on, c, by);
    operation(setting);
    outputs.keep(name, result(setting));
  };
  const auto fine = [](const S& s) { return s.y.view(); };
  for (const int count : {1, 2}) {
    const std::string steps = " " + std::to_string(count);
    keep(
        "steps" + steps, [&](const S& s) { s.steps(count); }, fine);
    keep(
        "from zero" + steps, [&](const S& s) { s.steps_from_zero(count); }, fine);
    keep(
        "on sum" + steps, [&](const S& s) { s.steps_on_sum(count); }, fine);
    keep(
        "on prolongation" + steps, [&](const S& s) { s.steps_on_prolongation(count); }, fine);
  }
  keep(
      "restriction", [](const S& s) { s.restriction(); },
      [](const S& s) { return s.coarse.view(); });
  return outputs.all();
}

template <Number T>
void check_one(const Case& c) {
  CAPTURE(c.level, c.nu, c.reaction, int(c.range), int(c.divisor));
  const Host host;
  const Device device;
  const auto expected = outputs_of<Host, T>(host, c, FusedBy::size);
  for (const FusedBy by : {FusedBy::strips, FusedBy::tiles}) {
    CAPTURE(int(by));
    const auto found = on_device([&] { return outputs_of<Device, T>(device, c, by); });
    CHECK(difference(found, expected) == "");
  }
}

template <Number T>
void check(Case c) {
  for (const Divisor divisor : {Divisor::diagonal, Divisor::bound}) {
    c.divisor = divisor;
    check_one<T>(c);
  }
}

/// x after two cycles.
template <Backend B, Number T>
std::vector<Output> outputs_of_cycles(const B& on, const std::vector<TensorGrid>& grids,
                                      const MultigridOptions& options) {
  using W = Assembly<T>;
  Multigrid<B, T> multigrid(on, grids, {}, {W(1), W(1), W(0)}, OperatorForm::difference,
                            choose_smoothing(options, grids.back(), 1, 1),
                            OperatorStorage::factored);
  const std::size_t n = static_cast<std::size_t>(grids.back().nx());
  testing::put(on, testing::random_values<T>(n * n, 6), multigrid.b());
  multigrid.adopt_start();
  const Recording<B> cycle(on, [&] { multigrid.cycle(); });
  for (int k = 0; k < 2; ++k) cycle.replay();
  Outputs<B> outputs(on);
  outputs.keep("x", multigrid.x());
  return outputs.all();
}

}  // namespace

TEMPLATE_TEST_CASE("steps in one pass have the bits of steps one by one", "[gpu][fused]", float,
                   double, Half, BFloat16) {
  for (int sides = 0; sides < 16; ++sides) {
    for (const int level : {1, 2, 3, full_or_small(6, 4), full_or_small(7, 4)}) {
      const Range range = sides % 2 == 0 ? Range::hurtful : Range::tame;
      check<TestType>({level, sides % 3 == 0 ? 1.0 : 0.6, sides % 4 < 2 ? 0.0 : 0.3,
                       boundary_of(sides), range});
    }
  }
}

// At the ends of the range quotients are taken in another way.
TEMPLATE_TEST_CASE("steps in one pass overflow and underflow as steps one by one do",
                   "[gpu][fused]", float, double, BFloat16) {
  for (const int level : {3, full_or_small(7, 4)}) {
    check<TestType>({level, 0.9, 0.0, boundary_of(level == 3 ? 0 : 6), Range::extreme});
  }
}

TEST_CASE("the same where inverses of diagonals leave the range of normal numbers",
          "[gpu][fused]") {
  for (const double scale : {0x1p125, 0x1p-128}) {
    check<float>(
        {full_or_small(9, 4), 0.9, 0.0, boundary_of(6), Range::tame, Divisor::diagonal, scale});
  }
}

TEMPLATE_TEST_CASE("the same on grids of many strips and parts", "[gpu][fused]", float, double,
                   Half) {
  for (const int level : {full_or_small(8, 4), full_or_small(9, 5), full_or_small(11, 6)}) {
    check<TestType>({level, 0.9, 0.0, boundary_of(level % 2 == 0 ? 0 : 6), Range::hurtful});
  }
}

// A grid of tiles, and one of strips above it.
TEMPLATE_TEST_CASE("cycles with fused passes have the bits of cycles without", "[gpu][fused]",
                   float, double) {
  for (const int level : {full_or_small(7, 4), full_or_small(12, 5)}) {
    const auto grids = make_hierarchy(1.0, 1.0, level);
#ifndef NINEFOLD_REHEARSED
    if (!small) {
      const int n = grids.back().nx();
      REQUIRE(fused_by<TestType>(Device(), n, n)
              == (level == 7 ? FusedBy::tiles : FusedBy::strips));
    }
#endif
    MultigridOptions jacobi, chebyshev;
    jacobi.cycle = chebyshev.cycle = Cycle::v;
    jacobi.smoother = Smoother::jacobi;
    jacobi.post_smoothing = 3;  // an odd number of steps
    chebyshev.smoother = Smoother::chebyshev;
    chebyshev.pre_smoothing = 0;  // so that corrections begin with a prolongation
    chebyshev.post_smoothing = 3;
    for (const MultigridOptions& options : {jacobi, chebyshev}) {
      CAPTURE(level, to_string(options.smoother));
      const Host host;
      const Device device;
      const auto expected = outputs_of_cycles<Host, TestType>(host, grids, options);
      const auto found =
          on_device([&] { return outputs_of_cycles<Device, TestType>(device, grids, options); });
      CHECK(difference(found, expected) == "");
    }
  }
}

// Which segments of lines divide by (gpu/kernels/segment_march.cuh).
#ifndef NINEFOLD_REHEARSED
TEST_CASE("reciprocals of all mantissas have the bits of divisions", "[gpu][fused]") {
  for (const int exponent : {-100, -1, 0, 17, 99}) {
    CAPTURE(exponent);
    CHECK(testing::differing_reciprocals(exponent) == 0);
  }
}
#endif
