// On the host: lines go side by side, as many as two vector instructions hold.
#include "gpu/direct/wave_lines.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <omp.h>

#include "gpu/operations/tensor_inverse.hpp"

namespace ninefold {

namespace {

template <class T>
inline constexpr int lanes = 64 / sizeof(T);

/// The buffers of a thread, and what it does with the lines in them.
template <class T>
class LineWorker {
 public:
  using V = Lanes<T, lanes<T>>;
  using Rows = WaveRows<V, PlainPlaces>;

  explicit LineWorker(const LineWaves<T>& waves) : waves_(waves), here_(size()), there_(size()) {}

  /// Reads values x(p) of all lanes, and sums.
  template <class Values>
  void sum(bool back, const Values& x) {
    const Rows rows = in(here_, back);
    Complex<V> pairs[Rows::most_lists];
    for (int group = 0; group < rows.groups(); ++group) {
      rows.make_pairs(group, x, pairs);
      for (int list = 0; list < rows.lists(); ++list) *rows.place(list, group, 0) = pairs[list];
    }
    transform_by_way_of<OneWorker>(there_.data(), rows, waves_.circle);
    back_ = back;
  }
  V value(int p) { return in(here_, back_).value(p, 0); }
  /// What is summed next may be made of the values.
  void keep_values() {
    std::swap(here_, kept_);
    here_.resize(size());
  }
  V kept_value(int p) { return in(kept_, back_).value(p, 0); }

 private:
  std::size_t size() const {
    return static_cast<std::size_t>(
               waves_.template rows<V, PlainPlaces>(false, 1, nullptr).values())
           / 2;
  }
  Rows in(std::vector<Complex<V>>& buffer, bool back) {
    return waves_.template rows<V, PlainPlaces>(back, 1, &buffer.data()->re);
  }

  LineWaves<T> waves_;
  std::vector<Complex<V>> here_, there_, kept_;
  bool back_ = false;
};

/// `work(worker, first, count)` for the lines in turns of lanes<T>.
template <class T, class Work>
void for_lanes(const LineWaves<T>& waves, int count, const Work& work) {
  const int turns = (count + lanes<T> - 1) / lanes<T>;
#pragma omp parallel num_threads(std::min(turns, omp_get_max_threads()))
  {
    LineWorker<T> worker(waves);
#pragma omp for schedule(static)
    for (int turn = 0; turn < turns; ++turn) {
      const int first = turn * lanes<T>;
      work(worker, first, std::min(lanes<T>, count - first));
    }
  }
}

/// Value p of some lines, lanes beyond the last one like it.
template <class T>
Lanes<T, lanes<T>> values_of(const PlaneLines<const T>& lines, int first, int count, int p) {
  Lanes<T, lanes<T>> values;
  const T* const data = lines.data + first * lines.line_stride + p * lines.stride;
  for (int k = 0; k < lanes<T>; ++k) {
    values.lane[k] = data[std::min(k, count - 1) * lines.line_stride];
  }
  return values;
}
template <class T>
void set_values(const PlaneLines<T>& lines, int first, int count, int p,
                const Lanes<T, lanes<T>>& values) {
  T* const data = lines.data + first * lines.line_stride + p * lines.stride;
  for (int k = 0; k < count; ++k) data[k * lines.line_stride] = values.lane[k];
}

}  // namespace

template <class B, class T>
void sum_waves(const B& on, const LineWaves<T>& waves, bool back, const PlaneLines<const T>& from,
               const PlaneLines<T>& to) {
  if (on.only_counts()) return;
  const int unknowns = unknowns_of(waves.wave, waves.cells);
  for_lanes(waves, from.count, [&](LineWorker<T>& worker, int first, int count) {
    worker.sum(back, [&](int p) { return values_of(from, first, count, p); });
    for (int p = 0; p < unknowns; ++p) set_values(to, first, count, p, worker.value(p));
  });
}

template <class B, class T>
void divide_among_waves(const B& on, const LineWaves<T>& waves, const SpectralSums<T>& sums,
                        const PlaneLines<T>& lines, T*, DivisionWay) {
  if (on.only_counts()) return;
  const int unknowns = unknowns_of(waves.wave, waves.cells);
  const PlaneLines<const T> from = as_read(lines);
  for_lanes(waves, lines.count, [&](LineWorker<T>& worker, int first, int count) {
    worker.sum(false, [&](int p) { return values_of(from, first, count, p); });
    worker.keep_values();
    worker.sum(true, [&](int p) {
      Lanes<T, lanes<T>> values = worker.kept_value(p);
      for (int k = 0; k < lanes<T>; ++k) {
        values.lane[k] = divided(sums, first + std::min(k, count - 1), p, values.lane[k]);
      }
      return values;
    });
    for (int p = 0; p < unknowns; ++p) set_values(lines, first, count, p, worker.value(p));
  });
}

#define NINEFOLD_WAVE_LINES(T)                                                                \
  template void sum_waves(const Host&, const LineWaves<T>&, bool, const PlaneLines<const T>&, \
                          const PlaneLines<T>&);                                              \
  template void divide_among_waves(const Host&, const LineWaves<T>&, const SpectralSums<T>&,  \
                                   const PlaneLines<T>&, T*, DivisionWay)
NINEFOLD_WAVE_LINES(float);
NINEFOLD_WAVE_LINES(double);
#undef NINEFOLD_WAVE_LINES

}  // namespace ninefold
