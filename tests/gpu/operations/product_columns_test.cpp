#include "gpu/meaning/product_columns.hpp"

#include <algorithm>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/compiled/elsewhere.hpp"
#include "gpu/launch/launch_host.hpp"
#include "gpu/meaning/generic_product_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {

using testing::NodeValues;
using testing::random_values;

// As a device sets large grids.
TEMPLATE_TEST_CASE("columns of a box are set as its nodes are", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const testing::InFormat<TestType> format;
  using T = typename testing::InFormat<TestType>::T;
  using W = Assembly<T>;
  using Columns = SetProductColumns<T>;
  const Host on;
  constexpr int nx = 23, ny = 19;
  std::vector<NodeProduct<W>> terms;
  for (unsigned k = 0; k < 3; ++k) {
    terms.push_back({random_values<W>(nx, 2 * k + 1), random_values<W>(ny, 2 * k + 2)});
  }
  const ProductTables<Host, W> tables(on, 3, nx, ny);
  const Products<W> products = tables.fill(on, terms);
  const PowerOfTwo scale(-3);
  for (const Box& box : {Box{0, nx, 0, ny}, Box{1, nx - 1, 1, ny - 1}, Box{3, 9, 2, 3},
                         Box{5, 6, 4, 15}, Box{2, 2, 0, ny}}) {
    const NodeVector<Host, T> by_nodes(on, nx, ny), by_columns(on, nx, ny);
    NodeValues<T> unaligned(nx, ny);
    set_products<Host, T>(on, box, products, scale, by_nodes.view());
    for (const Field<T>& b : {by_columns.view(), unaligned.view()}) {
      const Columns columns{products, scale, box, b};
      const Box all = Columns::columns(box);
      for (int I = all.i0; I < all.i1; ++I) {
        for (int first = all.j0; first < all.j1; first += 6) {
          columns(I, first, std::min(first + 6, all.j1));
        }
      }
      int differing = 0;
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i)
          differing += !testing::same_bits(b(i, j), by_nodes.view()(i, j));
      }
      CHECK(differing == 0);
    }
  }
}

}  // namespace ninefold
