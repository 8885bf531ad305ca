// What operations say of themselves: the bytes that they move, in one format and in two, and the
// arguments that they refuse.
#include "gpu/backend/work.hpp"

#include <cstdint>
#include <stdexcept>

#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/mixed_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/mixed_types.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::InFormat;
using testing::InMixed;

/// Vectors of all kinds on an anisotropic grid with two Neumann sides.
template <class High, class Low>
struct Setting {
  Host on;
  TensorGrid grid;
  Box box, coarse_box;
  ComputedMatrix<Host, High> computed;
  StoredMatrix<Host, High> matrix;
  Array<Host, TransferWeights<Arithmetic<High>>> wx, wy;
  NodeVector<Host, High> x, b, y, z, coarse, shorter;
  NodeVector<Host, Low> r, shorter_r;
  Array<Host, Arithmetic<High>> number;
  Array<Host, CgState<Arithmetic<High>>> cg;
  Array<Host, RefinementState<Arithmetic<High>>> state;

  Setting()
      : grid(make_hierarchy(1, 0.5, 4, {0.7, {Side::right}}).back()),
        box(unknown_nodes(grid, sides())),
        coarse_box(unknown_nodes(make_hierarchy(1, 0.5, 3).back(), sides())),
        computed(on, grid, box, coefficients(), OperatorForm::plain),
        matrix(on, grid, box, coefficients(), OperatorForm::plain),
        wx(on, transfer_weights<Arithmetic<High>>(grid.x)),
        wy(on, transfer_weights<Arithmetic<High>>(grid.y)),
        x(on, grid.nx(), grid.ny()),
        b(on, grid.nx(), grid.ny()),
        y(on, grid.nx(), grid.ny()),
        z(on, grid.nx(), grid.ny()),
        coarse(on, grid.nx() / 2 + 1, grid.ny() / 2 + 1),
        shorter(on, grid.nx(), grid.ny() - 1),
        r(on, grid.nx(), grid.ny()),
        shorter_r(on, grid.nx() - 1, grid.ny()),
        number(on, 1),
        cg(on, 1),
        state(on, 1) {}

  static Boundary sides() {
    Boundary boundary;
    boundary[Side::left] = boundary[Side::top] = BoundaryKind::neumann;
    return boundary;
  }
  static Coefficients<Assembly<High>> coefficients() {
    using W = Assembly<High>;
    return {W(1), W(1), W(1)};
  }

  /// What is counted while `task` runs.
  template <class Task>
  Work of(const Task& task) const {
    const Work before = on.work();
    task();
    return on.work() - before;
  }
};

TEMPLATE_LIST_TEST_CASE("operations of mixed precision count the bytes of both formats",
                        "[gpu][mixed][work]", testing::HostPairs) {
  const InMixed<TestType> formats;
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  const Setting<High, Low> s;
  const std::int64_t nodes = 16 * 16;  // two sides are Dirichlet
  const auto bytes = [&](int high, int low) {
    return Work{0, nodes * static_cast<std::int64_t>(high * sizeof(High) + low * sizeof(Low))};
  };
  const auto A = s.computed.view();
  auto* const state = s.state.data();
  CAPTURE(testing::name_of_pair<TestType>());
  CHECK(s.of([&] {
    residual_rounded<Host, High, Low>(s.on, A, s.b.view(), s.x.view(), s.r.view(), state);
  }) == bytes(2, 1));
  CHECK(s.of([&] { add_correction<Host, High, Low>(s.on, s.box, state, s.r.view(), s.x.view()); })
        == bytes(2, 1));
  CHECK(s.of([&] {
    dot_widened<Host, High, Low>(s.on, s.box, s.x.view(), s.r.view(), state, s.number.data());
  }) == bytes(1, 1));
  CHECK(s.of([&] {
    xpby_widened<Host, High, Low>(s.on, s.box, s.number.data(), s.r.view(), state, s.x.view());
  }) == bytes(2, 1));
  CHECK(s.of([&] {
    cg_update_rounded<Host, High, Low>(s.on, s.box, s.x.view(), s.b.view(), s.y.view(), s.z.view(),
                                       s.r.view(), state, s.cg.data());
  }) == bytes(6, 1));
}

