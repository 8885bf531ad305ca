#pragma once
// Memory on a backend: arrays, vectors of n values, and one value per node with a margin.
//
// Shape.  The rows of a `NodeVector` begin at multiples of 16 values, so that a thread may read
// several at once, and of 128 bytes, so that what a warp reads is whole lines of a device's cache.
// It has a margin of a row and as much before the first and after the last node, so that the
// nine-point stencil of an edge node reads allocated memory: rows -1 and ny, and one value beyond
// each.  Values between the end of a row and the next one are zero.
//
// Ghost rows.  No operation writes rows -1 and ny.  Who cuts a grid into slabs of rows, each a
// vector of its own, may put a neighbour's next row there (Field::row), and has to whenever that
// row has changed and the slab's matrix couples to it.  What is read there then meets the entries
// of the matrix; at an edge of the grid it meets an exact zero and must be finite, as the zeros are
// that were put there at first.  The values beyond them stay zero.
//
// Ranks.  On a backend that is one of several, a vector on a grid whose rows are divided holds that
// rank's rows and as many ghost rows below and above as Slabs says.  Its view is of the whole grid,
// and (i, j) are the whole grid's: no rows but those may be touched.  An operation that reads ghost
// rows asks for them itself (gpu/meaning/divided.hpp), and one that writes a vector may leave
// others in its ghost rows.  An undivided one has all rows on each rank.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "grids/field.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// Owns n values on a backend, zero at first.
template <Backend B, class T>
class Array {
 public:
  Array() = default;
  Array(const B& on, std::size_t n) : on_(on), n_(n) {
    data_ = static_cast<T*>(on.allocate(n * sizeof(T)));
  }
  Array(const B& on, const std::vector<T>& values) : Array(on, values.size()) {
    on.copy_in(data_, values.data(), values.size() * sizeof(T));
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) on_->release(data_, n_ * sizeof(T));
  }

  T* data() const { return data_; }
  std::size_t size() const { return n_; }

 private:
  void swap(Array& other) noexcept {
    std::swap(on_, other.on_);
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
  }

  std::optional<B> on_;
  T* data_ = nullptr;
  std::size_t n_ = 0;
};

/// Rows of equal length that hold n >= 0 values one after the other, as vector operations take
/// them: one row, up to 2^30 values; more rows of a multiple of sum_chunk beyond.  No bit of a
/// result depends on the number of rows.
class Folding {
 public:
  explicit constexpr Folding(std::int64_t n, std::int64_t longest = std::int64_t{1} << 30) : n_(n) {
    const std::int64_t rows = n <= longest ? 1 : (n + longest - 1) / longest;
    const std::int64_t even = (n + rows - 1) / rows;
    rows_ = static_cast<int>(rows);
    row_ = static_cast<int>(rows == 1 ? n : (even + sum_chunk - 1) / sum_chunk * sum_chunk);
  }
  constexpr int row_length() const { return row_; }
  constexpr int rows() const { return rows_; }
  Extent extent() const {
    return {Box{0, row_, 0, rows_}, static_cast<int>(n_ - std::int64_t{row_} * (rows_ - 1))};
  }
  /// The values of all rows in full length: those of memory.
  constexpr std::size_t storage() const {
    return static_cast<std::size_t>(row_) * static_cast<std::size_t>(rows_);
  }

 private:
  std::int64_t n_;
  int row_, rows_;
};

/// A non-owning view of n values; `Values<const T>` is the read-only one.
template <class T>
struct Values {
  T* data;
  std::int64_t n;

  HOST_DEVICE T& operator[](std::int64_t k) const { return data[k]; }

  // What operations take: dot(on, x.extent(), x.rows(), y.rows(), &result).
  Field<T> rows() const {
    const Folding folding(n);
    return {data, folding.row_length(), folding.rows()};
  }
  Extent extent() const { return Folding(n).extent(); }

  template <std::same_as<const T> U>
  operator Values<U>() const {
    return {data, n};
  }
};

/// Owns n values without a grid, zero at first; they have no neighbours, hence no margin.  Memory
/// goes on to the end of the last row.
template <Backend B, class T>
class Vector {
 public:
  Vector() = default;
  Vector(const B& on, std::int64_t n) : values_(on, Folding(n).storage()), n_(n) {}

  Values<T> view() const { return {values_.data(), n_}; }

 private:
  Array<B, T> values_;
  std::int64_t n_ = 0;
};

/// Owns one value per node, zero at first.
template <Backend B, class T>
class NodeVector {
 public:
  NodeVector() = default;
  NodeVector(const B& on, int nx, int ny) : NodeVector(on, nx, ny, rows_held(on, ny)) {}
  /// One of all rows on each rank.
  static NodeVector undivided(const B& on, int nx, int ny) { return {on, nx, ny, {-1, ny + 1}}; }

  Field<T> view() const {
    const int pitch = pitch_of(nx_);
    // Where row 0 lies, or would.
    return {values_.data() + alignment - std::ptrdiff_t{first_row_} * pitch, nx_, ny_, pitch};
  }

  /// Values held for an nx x ny grid, margin included.
  static std::size_t storage(int nx, int ny) {
    return static_cast<std::size_t>(pitch_of(nx)) * (static_cast<std::size_t>(ny) + 2)
           + 2 * alignment;
  }

  /// From a row of nx values to the next one.
  static constexpr int pitch_of(int nx) { return (nx + alignment - 1) / alignment * alignment; }

 private:
  static constexpr int line_bytes = 128;
  static constexpr int alignment = std::max(16, line_bytes / static_cast<int>(sizeof(T)));
  static constexpr int ghost_rows = Slabs::ghost_rows;  ///< of a neighbour's

  NodeVector(const B& on, int nx, int ny, const RowRange& held)
      : values_(on, storage(nx, held.count() - 2)), nx_(nx), ny_(ny), first_row_(held.first) {}

  /// The margin's among them.
  static RowRange rows_held(const B& on, int ny) {
    const Ranks* const ranks = on.ranks();
    if (ranks == nullptr || !ranks->slabs().divide(ny)) return {-1, ny + 1};
    const RowRange own = ranks->own_rows(ny);
    return {own.first - ghost_rows - 1, own.last + ghost_rows + 1};
  }

  Array<B, T> values_;
  int nx_ = 0, ny_ = 0, first_row_ = -1;
};

/// The value at p, which lies on the backend; waits for all work given before.
template <Backend B, class T>
T read_value(const B& on, const T* p) {
  T value;
  on.read(&value, p, sizeof(T));
  return value;
}

}  // namespace ninefold
