#pragma once
// The eigenvectors of one direction on a backend, as matrix or as waves.
//
// Shape.  A matrix has a row for each unknown and a column for each eigenvector.  `among_nodes` it
// has one for each of the first nodes of the line, zeros where that is no unknown, and its columns
// are filled up by columns of zeros to whole accesses of memory; its transpose is held beside it.
//
// Memory.  Waves take a few lines (and what own_values() says).  All others take n x n values of T,
// among nodes twice as many, and, while they are made, a matrix of doubles on the host and what
// gpu/direct/eigenvectors.hpp says.
//
// Tests.  tests/solvers/direct, tests/gpu/device/direct_test.cpp

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "precision/number.hpp"

#include "fem/discrete/line_spectrum.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/direct/dense_product.hpp"
#include "gpu/direct/eigenvectors.hpp"
#include "gpu/direct/wave_lines.hpp"

namespace ninefold {

template <Backend B, Number T>
class LineVectors {
 public:
  /// The eigenvalues are held times `factor`, plus `shift`.  Waves take at least `fewest_waves`
  /// cells, and fewest_line_cells.  A matrix is made among as many of the first nodes as are named,
  /// all unknowns being among them, or of the unknowns alone.
  LineVectors(const B& on, const Line& line, const HeldEnds& held, double factor, double shift,
              int fewest_waves = fewest_line_cells, int among_nodes = 0)
      : on_(on),
        wave_(wave_of(line, held)),
        fewest_waves_(std::max(fewest_waves, fewest_line_cells)),
        cells_(line.cells()),
        unknowns_(count_unknowns(line, held)),
        among_nodes_(among_nodes),
        first_row_(among_nodes > 0 && held.first ? 1 : 0),
        sums_(on, static_cast<std::size_t>(unknowns_)),
        weights_(on, static_cast<std::size_t>(unknowns_)) {
    LineSpectrum spectrum;
    if (by_waves()) {
      spectrum = wave_spectrum(line, wave_);
      turns_ = Array<B, Complex<T>>(on, wave_turns<T>(cells_));
      circle_ = Array<B, Complex<T>>(on, circle_turns<T>(circle_period(wave_, cells_)));
      if (on.has_device_memory()) {
        own_ = Array<B, T>(on, own_line_blocks * static_cast<std::size_t>(own_of_block()));
      }
    } else {
      spectrum = make_vectors(line, held);
    }
    for (double& value : spectrum.value) value = factor * value + shift;
    fill(sums_, spectrum.value);
    fill(weights_, spectrum.weight);
  }

  int unknowns() const { return unknowns_; }
  /// Whether there is no matrix, but transforms.
  bool by_waves() const { return is_by_waves(wave_, cells_, fewest_waves_); }
  static bool is_by_waves(const Line& line, const HeldEnds& held, int fewest_waves) {
    return is_by_waves(wave_of(line, held), line.cells(),
                       std::max(fewest_waves, fewest_line_cells));
  }
  LineWaves<T> waves() const {
    return {wave_,
            cells_,
            turns_.data(),
            {circle_.data(), bits_of(circle_period(wave_, cells_))},
            {own_.data(), own_of_block()}};
  }
  Dense<const T> matrix(Turned turned) const {
    return {vectors_.data(), static_cast<std::ptrdiff_t>(pitch()), turned};
  }
  /// The transpose of a matrix among nodes, as it lies.
  Dense<const T> transpose() const { return {transpose_.data(), plane_pitch(unknowns_)}; }
  const T* sums() const { return sums_.data(); }
  const T* weights() const { return weights_.data(); }

 private:
  /// Where a matrix is made before it is rounded: on a host that solves its own memory, otherwise
  /// memory that is no backend's.
  Host maker() const {
    if constexpr (std::is_same_v<B, Host>) {
      return on_.has_device_memory() ? Host(CountedMemory::host, 0) : on_;
    } else {
      return Host(std::size_t{0});
    }
  }

  LineSpectrum make_vectors(const Line& line, const HeldEnds& held) {
    const std::size_t n = static_cast<std::size_t>(unknowns_);
    LineSpectrum spectrum{std::vector<double>(n), std::vector<double>(n, 1.0)};
    const Host host = maker();
    const Array<Host, double> matrix(host, n * n);
    if (wave_ == Wave::computed) {
      if (!host.only_counts()) standard_matrix(line, held, matrix.data());
      diagonalise(on_, unknowns_, matrix.data());
      if (!host.only_counts()) spectrum.value = line_eigenvectors(line, held, matrix.data());
    } else if (!host.only_counts()) {
      spectrum.value = wave_spectrum(line, wave_).value;
      wave_vectors(line, wave_, matrix.data());
    }
    vectors_ = Array<B, T>(on_, pitch() * static_cast<std::size_t>(plane_pitch(unknowns_)));
    if (among_nodes_ > 0) {
      transpose_ = Array<B, T>(on_, static_cast<std::size_t>(plane_pitch(unknowns_))
                                        * static_cast<std::size_t>(among_nodes_));
    }
    if (!host.only_counts()) {
      fill_columns(matrix.data());
      if (among_nodes_ > 0) fill_transpose(matrix.data());
    }
    return spectrum;
  }

  void fill_columns(const double* matrix) {
    const std::size_t n = static_cast<std::size_t>(unknowns_);
    std::vector<T> column(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::transform(matrix + k * n, matrix + (k + 1) * n, column.begin(),
                     [](double value) { return static_cast<T>(value); });
      on_.copy_in(vectors_.data() + k * pitch() + first_row_, column.data(), n * sizeof(T));
    }
  }
  /// By some columns at a time, which then lie in a cache.
  void fill_transpose(const double* matrix) {
    constexpr std::size_t most = 32;
    const std::size_t n = static_cast<std::size_t>(unknowns_);
    const auto stride = static_cast<std::size_t>(plane_pitch(unknowns_));
    std::vector<T> columns(most * stride);
    for (std::size_t i = 0; i < n; i += most) {
      const std::size_t count = std::min(most, n - i);
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t c = 0; c < count; ++c) {
          columns[c * stride + k] = static_cast<T>(matrix[k * n + i + c]);
        }
      }
      on_.copy_in(transpose_.data() + (static_cast<std::size_t>(first_row_) + i) * stride,
                  columns.data(), count * stride * sizeof(T));
    }
  }
  void fill(const Array<B, T>& to, const std::vector<double>& values) const {
    const std::vector<T> rounded(values.begin(), values.end());
    on_.copy_in(to.data(), rounded.data(), rounded.size() * sizeof(T));
  }

  static bool is_by_waves(Wave wave, int cells, int fewest_waves) {
    return wave != Wave::computed && cells >= fewest_waves
           && std::has_single_bit(static_cast<unsigned>(cells));
  }
  std::size_t pitch() const {
    return static_cast<std::size_t>(plane_pitch(among_nodes_ > 0 ? among_nodes_ : unknowns_));
  }
  std::ptrdiff_t own_of_block() const { return own_values<T>(wave_, cells_); }

  B on_;
  Wave wave_;
  int fewest_waves_, cells_, unknowns_;
  int among_nodes_, first_row_;  ///< nodes that have a row of the matrix, and the first unknown's
  Array<B, T> sums_, weights_, vectors_, transpose_, own_;
  Array<B, Complex<T>> turns_, circle_;
};

}  // namespace ninefold
