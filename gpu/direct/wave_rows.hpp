#pragma once
// Sums with waves by real Fourier transforms of half length: what a row is before them and after.
//
// Mathematics.  Of a line of n = 2^l >= 8 cells (fem/discrete/line_spectrum.hpp) sums with sines or
// cosines fall into those of even and those of odd frequency.  With m = n/2 and x symmetric about
// the middle or not,
//
//     even:  the same kind of sum for n/2, of x(i) -+ x(n-i);    once more, and so on
//     odd:   Y(q) = sum_i t(i) cos(pi (2q+1) i / (2m)),          t(i) = x(i) - x(n-i) for cosines,
//                                            t(i) = x(m-i) + x(m+i), times (-1)^q, for sines.
//
// Y is one complex-to-real transform of length m of the bins (Makhoul)
//
//     H(0) = t(0),   H(i) = e^{i pi i / (2m)} (t(i) - i t(m-i)) / 2,   Y(2q) = v(q),
//                                                                  Y(2q+1) = v(m-1-q).
//
// Here the even part is split once more; what is then left, of n/4, is extended to an odd or even
// sequence of length n/2, whose bins are imaginary or real.  In all 1.25 n values are transformed;
// nothing is divided by small sines and no sum is carried on, so that errors are those of the
// Fourier transforms.
//
// Quarter waves are one Y of length n; the way back, of a(q) from 0 to n - 1, is a real-to-complex
// transform of v(q) = a(2q), v(n-1-q) = a(2q+1), and u(i) = Re e^{-i pi i / (2n)} V(i),
// u(n-i) = -Im of the same.
//
// Shape.  Rows of `work`: each holds its parts, with room for one bin more than half their length.
// Those of length n/2, two for each row, come first, then those of length n/4.  The parts of all
// rows are one batch of a transform.
//
// Why.  A transform of the row extended to 2n takes twice the time.  One of length n with running
// sums (Cooley, Lewis, Welch 1970) is as fast, and its errors grow with n: at level 14 the first
// residual is 1e-5 instead of 1e-8.
//
// Reference.  Makhoul, A fast cosine transform in one and two dimensions, IEEE Trans. ASSP 28,
//             1980; Frigo, Johnson, FFTW's RODFT00 and REDFT00 by split radix.
// Tests.      tests/gpu/direct/wave_rows_test.cpp

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "precision/host_device.hpp"

#include "fem/discrete/line_spectrum.hpp"

namespace ninefold {

/// As the libraries have it.
template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

/// Lines of fewer cells have dense products, which take half the time at 256: a transform is six
/// kernels and more.
inline constexpr int fewest_wave_cells = 512;

/// One batch of transforms of the same length, one after the other.
struct WaveBatch {
  int length;            ///< of real values
  std::ptrdiff_t start;  ///< of the first, in values
  std::ptrdiff_t stride;
  long long count;
};

/// The sums with waves of all rows, in one of the two ways: from nodal values to those of waves
/// (forth), or back.  Sines and cosines have the same sums both ways.
template <class T>
struct WaveRows {
  Wave wave;
  bool back;
  int n, rows;
  T* work;
  const Complex<T>* turn;  ///< e^{i pi k / (2n)}, 0 <= k <= n/2

  static HOST_DEVICE std::ptrdiff_t padded(int length) {
    return (std::ptrdiff_t{length} + 2 + 15) / 16 * 16;
  }
  HOST_DEVICE bool is_quarter() const {
    return wave == Wave::quarter || wave == Wave::reversed_quarter;
  }
  HOST_DEVICE std::ptrdiff_t half_stride() const { return padded(n / 2); }
  HOST_DEVICE std::ptrdiff_t quarter_stride() const { return padded(n / 4); }

  /// The parts of a row.
  HOST_DEVICE T* whole(int row) const { return work + row * padded(n); }
  HOST_DEVICE T* odd(int row) const { return work + 2 * row * half_stride(); }
  HOST_DEVICE T* rest(int row) const { return odd(row) + half_stride(); }
  HOST_DEVICE T* twice_odd(int row) const {
    return work + 2 * rows * half_stride() + row * quarter_stride();
  }

