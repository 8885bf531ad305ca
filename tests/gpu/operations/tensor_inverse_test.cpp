#include "gpu/operations/tensor_inverse.hpp"

#include <vector>

#include "gpu/backend/vector.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("parts are divided by the sums of their eigenvalues, and one that is free is dropped",
          "[direct]") {
  const Host host;
  const std::vector<double> x{0, 1, 3}, y{0, 4}, x_weight{1, 2, 4}, y_weight{8, 1};
  std::vector<double> q{5, 6, 8, 16, 10, 14};
  divide_by_sums(host, {x.data(), y.data(), x_weight.data(), y_weight.data()},
                 Field<double>{q.data(), 3, 2});
  CHECK(q == std::vector<double>{0, 6.0 * 16, 8.0 * 32 / 3, 4, 4, 8});
}

TEST_CASE("a box is padded by zeros, whatever was there, and taken back", "[direct]") {
  const Host host;
  const std::vector<double> f{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Box box{1, 3, 0, 2};
  std::vector<double> plane(12, 99);
  pad(host, box, Field<const double>{f.data(), 4, 3}, Field<double>{plane.data(), 4, 3});
  CHECK(plane == std::vector<double>{2, 3, 0, 0, 6, 7, 0, 0, 0, 0, 0, 0});
  std::vector<double> u(12, -1);
  take_from(host, box, Field<const double>{plane.data(), 4, 3}, Field<double>{u.data(), 4, 3});
  CHECK(u == std::vector<double>{-1, 2, 3, -1, -1, 6, 7, -1, -1, -1, -1, -1});
}

}  // namespace
}  // namespace ninefold
