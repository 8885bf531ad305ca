// Restriction and prolongation on grids that are large enough for a device to go by columns, and on
// the next smaller ones, where it goes node by node; of fields whose rows are aligned, and others.

#include <vector>

#include "grids/tensor_grid.hpp"

#include "gpu/operations/row_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/shifted.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::full_or_small;
using testing::on_device;
using testing::Range;
using testing::Shifted;

/// Values on both of two nested grids, and their weights.
template <Number T>
struct Given {
  TensorGrid grid;
  std::vector<Assembly<T>> fine, coarse;

  explicit Given(int level)
      : grid(make_hierarchy(1.0, 0.5, level, {0.9, {Side::right, Side::bottom}}).back()),
        fine(values(grid.nx(), grid.ny(), 5)),
        coarse(values(grid.nx() / 2 + 1, grid.ny() / 2 + 1, 6)) {}

  static std::vector<Assembly<T>> values(int nx, int ny, unsigned seed) {
    return testing::random_values<Assembly<T>>(std::size_t(nx) * std::size_t(ny), seed,
                                               Range::tame);
  }
};

template <Backend B, Number T>
std::vector<testing::Output> outputs_of(const B& on, const Given<T>& given, const Box& fine,
                                        const Box& coarse, int shift) {
  using C = Arithmetic<T>;
  const int nx = given.grid.nx(), ny = given.grid.ny();
  const Array<B, TransferWeights<C>> wx(on, transfer_weights<C>(given.grid.x)),
      wy(on, transfer_weights<C>(given.grid.y));
  const Transfer<C> transfer{wx.data(), wy.data()};
  const Shifted<B, T> x(on, nx, ny, shift), b(on, nx / 2 + 1, ny / 2 + 1, shift);
  upload(on, given.fine, 0, x.view());
  upload(on, given.coarse, 0, b.view());
  testing::Outputs<B> outputs(on);
  restrict_residual(on, coarse, fine, transfer, x.view(), b.view());
  outputs.keep("restrict_residual", b.view());
  add_prolongated(on, fine, transfer, b.view(), x.view());
  outputs.keep("add_prolongated", x.view());
  return outputs.all();
}

}  // namespace

TEMPLATE_TEST_CASE("transfers between large grids give the same bits on host and device",
                   "[gpu][operations]", NINEFOLD_DEVICE_FORMATS) {
  const Host host;
  const Device device;
  std::vector<int> levels{full_or_small(9, 5), full_or_small(10, 6)};
  if (!is_double_word<Arithmetic<TestType>>) levels.push_back(full_or_small(11, 7));
  for (const int level : levels) {
    const Given<TestType> given(level);
    const int n = given.grid.nx(), m = n / 2 + 1;
    struct Boxes {
      Box fine, coarse;
      int shift = 0;
    };
    const Box inner{1, n - 1, 1, n - 1}, coarse_inner{1, m - 1, 1, m - 1};
    for (const auto& [fine, coarse, shift] :
         {Boxes{inner, coarse_inner}, Boxes{{0, n, 0, n}, {0, m, 0, m}},
          Boxes{{0, n - 1, 1, n}, {0, m - 1, 1, m}},
          Boxes{{3, n - 2, 4, n - 7}, {2, m - 2, 3, m - 4}},
          Boxes{{5, n - 4, 3, n - 4}, {3, m - 2, 2, m - 2}}, Boxes{inner, coarse_inner, 1},
          Boxes{inner, coarse_inner, 2}}) {
      CAPTURE(level, fine.i0, fine.i1, fine.j0, fine.j1, shift);
      CHECK(difference(outputs_of<Host, TestType>(host, given, fine, coarse, shift), on_device([&] {
                         return outputs_of<Device, TestType>(device, given, fine, coarse, shift);
                       }))
            == "");
    }
  }
}

}  // namespace ninefold
