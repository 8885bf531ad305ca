#pragma once
// Sums with waves along the lines of a plane, each line in fast memory from end to end.
//
// A line is read once, folded, transformed and written once.
//
// Rounding.  The order of gpu/direct/wave_rows.hpp and fourier.hpp for any number of threads, on
// host and device alike.
//
// Memory.  On a device a block has some lines in its shared memory; a line that does not fit there
// lies in OwnMemory.  On the host every thread has buffers for the lines that go side by side, as
// long as it runs.
//
// Tests.  tests/gpu/direct/wave_lines_test.cpp, tests/gpu/device/direct_test.cpp

#include <cstddef>
#include <cstdint>

#include "gpu/backend/backend.hpp"
#include "gpu/direct/fourier.hpp"
#include "gpu/direct/spectral_sums.hpp"
#include "gpu/direct/wave_rows.hpp"

namespace ninefold {

/// Memory of a device for blocks whose lines fit nowhere else.
template <class T>
struct OwnMemory {
  T* data;
  std::ptrdiff_t values_of_block;
};

/// What lines of `cells` equal cells, at least fewest_line_cells, are summed with.
template <class T>
struct LineWaves {
  Wave wave;
  int cells;
  const Complex<T>* turn;  ///< wave_turns(cells)
  Circle<T> circle;        ///< of circle_turns(circle_period())
  OwnMemory<T> own;        ///< own_values() for each of own_line_blocks, or none

  template <class V, class Places>
  HOST_DEVICE WaveRows<V, Places> rows(bool back, int count, V* work) const {
    return {wave, back, cells, count, work, turn};
  }
};

/// The shortest transform of a line has a set.  Lines of fewer cells have dense products.
inline constexpr int fewest_line_cells = 64;

HOST_DEVICE inline int unknowns_of(Wave wave, int cells) {
  return wave == Wave::sine ? cells - 1 : wave == Wave::cosine ? cells + 1 : cells;
}

/// The longest transform of a line, in real values.
inline int circle_period(Wave wave, int cells) {
  return wave == Wave::quarter || wave == Wave::reversed_quarter ? cells : cells / 2;
}

/// Blocks that have memory of their own: those of a device, about.
inline constexpr int own_line_blocks = 128;

/// Whether a block with so many bytes of shared memory has room for a line there, and a thread for
/// each set of its longest transform.
template <class T>
bool fits_shared_memory(Wave wave, int cells, std::size_t bytes) {
  constexpr int most_sets = 512;
  const WaveRows<T, BankPlaces> rows{wave, false, cells, 1, nullptr, nullptr};
  return static_cast<std::size_t>(rows.values()) * sizeof(T) <= bytes
         && rows.batch(0).length / 2 / fourier_set <= most_sets;
}

/// What all devices have that builds are for, those of 7.5.
inline constexpr std::size_t least_shared_memory = 64 * 1024;

/// The values of each: of the transforms of a line, and what they go by way of.  0 for lines that
/// fit on all devices.
template <class T>
std::ptrdiff_t own_values(Wave wave, int cells) {
  if (fits_shared_memory<T>(wave, cells, least_shared_memory)) return 0;
  const WaveRows<T, BankPlaces> rows{wave, false, cells, 1, nullptr, nullptr};
  return rows.values() + BankPlaces::padded(circle_period(wave, cells));
}

/// Lines in memory: value p of line k at data[k line_stride + p stride].
template <class T>
struct PlaneLines {
  T* data;
  std::ptrdiff_t line_stride, stride;
  int count;
};
template <class T>
PlaneLines<const T> as_read(const PlaneLines<T>& lines) {
  return {lines.data, lines.line_stride, lines.stride, lines.count};
}

/// From one row of a plane to the next: rows of so many values begin at whole accesses of memory.
inline int plane_pitch(int values) {
  return (values + 31) / 32 * 32;
}

/// Each line of `to` is the sums of that of `from`, there or back; they may be the same.  On a
/// device the stride of both is 1.
template <class B, class T>
void sum_waves(const B& on, const LineWaves<T>& waves, bool back, const PlaneLines<const T>& from,
               const PlaneLines<T>& to);

/// How a device divides columns of a plane among their waves.
enum class DivisionWay {
  in_place,  ///< one kernel, columns as they lie: fast as long as the plane stays in the cache
  turned,    ///< columns are turned over, one kernel goes along them, they are turned back
  in_two     ///< the same with a kernel for each way: less shared memory for each block
};

/// The longest lines, in cells, that one kernel divides: beyond them registers and shared memory
/// for both ways take more blocks from a multiprocessor than a kernel less is worth (H200).
template <class T>
inline constexpr int longest_divided_line = sizeof(T) == 4 ? 2048 : 512;
/// The largest plane, in values, whose columns are fast as they lie.
inline constexpr int most_values_in_place = 300000;

/// The fastest, for so many columns of lines of `cells`.
template <class T>
DivisionWay division_way(int cells, int columns) {
  if (cells > longest_divided_line<T>) return DivisionWay::in_two;
  return std::int64_t{cells} * columns <= most_values_in_place ? DivisionWay::in_place
                                                               : DivisionWay::turned;
}

/// Values that it moves for each unknown.
constexpr int division_traffic(DivisionWay way) {
  return way == DivisionWay::in_place ? 2 : way == DivisionWay::turned ? 6 : 8;
}

/// Columns of a plane, lines of line_stride 1, of which line k belongs to wave k of the other
/// direction: there, divided (gpu/operations/tensor_inverse.hpp), and back.  A device goes the
/// given way; it needs `other`, with plane_pitch(unknowns) values for each column, unless that is
/// in_place.
template <class B, class T>
void divide_among_waves(const B& on, const LineWaves<T>& waves, const SpectralSums<T>& sums,
                        const PlaneLines<T>& columns, T* other, DivisionWay way);

}  // namespace ninefold
