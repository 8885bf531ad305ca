#include "grids/field.hpp"

#include <vector>

#include "gpu/backend/vector.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {

TEST_CASE("rows of a field follow each other, those of its margin included", "[grids]") {
  const int nx = 5, ny = 3;
  std::vector<int> memory(std::size_t((ny + 2) * nx + 2));
  for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<int>(k);
  const Field<int> x{memory.data() + nx + 1, nx, ny};
  for (int j = -1; j <= ny; ++j) {
    CAPTURE(j);
    CHECK(*x.row(j) == 1 + (j + 1) * nx);
    for (int i = 0; i < nx; ++i) CHECK(&x(i, j) == x.row(j) + i);
  }
  CHECK(Field<const int>(x).row(2) == x.row(2));
}

TEST_CASE("the margin of a node vector takes a row on both sides, and one value beyond each",
          "[grids][gpu]") {
  const Host on;
  for (const auto& [nx, ny] : {std::pair{3, 3}, {5, 2}, {4, 1}}) {
    const NodeVector<Host, double> vector(on, nx, ny);
    const Field<double> x = vector.view();
    const std::size_t before = static_cast<std::size_t>(x.data - (x.row(-1) - 1));
    const std::size_t behind = static_cast<std::size_t>(x.row(ny) + nx + 1 - x.row(ny));
    CHECK(before + static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) + behind
          == NodeVector<Host, double>::storage(nx, ny));
    // Under a sanitizer this also says that they are there.
    for (int j = -1; j <= ny; ++j) {
      for (int i = -1; i <= nx; ++i) CHECK(x(i, j) == 0);
    }
  }
}

}  // namespace ninefold
