// Restriction and prolongation by columns have the bits of those node by node, wherever a device
// cuts the columns.
#include "gpu/meaning/transfer_columns.hpp"

#include <algorithm>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "grids/tensor_grid.hpp"

#include "gpu/backend/vector.hpp"

// clang-format off
#include "gpu/launch/launch_host.hpp"

#include "gpu/compiled/elsewhere.hpp"
#include "gpu/meaning/generic_grid_operations.hpp"
// clang-format on

#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::NodeValues;
using testing::Range;

/// Two nested grids with as many cells along x and y as stated, of all widths.
template <class T>
struct TwoGrids {
  using C = Arithmetic<T>;
  int level_x, level_y;
  std::vector<TransferWeights<C>> wx = weights(level_x, 0.45), wy = weights(level_y, 0.7);
  Transfer<C> transfer{wx.data(), wy.data()};
  int nx = int(wx.size()), ny = int(wy.size()), coarse_nx = nx / 2 + 1, coarse_ny = ny / 2 + 1;

  static std::vector<TransferWeights<C>> weights(int level, double nu) {
    return transfer_weights<C>(make_hierarchy(1, 1, level, {nu, {Side::right}}).back().x);
  }
};

/// Sides without and with Dirichlet values, and boxes that begin and end anywhere.
std::vector<Box> fine_boxes(int nx, int ny) {
  std::vector<Box> boxes{{0, nx, 0, ny}, {1, nx - 1, 1, ny - 1}, {0, nx - 1, 1, ny}};
  if (nx > 8 && ny > 8) {
    boxes.push_back({3, nx - 2, 2, ny - 3});
    boxes.push_back({4, nx - 3, 5, ny - 2});
  }
  return boxes;
}

/// The coarse nodes whose fine nodes lie in a box.
Box inside(const Box& fine) {
  return {(fine.i0 + 1) / 2, (fine.i1 + 1) / 2, (fine.j0 + 1) / 2, (fine.j1 + 1) / 2};
}

/// f at the columns of a box, in pieces of so many rows.
template <class F>
void go_up(const Box& box, int rows, const F& f) {
  for (int first = box.j0; first < box.j1; first += rows) {
    for (int i = box.i0; i < box.i1; ++i) f(i, first, std::min(first + rows, box.j1));
  }
}

/// The values of one field in another.
template <class T>
void put_rows(const Field<const T>& from, const Field<T>& to) {
  for (int j = 0; j < from.ny; ++j) std::copy_n(from.row(j), from.nx, to.row(j));
}

}  // namespace

TEMPLATE_TEST_CASE("transfers by columns have the bits of those node by node", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const testing::InFormat<TestType> format;
  using T = typename testing::InFormat<TestType>::T;
  const Range range = GENERATE(Range::tame, Range::hurtful);
  const int level_x = GENERATE(1, 2, 3, 6), level_y = GENERATE(1, 2, 4, 6);
  const TwoGrids<T> g{level_x, level_y};
  const NodeValues<T> fine(g.nx, g.ny, 3, range), coarse(g.coarse_nx, g.coarse_ny, 4, range);
  for (const Box& box : fine_boxes(g.nx, g.ny)) {
    const Box nodes = inside(box);
    const Box columns = ProlongColumns<T>::columns(box);
    NodeValues<T> restricted = coarse, prolongated = fine;
    for_nodes(Host(), nodes, RestrictResidual<T>{g.transfer, box, fine.read(), restricted.view()});
    for_nodes(Host(), box, AddProlongated<T>{g.transfer, coarse.read(), prolongated.view()});
    REQUIRE(restricted.equals(coarse) == nodes.empty());
    REQUIRE(!prolongated.equals(fine));
    constexpr int batch = transfer_batch<T>;
    for (const int rows : {1, batch - 1, batch, 2 * batch, 2 * batch + 1, g.ny}) {
      CAPTURE(level_x, level_y, box.i0, box.i1, box.j0, box.j1, rows, int(range));
      NodeValues<T> b = coarse, x = fine;
      go_up(nodes, rows, RestrictColumn<T>{g.transfer, box, fine.read(), b.view()});
      CHECK(b.equals(restricted));
      go_up(columns, rows, ProlongColumns<T>{g.transfer, box, coarse.read(), x.view()});
      CHECK(x.equals(prolongated));
      const NodeVector<Host, T> aligned(Host(), g.nx, g.ny),
          aligned_coarse(Host(), g.coarse_nx, g.coarse_ny);
      put_rows(fine.read(), aligned.view());
      put_rows(coarse.read(), aligned_coarse.view());
      const ProlongColumns<T> at_once{g.transfer, box, aligned_coarse.view(), aligned.view()};
      REQUIRE(at_once.is_aligned);
      go_up(columns, rows, at_once);
      put_rows(Field<const T>(aligned.view()), x.view());
      CHECK(x.equals(prolongated));
    }
  }
}

}  // namespace ninefold
