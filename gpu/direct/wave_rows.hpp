#pragma once
// Sums with waves by real Fourier transforms of half length: what a line is before them and after.
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
// Shape.  Rows of `work`, one for each line: each holds its parts, with room for one bin more than
// half their length.  Those of length n/2, two for each row, come first, then those of length n/4.
// The parts of all rows are one batch of a transform.
//
// The values V are numbers, or as many lines side by side (precision/lanes.hpp).
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
#include "precision/lanes.hpp"

#include "fem/discrete/line_spectrum.hpp"

namespace ninefold {

/// As the libraries have it.
template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

/// Where a part has its pairs of values, and how many values it takes: one after the other, parts
/// from multiples of 16 on.
struct PlainPlaces {
  static HOST_DEVICE int padded(int length) { return (length + 2 + 15) / 16 * 16; }
  static HOST_DEVICE int pair(int k) { return k; }
};

/// In memory of eight banks of a pair each: those that a step of a transform writes at once, of
/// consecutive k or of every eighth, are in different ones, and so are those of neighbouring rows.
struct BankPlaces {
  static HOST_DEVICE int padded(int length) { return length + 18; }
  static HOST_DEVICE int pair(int k) { return k ^ ((k >> 3) & 7); }
};

/// One batch of transforms of the same length, one after the other.
struct WaveBatch {
  int length;  ///< of real values
  int start;   ///< of the first, in values
  int stride;
  int count;
};

/// The sums with waves of all rows, in one of the two ways: from nodal values to those of waves
/// (forth), or back.  Sines and cosines have the same sums both ways.
template <class V, class Places = PlainPlaces>
struct WaveRows {
  using T = NumberOf<V>;
  Wave wave;
  bool back;
  int n, rows;
  V* work;
  const Complex<T>* turn;  ///< e^{i pi k / (2n)}, 0 <= k <= n/2

  static HOST_DEVICE int padded(int length) { return Places::padded(length); }
  HOST_DEVICE bool is_quarter() const {
    return wave == Wave::quarter || wave == Wave::reversed_quarter;
  }
  HOST_DEVICE int half_stride() const { return padded(n / 2); }
  HOST_DEVICE int quarter_stride() const { return padded(n / 4); }

  /// The parts of a row.
  HOST_DEVICE V* whole(int row) const { return work + row * padded(n); }
  HOST_DEVICE V* odd(int row) const { return work + 2 * row * half_stride(); }
  HOST_DEVICE V* rest(int row) const { return odd(row) + half_stride(); }
  HOST_DEVICE V* twice_odd(int row) const {
    return work + 2 * rows * half_stride() + row * quarter_stride();
  }

  HOST_DEVICE int values() const {
    return rows * (is_quarter() ? padded(n) : 2 * half_stride() + quarter_stride());
  }
  HOST_DEVICE int batches() const { return is_quarter() ? 1 : 2; }
  HOST_DEVICE WaveBatch batch(int k) const {
    if (is_quarter()) return {n, 0, padded(n), rows};
    if (k == 0) return {n / 2, 0, half_stride(), 2 * rows};
    return {n / 4, 2 * rows * half_stride(), quarter_stride(), rows};
  }
  /// Real values become bins, instead of bins real values.
  HOST_DEVICE bool is_real_to_complex() const { return is_quarter() && back; }

  // Before the transforms a row is written in pairs of values, bins but for the quarter waves' way
  // back: for each group, one for each list.
  static constexpr int most_lists = 5;
  HOST_DEVICE int lists() const { return is_quarter() ? 1 : most_lists; }
  HOST_DEVICE int groups() const { return !is_quarter() ? n / 8 + 1 : back ? n / 2 : n / 2 + 1; }
  /// Where a list has its pair of a group.
  HOST_DEVICE Complex<V>* place(int list, int group, int row) const {
    V* const part = is_quarter() ? whole(row)
                    : list < 2   ? odd(row)
                    : list < 4   ? rest(row)
                                 : twice_odd(row);
    return reinterpret_cast<Complex<V>*>(part) + Places::pair(bin_of(list, group));
  }
  /// Those pairs, lists() of them, of the row whose values are x(p), p counted from 0.  Each value
  /// is asked for once, but in the first and the last group.
  template <class Values>
  HOST_DEVICE void make_pairs(int group, const Values& x, Complex<V>* pairs) const {
    if (wave == Wave::sine) {
      sine_pairs(group, x, pairs);
    } else if (wave == Wave::cosine) {
      cosine_pairs(group, x, pairs);
    } else if (back) {
      pairs[0] = {x(permuted(2 * group)), x(permuted(2 * group + 1))};
    } else {
      const V here = x(node(group));
      pairs[0] = odd_bin(group, 1, here, group == 0 ? V(0) : x(node(n - group)));
    }
  }

  /// The sum p of a row, counted from 0, after the transforms.
  HOST_DEVICE V value(int p, int row) const {
    if (is_quarter() && back) return nodal_value(node(p), row);
    return place_of_sum(p, row).value();
  }
  /// f(p, sum p of a row) for p = first, first + step, ... before `end`; step is a multiple of 8.
  template <class F>
  HOST_DEVICE void for_sums(int row, int first, int step, int end, const F& f) const {
    if (is_quarter() && back) {
      for (int p = first; p < end; p += step) f(p, nodal_value(node(p), row));
      return;
    }
    SumPlace place = place_of_sum(first, row);
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
    for (int p = first; p < end; p += step) {
      f(p, place.value());
      place.at += place.eighths * (step / 8);
    }
  }