  std::size_t values() const {
    return static_cast<std::size_t>(
        rows * (is_quarter() ? padded(n) : 2 * half_stride() + quarter_stride()));
  }
  std::vector<WaveBatch> batches() const {
    if (is_quarter()) return {{n, 0, padded(n), rows}};
    return {{n / 2, 0, half_stride(), 2LL * rows},
            {n / 4, 2 * rows * half_stride(), quarter_stride(), rows}};
  }
  /// Real values become bins, instead of bins real values.
  bool is_real_to_complex() const { return is_quarter() && back; }

  // Before the transforms a row is written in pairs of values, bins but for the quarter waves' way
  // back: for each group, one for each list.
  static constexpr int most_lists = 5;
  HOST_DEVICE int lists() const { return is_quarter() ? 1 : most_lists; }
  HOST_DEVICE int groups() const { return !is_quarter() ? n / 8 + 1 : back ? n / 2 : n / 2 + 1; }
  /// Where a list has its pair of a group.
  HOST_DEVICE Complex<T>* place(int list, int group, int row) const {
    T* const part = is_quarter() ? whole(row)
                    : list < 2   ? odd(row)
                    : list < 4   ? rest(row)
                                 : twice_odd(row);
    return reinterpret_cast<Complex<T>*>(part) + bin_of(list, group);
  }
  /// Those pairs, lists() of them, of the row whose values are x(p), p counted from 0.  Each value
  /// is asked for once, but in the first and the last group.
  template <class Values>
  HOST_DEVICE void make_pairs(int group, const Values& x, Complex<T>* pairs) const {
    if (wave == Wave::sine) {
      sine_pairs(group, x, pairs);
    } else if (wave == Wave::cosine) {
      cosine_pairs(group, x, pairs);
    } else if (back) {
      pairs[0] = {x(permuted(2 * group)), x(permuted(2 * group + 1))};
    } else {
      const T here = x(node(group));
      pairs[0] = odd_bin(group, 1, here, group == 0 ? T(0) : x(node(n - group)));
    }
  }

  /// The sum p of a row, counted from 0, after the transforms.  (Lanes of a warp ask for
  /// neighbours, which lie in different parts: no branch depends on p.)
  HOST_DEVICE T value(int p, int row) const {
    if (is_quarter()) return back ? nodal_value(node(p), row) : whole(row)[place_of_odd(p, n)];
    const int k = wave == Wave::sine ? p + 1 : p;
    const bool is_odd = k % 2 != 0, is_rest = k % 4 == 0;
    const int q = is_odd ? k / 2 : k / 4;
    const T* const part = is_odd ? odd(row) : is_rest ? rest(row) : twice_odd(row);
    const T y = part[is_rest ? q : place_of_odd(q, is_odd ? n / 2 : n / 4)];
    return wave == Wave::sine && !is_rest && q % 2 != 0 ? -y : y;
  }

 private:
  HOST_DEVICE int bin_of(int list, int group) const {
    return !is_quarter() && list % 2 == 1 ? n / 4 - group : group;
  }
  /// Of quarter waves: unknowns counted from the natural end.
  HOST_DEVICE int node(int p) const { return wave == Wave::quarter ? p : n - 1 - p; }
  HOST_DEVICE int permuted(int p) const { return p < n / 2 ? 2 * p : 2 * (n - 1 - p) + 1; }

  /// Where the transform of length m leaves Y(q).
  static HOST_DEVICE int place_of_odd(int q, int m) { return q % 2 == 0 ? q / 2 : m - (q + 1) / 2; }

  /// H(i) of t(i) and t(m - i); e^{i pi i / (2m)} is turn[i step].
  HOST_DEVICE Complex<T> odd_bin(int i, int step, T here, T there) const {
    if (i == 0) return {here, T(0)};
    const Complex<T> w = turn[i * step];
    return {T(0.5) * (here * w.re + there * w.im), T(0.5) * (here * w.im - there * w.re)};
  }

