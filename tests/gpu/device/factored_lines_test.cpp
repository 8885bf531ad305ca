// Long lines of factored rows, whose segments a device's threads work off by themselves: all bits
// of the host's steps.

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

/// What steps with all and with every other line write: in another vector, in place.
template <Backend B>
std::vector<std::vector<float>> after_steps(const B& on, const TensorGrid& grid,
                                            const Boundary& boundary, double reaction,
                                            LineDirection direction) {
  const Matrix<B, float> matrix(on, grid, unknown_nodes(grid, boundary),
                                Coefficients<double>{1.0, 0.75, reaction}, OperatorForm::difference,
                                OperatorStorage::factored);
  const auto& A = *matrix.view().template as<FactoredRows<float>>();
  const NodeVector<B, float> x(on, A.nx, A.ny), b(on, A.nx, A.ny), y(on, A.nx, A.ny);
  const Array<B, float> memory(on, line_scratch_values<float>(std::max(A.nx, A.ny)));
  const auto nodes = static_cast<std::size_t>(A.nx) * static_cast<std::size_t>(A.ny);
  const auto fill = [&](const NodeVector<B, float>& v, std::uint64_t seed) {
    upload(on, testing::random_values<double>(nodes, seed), 0, v.view());
  };
  fill(b, 2);
  std::vector<std::vector<float>> results;
  for (const Lines& lines : {Lines{direction, 0, 1}, {direction, 0, 2}, {direction, 1, 2}}) {
    fill(x, 1);
    fill(y, 3);
    const auto step = [&](const NodeVector<B, float>& to) {
      line_step<float>(on, A, b.view(), 0.8F, lines, x.view(), {memory.data(), memory.size()},
                       to.view());
      results.push_back(testing::take(on, to.view()));
    };
    step(y);
    if (lines.stride > 1) step(x);
  }
  return results;
}

TEST_CASE("long lines of factored rows give the same bits on host and device", "[gpu][lines]") {
  const Host host;
  const Device device;
  Boundary dirichlet, lower, upper;
  lower[Side::left] = lower[Side::bottom] = BoundaryKind::neumann;
  upper[Side::right] = upper[Side::top] = BoundaryKind::neumann;
  // Full segments and such that lack one node or more; parts of a cluster of blocks and all of it.
  for (const int cells : {1024, 1040, 1041, 1042, 2048, 3073, 4096, 4097, 8192}) {
    if (small && cells > 1041) continue;
    for (const int across : {2, 3, 18, 33}) {  // lines fill a group, or do not
      for (const Boundary& boundary : {dirichlet, lower, upper}) {
        for (const double reaction : {0.0, 0.5}) {
          for (const auto direction : {LineDirection::x, LineDirection::y}) {
            if (across == 2 && boundary[Side::left] == boundary[Side::right]) continue;
            const bool along_x = direction == LineDirection::x;
            const TensorGrid grid{uneven_line(along_x ? cells : across),
                                  uneven_line(along_x ? across : cells)};
            CAPTURE(cells, across, boundary[Side::left], boundary[Side::right], reaction, along_x);
            const auto expected = after_steps(host, grid, boundary, reaction, direction);
            const auto found =
                on_device([&] { return after_steps(device, grid, boundary, reaction, direction); });
            REQUIRE(found.size() == expected.size());
            for (std::size_t k = 0; k < found.size(); ++k) {
              CHECK(testing::n_differing(found[k], expected[k]) == 0);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ninefold
