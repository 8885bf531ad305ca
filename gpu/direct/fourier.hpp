#pragma once
// Fourier transforms of 2^k values in steps of eight values, which workers take one by one: the
// same operations on the same operands whoever takes them, hence the same bits on host and device.
//
// Mathematics.  z(j) = sum_k Z(k) e^{2 pi i j k / N} of N = 2^a complex values by Stockham's steps:
// one of radix r, after steps that have made sums of s values, takes for each b < N/r, with
// j = b mod s,
//
//     v(q) = x(b + q N/r) e^{2 pi i q j / (r s)},
//     y((b - j) r + j + q s) = sum_p v(p) e^{2 pi i q p / r}.
//
// Steps have radix 8, the first one, without factors, 2 or 4 where a is no multiple of 3.  All need
// the values at set + k N/8, k < 8, for one set < N/8: what a worker reads, computes and writes.
// Between reading and writing, workers on one memory wait for each other.
//
// Real ones of length m = 2N are complex ones of half the length: from bins H(0) to H(N) by
//
//     Z(k) = (H(k) + H*(N-k)) + i e^{2 pi i k / m} (H(k) - H*(N-k)),   z(j) = y(2j) + i y(2j+1),
//
// which the first step reads; and the way back, y to bins, of conjugates.
//
// Rounding.  In T: sums of n values of at most 1 are off by less than 4 n (3 + log2 n) u (tested).
// Of the seven factors of a step of radix 8 three are read, rounded once, the others are products
// of two of them.
//
// Reference.  Govindaraju et al., High performance discrete Fourier transforms on graphics
//             processors, SC 2008.
// Tests.      tests/gpu/direct/wave_lines_test.cpp

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/lanes.hpp"

#include "gpu/direct/wave_rows.hpp"
#include "gpu/launch/team.hpp"

namespace ninefold {

/// e^{2 pi i k / period}, 0 <= k < period = 2^bits, at least 8.
template <class T>
struct Circle {
  const Complex<T>* turns;
  int bits;

  /// e^{2 pi i k / 2^parts}
  HOST_DEVICE Complex<T> turn(int k, int parts) const { return turns[k << (bits - parts)]; }
};
/// Each number rounded once to T.
template <class T>
std::vector<Complex<T>> circle_turns(int period) {
  std::vector<Complex<T>> turns;
  for (int k = 0; k < period; ++k) {
    // Of an eighth of the circle, so that symmetric turns are the same numbers.
    const int octant = 8 * k / period, folded = k % (period / 4);
    const bool is_turned = octant % 2 == 1;
    const int first = is_turned ? period / 4 - folded : folded;
    const double angle = 2 * std::numbers::pi * first / period;
    double re = std::cos(angle), im = 8 * first == period ? re : std::sin(angle);
    if (is_turned) std::swap(re, im);
    for (int quarter = 0; quarter < octant / 2; ++quarter) {
      std::swap(re, im);
      re = -re;
    }
    turns.push_back({static_cast<T>(re), static_cast<T>(im)});
  }
  return turns;
}

/// k of 2^k.
HOST_DEVICE inline int bits_of(int power) {
#ifdef __CUDA_ARCH__
  return 31 - __clz(power);
#else
  return std::bit_width(static_cast<unsigned>(power)) - 1;
#endif
}

/// Workers take eight values each.
inline constexpr int fourier_set = 8;

namespace detail {

template <class V, class T>
HOST_DEVICE Complex<V> turned(const Complex<T>& w, const Complex<V>& a) {
  return {fused(-w.im, a.im, w.re * a.re), fused(w.im, a.re, w.re * a.im)};
}
template <class T>
HOST_DEVICE Complex<T> product(const Complex<T>& a, const Complex<T>& b) {
  return turned(a, b);
}

template <class V>
HOST_DEVICE void sum_waves(Complex<V> (&v)[2]) {
  const Complex<V> a = v[0], b = v[1];
  v[0] = {a.re + b.re, a.im + b.im};
  v[1] = {a.re - b.re, a.im - b.im};
}
template <class V>
HOST_DEVICE void sum_waves(Complex<V> (&v)[4]) {
  Complex<V> even[2] = {v[0], v[2]}, odd[2] = {v[1], v[3]};
  sum_waves(even);
  sum_waves(odd);
  v[0] = {even[0].re + odd[0].re, even[0].im + odd[0].im};
  v[1] = {even[1].re - odd[1].im, even[1].im + odd[1].re};
  v[2] = {even[0].re - odd[0].re, even[0].im - odd[0].im};
  v[3] = {even[1].re + odd[1].im, even[1].im - odd[1].re};
}
template <class V>
HOST_DEVICE void sum_waves(Complex<V> (&v)[8]) {
  using T = NumberOf<V>;
  const T root = T(0.70710678118654752440);
  Complex<V> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  sum_waves(even);
  sum_waves(odd);
  const Complex<V> turned[4] = {
      odd[0],
      {root * (odd[1].re - odd[1].im), root * (odd[1].re + odd[1].im)},
      {-odd[2].im, odd[2].re},
      {-(root * (odd[3].re + odd[3].im)), root * (odd[3].re - odd[3].im)}};
  for (int q = 0; q < 4; ++q) {
    v[q] = {even[q].re + turned[q].re, even[q].im + turned[q].im};
    v[q + 4] = {even[q].re - turned[q].re, even[q].im - turned[q].im};
  }
}

}  // namespace detail

/// One complex transform of N = 2^bits >= 8 values.
template <class T>
struct FourierSteps {
  int bits;
  Circle<T> circle;  ///< its period is a multiple of N

