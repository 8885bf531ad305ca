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

}  // namespace
}  // namespace ninefold