TEMPLATE_TEST_CASE("operations count the bytes that they declare", "[gpu][operations][work]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  const Setting<T, T> s;
  const auto counts = [&](int values, std::int64_t nodes, const auto& task) {
    CHECK(s.of(task) == Work{0, values * nodes * static_cast<std::int64_t>(sizeof(T))});
  };
  const std::int64_t unknowns = 16 * 16, all = 17 * 17, coarse = 8 * 8;
  const NineBand<const T> A = s.matrix.view();
  const ComputedBands<T>& B = s.computed.view();
  const auto x = s.x.view(), b = s.b.view(), y = s.y.view(), z = s.z.view();
  C* const number = s.number.data();
  const Transfer<C> transfer{s.wx.data(), s.wy.data()};
  counts(1, all, [&] { set_zero(s.on, x); });
  counts(2, all, [&] { copy(s.on, x, y); });
  counts(2, unknowns, [&] { dot<Host, T>(s.on, s.box, x, y, number); });
  counts(3, unknowns, [&] { xpby(s.on, s.box, number, x, y); });
  counts(2, unknowns, [&] { rescale<Host, T>(s.on, s.box, number, x); });
  counts(11, unknowns, [&] { product(s.on, A, x, y); });
  counts(11, unknowns, [&] { product_dot<Host, T>(s.on, A, x, y, number); });
  counts(2, unknowns, [&] { product_dot<Host, T>(s.on, B, x, y, number); });
  counts(12, unknowns, [&] { residual(s.on, A, b, x, y); });
  counts(11, unknowns, [&] { residual_square<Host, T>(s.on, A, b, x, number); });
  counts(2, unknowns, [&] { residual_square<Host, T>(s.on, B, b, x, number); });
  counts(12, unknowns, [&] { rounding_of_rows(s.on, A, b, x, y); });
  counts(11, unknowns, [&] { rounding_scale<Host, T>(s.on, A, b, x, number); });
  counts(2, unknowns, [&] { rounding_scale<Host, T>(s.on, B, b, x, number); });
  counts(12, unknowns, [&] { jacobi_step(s.on, A, b, Leading<T>(1), x, y); });
  counts(3, unknowns, [&] { jacobi_start(s.on, A, b, Leading<T>(1), y); });
  counts(5, coarse,
         [&] { restrict_residual(s.on, s.coarse_box, s.box, transfer, y, s.coarse.view()); });
  counts(2, unknowns, [&] { add_prolongated(s.on, s.box, transfer, s.coarse.view(), y); });
  counts(6, unknowns, [&] { cg_update(s.on, s.box, x, b, y, z, s.cg.data()); });
  counts(3, unknowns + coarse,
         [&] { cg_update(s.on, s.box, s.coarse_box, x, b, y, z, s.cg.data()); });
  counts(3, unknowns, [&] { cg_direction<Host, T>(s.on, s.box, x, s.cg.data(), y); });
  counts(0, unknowns, [&] {
    cg_alpha(s.on, s.cg.data());
    cg_count(s.on, s.cg.data());
    cg_beta(s.on, BetaForm::flexible, s.cg.data());
    set_scale(s.on, RefinementScaling::norm, 0, s.state.data());
  });
}

TEST_CASE("a residual in parts counts as the whole", "[gpu][mixed][work]") {
  const Setting<double, float> s;
  const auto parts = [&] {
    for (const auto& [first, last] : {std::pair{7, 16}, {0, 7}}) {
      residual_rounded_rows<double, float>(s.on, s.computed.view(), s.b.view(), s.x.view(),
                                           s.r.view(), s.state.data(), first, last);
    }
    finish_sum(s.on, s.computed.view().unknowns, &s.state.data()->square);
  };
  CHECK(s.of(parts) == Work{0, 16 * 16 * 20});
}

TEST_CASE("a recording on the host knows the work of a replay", "[gpu][graph][work]") {
  const Setting<double, float> s;
  const Recording<Host> recording(s.on, [&] {
    set_zero(s.on, s.x.view());
    copy(s.on, s.x.view(), s.y.view());
  });
  CHECK(recording.work() == Work{});  // nothing has run
  const Work once{0, 3 * 17 * 17 * 8};
  CHECK(s.of([&] { recording.replay(); }) == once);
  CHECK(recording.work() == once);
  CHECK(s.of([&] {
    recording.replay();
    recording.replay();
  }) == 2 * once);
  CHECK(recording.work() == once);
}

TEST_CASE("work is added, subtracted and multiplied", "[gpu][work]") {
  Work work{3, 100};
  work += {1, 20};
  CHECK(work == Work{4, 120});
  CHECK(work - Work{1, 100} == Work{3, 20});
  CHECK(5 * work == Work{20, 600});
  CHECK(Work{} == Work{0, 0});
}