  HOST_DEVICE int sets() const { return 1 << (bits - 3); }
  /// After the first step there are sums of so many, as a power of 2; each further step has radix
  /// 8, and `bits` are the last.
  HOST_DEVICE int first_bits() const { return bits % 3 == 0 ? 3 : bits % 3; }

  /// Of a step that is not the first: e^{2 pi i q j / (8 s)} for q = 1, 2, 4.
  struct Factors {
    Complex<T> w1, w2, w4;
  };
  /// After sums of s = 2^done values.
  HOST_DEVICE Factors factors(int done, int set) const {
    const int j = set & ((1 << done) - 1);
    return {circle.turn(j, done + 3), circle.turn(2 * j, done + 3), circle.turn(4 * j, done + 3)};
  }

  /// The values v(k) at set + k sets() become sums, which go to write(place, value).
  template <class V, class Write>
  HOST_DEVICE void first_step(int set, const Complex<V> (&v)[fourier_set],
                              const Write& write) const {
    switch (first_bits()) {
      case 1:
        return plain_step<2>(set, v, write);
      case 2:
        return plain_step<4>(set, v, write);
      default:
        return plain_step<8>(set, v, write);
    }
  }
  /// The same after sums of 2^done values.
  template <class V, class Write>
  HOST_DEVICE void step(int done, int set, const Factors& w, Complex<V> (&v)[fourier_set],
                        const Write& write) const {
    using detail::product;
    using detail::turned;
    const Complex<T> w3 = product(w.w1, w.w2);
    v[1] = turned(w.w1, v[1]);
    v[2] = turned(w.w2, v[2]);
    v[3] = turned(w3, v[3]);
    v[4] = turned(w.w4, v[4]);
    v[5] = turned(product(w.w1, w.w4), v[5]);
    v[6] = turned(product(w.w2, w.w4), v[6]);
    v[7] = turned(product(w3, w.w4), v[7]);
    detail::sum_waves(v);
    const int s = 1 << done, j = set & (s - 1);
    for (int q = 0; q < 8; ++q) write((set - j) * 8 + j + q * s, v[q]);
  }

