// Host and device agree to the last bit: steps of line relaxation of all sizes at which a device
// changes its way of working, with memory for all lines and for few.

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/line_operations.hpp"

#include "solvers/options.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/line_sets.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/put.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/turns.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::difference;
using testing::full_or_small;
using testing::NodeValues;
using testing::on_device;
using testing::Output;
using testing::Outputs;
using testing::RandomMatrix;
using testing::Range;
using testing::Signs;
using testing::small;
using testing::takes_turn;

/// The unknowns of a grid: `wide` of `high` nodes, and which sides lie outside of them.
struct Shape {
  int wide, high;
  std::array<int, 4> outside{1, 1, 1, 1};  ///< left, right, bottom, top: 1 a Dirichlet side

  int nx() const { return wide + outside[0] + outside[1]; }
  int ny() const { return high + outside[2] + outside[3]; }
  Box unknowns() const { return {outside[0], outside[0] + wide, outside[2], outside[2] + high}; }
};

/// A random system, the same for every backend.
template <Number T>
struct System {
  Shape shape;
  RandomMatrix<T> A;
  NodeValues<T> x, b, y;

  System(const Shape& s, OperatorForm form, Range range)
      : shape(s),
        A(s.nx(), s.ny(), form, s.unknowns(), 11, range, Signs::symmetric),
        x(s.nx(), s.ny(), 12, range),
        b(s.nx(), s.ny(), 13, range),
        y(s.nx(), s.ny(), 14, Range::tame) {}
};

/// The same on a backend.
template <Backend B, Number T>
struct OnBackend {
  B on;
  std::vector<Array<B, T>> bands;
  NineBand<const T> A;
  NodeVector<B, T> x, b, y;
  std::size_t nodes;

  OnBackend(const B& backend, const System<T>& system)
      : on(backend),
        A(system.A.view()),
        x(on, A.nx, A.ny),
        b(on, A.nx, A.ny),
        y(on, A.nx, A.ny),
        nodes(static_cast<std::size_t>(A.nx) * A.ny) {
    for (const T*& band : A.band) {
      bands.emplace_back(on, nodes);
      on.copy_in(bands.back().data(), band, nodes * sizeof(T));
      band = bands.back().data();
    }
    restart(system);
    testing::put(on, system.b.read().data, b.view());
  }
  void restart(const System<T>& system) const {
    testing::put(on, system.x.read().data, x.view());
    testing::put(on, system.y.read().data, y.view());
  }
};

/// Memory for so many of the lines; 0 for what line_scratch_values says.
template <Number T>
std::size_t scratch_values(const Shape& shape, int lines) {
  const int n = std::max(shape.wide, shape.high);
  // As line_scratch_values counts a line.
  return lines == 0 ? line_scratch_values<T>(n)
                    : static_cast<std::size_t>(lines) * (4 * static_cast<std::size_t>(n) + 2048);
}

/// What steps with these sets of lines write, in another vector and in place; `keeps`: with what
/// was kept of lines.
template <Backend B, Number T>
std::vector<Output> outputs_of_steps(const B& on, const System<T>& system,
                                     const std::vector<Lines>& sets, int lines_at_once,
                                     bool keeps) {
  using D = Leading<T>;
  const OnBackend<B, T> s(on, system);
  const Array<B, D> memory(on, scratch_values<T>(system.shape, lines_at_once));
  Array<B, D> kept[2];
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    if (!keeps || !keeps_lines<D>(s.A.unknowns, direction)) continue;
    auto& values = kept[direction == LineDirection::y];
    values = Array<B, D>(on, kept_values(s.A.unknowns, direction));
    keep_lines<T>(on, s.A, direction, values.data());
  }
  Outputs<B> outputs(on);
  for (const Lines& lines : sets) {
    const LineScratch<D> scratch{memory.data(), memory.size(),
                                 kept[lines.direction == LineDirection::y].data()};
    const std::string name = "lines along " + std::string(to_string(lines.direction)) + ", first "
                             + std::to_string(lines.first) + ", stride "
                             + std::to_string(lines.stride);
    s.restart(system);
    line_step<T>(on, s.A, s.b.view(), static_cast<D>(0.8), lines, s.x.view(), scratch, s.y.view());
    outputs.keep(name, s.y.view());
    if (lines.stride == 1 && lines.count(s.A.unknowns) > 1) continue;
    line_step<T>(on, s.A, s.b.view(), static_cast<D>(1), lines, s.x.view(), scratch, s.x.view());
    outputs.keep(name + ", in place", s.x.view());
  }
  return outputs.all();
}

/// With the device's memory for so many lines at once; the host's threads have memory of their own.
template <Number T>
void compare(const Shape& shape, OperatorForm form, Range range, const std::vector<Lines>& sets,
             const std::vector<int>& numbers_at_once = {0}) {
  const System<T> system(shape, form, range);
  const Host host(64);  // nothing is summed
  const auto expected = outputs_of_steps<Host, T>(host, system, sets, 1, false);
  for (const int lines_at_once : numbers_at_once) {
    CAPTURE(shape.wide, shape.high, shape.outside[0], shape.outside[3], to_string(form), int(range),
            lines_at_once);
    const Device device(64);
    const auto found_by = [&](bool keeps) {
      return on_device(
          [&] { return outputs_of_steps<Device, T>(device, system, sets, lines_at_once, keeps); });
    };
    CHECK(difference(expected, found_by(false)) == "");
    CHECK(host.work().bytes == device.work().bytes);
    if (lines_at_once == 0) CHECK(difference(expected, found_by(true)) == "");
  }
}