/// The operation refuses, naming itself.
template <class Task>
void refused(const char* operation, const Task& task) {
  CAPTURE(operation);
  CHECK_THROWS_AS(task(), std::invalid_argument);
  CHECK_THROWS_WITH(task(), ContainsSubstring(operation));
}

TEST_CASE("vectors and boxes that do not fit are refused", "[gpu][mixed]") {
  const Setting<double, float> s;
  using D = double;
  using F = float;
  const auto A = s.computed.view();
  const auto x = s.x.view(), b = s.b.view(), y = s.y.view(), z = s.z.view();
  const auto wrong = s.shorter.view();
  const auto r = s.r.view(), wrong_r = s.shorter_r.view();
  auto* const state = s.state.data();
  auto* const number = s.number.data();
  auto* const cg = s.cg.data();
  const Host& on = s.on;

  refused("residual_square", [&] { residual_square<Host, D>(on, A, wrong, x, number); });
  refused("residual_square", [&] { residual_square<Host, D>(on, A, b, wrong, number); });
  refused("rounding_of_rows", [&] { rounding_of_rows(on, A, b, x, wrong); });
  refused("rounding_scale", [&] { rounding_scale<Host, D>(on, A, b, wrong, number); });
  refused("product_dot", [&] { product_dot<Host, D>(on, A, wrong, y, number); });
  refused("product_dot", [&] { product_dot<Host, D>(on, A, x, wrong, number); });
  refused("residual_rounded", [&] { residual_rounded<Host, D, F>(on, A, b, x, wrong_r, state); });
  refused("residual_rounded", [&] { residual_rounded<Host, D, F>(on, A, wrong, x, r, state); });
  refused("residual_rounded", [&] { residual_rounded<Host, D, F>(on, A, b, wrong, r, state); });
  refused("residual_rounded_rows",
          [&] { residual_rounded_rows<D, F>(on, A, b, x, wrong_r, state, 0, 1); });
  refused("residual_rounded_rows",
          [&] { residual_rounded_rows<D, F>(on, A, b, x, r, state, 0, 17); });
  refused("residual_rounded_rows",
          [&] { residual_rounded_rows<D, F>(on, A, b, x, r, state, 3, 3); });
  refused("add_correction", [&] { add_correction<Host, D, F>(on, s.box, state, wrong_r, x); });
  refused("dot_widened", [&] { dot_widened<Host, D, F>(on, s.box, x, wrong_r, state, number); });
  refused("xpby_widened", [&] { xpby_widened<Host, D, F>(on, s.box, number, wrong_r, state, x); });
  refused("cg_update_rounded",
          [&] { cg_update_rounded<Host, D, F>(on, s.box, x, b, y, z, wrong_r, state, cg); });
  refused("cg_update_rounded",
          [&] { cg_update_rounded<Host, D, F>(on, s.box, x, wrong, y, z, r, state, cg); });
  refused("cg_update", [&] { cg_update<Host, D>(on, s.box, s.coarse_box, x, wrong, y, z, cg); });
  refused("cg_update", [&] { cg_update<Host, D>(on, s.box, Box{4, 4, 0, 17}, x, b, y, z, cg); });
  refused("cg_direction", [&] { cg_direction<Host, D>(on, s.box, wrong, cg, y); });
  for (const Box& outside : {Box{0, 18, 0, 17}, Box{0, 17, -1, 17}}) {
    refused("add_correction", [&] { add_correction<Host, D, F>(on, outside, state, r, x); });
    refused("dot_widened", [&] { dot_widened<Host, D, F>(on, outside, x, r, state, number); });
    refused("xpby_widened", [&] { xpby_widened<Host, D, F>(on, outside, number, r, state, x); });
    refused("cg_update_rounded",
            [&] { cg_update_rounded<Host, D, F>(on, outside, x, b, y, z, r, state, cg); });
    refused("rescale", [&] { rescale<Host, D>(on, outside, number, x); });
    refused("cg_direction", [&] { cg_direction<Host, D>(on, outside, x, cg, y); });
  }
  // Sums need a node.
  const Box empty{4, 4, 0, 17};
  refused("dot_widened", [&] { dot_widened<Host, D, F>(on, empty, x, r, state, number); });
  refused("cg_update_rounded",
          [&] { cg_update_rounded<Host, D, F>(on, empty, x, b, y, z, r, state, cg); });
  ComputedBands<double> none = A;
  none.unknowns = empty;
  refused("residual_rounded", [&] { residual_rounded<Host, D, F>(on, none, b, x, r, state); });
  refused("finish_sum", [&] { finish_sum(on, none.unknowns, &state->square); });
}

}  // namespace
}  // namespace ninefold
