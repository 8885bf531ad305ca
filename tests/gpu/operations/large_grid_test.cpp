// Indices of 65537 x 65537 nodes, more than 32 bits can count: operations at the end of such a grid
// have the bits of those on a small one with the same values.
//
// Memory.  A range of 8.6 GB of addresses, of which only the last rows are touched.  Several fields
// share it: they begin eight rows apart, so that the last six rows of one, and the row behind them,
// meet no other's.

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include "precision/half.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/row_operations.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/skip.hpp"

namespace ninefold {
namespace {

constexpr int large = 65537, small = 6;

/// Zeros, in addresses behind which there is no memory before they are written.
class Addresses {
 public:
  explicit Addresses(std::size_t values)
      : bytes_(values * sizeof(Half)),
        start_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Addresses() {
    if (*this) munmap(start_, bytes_);
  }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;

  explicit operator bool() const { return start_ != MAP_FAILED; }
  Half* data() const { return static_cast<Half*>(start_); }

 private:
  std::size_t bytes_;
  void* start_;
};

constexpr int n_fields = 3;  ///< x, b and y

/// Field f of n x n nodes, the first of which has a margin before it.
Field<Half> field(Half* start, int n, int f) {
  return {start + (n + 1) + std::ptrdiff_t{f} * 8 * n, n, n};
}
/// Fields without an overlap, of the small grid.
Field<Half> separate_field(std::vector<Half>& memory, int f) {
  const std::ptrdiff_t each = small * small + 2 * (small + 1);
  return {memory.data() + f * each + (small + 1), small, small};
}

/// What operations at the last nodes of a grid write; `fields` are x, b and y.  (Sums over
/// rows of stored bands end at 2^31 nodes: fem/matrix/nine_band.hpp.)
template <class Fields>
std::vector<Half> written(int n, const Fields& fields, std::vector<float> factors) {
  const Host on;
  const int origin = n - small;
  const Box unknowns{origin + 1, n, origin + 1, n};
  const auto for_last = [&](const auto& work) {
    for (int j = origin; j < n; ++j) {
      for (int i = origin; i < n; ++i) work(i, j);
    }
  };
  const auto fill = [&](int f, std::uint64_t seed) {
    const auto values = testing::random_values<Half>(small * small, seed);
    std::size_t next = 0;
    for_last([&](int i, int j) { fields(f)(i, j) = values[next++]; });
  };
  // The last cells' factors, at their places.
  factors.insert(factors.begin(), static_cast<std::size_t>(origin), 0.0F);
  const LineFactors<float> line{factors.data(), factors.data()};
  const FactoredRows<Half> factored{line, line, 0.25F, n, n, unknowns};
  const Field<Half> x = fields(0), b = fields(1), y = fields(2);
  const Array<Host, float> number(on, std::vector<float>{0.75F});

  std::vector<Half> result;
  const auto run = [&](const auto& operation) {
    fill(0, 11);
    fill(1, 12);
    fill(2, 13);
    operation();
    for (const Field<Half>& v : {x, b, y}) {
      for_last([&](int i, int j) { result.push_back(v(i, j)); });
    }
    result.push_back(Half(*number.data()));
    *number.data() = 0.75F;
  };
  run([&] { xpby(on, unknowns, number.data(), x, y); });
  run([&] { dot<Host, Half>(on, unknowns, x, b, number.data()); });
  run([&] { rescale<Host, Half>(on, unknowns, number.data(), x); });
  const auto with_rows = [&](const auto& rows) {
    run([&] { product<Host, Half>(on, rows, x, y); });
    run([&] { residual<Host, Half>(on, rows, b, x, y); });
    run([&] { residual_square<Host, Half>(on, rows, b, x, number.data()); });
    run([&] { jacobi_step<Host, Half>(on, rows, b, 0.5F, x, y); });
    for (const LineDirection direction : {LineDirection::x, LineDirection::y}) {
      run([&] { line_step<Half>(on, rows, b, 0.5F, {direction, 1, 2}, x, {}, y); });
    }
  };
  with_rows(factored);
  return result;
}

}  // namespace

TEST_CASE("nodes and rows of 65537 x 65537 are where they should be", "[grids][gpu]") {
  const std::ptrdiff_t n = large;
  CHECK(NodeVector<Host, Half>::storage(large, large) == std::size_t((n + 63) * (n + 2) + 128));
  const Addresses addresses(std::size_t(n * n + 2 * (n + 1)));
  if (!addresses) return testing::skip("no range of 8.6 GB of addresses is given out");
  const Field<Half> x = field(addresses.data(), large, 0);
  CHECK(x.row(large) - x.data == n * n);
  CHECK(&x(0, 32768) - x.data == 32768 * n);  // beyond 2^31
  x(large - 1, large - 1) = Half(3);
  CHECK(addresses.data()[(n + 1) + (n * n - 1)] == Half(3));
}

TEST_CASE("operations at the end of 65537 x 65537 nodes have the bits of those on few",
          "[gpu][operations]") {
  const Addresses addresses(std::size_t(large) * (large + 8 * n_fields) + 2 * (large + 1));
  if (!addresses) return testing::skip("no range of 8.6 GB of addresses is given out");
  std::vector<Half> memory(n_fields * (small * small + 2 * (small + 1)));
  std::vector<float> factors(small + 1);
  std::mt19937 engine(5);
  for (float& factor : factors) factor = std::uniform_real_distribution<float>(0.5F, 1)(engine);
  factors.back() = 0;  // beyond the end

  const auto on_large = written(
      large, [&](int f) { return field(addresses.data(), large, f); }, factors);
  const auto on_small = written(
      small, [&](int f) { return separate_field(memory, f); }, factors);
  CHECK(testing::n_differing(on_large, on_small) == 0);
}

}  // namespace ninefold