  // A group's pairs need its orbit: the values at i, n/4 - i, n/4 + i, n/2 - i and, mirrored, at
  // n - i, and so on.  `even` is what has the sums of even frequency: x(i) -+ x(n - i).

  /// Between Dirichlet ends: p = 0 is node 1.
  template <class Values>
  HOST_DEVICE void sine_pairs(int i, const Values& x, Complex<T>* pairs) const {
    const int q = n / 4;
    const bool first = i == 0;
    const T at_i = first ? T(0) : x(i - 1), mirror_i = first ? T(0) : x(n - i - 1);
    const T below_q = x(q - i - 1), mirror_below_q = x(3 * q + i - 1);
    const T above_q = x(q + i - 1), mirror_above_q = x(3 * q - i - 1);
    const T below_m = x(2 * q - i - 1), mirror_below_m = x(2 * q + i - 1);
    pairs[0] = odd_bin(i, 2, first ? below_m : below_m + mirror_below_m, at_i + mirror_i);
    pairs[1] = odd_bin(q - i, 2, above_q + mirror_above_q, below_q + mirror_below_q);
    const T even_i = at_i - mirror_i, even_below_m = below_m - mirror_below_m;
    const T even_below_q = below_q - mirror_below_q, even_above_q = above_q - mirror_above_q;
    pairs[2] = {T(0), first ? T(0) : T(-0.5) * (even_i - even_below_m)};
    pairs[3] = {T(0), first ? T(0) : T(-0.5) * (even_below_q - even_above_q)};
    pairs[4] =
        odd_bin(i, 4, first ? even_below_q : even_below_q + even_above_q, even_i + even_below_m);
  }
  template <class Values>
  HOST_DEVICE void cosine_pairs(int i, const Values& x, Complex<T>* pairs) const {
    const int q = n / 4;
    const bool first = i == 0;
    const T at_i = x(i), mirror_i = x(n - i);
    const T below_q = x(q - i), mirror_below_q = x(3 * q + i);
    const T above_q = x(q + i), mirror_above_q = x(3 * q - i);
    const T below_m = x(2 * q - i), mirror_below_m = x(2 * q + i);
    pairs[0] = odd_bin(i, 2, at_i - mirror_i, below_m - mirror_below_m);
    pairs[1] = odd_bin(q - i, 2, below_q - mirror_below_q, above_q - mirror_above_q);
    const T even_i = at_i + mirror_i, even_below_m = first ? below_m : below_m + mirror_below_m;
    const T even_below_q = below_q + mirror_below_q, even_above_q = above_q + mirror_above_q;
    const T sum = even_i + even_below_m;
    pairs[2] = {first ? sum : T(0.5) * sum, T(0)};
    pairs[3] = {first ? even_below_q : T(0.5) * (even_below_q + even_above_q), T(0)};
    pairs[4] = odd_bin(i, 4, even_i - even_below_m, even_below_q - even_above_q);
  }

  HOST_DEVICE T nodal_value(int i, int row) const {
    const Complex<T>* const bins = reinterpret_cast<const Complex<T>*>(whole(row));
    if (i <= n / 2) return turn[i].re * bins[i].re + turn[i].im * bins[i].im;
    const int mirror = n - i;
    return turn[mirror].im * bins[mirror].re - turn[mirror].re * bins[mirror].im;
  }
};

/// e^{i pi k / (2n)}, 0 <= k <= n/2, each number rounded once to T.
template <class T>
std::vector<Complex<T>> wave_turns(int n) {
  std::vector<Complex<T>> turns;
  for (int k = 0; k <= n / 2; ++k) {
    const double angle = std::numbers::pi * k / (2.0 * n);
    turns.push_back({static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))});
  }
  turns.back().im = turns.back().re;  // pi / 4: the bin there is real, and exactly so
  return turns;
}

}  // namespace ninefold