 private:
  HOST_DEVICE int bin_of(int list, int group) const {
    return !is_quarter() && list % 2 == 1 ? n / 4 - group : group;
  }
  /// Of quarter waves: unknowns counted from the natural end.
  HOST_DEVICE int node(int p) const {
    return wave == Wave::quarter ? p : n - 1 - p;
  }
  HOST_DEVICE int permuted(int p) const {
    return p < n / 2 ? 2 * p : 2 * (n - 1 - p) + 1;
  }

  /// Where a sum lies.  One eight further is in the same part, `eighths` places on, and has the
  /// same sign.
  struct SumPlace {
    const V* part;
    int at, eighths;
    bool is_negative;
    HOST_DEVICE V value() const {
      const V y = part[2 * Places::pair(at >> 1) + (at & 1)];
      return is_negative ? -y : y;
    }
  };
  HOST_DEVICE SumPlace place_of_sum(int p, int row) const {
    if (is_quarter()) return of_odd(whole(row), p, n, 4, false);
    const int k = wave == Wave::sine ? p + 1 : p;
    if ((k & 3) == 0) return {rest(row), k >> 2, 2, false};
    const bool is_odd = (k & 1) != 0;
    const int q = is_odd ? k >> 1 : k >> 2;
    return of_odd(is_odd ? odd(row) : twice_odd(row), q, is_odd ? n / 2 : n / 4, is_odd ? 2 : 1,
                  wave == Wave::sine && (q & 1) != 0);
  }
  /// Y(q), where the transform of length m leaves it.
  static HOST_DEVICE SumPlace of_odd(const V* part, int q, int m, int eighths, bool is_negative) {
    const bool is_even = (q & 1) == 0;
    return {part, is_even ? q >> 1 : m - ((q + 1) >> 1), is_even ? eighths : -eighths, is_negative};
  }

  /// H(i) of t(i) and t(m - i); e^{i pi i / (2m)} is turn[i step].
  HOST_DEVICE Complex<V> odd_bin(int i, int step, const V& here, const V& there) const {
    if (i == 0) return {here, V(0)};
    const Complex<T> w = turn[i * step];
    return {T(0.5) * (w.re * here + w.im * there), T(0.5) * (w.im * here - w.re * there)};
  }

  // A group's pairs need its orbit: the values at i, n/4 - i, n/4 + i, n/2 - i and, mirrored, at
  // n - i, and so on.  `even` is what has the sums of even frequency: x(i) -+ x(n - i).

  /// Between Dirichlet ends: p = 0 is node 1.
  template <class Values>
  HOST_DEVICE void sine_pairs(int i, const Values& x, Complex<V>* pairs) const {
    const int q = n / 4;
    const bool first = i == 0;
    const V at_i = first ? V(0) : x(i - 1), mirror_i = first ? V(0) : x(n - i - 1);
    const V below_q = x(q - i - 1), mirror_below_q = x(3 * q + i - 1);
    const V above_q = x(q + i - 1), mirror_above_q = x(3 * q - i - 1);
    const V below_m = x(2 * q - i - 1), mirror_below_m = x(2 * q + i - 1);
    pairs[0] = odd_bin(i, 2, first ? below_m : below_m + mirror_below_m, at_i + mirror_i);
    pairs[1] = odd_bin(q - i, 2, above_q + mirror_above_q, below_q + mirror_below_q);
    const V even_i = at_i - mirror_i, even_below_m = below_m - mirror_below_m;
    const V even_below_q = below_q - mirror_below_q, even_above_q = above_q - mirror_above_q;
    pairs[2] = {V(0), first ? V(0) : T(-0.5) * (even_i - even_below_m)};
    pairs[3] = {V(0), first ? V(0) : T(-0.5) * (even_below_q - even_above_q)};
    pairs[4] =
        odd_bin(i, 4, first ? even_below_q : even_below_q + even_above_q, even_i + even_below_m);
  }
  template <class Values>
  HOST_DEVICE void cosine_pairs(int i, const Values& x, Complex<V>* pairs) const {
    const int q = n / 4;
    const bool first = i == 0;
    const V at_i = x(i), mirror_i = x(n - i);
    const V below_q = x(q - i), mirror_below_q = x(3 * q + i);
    const V above_q = x(q + i), mirror_above_q = x(3 * q - i);
    const V below_m = x(2 * q - i), mirror_below_m = x(2 * q + i);
    pairs[0] = odd_bin(i, 2, at_i - mirror_i, below_m - mirror_below_m);
    pairs[1] = odd_bin(q - i, 2, below_q - mirror_below_q, above_q - mirror_above_q);
    const V even_i = at_i + mirror_i, even_below_m = first ? below_m : below_m + mirror_below_m;
    const V even_below_q = below_q + mirror_below_q, even_above_q = above_q + mirror_above_q;
    const V sum = even_i + even_below_m;
    pairs[2] = {first ? sum : T(0.5) * sum, V(0)};
    pairs[3] = {first ? even_below_q : T(0.5) * (even_below_q + even_above_q), V(0)};
    pairs[4] = odd_bin(i, 4, even_i - even_below_m, even_below_q - even_above_q);
  }

  HOST_DEVICE V nodal_value(int i, int row) const {
    const Complex<V>* const bins = reinterpret_cast<const Complex<V>*>(whole(row));
    const int k = i <= n / 2 ? i : n - i;
    const Complex<T> w = turn[k];
    const Complex<V> bin = bins[Places::pair(k)];
    return i <= n / 2 ? w.re * bin.re + w.im * bin.im : w.im * bin.re - w.re * bin.im;
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
