// Vectors without a grid on Host: how they are held, and that no bit depends on it.
#include "gpu/backend/vector.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <omp.h>

#include "gpu/operations/mixed_vector_operations.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::same_bits;

/// Sizes around a lane, a chunk, the piece of a thread and a second round.
const std::vector<int> sizes{1, 255, 257, 1024, 1025, 5000, 16385, 70001};

/// One row of values as several.
template <class T>
Field<T> as_rows(const Values<T>& v, const Folding& folding) {
  return {v.data, folding.row_length(), folding.rows()};
}

template <class T>
std::vector<T> copied(const Values<T>& v) {
  return {v.data, v.data + v.n};
}

/// Runs all operations on vectors of n values that are held as `folding` says.
template <class T>
std::vector<T> results(std::int64_t n, const Folding& folding) {
  using C = Arithmetic<T>;
  const Host on(16 * sum_partials(folding.row_length(), folding.rows()));
  // Behind the n values lies what must neither be read nor written.
  const Array<Host, T> memory(on, 3 * folding.storage());
  std::fill_n(memory.data(), memory.size(), T(NAN));
  const Values<T> x{memory.data(), n}, y{x.data + folding.storage(), n},
      z{y.data + folding.storage(), n};
  const Extent all = folding.extent();
  const Field<T> fx = as_rows(x, folding), fy = as_rows(y, folding), fz = as_rows(z, folding);
  const Array<Host, C> number(on, std::vector<C>{C(0.75)});
  CgState<C> state{};
  state.alpha = C(0.375);
  state.beta = C(-0.625);
  state.active = 1;
  Largest most(0);

  const auto drawn = testing::random_values<T>(3 * static_cast<std::size_t>(n), 1);
  std::vector<T> found;
  const auto run = [&](const auto& operation) {
    std::copy_n(drawn.begin(), n, x.data);
    std::copy_n(drawn.begin() + n, n, y.data);
    std::copy_n(drawn.begin() + 2 * n, n, z.data);
    operation();
    for (const Values<T>& v : {x, y, z}) {
      const auto values = copied(v);
      found.insert(found.end(), values.begin(), values.end());
      REQUIRE(std::all_of(v.data + n, v.data + folding.storage(),
                          [](const T& value) { return value != value; }));
    }
    found.push_back(T(*number.data()));
    found.push_back(T(state.rr));
    *number.data() = C(0.75);
  };
  run([&] { dot<Host, T>(on, all, fx, fy, number.data()); });
  run([&] { xpby(on, all, number.data(), fx, fy); });
  run([&] { rescale<Host, T>(on, all, number.data(), fx); });
  run([&] { remove_mean<Host, T>(on, all, fx, number.data()); });
  run([&] { cg_direction<Host, T>(on, all, fx, &state, fy); });
  run([&] { cg_update<Host, T>(on, all, fx, fy, fy, fz, &state); });
  run([&] { largest<Host, T>(on, all, fx, &most); });
  found.push_back(T(most.value));
  const RefinementState<C> scale{C(0), C(0.5), C(2)};
  run([&] { add_correction<Host, T, T>(on, all, &scale, fx, fy); });
  run([&] { dot_widened<Host, T, T>(on, all, fx, fy, &scale, number.data()); });
  run([&] { cg_update_rounded<Host, T, T>(on, all, fx, fy, fx, fy, fz, &scale, &state); });
  if (folding.rows() > 1) {
    run([&] {
      dot_rows<Host, T>(on, all, fx, fy, folding.rows() - 1, folding.rows());
      dot_rows<Host, T>(on, all, fx, fy, 0, folding.rows() - 1);
      finish_sum(on, all, number.data());
    });
  } else {
    run([&] { dot<Host, T>(on, all, fx, fy, number.data()); });
  }
  return found;
}

}  // namespace

TEST_CASE("values are held as few rows of whole chunks", "[gpu][vector]") {
  struct Expected {
    std::int64_t n, longest;
    int row, rows, last;
  };
  const std::int64_t most = std::int64_t{1} << 30;
  for (const auto& [n, longest, row, rows, last] :
       {Expected{0, most, 0, 1, 0},
        {1, most, 1, 1, 1},
        {most, most, 1 << 30, 1, 1 << 30},
        {most + 1, most, (1 << 29) + 1024, 2, (1 << 29) - 1023},
        {5'000'000'000, most, 1'000'000'512, 5, 999'997'952},
        {5000, 2048, 2048, 3, 904}}) {
    CAPTURE(n, longest);
    const Folding folding(n, longest);
    CHECK(folding.row_length() == row);
    CHECK(folding.rows() == rows);
    CHECK(folding.extent() == Extent(Box{0, row, 0, rows}, last));
    CHECK(folding.extent().values() == n);
    CHECK(folding.storage() == std::size_t(row) * std::size_t(rows));
    if (rows > 1) CHECK(row % sum_chunk == 0);
  }
}

TEMPLATE_TEST_CASE("no bit of an operation depends on the rows that hold a vector, nor on threads",
                   "[gpu][vector][summation]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const int threads = omp_get_max_threads();
  for (const int n : sizes) {
    omp_set_num_threads(1);
    const auto expected = results<T>(n, Folding(n));
    for (const int longest : {1024, 4096, 1 << 30}) {
      for (const int team : {1, 3}) {
        CAPTURE(n, longest, team);
        omp_set_num_threads(team);
        CHECK(same_bits(results<T>(n, Folding(n, longest)), expected));
      }
    }
    omp_set_num_threads(threads);
  }
}

TEST_CASE("a vector has its size, zeros, and a view that operations take", "[gpu][vector]") {
  const Host on;
  const Vector<Host, double> x(on, 5000);
  CHECK(x.view().n == 5000);
  CHECK(on.allocated() == largest_scratch_bytes + 5000 * sizeof(double));
  CHECK(std::all_of(x.view().data, x.view().data + 5000, [](double v) { return v == 0; }));
  x.view()[4999] = 3;
  CHECK(Values<const double>(x.view())[4999] == 3);
  const Array<Host, double> sum(on, 1);
  dot<Host, double>(on, x.view().extent(), x.view().rows(), x.view().rows(), sum.data());
  CHECK(*sum.data() == 9);
  set_zero(on, x.view().rows());
  CHECK(x.view()[4999] == 0);
  CHECK_THROWS_AS(
      (dot<Host, double>(on, Folding(5001).extent(), x.view().rows(), x.view().rows(), sum.data())),
      std::invalid_argument);
}

}  // namespace ninefold