/// Of one direction: all, the even and the odd ones.
std::vector<Lines> sets_along(LineDirection direction, int lines) {
  std::vector<Lines> sets{{direction, 0, 1}, {direction, 0, 2}};
  if (lines > 1) sets.push_back({direction, 1, 2});
  if (lines > 4) sets.push_back({direction, 4, lines});  // one by one
  return sets;
}

TEMPLATE_TEST_CASE("line_step gives the same bits on host and device", "[gpu][lines]",
                   NINEFOLD_DEVICE_FORMATS) {
  // The smallest, around one segment, one warp of segments, and sides of all kinds.
  for (const auto& [wide, high] :
       {std::pair{1, 1}, {3, 1}, {1, 3}, {2, 3}, {15, 15}, {16, 17}, {31, 33}, {70, 66}}) {
    for (const std::array<int, 4>& outside :
         {std::array{1, 1, 1, 1}, {0, 0, 0, 0}, {0, 1, 1, 0}, {1, 0, 0, 1}}) {
      const Shape shape{wide, high, outside};
      for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
        for (const Range range : {Range::tame, Range::hurtful}) {
          if (!takes_turn(2, wide, outside[0], form, range)) continue;
          compare<TestType>(shape, form, range, testing::sets_of_lines(shape.unknowns()));
        }
      }
    }
  }
}

// One tile of shared memory up to 4688 or 8192 unknowns (a word of 8 or of 4 bytes), then two and
// more, whose numbers pass through memory in batches of lines.
TEMPLATE_TEST_CASE("rows of all lengths give the same bits on host and device", "[gpu][lines]",
                   NINEFOLD_DEVICE_FORMATS) {
  // What a row's length decides does not depend on the form.
  OperatorForm form = OperatorForm::plain;
  for (const int n : {127,  128,  129,  255,  256,  257,  511,  512,  513,  1023, 1024, 1025,
                      2047, 4095, 4097, 4687, 4688, 4689, 8191, 8192, 8193, 9377, 16385}) {
    const int lines = n < 1100 ? 9 : 5;
    if (small && n > 4000 && n != 4688 && n != 8193) continue;
    form = form == OperatorForm::plain ? OperatorForm::difference : OperatorForm::plain;
    const Shape shape{n, lines};
    compare<TestType>(shape, form, Range::tame, sets_along(LineDirection::x, lines));
    if (n > 4000 && form == OperatorForm::plain) {
      compare<TestType>(shape, form, Range::hurtful, sets_along(LineDirection::x, lines), {1, 2});
    }
  }
}

// Four lines of a block in one kernel up to 1040 unknowns; above, three kernels for 32 lines, of
// which the second works in shared memory if there is room.
TEMPLATE_TEST_CASE("columns of all lengths give the same bits on host and device", "[gpu][lines]",
                   NINEFOLD_DEVICE_FORMATS) {
  for (const int n : {15, 16, 17, 127, 128, 129, 257, 511, 1023, 1024, 1039, 1040, 1041, 2049, 4097,
                      5313, 10625}) {
    for (const int lines : {1, 3, 4, 5, 9, 33, 70}) {
      // Many lines where a block begins and where the way changes; above it, few are like others.
      const bool edge = n < 200 || (n > 1038 && n < 1042);
      if (!edge && (lines > 9 || (n < 1100 && n % 4 == lines % 4))) continue;
      if (n > 1100 && lines != 1 && lines != 9) continue;
      if (small && n > (lines > 9 ? 200 : 2100)) continue;
      const Shape shape{lines, n, {1, 0, 0, 1}};
      const OperatorForm form = lines % 2 == 0 ? OperatorForm::plain : OperatorForm::difference;
      compare<TestType>(shape, form, Range::tame, sets_along(LineDirection::y, lines));
      if (n < 1100 && (n / 2 + lines) % 2 != 0) continue;  // as many lengths have even numbers
      // In batches: of one line, of a few, of a warp and what is left.
      std::vector<int> numbers_at_once;
      for (const int at_once : {1, 3, 30}) {
        if (at_once < lines) numbers_at_once.push_back(at_once);
      }
      if (numbers_at_once.empty()) continue;
      compare<TestType>(shape, form, Range::hurtful, sets_along(LineDirection::y, lines),
                        numbers_at_once);
    }
  }
}

