// Sums of long rows, and in separate rounds, on one device and gathered from several: the host's
// bits.

#include <utility>
#include <vector>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/vector_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/put.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::difference;
using testing::on_device;
using testing::Output;
using testing::Outputs;

struct Shape {
  int nx, ny;
  Box box() const { return {1, nx - 1, 0, ny}; }
};

/// Around a lane, a chunk, and a second and third round.
std::vector<Shape> shapes() {
  std::vector<Shape> result{{5, 3}, {258, 4}, {1026, 3}, {1027, 3}, {4, 4099}};
  if (!testing::small) result.insert(result.end(), {{2051, 1500}, {3, 70001}});
  return result;
}

/// Two vectors of all rows.
template <class T>
struct TwoVectors {
  explicit TwoVectors(const Shape& shape) : x(drawn(shape, 11)), y(drawn(shape, 12)) {}
  static std::vector<T> drawn(const Shape& shape, unsigned seed) {
    return testing::random_values<T>(static_cast<std::size_t>(shape.nx) * shape.ny, seed);
  }
  std::vector<T> x, y;
};

/// A slab of rows of two vectors, with a backend of its own and the place of its first row.
template <Backend B, class T>
struct Slab {
  B on;
  int nx, first, rows;
  NodeVector<B, T> x, y;

  Slab(const Shape& shape, const TwoVectors<T>& values, int begin, int end)
      : on(sum_scratch_bytes(shape.nx, shape.ny)),
        nx(shape.nx),
        first(begin),
        rows(end - begin),
        x(on, nx, rows),
        y(on, nx, rows) {
    const std::size_t start = static_cast<std::size_t>(first) * nx;
    testing::put(on, values.x.data() + start, x.view());
    testing::put(on, values.y.data() + start, y.view());
  }
  Box box() const { return {1, nx - 1, 0, rows}; }
};

template <Backend B, class T>
std::vector<Output> whole(const Shape& shape, const TwoVectors<T>& values) {
  const Slab<B, T> all(shape, values, 0, shape.ny);
  const Array<B, Arithmetic<T>> result(all.on, 1);
  dot<B, T>(all.on, all.box(), all.x.view(), all.y.view(), result.data());
  Outputs<B> outputs(all.on);
  outputs.keep("sum", result.data(), 1);
  return outputs.all();
}

/// All rows on one backend, in pieces.
template <Backend B, class T>
std::vector<Output> in_pieces(const Shape& shape, const TwoVectors<T>& values,
                              const std::vector<std::pair<int, int>>& pieces) {
  const Slab<B, T> all(shape, values, 0, shape.ny);
  const Array<B, Arithmetic<T>> result(all.on, 1);
  for (const auto& [first, last] : pieces) {
    dot_rows<B, T>(all.on, all.box(), all.x.view(), all.y.view(), first, last);
  }
  finish_sum(all.on, all.box(), result.data());
  Outputs<B> outputs(all.on);
  outputs.keep("sum", result.data(), 1);
  return outputs.all();
}

/// Each piece on a backend of its own; the chunk sums are gathered on the first of them.
template <Backend B, class T>
std::vector<Output> gathered(const Shape& shape, const TwoVectors<T>& values,
                             const std::vector<std::pair<int, int>>& pieces) {
  using C = Arithmetic<T>;
  std::vector<Slab<B, T>> slabs;
  for (const auto& [first, last] : pieces) slabs.emplace_back(shape, values, first, last);
  const int chunks = sum_chunks(shape.box().width());
  std::vector<C> sums(static_cast<std::size_t>(chunks) * shape.ny);
  for (const auto& slab : slabs) {
    dot_rows<B, T>(slab.on, slab.box(), slab.x.view(), slab.y.view(), 0, slab.rows);
    slab.on.read(&sums[static_cast<std::size_t>(chunks) * slab.first], slab.on.scratch(),
                 static_cast<std::size_t>(chunks) * slab.rows * sizeof(C));
  }
  const B& on = slabs.front().on;
  const Array<B, C> result(on, 1);
  on.copy_in(on.scratch(), sums.data(), sums.size() * sizeof(C));
  finish_sum(on, shape.box(), result.data());
  Outputs<B> outputs(on);
  outputs.keep("sum", result.data(), 1);
  return outputs.all();
}

}  // namespace

TEMPLATE_TEST_CASE("sums in separate rounds have the bits of the host's whole sum",
                   "[gpu][summation]", NINEFOLD_DEVICE_FORMATS) {
  for (const Shape& shape : shapes()) {
    const int ny = shape.ny;
    const TwoVectors<TestType> values(shape);
    const auto expected = whole<Host, TestType>(shape, values);
    CHECK(difference(expected, on_device([&] { return whole<Device, TestType>(shape, values); }))
          == "");
    const std::vector<std::vector<std::pair<int, int>>> divisions{
        {{0, ny}}, {{ny / 2, ny}, {0, ny / 2}}, {{ny - 1, ny}, {0, 1}, {1, ny - 1}}};
    for (const auto& pieces : divisions) {
      CAPTURE(shape.nx, shape.ny, pieces.size());
      CHECK(difference(expected, on_device([&] {
                         return in_pieces<Device, TestType>(shape, values, pieces);
                       }))
            == "");
      CHECK(difference(expected,
                       on_device([&] { return gathered<Device, TestType>(shape, values, pieces); }))
            == "");
    }
  }
}

TEST_CASE("a sum of one chunk in two rounds has the bits of one kernel", "[gpu][summation]") {
  const Shape shape{300, 1};
  const TwoVectors<double> values(shape);
  CHECK(difference(whole<Host, double>(shape, values), on_device([&] {
                     return in_pieces<Device, double>(shape, values, {{0, 1}});
                   }))
        == "");
}

TEMPLATE_TEST_CASE("sums of long rows give the same bits on host and device", "[gpu][summation]",
                   NINEFOLD_DEVICE_FORMATS) {
  const Host host;
  const Device device;
  std::vector<Assembly<TestType>> values;
  const auto sum_on = [&](const auto& on, int nx, int ny) {
    using B = std::decay_t<decltype(on)>;
    const NodeVector<B, TestType> x(on, nx, ny);
    const Array<B, Arithmetic<TestType>> result(on, 1);
    upload(on, values, 0, x.view());
    dot<B, TestType>(on, Box{0, nx, 0, ny}, x.view(), x.view(), result.data());
    Outputs<B> outputs(on);
    outputs.keep("dot", result.data(), 1);
    return outputs.all();
  };
  for (const auto& [nx, ny] : {std::pair{4095, 3}, {4096, 3}, {4097, 3}, {8193, 700}, {3, 4999}}) {
    if (testing::small && ny == 700) continue;
    CAPTURE(nx, ny);
    values = testing::random_values<Assembly<TestType>>(static_cast<std::size_t>(nx) * ny, 5);
    CHECK(difference(sum_on(host, nx, ny), on_device([&] { return sum_on(device, nx, ny); }))
          == "");
  }
}

}  // namespace ninefold
