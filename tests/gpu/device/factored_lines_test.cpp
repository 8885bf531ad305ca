// Lines of factored rows, of long ones whose segments a device's threads work off by themselves:
// all bits of the host's steps, also of those from zero.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/matrix/factored_rows.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/line_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/put.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::on_device;
using testing::small;

/// Cells of seven widths in turns.
Line uneven_line(int cells) {
  std::vector<double> widths(static_cast<std::size_t>(cells));
  for (std::size_t k = 0; k < widths.size(); ++k) {
    widths[k] = 1.0 / static_cast<double>((k % 7 + 1) * widths.size());
  }
  return make_line(widths);
}

/// Sets what is no unknown to zero.
template <Backend B, class T>
void clear_outside(const B& on, const Box& unknowns, const Field<T>& y) {
  std::vector<T> values = testing::take(on, y);
  for (int j = 0; j < y.ny; ++j) {
    for (int i = 0; i < y.nx; ++i) {
      if (!unknowns.contains(i, j)) values[static_cast<std::size_t>(j * y.nx + i)] = T(0);
    }
  }
  testing::put(on, values, y);
}

/// Zeros of both signs among other values.
template <Backend B, class T>
void set_zeros(const B& on, const Field<T>& y) {
  std::vector<T> values = testing::take(on, y);
  for (std::size_t k = 0; k < values.size(); k += 5) values[k] = k % 2 == 0 ? T(0) : -T(0);
  testing::put(on, values, y);
}

/// What steps with all and with every other line write: in another vector, in place, and from zero.
template <class T, Backend B>
std::vector<std::vector<T>> after_steps(const B& on, const TensorGrid& grid,
                                        const Boundary& boundary,
                                        const Coefficients<double>& coefficients,
                                        LineDirection direction) {
  const Matrix<B, T> matrix(on, grid, unknown_nodes(grid, boundary), coefficients,
                            OperatorForm::difference, OperatorStorage::factored);
  const auto& A = *matrix.view().template as<FactoredRows<T>>();
  const NodeVector<B, T> x(on, A.nx, A.ny), b(on, A.nx, A.ny), y(on, A.nx, A.ny);
  const Array<B, T> memory(on, line_scratch_values<T>(std::max(A.nx, A.ny)));
  Array<B, T> kept;
  if (keeps_lines<T>(A.unknowns, direction)) {
    kept = Array<B, T>(on, kept_values(A.unknowns, direction));
    keep_lines<T>(on, A, direction, kept.data());
  }
  const LineScratch<T> scratch{memory.data(), memory.size(), kept.data()};
  const auto nodes = static_cast<std::size_t>(A.nx) * static_cast<std::size_t>(A.ny);
  const auto fill = [&](const NodeVector<B, T>& v, std::uint64_t seed) {
    upload(on, testing::random_values<double>(nodes, seed), 0, v.view());
  };
  fill(b, 2);
  set_zeros(on, b.view());
  std::vector<std::vector<T>> results;
  for (const Lines& lines : {Lines{direction, 0, 1},
                             {direction, 0, 2},
                             {direction, 1, 2},
                             {direction, 2, 2},
                             {direction, 1, 3}}) {
    if (lines.count(A.unknowns) < 1) continue;
    fill(x, 1);
    fill(y, 3);
    const auto step = [&](const NodeVector<B, T>& to) {
      line_step<T>(on, A, b.view(), T(0.8), lines, x.view(), scratch, to.view());
      results.push_back(testing::take(on, to.view()));
    };
    step(y);
    if (lines.stride == 1) continue;
    step(x);
    // Over what other steps have left, but for nodes that are no unknowns.
    const auto start = [&](const auto& run) {
      fill(y, 3);
      run(y);
      results.push_back(testing::take(on, y.view()));
    };
    start([&](const auto& to) {
      set_zero(on, to.view());
      line_step<T>(on, A, b.view(), T(0.8), lines, to.view(), scratch, to.view());
    });
    start([&](const auto& to) {
      clear_outside(on, A.unknowns, to.view());
      line_start<T>(on, A, b.view(), T(0.8), lines, scratch, to.view());
    });
    CHECK(testing::n_differing(results.back(), results[results.size() - 2]) == 0);
  }
  return results;
}

/// On grids with so many cells along the lines and across, and a matrix times `scale`.
template <class T>
void compare_steps(int cells, int across, double scale = 1) {
  const Host host;
  const Device device;
  Boundary dirichlet, lower, upper;
  lower[Side::left] = lower[Side::bottom] = BoundaryKind::neumann;
  upper[Side::right] = upper[Side::top] = BoundaryKind::neumann;
  for (const Boundary& boundary : {dirichlet, lower, upper}) {
    for (const double reaction : {0.0, 0.5}) {
      for (const auto direction : {LineDirection::x, LineDirection::y}) {
        if (across == 2 && boundary[Side::left] == boundary[Side::right]) continue;
        const bool along_x = direction == LineDirection::x;
        const TensorGrid grid{uneven_line(along_x ? cells : across),
                              uneven_line(along_x ? across : cells)};
        CAPTURE(cells, across, boundary[Side::left], boundary[Side::right], reaction, along_x,
                scale);
        const Coefficients<double> coefficients{scale, 0.75 * scale, reaction * scale};
        const auto expected = after_steps<T>(host, grid, boundary, coefficients, direction);
        const auto found = on_device(
            [&] { return after_steps<T>(device, grid, boundary, coefficients, direction); });
        REQUIRE(found.size() == expected.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
          CHECK(testing::n_differing(found[k], expected[k]) == 0);
        }
      }
    }
  }
  CHECK(host.work().bytes == device.work().bytes);
}

TEST_CASE("long lines of factored rows give the same bits on host and device", "[gpu][lines]") {
  // Full segments and such that lack one node or more; parts of a cluster of blocks and all of it;
  // the last block of a cluster with few segments or one.
  for (const int cells : {576, 1024, 1040, 1041, 1042, 2048, 3073, 4096, 4097, 8192}) {
    if (small && cells > 1041) continue;
    for (const int across : {2, 3, 18, 33}) {  // lines fill a tile, or do not
      compare_steps<float>(cells, across);
    }
  }
}

// Where inverses of pivots are not taken by their plain steps (gpu/kernels/quotients.cuh).
TEST_CASE("long lines of factored rows give the same bits at the ends of the range",
          "[gpu][lines]") {
  for (const double scale : {0x1p112, 0x1p-112}) compare_steps<float>(1024, 18, scale);
}

TEMPLATE_TEST_CASE("short lines of factored rows give the same bits on host and device",
                   "[gpu][lines]", float, double) {
  for (const int cells : {2, 17, 64, 129, 512}) {
    if (small && cells > 129) continue;
    for (const int across : {3, 18}) compare_steps<TestType>(cells, across);
  }
}

}  // namespace
}  // namespace ninefold
