// Host and device agree to the last bit, recorded and not: every operation of mixed precision, in
// every pair of formats that devices have.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/mixed_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/mixed_types.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/put.hpp"
#include "tests/support/turns.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::difference;
using testing::on_device;
using testing::Output;
using testing::Outputs;
using testing::Range;

struct Case {
  int level;
  double nu, reaction;
  std::vector<Side> neumann;
  int grid = 0;  ///< its place in cases()
  OperatorForm form = OperatorForm::plain;
  Range range = Range::tame;
};

Boundary sides(const Case& c) {
  Boundary boundary;
  for (const Side side : c.neumann) boundary[side] = BoundaryKind::neumann;
  return boundary;
}

/// What is written, and the bytes that were counted for it.
struct Written {
  std::vector<Output> outputs;
  std::int64_t bytes = 0;
};

/// Runs a task as it is, or as a recording that is replayed.
template <Backend B, class Task>
void run(const B& on, bool recorded, const Task& task) {
  if (!recorded) {
    task();
    return;
  }
  const Work before = on.work();
  const Recording<B> recording(on, task);
  CHECK(on.work() == before);  // nothing has run
  recording.replay();
  const Work done = on.work() - before;
  CHECK(recording.work() == done);
  if (!testing::rehearsed) CHECK(done.kernels > 0);  // the host has none
}

/// The vectors of both formats that operations work on.
template <Backend B, Number High, Number Low>
struct Setting {
  using W = Assembly<High>;
  using C = Arithmetic<High>;

  TensorGrid grid;
  Box box;
  ComputedMatrix<B, High> matrix;
  ComputedBands<High> A;
  NodeVector<B, High> x, b, p, q;
  NodeVector<B, Low> r, c;
  Array<B, C> number;
  Array<B, RefinementState<C>> state;
  Array<B, CgState<C>> cg;

  Setting(const B& on, const Case& chosen)
      : grid(
          make_hierarchy(1.0, 0.5, chosen.level, {chosen.nu, {Side::right, Side::bottom}}).back()),
        box(unknown_nodes(grid, sides(chosen))),
        matrix(on, grid, box, {W(1.0), W(0.7), W(chosen.reaction)}, chosen.form),
        A(matrix.view()),
        x(on, grid.nx(), grid.ny()),
        b(on, grid.nx(), grid.ny()),
        p(on, grid.nx(), grid.ny()),
        q(on, grid.nx(), grid.ny()),
        r(on, grid.nx(), grid.ny()),
        c(on, grid.nx(), grid.ny()),
        number(on, 1),
        state(on, 1),
        cg(on, 1) {
    const auto fill = [&]<class T>(const Field<T>& field, std::uint64_t seed) {
      const std::size_t n = static_cast<std::size_t>(field.nx) * field.ny;
      const auto values = testing::random_values<T>(n, seed, chosen.range);
      testing::put(on, values, field);
    };
    fill(x.view(), 1);
    fill(b.view(), 2);
    fill(p.view(), 3);
    fill(q.view(), 4);
    fill(r.view(), 5);
    fill(c.view(), 6);
    const C beta = C(-7) / C(10);
    on.copy_in(number.data(), &beta, sizeof beta);
    // Such that half holds most of what is computed, and overflows and underflows a little.
    const RefinementState<C> scale{C(3), C(7) / C(10) * C(0x1p-12), C(11) / C(10) * C(0x1p-3)};
    on.copy_in(state.data(), &scale, sizeof scale);
    CgState<C> scalars{};
    scalars.alpha = C(3) / C(10);
    scalars.active = 1;
    on.copy_in(cg.data(), &scalars, sizeof scalars);
  }
};

