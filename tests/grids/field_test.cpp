#include "grids/field.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"

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

TEST_CASE("a pitch may be longer than a row", "[grids]") {
  std::vector<int> memory(100);
  const Field<int> x{memory.data(), 5, 3, 8};
  CHECK(x.row(2) == memory.data() + 16);
  CHECK(Field<const int>(x).row(2) == x.row(2));
}

TEST_CASE(
    "a node vector has a row on both sides, one value beyond each, and rows at multiples of 16",
    "[grids][gpu]") {
  const Host on;
  for (const auto& [nx, ny] : {std::pair{3, 3}, {5, 2}, {4, 1}, {16, 2}, {17, 3}}) {
    CAPTURE(nx, ny);
    const std::size_t held = on.allocated();
    const NodeVector<Host, double> vector(on, nx, ny);
    const Field<double> x = vector.view();
    const std::size_t storage = NodeVector<Host, double>::storage(nx, ny);
    CHECK(on.allocated() - held == storage * sizeof(double));
    CHECK(x.pitch >= nx);
    CHECK(x.pitch % 16 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(x.data) % (2 * sizeof(double)) == 0);
    // Under a sanitizer this also says that they are there.
    for (int j = -1; j <= ny; ++j) {
      for (int i = -1; i <= nx; ++i) CHECK(x(i, j) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("rows of node vectors are whole lines of 128 bytes", "[grids][gpu]", Half, float,
                   double, DoubleDouble) {
  using Rows = NodeVector<Host, TestType>;
  for (const int nx : {3, 16, 17, 64, 65}) {
    const int pitch = Rows::pitch_of(nx);
    CHECK(pitch >= nx);
    CHECK(pitch % 16 == 0);
    CHECK(std::size_t(pitch) * sizeof(TestType) % 128 == 0);
    CHECK((Rows::storage(nx, 1) - 3 * std::size_t(pitch)) * sizeof(TestType) % 256 == 0);
  }
}

}  // namespace ninefold
