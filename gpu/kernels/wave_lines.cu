#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "gpu/direct/wave_lines.hpp"
#include "gpu/kernels/wave_lines.cuh"

namespace ninefold {

namespace {

/// A line to a block.
template <auto kernel, class T>
void run_in_shared_memory(const Cuda& on, int threads, const kernels::LinePass<T>& pass,
                          std::size_t bytes) {
  on.allow_shared_memory(reinterpret_cast<const void*>(kernel));
  kernels::launch<kernel>(on, pass.from.count, threads, bytes, pass);
}
template <int threads, int blocks, class T>
void run_one_way(const Cuda& on, const kernels::LinePass<T>& pass, std::size_t bytes) {
  run_in_shared_memory<kernels::lines_in_shared_memory_kernel<threads, blocks, T>>(on, threads,
                                                                                   pass, bytes);
}
template <int threads, int blocks, class T>
void run_both_ways(const Cuda& on, const kernels::LinePass<T>& pass, std::size_t bytes) {
  run_in_shared_memory<kernels::divided_lines_kernel<threads, blocks, T>>(on, threads, pass, bytes);
}

/// Sets of the longest transform: each needs a thread.
template <class T>
int sets_of(const kernels::LinePass<T>& pass) {
  return pass.waves.template rows<T, BankPlaces>(pass.back, 1, nullptr).batch(0).length / 2
         / fourier_set;
}
template <class T>
std::size_t bytes_of(const kernels::LinePass<T>& pass) {
  const int values = pass.waves.template rows<T, BankPlaces>(pass.back, 1, nullptr).values();
  return static_cast<std::size_t>(values) * sizeof(T);
}

template <class T>
void run(const Cuda& on, const kernels::LinePass<T>& pass) {
  const std::size_t bytes = bytes_of(pass);
  const auto shared = static_cast<std::size_t>(on.shared_memory());
  // The best of all threads and least blocks on an H200, levels 9 to 14: small grids want no
  // register in memory, large ones as many blocks on a multiprocessor as there can be.
  const int sets = sets_of(pass);
  constexpr bool is_short = sizeof(T) == 4;
  if (!fits_shared_memory<T>(pass.waves.wave, pass.waves.cells, shared)) {
    if (pass.waves.own.data == nullptr) {
      throw std::logic_error("a line that fits nowhere: its waves have no memory of their own");
    }
    kernels::launch<kernels::lines_in_own_memory_kernel<T>>(
        on, std::min(own_line_blocks, pass.from.count), kernels::own_line_threads, 0, pass);
  } else if (sets <= 16) {
    run_one_way<128, 4>(on, pass, bytes);
  } else if (sets <= (is_short ? 128 : 32)) {
    run_one_way<128, 8>(on, pass, bytes);
  } else if (sets <= 64) {
    run_one_way<128, 6>(on, pass, bytes);
  } else if (sets <= (is_short ? 256 : 128)) {
    run_one_way<256, 4>(on, pass, bytes);
  } else if (sets <= 256) {
    run_one_way<512, 2>(on, pass, bytes);
  } else {
    run_one_way<512, is_short ? 2 : 1>(on, pass, bytes);
  }
}

/// There, divided and back, lines of at most longest_divided_line.
template <class T>
void run_divided(const Cuda& on, const kernels::LinePass<T>& pass) {
  if (pass.waves.cells > longest_divided_line<T>) {
    throw std::logic_error("a line that is too long for one kernel that divides");
  }
  const std::size_t between = static_cast<std::size_t>(pass.unknowns()) * sizeof(T);
  const std::size_t bytes = bytes_of(pass) + between;
  if (sizeof(T) > 4 || sets_of(pass) <= 16) {
    run_both_ways<128, 4>(on, pass, bytes);
  } else {
    run_both_ways<128, 8>(on, pass, bytes);
  }
}

/// `columns` values of each line become lines.
template <class T>
void turn_over(const Cuda& on, const PlaneLines<const T>& from, int columns,
               const PlaneLines<T>& to) {
  const auto tiles = [](int count) {
    return static_cast<unsigned>((count + kernels::turned_tile - 1) / kernels::turned_tile);
  };
  kernels::launch<kernels::turn_over_kernel<T>>(on, dim3(tiles(columns), tiles(from.count)),
                                                kernels::turned_tile * kernels::turned_rows, 0,
                                                from, columns, to);
}

}  // namespace

template <class B, class T>
void sum_waves(const B& on, const LineWaves<T>& waves, bool back, const PlaneLines<const T>& from,
               const PlaneLines<T>& to) {
  run(on, kernels::LinePass<T>{waves, back, from, to, {}});
}

template <class B, class T>
void divide_among_waves(const B& on, const LineWaves<T>& waves, const SpectralSums<T>& sums,
                        const PlaneLines<T>& columns, T* other, DivisionWay way) {
  if (way == DivisionWay::in_place) {
    return run_divided(on, kernels::LinePass<T>{waves, false, as_read(columns), columns, sums});
  }
  const int unknowns = unknowns_of(waves.wave, waves.cells);
  const PlaneLines<T> rows{columns.data, columns.stride, 1, unknowns};
  const PlaneLines<T> turned{other, plane_pitch(unknowns), 1, columns.count};
  turn_over(on, as_read(rows), columns.count, turned);
  const kernels::LinePass<T> there{waves, false, as_read(turned), turned, sums};
  if (way == DivisionWay::turned) {
    run_divided(on, there);
  } else {
    run(on, there);
    run(on, kernels::LinePass<T>{waves, true, as_read(turned), turned, {}});
  }
  turn_over(on, as_read(turned), unknowns, rows);
}

#define NINEFOLD_WAVE_LINES(T)                                                                \
  template void sum_waves(const Cuda&, const LineWaves<T>&, bool, const PlaneLines<const T>&, \
                          const PlaneLines<T>&);                                              \
  template void divide_among_waves(const Cuda&, const LineWaves<T>&, const SpectralSums<T>&,  \
                                   const PlaneLines<T>&, T*, DivisionWay)
NINEFOLD_WAVE_LINES(float);
NINEFOLD_WAVE_LINES(double);
#undef NINEFOLD_WAVE_LINES

}  // namespace ninefold