 private:
  template <int r, class V, class Write>
  HOST_DEVICE void plain_step(int set, const Complex<V> (&v)[fourier_set],
                              const Write& write) const {
    constexpr int groups = fourier_set / r;
    for (int u = 0; u < groups; ++u) {
      Complex<V> sums[r];
      for (int q = 0; q < r; ++q) sums[q] = v[u + q * groups];
      detail::sum_waves(sums);
      for (int q = 0; q < r; ++q) write((set + u * sets()) * r + q, sums[q]);
    }
  }
};

/// Z(k) of a real transform of length 2 N, N = 2^bits, whose bins are H; those that are real by
/// their meaning are not asked for their imaginary part.
template <class V, class T, class Bins>
HOST_DEVICE Complex<V> packed_bin(const Bins& H, int k, int bits, const Circle<T>& circle) {
  const Complex<V> here = H(k), there = H((1 << bits) - k);
  if (k == 0) return {here.re + there.re, here.re - there.re};
  const Complex<V> sum{here.re + there.re, here.im - there.im},
      difference{here.re - there.re, here.im + there.im};
  const Complex<V> turned = detail::turned(circle.turn(k, bits + 1), difference);
  return {sum.re - turned.im, sum.im + turned.re};
}

/// The bin k of real values whose z, conjugate, have been transformed to `here` at k and `there` at
/// N - k, counted modulo N.
template <class V, class T>
HOST_DEVICE Complex<V> real_bin(const Complex<V>& here, const Complex<V>& there, int k, int bits,
                                const Circle<T>& circle) {
  Complex<T> w = circle.turn(k, bits + 1);
  w.im = -w.im;
  const Complex<V> sum{here.re + there.re, there.im - here.im},
      difference{here.re - there.re, -(here.im + there.im)};
  const Complex<V> turned = detail::turned(w, difference);
  return {T(0.5) * (sum.re + turned.im), T(0.5) * (sum.im - turned.re)};
}

/// What the first step reads at place k, of bins, or of real values on their way back.
template <class V, class T, class Source>
HOST_DEVICE Complex<V> first_value(const Source& at, bool real_to_complex, int k, int bits,
                                   const Circle<T>& circle) {
  if (!real_to_complex) return packed_bin<V>(at, k, bits, circle);
  const Complex<V> pair = at(k);
  return {pair.re, -pair.im};
}

/// The transforms of all rows of `rows`, in place, by one team that goes to `other` and comes back:
/// memory for one bin more than half of the longest transform.
template <class Team, class V, class Places, class T>
HOST_DEVICE void transform_by_way_of(Complex<V>* other, const WaveRows<V, Places>& rows,
                                     const Circle<T>& circle) {
  const bool back = rows.is_real_to_complex();
  for (int which = 0; which < rows.batches(); ++which) {
    const WaveBatch batch = rows.batch(which);
    const int N = batch.length / 2;
    const FourierSteps<T> steps{bits_of(N), circle};
    for (int unit = 0; unit < batch.count; ++unit) {
      Complex<V>* const origin =
          reinterpret_cast<Complex<V>*>(rows.work + batch.start + unit * batch.stride);
      Complex<V>*from = origin, *to = other;
      const auto at = [&from](int k) -> const Complex<V>& { return from[Places::pair(k)]; };
      const auto write = [&to](int k, const Complex<V>& value) { to[Places::pair(k)] = value; };
      const auto turn_over = [&] {
        Team::wait();
        Complex<V>* const before = from;
        from = to;
        to = before;
      };
      for_workers<Team>(steps.sets(), [&](int set) {
        Complex<V> v[fourier_set];
        for (int k = 0; k < fourier_set; ++k) {
          v[k] = first_value<V>(at, back, set + k * steps.sets(), steps.bits, circle);
        }
        steps.first_step(set, v, write);
      });
      turn_over();
      for (int done = steps.first_bits(); done < steps.bits; done += 3) {
        for_workers<Team>(steps.sets(), [&](int set) {
          Complex<V> v[fourier_set];
          for (int k = 0; k < fourier_set; ++k) v[k] = at(set + k * steps.sets());
          steps.step(done, set, steps.factors(done, set), v, write);
        });
        turn_over();
      }
      if (back) {
        for_workers<Team>(N + 1, [&](int k) {
          write(k, real_bin<V>(at(k % N), at((N - k) % N), k, steps.bits, circle));
        });
        turn_over();
      }
      if (from != origin) {
        for_workers<Team>(N + 1, [&](int k) { write(k, at(k)); });
        Team::wait();
      }
    }
  }
}

}  // namespace ninefold
