// Sums with waves along lines against sums that are written as their definition.
#include "gpu/direct/wave_lines.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/tensor_inverse.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/waves.hpp"

namespace ninefold {
namespace {

using testing::all_waves;
using testing::wave_at;
using Number = long double;
constexpr Number pi = std::numbers::pi_v<Number>;

template <class T>
struct Tables {
  std::vector<Complex<T>> turns, circle;
  Tables(Wave wave, int n)
      : turns(wave_turns<T>(n)), circle(circle_turns<T>(circle_period(wave, n))) {}
  LineWaves<T> waves(Wave wave, int n) const {
    return {wave, n, turns.data(), {circle.data(), bits_of(circle_period(wave, n))}, {}};
  }
};

/// Of `count` lines of numbers of T.
template <class T>
std::vector<T> random_values(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(draw(random));
  return values;
}

/// The sums of one line by their definition.
template <class T>
std::vector<Number> sums_of(Wave wave, int n, bool back, const std::vector<T>& x) {
  const int unknowns = unknowns_of(wave, n);
  std::vector<Number> sums;
  for (int k = 0; k < unknowns; ++k) {
    Number sum = 0;
    for (int p = 0; p < unknowns; ++p) {
      sum += Number(x[static_cast<std::size_t>(p)])
             * (back ? wave_at(wave, n, p, k) : wave_at(wave, n, k, p));
    }
    sums.push_back(sum);
  }
  return sums;
}

/// Lines one after the other, or side by side.
template <class V>
PlaneLines<V> lines_of(V* data, int unknowns, int count, bool side_by_side) {
  if (side_by_side) return {data, 1, count, count};
  return {data, unknowns, 1, count};
}

template <class T>
void check_sums(Wave wave, bool back, int n, int count, bool side_by_side) {
  const Host host;
  const Tables<T> tables(wave, n);
  const int unknowns = unknowns_of(wave, n);
  std::vector<T> x = random_values<T>(static_cast<std::size_t>(unknowns) * count);
  const std::vector<T> before = x;
  const PlaneLines<T> lines = lines_of(x.data(), unknowns, count, side_by_side);
  sum_waves(host, tables.waves(wave, n), back,
            lines_of<const T>(x.data(), unknowns, count, side_by_side), lines);
  // |x| <= 1: the root mean square of n values times n, by the rounding of log2 n steps.
  const double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const double bound = 4 * u * std::sqrt(n) * std::sqrt(n) * (3 + std::log2(n));
  for (int line = 0; line < count; ++line) {
    std::vector<T> own;
    for (int p = 0; p < unknowns; ++p) {
      own.push_back(before[static_cast<std::size_t>(line * lines.line_stride + p * lines.stride)]);
    }
    const std::vector<Number> expected = sums_of(wave, n, back, own);
    double largest = 0;
    for (int k = 0; k < unknowns; ++k) {
      const Number found = lines.data[line * lines.line_stride + k * lines.stride];
      largest = std::max(largest, static_cast<double>(std::abs(found - expected[k])));
    }
    CAPTURE(static_cast<int>(wave), back, n, line, side_by_side);
    CHECK(largest <= bound);
  }
}

TEST_CASE("lines become their sums with waves, wherever they lie", "[direct]") {
  for (const Wave wave : all_waves) {
    for (const bool back : {false, true}) {
      for (const int n : {64, 128, 256}) {
        check_sums<double>(wave, back, n, n == 128 ? 11 : 3, n == 128);
        check_sums<float>(wave, back, n, n == 256 ? 17 : 3, n == 256);
      }
      check_sums<double>(wave, back, 1024, 1, false);
    }
  }
}

TEST_CASE("a line has the same sums alone and beside others, as a row and as a column",
          "[direct]") {
  const Host host;
  for (const Wave wave : all_waves) {
    constexpr int n = 128, count = 21;
    const Tables<double> tables(wave, n);
    const int unknowns = unknowns_of(wave, n);
    const std::vector<double> x = random_values<double>(static_cast<std::size_t>(unknowns) * count);
    std::vector<double> columns(x.size()), rows(x.size());
    const LineWaves<double> waves = tables.waves(wave, n);
    sum_waves(host, waves, false, lines_of(x.data(), unknowns, count, true),
              lines_of(columns.data(), unknowns, count, true));
    for (int line = 0; line < count; ++line) {
      const PlaneLines<const double> from{x.data() + line, 1, count, 1};
      sum_waves(host, waves, false, from,
                lines_of(rows.data() + line * unknowns, unknowns, 1, false));
    }
    int different = 0;
    for (int line = 0; line < count; ++line) {
      for (int p = 0; p < unknowns; ++p) {
        different += columns[p * count + line] != rows[line * unknowns + p] ? 1 : 0;
      }
    }
    CHECK(different == 0);
  }
}

TEST_CASE("a division among waves is the way there, the division and the way back", "[direct]") {
  const Host host;
  for (const Wave wave : all_waves) {
    constexpr int n = 64, count = 19;
    const Tables<double> tables(wave, n);
    const int unknowns = unknowns_of(wave, n);
    std::vector<double> x_sums(count), y_sums(unknowns), x_weights(count, 0.5),
        y_weights(unknowns, 2.0 / n);
    for (int k = 0; k < count; ++k) x_sums[k] = k;
    for (int k = 0; k < unknowns; ++k) y_sums[k] = 3.5 * k;
    const SpectralSums<double> sums{x_sums.data(), y_sums.data(), x_weights.data(),
                                    y_weights.data()};
    std::vector<double> x = random_values<double>(static_cast<std::size_t>(unknowns) * count),
                        y = x;
    const LineWaves<double> waves = tables.waves(wave, n);
    const PlaneLines<double> lines = lines_of(x.data(), unknowns, count, true);
    divide_among_waves(host, waves, sums, lines, static_cast<double*>(nullptr),
                       DivisionWay::in_place);
    const PlaneLines<double> others = lines_of(y.data(), unknowns, count, true);
    const PlaneLines<const double> read{y.data(), others.line_stride, others.stride, count};
    sum_waves(host, waves, false, read, others);
    for (int p = 0; p < unknowns; ++p) {
      for (int line = 0; line < count; ++line) {
        double& value = y[static_cast<std::size_t>(p * count + line)];
        value = divided(sums, line, p, value);
      }
    }
    sum_waves(host, waves, true, read, others);
    CHECK(x == y);
  }
}

TEST_CASE("pairs in banks of memory are apart and inside, and transforms go there, too",
          "[direct]") {
  for (const int N : {8, 16, 32, 64, 256, 4096}) {
    std::vector<int> taken(static_cast<std::size_t>(BankPlaces::padded(2 * N) / 2), 0);
    for (int k = 0; k <= N; ++k) ++taken.at(static_cast<std::size_t>(BankPlaces::pair(k)));
    CHECK(*std::max_element(taken.begin(), taken.end()) == 1);
  }
  const Host host;
  for (const Wave wave : all_waves) {
    for (const bool back : {false, true}) {
      constexpr int n = 128;
      const Tables<double> tables(wave, n);
      const LineWaves<double> waves = tables.waves(wave, n);
      const int unknowns = unknowns_of(wave, n);
      const std::vector<double> x = random_values<double>(static_cast<std::size_t>(unknowns));
      std::vector<double> expected(x.size()), found(x.size());
      sum_waves(host, waves, back, lines_of(x.data(), unknowns, 1, false),
                lines_of(expected.data(), unknowns, 1, false));
      const auto size = waves.rows<double, BankPlaces>(back, 1, nullptr).values();
      std::vector<Complex<double>> memory(static_cast<std::size_t>(size / 2), {NAN, NAN}),
          other(memory);
      const auto rows = waves.rows<double, BankPlaces>(back, 1, &memory.data()->re);
      for (int group = 0; group < rows.groups(); ++group) {
        Complex<double> pairs[WaveRows<double>::most_lists];
        rows.make_pairs(
            group, [&](int p) { return x.at(static_cast<std::size_t>(p)); }, pairs);
        for (int list = 0; list < rows.lists(); ++list) *rows.place(list, group, 0) = pairs[list];
      }
      transform_by_way_of<OneWorker>(other.data(), rows, waves.circle);
      for (int first = 0; first < 8; ++first) {
        rows.for_sums(0, first, 8, unknowns,
                      [&](int p, double value) { found[static_cast<std::size_t>(p)] = value; });
      }
      CHECK(found == expected);
    }
  }
}

TEST_CASE("turns of a circle are symmetric, and exact where they can be", "[direct]") {
  for (const int period : {8, 64, 1024}) {
    const std::vector<Complex<double>> turns = circle_turns<double>(period);
    REQUIRE(turns.size() == static_cast<std::size_t>(period));
    for (int k = 0; k < period; ++k) {
      const Number angle = 2 * pi * k / period;
      CHECK(std::abs(turns[k].re - std::cos(angle)) <= 0x1.2p-53);
      CHECK(std::abs(turns[k].im - std::sin(angle)) <= 0x1.2p-53);
      const Complex<double>& opposite = turns[(k + period / 2) % period];
      CHECK((opposite.re == -turns[k].re && opposite.im == -turns[k].im));
      const Complex<double>& mirrored = turns[(period - k) % period];
      CHECK((mirrored.re == turns[k].re && mirrored.im == -turns[k].im));
      const Complex<double>& swapped = turns[(period / 4 + period - k) % period];
      CHECK((swapped.re == turns[k].im && swapped.im == turns[k].re));
    }
    CHECK((turns[0].re == 1 && turns[period / 4].im == 1));
  }
}

}  // namespace
}  // namespace ninefold