template <Backend B, Number High, Number Low>
Written of_pair(const B& on, const Case& chosen, bool recorded) {
  Outputs<B> outputs(on);
  const Work before = on.work();
  const auto each = [&](const std::string& name, const auto& task, const auto& keep) {
    const Setting<B, High, Low> s(on, chosen);
    run(on, recorded, [&] { task(s); });
    keep(name, s);
  };
  using S = Setting<B, High, Low>;
  each(
      "residual_rounded",
      [&](const S& s) {
        residual_rounded<B, High, Low>(on, s.A, s.b.view(), s.x.view(), s.r.view(), s.state.data());
      },
      [&](const std::string& name, const S& s) {
        outputs.keep(name, s.r.view());
        outputs.keep(name, s.state.data());
      });
  each(
      "add_correction",
      [&](const S& s) {
        add_correction<B, High, Low>(on, s.box, s.state.data(), s.c.view(), s.x.view());
      },
      [&](const std::string& name, const S& s) { outputs.keep(name, s.x.view()); });
  each(
      "dot_widened",
      [&](const S& s) {
        dot_widened<B, High, Low>(on, s.box, s.x.view(), s.c.view(), s.state.data(),
                                  s.number.data());
      },
      [&](const std::string& name, const S& s) { outputs.keep(name, s.number.data(), 1); });
  each(
      "xpby_widened",
      [&](const S& s) {
        xpby_widened<B, High, Low>(on, s.box, s.number.data(), s.c.view(), s.state.data(),
                                   s.x.view());
      },
      [&](const std::string& name, const S& s) { outputs.keep(name, s.x.view()); });
  each(
      "cg_update_rounded",
      [&](const S& s) {
        cg_update_rounded<B, High, Low>(on, s.box, s.p.view(), s.q.view(), s.x.view(), s.b.view(),
                                        s.r.view(), s.state.data(), s.cg.data());
      },
      [&](const std::string& name, const S& s) {
        outputs.keep(name + ", x", s.x.view());
        outputs.keep(name + ", r", s.b.view());
        outputs.keep(name + ", s", s.r.view());
        outputs.keep(name, s.cg.data());
      });
  each(
      "cg_update_rounded of two boxes",
      [&](const S& s) {
        const Box row{s.box.i0, s.box.i1, s.box.j0, s.box.j0 + 1};
        cg_update_rounded<B, High, Low>(on, row, s.box, s.p.view(), s.q.view(), s.x.view(),
                                        s.b.view(), s.r.view(), s.state.data(), s.cg.data());
      },
      [&](const std::string& name, const S& s) {
        outputs.keep(name + ", x", s.x.view());
        outputs.keep(name + ", r", s.b.view());
        outputs.keep(name + ", s", s.r.view());
        outputs.keep(name, s.cg.data());
      });
  // A step of refinement's outer part, one operation after the other.
  each(
      "outer part",
      [&](const S& s) {
        add_correction<B, High, Low>(on, s.box, s.state.data(), s.c.view(), s.x.view());
        begin_scales(on, &s.state.data()->square, s.state.data());
        for (int k = 0; k < 2; ++k) {
          set_scale(on, RefinementScaling::norm, 2, s.state.data(), {3, {1.125, 0.75, 1}});
        }
        residual_rounded<B, High, Low>(on, s.A, s.b.view(), s.x.view(), s.r.view(), s.state.data());
      },
      [&](const std::string& name, const S& s) {
        outputs.keep(name + ", x", s.x.view());
        outputs.keep(name + ", r", s.r.view());
        outputs.keep(name, s.state.data());
      });
  return {outputs.all(), (on.work() - before).bytes};
}

template <Backend B, Number T>
Written of_format(const B& on, const Case& chosen, bool recorded) {
  using S = Setting<B, T, T>;
  Outputs<B> outputs(on);
  const Work before = on.work();
  const auto number = [&](const std::string& name, const auto& task) {
    const S s(on, chosen);
    run(on, recorded, [&] { task(s); });
    outputs.keep(name, s.number.data(), 1);
    outputs.keep(name, s.q.view());
  };
  number("residual_square", [&](const S& s) {
    residual_square<B, T>(on, s.A, s.b.view(), s.x.view(), s.number.data());
  });
  number("rounding_scale", [&](const S& s) {
    rounding_scale<B, T>(on, s.A, s.b.view(), s.x.view(), s.number.data());
  });
  number("product_dot",
         [&](const S& s) { product_dot<B, T>(on, s.A, s.x.view(), s.q.view(), s.number.data()); });
  number("rescale", [&](const S& s) { rescale<B, T>(on, s.box, s.number.data(), s.q.view()); });
  for (const int active : {1, 0}) {
    number("cg_direction", [&](const S& s) {
      on.copy_within(&s.cg.data()->beta, s.number.data(), sizeof(*s.number.data()));
      if (active == 0) {
        on.copy_within(&s.cg.data()->active, &s.cg.data()->max_iterations, sizeof(int));  // 0
      }
      cg_direction<B, T>(on, s.box, s.x.view(), s.cg.data(), s.q.view());
    });
  }
  return {outputs.all(), (on.work() - before).bytes};
}

