#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "gpu/backend/device.cuh"
#include "gpu/backend/vector.hpp"

#include "experiments/measure/peers/naive_rows.hpp"

namespace ninefold {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void multiply_compressed(int n, const int* starts, const int* columns, const T* values,
                                    const T* x, T* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const int end = starts[i + 1];
  T sum = T(0);
  for (int k = starts[i]; k < end; ++k) sum += values[k] * x[columns[k]];
  y[i] = sum;
}

template <class T>
__global__ void multiply_jagged(int n, const int* rows, const int* lengths, const int* starts,
                                const int* columns, const T* values, const T* x, T* y) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= n) return;
  const int length = lengths[k];
  T sum = T(0);
  for (int d = 0; d < length; ++d) sum += values[starts[d] + k] * x[columns[starts[d] + k]];
  y[rows[k]] = sum;
}

/// What a format holds, on the host; the starts are those of rows or of diagonals.
template <class T>
struct Held {
  std::vector<int> rows{}, lengths{}, starts{}, columns{};
  std::vector<T> values{};
};

template <class T>
Held<T> compressed(const SparseMatrix& A) {
  Held<T> held;
  held.starts.assign(A.pattern.row_starts.begin(), A.pattern.row_starts.end());
  held.columns = A.pattern.columns;
  held.values.assign(A.values.begin(), A.values.end());
  return held;
}

/// Diagonals begin at multiples of `unit` entries.
template <class T>
Held<T> jagged(const SparseMatrix& A, int unit) {
  const SparsePattern& pattern = A.pattern;
  Held<T> held;
  held.rows.resize(static_cast<std::size_t>(pattern.n_rows));
  std::iota(held.rows.begin(), held.rows.end(), 0);
  std::stable_sort(held.rows.begin(), held.rows.end(),
                   [&](int a, int b) { return pattern.length(a) > pattern.length(b); });
  for (const int i : held.rows) held.lengths.push_back(pattern.length(i));
  std::size_t rows = held.rows.size();
  for (int d = 0; rows > 0; ++d) {
    while (rows > 0 && held.lengths[rows - 1] <= d) --rows;
    const std::size_t start = held.columns.size();
    if (start > std::numeric_limits<int>::max() - rows - unit) {
      throw std::runtime_error("2^31 entries and more: not tried");
    }
    held.starts.push_back(static_cast<int>(start));
    const std::size_t size = (rows + unit - 1) / unit * unit;
    held.columns.resize(start + size, 0);
    held.values.resize(start + size, T(0));
    for (std::size_t k = 0; k < rows; ++k) {
      const auto entry = static_cast<std::size_t>(pattern.start(held.rows[k]) + d);
      held.columns[start + k] = pattern.columns[entry];
      held.values[start + k] = static_cast<T>(A.values[entry]);
    }
  }
  return held;
}

template <class T>
Held<T> held_in(NaiveFormat format, const SparseMatrix& A) {
  if (format == NaiveFormat::compressed) return compressed<T>(A);
  return jagged<T>(A, format == NaiveFormat::jagged_16 ? 16 : 1);
}

}  // namespace

std::string_view to_string(NaiveFormat format) {
  switch (format) {
    case NaiveFormat::compressed:
      return "crs, naive";
    case NaiveFormat::jagged:
      return "jagged, naive";
    case NaiveFormat::jagged_16:
      return "jagged by 16, naive";
  }
  return "";
}

const std::vector<NaiveFormat>& naive_formats() {
  using enum NaiveFormat;
  static const std::vector<NaiveFormat> all{compressed, jagged, jagged_16};
  return all;
}

template <class T>
struct NaiveMatrix<T>::State {
  Cuda on;
  NaiveFormat format;
  int n;
  Array<Cuda, int> rows, lengths, starts, columns;
  Array<Cuda, T> values;

  State(const Cuda& backend, NaiveFormat kind, int n_rows, const Held<T>& held)
      : on(backend),
        format(kind),
        n(n_rows),
        rows(on, held.rows),
        lengths(on, held.lengths),
        starts(on, held.starts),
        columns(on, held.columns),
        values(on, held.values) {}
};

template <class T>
NaiveMatrix<T>::NaiveMatrix(const Cuda& on, const SparseMatrix& A, NaiveFormat format)
    : state_(std::make_shared<const State>(on, format, A.pattern.n_rows, held_in<T>(format, A))) {}

template <class T>
void NaiveMatrix<T>::product(const T* x, T* y) const {
  const State& s = *state_;
  const auto blocks = static_cast<unsigned>((s.n - 1) / threads + 1);
  if (s.format == NaiveFormat::compressed) {
    multiply_compressed<T><<<blocks, threads, 0, stream_of(s.on)>>>(
        s.n, s.starts.data(), s.columns.data(), s.values.data(), x, y);
  } else {
    multiply_jagged<T><<<blocks, threads, 0, stream_of(s.on)>>>(
        s.n, s.rows.data(), s.lengths.data(), s.starts.data(), s.columns.data(), s.values.data(), x,
        y);
  }
  NINEFOLD_CHECK_CUDA(cudaGetLastError());
}

template class NaiveMatrix<float>;
template class NaiveMatrix<double>;

}  // namespace ninefold