TEST_CASE("the longest lines give the same bits on host and device", "[gpu][lines]") {
  const auto check = []<class T>(T) {
    for (const int n : {8193, 16385, 32767, 32769}) {
      if (small && n > 8193) continue;
      // Other formats are lines of the same words.
      if (!std::is_floating_point_v<T> && n != 8193) continue;
      compare<T>({n, 3, {0, 0, 1, 0}}, OperatorForm::plain, Range::tame,
                 sets_along(LineDirection::x, 3));
      compare<T>({3, n, {0, 1, 0, 0}}, OperatorForm::plain, Range::tame,
                 sets_along(LineDirection::y, 3));
      if (n != 8193 && (n != 32769 || !std::is_same_v<T, double>)) continue;
      compare<T>({40, n, {1, 1, 0, 0}}, OperatorForm::plain, Range::tame,
                 {{LineDirection::y, 0, 1}}, {33});
    }
  };
  check(Half());
  check(float());
  check(double());
  check(DoubleSingle());
  check(DoubleDouble());
}

TEST_CASE("more lines than a device takes at once give the same bits", "[gpu][lines]") {
  // Memory for a part of them: several batches, each of them many blocks.
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    const bool x = direction == LineDirection::x;
    const int n = full_or_small(4700, 1100), lines = full_or_small(600, 300);
    compare<float>({x ? n : lines, x ? lines : n}, OperatorForm::plain, Range::tame,
                   {{direction, 0, 2}, {direction, 1, 2}}, {130});
  }
}

TEST_CASE("a recorded step gives the bits of one that is not recorded", "[gpu][lines][graph]") {
  const Device device;
  for (const Shape& shape : {Shape{70, 66}, Shape{20, 1300}, Shape{9000, 6}}) {
    const System<double> system(shape, OperatorForm::plain, Range::tame);
    const Array<Device, double> memory(device, scratch_values<double>(shape, 3));
    const auto run = [&](bool recorded) {
      const OnBackend<Device, double> s(device, system);
      const auto sweep = [&] {
        for (const auto direction : {LineDirection::x, LineDirection::y}) {
          for (const int first : {0, 1}) {
            line_step<double>(device, s.A, s.b.view(), 1.0, {direction, first, 2}, s.x.view(),
                              {memory.data(), memory.size()}, s.x.view());
          }
        }
      };
      if (recorded) {
        const Recording<Device> recording(device, sweep);
        for (int k = 0; k < 3; ++k) recording.replay();
        device.wait();
      } else {
        for (int k = 0; k < 3; ++k) sweep();
      }
      Outputs<Device> outputs(device);
      outputs.keep("x", s.x.view());
      return outputs.all();
    };
    CAPTURE(shape.wide, shape.high);
    const auto expected = run(false);
    for (int repetition = 0; repetition < 5; ++repetition)
      CHECK(difference(on_device([&] { return run(true); }), expected) == "");
  }
}

#ifndef NINEFOLD_REHEARSED  // threads of the host bring memory of their own
TEST_CASE("a step that has no memory on a device is refused", "[gpu][lines]") {
  const Device device;
  const auto step = [&](const Shape& shape, LineDirection direction, int lines) {
    const System<float> system(shape, OperatorForm::plain, Range::tame);
    const OnBackend<Device, float> s(device, system);
    const Array<Device, float> memory(device,
                                      std::max<std::size_t>(1, scratch_values<float>(shape, 1)));
    line_step<float>(device, s.A, s.b.view(), 1.0F, {direction, 0, 2}, s.x.view(),
                     {memory.data(), lines == 0 ? 0 : memory.size()}, s.x.view());
    device.wait();
  };
  for (const int n : {3, 600}) {  // a block has memory of its own
    CHECK_NOTHROW(step({4, n}, LineDirection::y, 0));
    CHECK_NOTHROW(step({n, 4}, LineDirection::x, 0));
  }
  for (const int n : {2000, 9000}) {
    CHECK_THROWS_AS(step({4, n}, LineDirection::y, 0), std::logic_error);
    CHECK_NOTHROW(step({4, n}, LineDirection::y, 1));
  }
  CHECK_THROWS_AS(step({9000, 4}, LineDirection::x, 0), std::logic_error);
  CHECK_NOTHROW(step({9000, 4}, LineDirection::x, 1));
}
#endif

TEST_CASE("a device refuses the steps that the host refuses", "[gpu][lines]") {
  const Device device;
  const System<double> system({6, 5}, OperatorForm::plain, Range::tame);
  const OnBackend<Device, double> s(device, system);
  const Array<Device, double> memory(device, scratch_values<double>(system.shape, 0));
  const auto step = [&](const Lines& lines, const Field<double>& y) {
    line_step<double>(device, s.A, s.b.view(), 1.0, lines, s.x.view(),
                      {memory.data(), memory.size()}, y);
  };
  CHECK_THROWS_AS(step({LineDirection::x, 5, 2}, s.y.view()), std::invalid_argument);
  CHECK_THROWS_AS(step({LineDirection::y, 6, 2}, s.y.view()), std::invalid_argument);
  CHECK_THROWS_AS(step({LineDirection::x, 0, 1}, s.x.view()), std::invalid_argument);
  CHECK_THROWS_AS(step({LineDirection::x, 0, 0}, s.y.view()), std::invalid_argument);
  const NodeVector<Device, double> other(device, 7, 7);
  CHECK_THROWS_AS(step({LineDirection::x, 0, 2}, other.view()), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