/// Grids around one warp, one block and one chunk of a sum, and the smallest; forms and ranges take
/// turns.
std::vector<Case> cases(int largest) {
  const std::vector<Case> grids{{1, 1.0, 0, {}},
                                {2, 0.45, 0.3, {Side::left, Side::right, Side::bottom, Side::top}},
                                {5, 0.7, 0, {Side::right}},
                                {6, 1.0, 0.3, {Side::left, Side::top}},
                                {largest, 1.0, 0, {}}};
  std::vector<Case> all;
  for (const Case& grid : grids) {
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      for (const Range range : {Range::tame, Range::hurtful}) {
        if (!testing::takes_turn(2, testing::place(grid, grids), form, range)) continue;
        all.push_back(grid);
        all.back().grid = testing::place(grid, grids);
        all.back().form = form;
        all.back().range = range;
      }
    }
  }
  return all;
}

#define CAPTURE_CASE(c) \
  CAPTURE((c).level, (c).nu, (c).reaction, to_string((c).form), int((c).range))

TEMPLATE_LIST_TEST_CASE("operations of mixed precision give the same bits on host and device",
                        "[gpu][mixed]", testing::DevicePairs) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  const Host host;
  const Device device;
  CAPTURE(testing::name_of_pair<TestType>());
  for (const Case& c : cases(7)) {
    CAPTURE_CASE(c);
    const Written expected = of_pair<Host, High, Low>(host, c, false);
    for (const bool recorded : {false, true}) {
      if (!testing::takes_turn(2, c.grid / 2, c.form, recorded)) continue;
      CAPTURE(recorded);
      const Written mine =
          on_device([&] { return of_pair<Device, High, Low>(device, c, recorded); });
      CHECK(difference(expected.outputs, mine.outputs) == "");
      CHECK(expected.bytes == mine.bytes);
    }
  }
}

TEMPLATE_TEST_CASE("operations on computed matrices give the same bits on host and device",
                   "[gpu][mixed]", NINEFOLD_DEVICE_FORMATS) {
  const Host host;
  const Device device;
  for (const Case& c : cases(8)) {
    CAPTURE_CASE(c);
    const Written expected = of_format<Host, TestType>(host, c, false);
    for (const bool recorded : {false, true}) {
      if (!testing::takes_turn(2, c.grid / 2, c.form, recorded)) continue;
      CAPTURE(recorded);
      const Written mine =
          on_device([&] { return of_format<Device, TestType>(device, c, recorded); });
      CHECK(difference(expected.outputs, mine.outputs) == "");
      CHECK(expected.bytes == mine.bytes);
    }
  }
}

TEMPLATE_TEST_CASE("scales are the same on host and device", "[gpu][mixed]", float, double,
                   DoubleSingle, DoubleDouble) {
  using State = RefinementState<TestType>;
  const Host host;
  const Device device;
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> squares{0, -0.0, -1, infinity, std::nan("")};
  const int range = Format<TestType>::max_exponent < 200 ? 120 : 1000;
  for (const double mantissa : testing::random_values<double>(400, 9)) {
    const int exponent = -range + static_cast<int>(squares.size()) * 2 * range / 410;
    squares.push_back(std::ldexp(1 + std::abs(mantissa), exponent));
  }
  for (int k = -range; k <= range; ++k) squares.push_back(std::ldexp(1.0, k));
  const auto scales = [&]<class B>(const B& on, bool recorded) {
    Outputs<B> outputs(on);
    for (const auto scaling : {RefinementScaling::power_of_two, RefinementScaling::norm}) {
      for (const int exponent : {0, -7, 12}) {
        std::vector<State> states;
        for (const double square : squares) {
          states.push_back({static_cast<TestType>(square), TestType(0.75), TestType(-3)});
        }
        const Array<B, State> all(on, states);
        run(on, recorded, [&] {
          for (std::size_t k = 0; k < all.size(); ++k) {
            set_scale(on, scaling, exponent, all.data() + k);
          }
        });
        for (std::size_t k = 0; k < all.size(); ++k) {
          outputs.keep("down", &all.data()[k].down, 1);
          outputs.keep("up", &all.data()[k].up, 1);
        }
      }
    }
    return outputs.all();
  };
  const auto expected = scales(host, false);
  for (const bool recorded : {false, true}) {
    CHECK(difference(expected, on_device([&] { return scales(device, recorded); })) == "");
  }
}

}  // namespace
}  // namespace ninefold
