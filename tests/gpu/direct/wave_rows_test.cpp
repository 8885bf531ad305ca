// The sums with waves by Fourier transforms that are written as their definition, against sums that
// are written as theirs.
#include "gpu/direct/wave_rows.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/waves.hpp"

namespace ninefold {
namespace {

using testing::all_waves;
using testing::wave_at;
using Number = long double;
constexpr Number pi = std::numbers::pi_v<Number>;

/// In place: no factor, half of the bins.
void transform(const WaveRows<double>& rows, const WaveBatch& batch, int which) {
  double* const data = rows.work + batch.start + which * batch.stride;
  const int n = batch.length;
  const auto wave = [&](int p, int i) {
    const Number angle = 2 * pi * static_cast<Number>((1LL * p * i) % n) / n;
    return std::complex<Number>(std::cos(angle), std::sin(angle));
  };
  if (rows.is_real_to_complex()) {
    const std::vector<double> v(data, data + n);
    for (int i = 0; i <= n / 2; ++i) {
      std::complex<Number> sum = 0;
      for (int p = 0; p < n; ++p) sum += Number(v[p]) * std::conj(wave(p, i));
      data[2 * i] = static_cast<double>(sum.real());
      data[2 * i + 1] = static_cast<double>(sum.imag());
    }
    return;
  }
  const std::vector<double> bins(data, data + n + 2);
  for (int p = 0; p < n; ++p) {
    Number sum = 0;
    for (int i = 0; i < n; ++i) {
      const int bin = i <= n / 2 ? i : n - i;
      const Number imaginary = bin == 0 || 2 * bin == n ? 0 : bins[2 * bin + 1];
      const std::complex<Number> H(bins[2 * bin], i <= n / 2 ? imaginary : -imaginary);
      sum += (H * wave(p, i)).real();
    }
    data[p] = static_cast<double>(sum);
  }
}

void check_sums(Wave wave, bool back, int n) {
  constexpr int count = 3;
  const int unknowns = wave == Wave::sine ? n - 1 : wave == Wave::cosine ? n + 1 : n;
  const std::vector<Complex<double>> turns = wave_turns<double>(n);
  WaveRows<double> rows{wave, back, n, count, nullptr, turns.data()};
  // What nobody writes must not be read: in bins that have no imaginary part by definition, say.
  std::vector<double> work(static_cast<std::size_t>(rows.values()), std::nan(""));
  rows.work = work.data();
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<std::vector<double>> x(count, std::vector<double>(unknowns));
  for (int row = 0; row < count; ++row) {
    for (double& value : x[row]) value = draw(random);
    for (int group = 0; group < rows.groups(); ++group) {
      Complex<double> pairs[WaveRows<double>::most_lists];
      rows.make_pairs(
          group, [&](int p) { return x[row].at(p); }, pairs);
      for (int list = 0; list < rows.lists(); ++list) *rows.place(list, group, row) = pairs[list];
    }
  }
  for (int k = 0; k < rows.batches(); ++k) {
    const WaveBatch batch = rows.batch(k);
    for (int which = 0; which < batch.count; ++which) transform(rows, batch, which);
  }
  const double bound = 4 * 0x1p-53 * n * (3 + std::log2(n));
  for (int row = 0; row < count; ++row) {
    for (int k = 0; k < unknowns; ++k) {
      Number sum = 0;
      for (int p = 0; p < unknowns; ++p) {
        sum += x[row][p] * (back ? wave_at(wave, n, p, k) : wave_at(wave, n, k, p));
      }
      CAPTURE(static_cast<int>(wave), back, n, row, k);
      CHECK(std::abs(rows.value(k, row) - static_cast<double>(sum)) <= bound);
    }
  }
}

TEST_CASE("sums with waves come from Fourier transforms of half the length", "[direct]") {
  for (const Wave wave : all_waves) {
    for (const bool back : {false, true}) {
      for (const int n : {8, 16, 32, 64, 128}) check_sums(wave, back, n);
    }
  }
}

TEST_CASE("the parts of all rows are apart, and inside what is asked for", "[direct]") {
  for (const Wave wave : all_waves) {
    for (const int n : {64, 1024}) {
      const WaveRows<float> rows{wave, false, n, 7, nullptr, nullptr};
      int end = 0;
      for (int k = 0; k < rows.batches(); ++k) {
        const WaveBatch batch = rows.batch(k);
        CHECK(batch.start == end);
        CHECK(batch.stride >= batch.length + 2);
        CHECK(batch.stride % 16 == 0);
        end += batch.stride * batch.count;
      }
      CHECK(end == rows.values());
    }
  }
}

}  // namespace
}  // namespace ninefold
