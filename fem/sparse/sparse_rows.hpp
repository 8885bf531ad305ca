#pragma once
// Views of a sparse matrix in memory, one for each storage, and the sum of a row's terms.
//
// Mathematics.
//
//     plain form        (A x)_i = sum over j of a_ij x_j
//     difference form   (A x)_i = sum over j of a_ij (x_j - x_i) + s_i x_i,   s_i the row's sum
//
// Where the unknowns of a node are c values that follow each other, as in elasticity, each is
// compared with its own kind: x_j - x_i becomes x_j - x_k, k the unknown of row i's node that is of
// j's kind, and s_i x_i the sum of s_ik x_k over the node's unknowns, s_ik being that of row i's
// entries of that kind.
//
// Neighbouring values of a smooth x agree in their leading digits: the differences are small and
// nearly exact, and rounding falls from u |A||x| to about u |A||x_j - x_i|.  The diagonal entry
// meets an exact zero and may stay where it is, so that one array of values serves both forms.
//
// Order.  Of a row's terms: row_order.hpp; s_i x_i comes last, and then + 0, which makes +0 of -0.
// Values that fill a storage up are zeros, which change no chain: all storages have the same bits
// for an x without infinities and NaNs and, in difference form, without values that differ by more
// than the format holds.
//
// Values.  Those of slices may lie in memory in a narrower native format in which each has the
// value that it has in T (solvers/sparse/held_array.hpp chooses it): what a product reads of them
// is less, and nothing else changes.  Those of long rows do not.
//
// Shape.  Square; n rows are a field of n x 1 nodes.  Rows of more than 128 entries (RowClass) are
// apart, as LongRows, in all storages but the compressed one, where they stay in their places.
//
// Tests.  tests/fem/sparse/sparse_rows_test.cpp (layouts), tests/gpu/operations/
// sparse_operations_test.cpp (50 digits, all storages ==)

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"

#include "fem/matrix/nine_band.hpp"
#include "fem/sparse/storage_size.hpp"

namespace ninefold {

enum class SparseStorage { compressed, sliced, jagged, blocks_2, blocks_3, blocks_4 };

/// "crs", "sliced", "jagged", "blocks-2", "blocks-3", "blocks-4"
constexpr std::string_view to_string(SparseStorage storage) {
  switch (storage) {
    case SparseStorage::compressed:
      return "crs";
    case SparseStorage::sliced:
      return "sliced";
    case SparseStorage::jagged:
      return "jagged";
    case SparseStorage::blocks_2:
      return "blocks-2";
    case SparseStorage::blocks_3:
      return "blocks-3";
    case SparseStorage::blocks_4:
      return "blocks-4";
  }
  return "";
}

/// Rows and columns that a storage has in one block.
constexpr int values_together(SparseStorage storage) {
  if (storage == SparseStorage::blocks_2) return 2;
  if (storage == SparseStorage::blocks_3) return 3;
  if (storage == SparseStorage::blocks_4) return 4;
  return 1;
}

/// A part of a chunked row: one chunk of its entries.
struct LongPiece {
  std::int64_t first;  ///< of its entries
  std::int32_t count;
  std::int32_t row;  ///< among the long rows
};
/// A chunked row and its pieces.
struct ChunkedRow {
  std::int32_t row;  ///< among the long rows
  std::int32_t first_piece, pieces;
};

/// Rows of more than 128 entries, by compressed rows.
template <class T>
struct LongRows {
  int count = 0;          ///< laned ones and chunked ones
  const int* rows{};      ///< their numbers, ascending
  const int* position{};  ///< of each row of the matrix among them, or -1; null if there are none
  const std::int64_t* starts{};
  const std::int32_t* lengths{};
  const std::int32_t* columns{};
  const T* values{};
  int chunked_rows = 0, pieces = 0;
  const ChunkedRow* chunked{};
  const LongPiece* piece{};
  // For the use of products:
  Arithmetic<T>* products{};    ///< of each of them
  Arithmetic<T>* piece_sums{};  ///< of each piece
};

/// What a part of a matrix meets of vectors that are divided (gpu/operations/halo.hpp).
template <class T>
struct Halo;

/// What all storages have.
template <class T>
struct SparseRows {
  using Value = T;

  int nx, ny;  ///< n and 1
  OperatorForm form;
  int components;     ///< c, which divides n
  Box unknowns;       ///< all
  const T* diagonal;  ///< a_ii
  const T* row_sums;  ///< s_ik, at c i + k; null in plain form
  LongRows<T> longer;
  std::int64_t moved_bytes;  ///< of the matrix, by a product

  // Of a part of a matrix: columns count from the first value that it meets.
  int own_column = 0;             ///< of x's own first value, by which rows of square ones go on
  int met = 0;                    ///< columns: values of x that may be read
  const Halo<T>* halo = nullptr;  ///< in the host's memory; null where nothing is to be exchanged
};

/// Where a slice of 32 rows has its entries: entry k of lane l is value 32 k + l of the slice.
struct Slice {
  std::int64_t values;    ///< of the first one
  std::int64_t columns;   ///< the same among columns, counted in 16 bits
  std::int32_t column_0;  ///< from which 16-bit columns count, or one of those below
  std::int32_t width;     ///< entries of the longest row, or diagonals
};

inline constexpr std::int32_t wide_columns = -1;  ///< columns have 32 bits
inline constexpr std::int32_t on_diagonals = -2;  ///< offsets of 32 bits, one for each diagonal

/// What values may lie in memory as: in their own format, or in a narrower one.
enum class HeldAs { themselves, half, single_, double_ };

/// True if there are matrices in T whose values are held in V.
template <class T, class V>
inline constexpr bool holds_in = false;
template <>
inline constexpr bool holds_in<float, Half> = true;
template <>
inline constexpr bool holds_in<double, Half> = true;
template <>
inline constexpr bool holds_in<double, float> = true;
template <>
inline constexpr bool holds_in<DoubleSingle, Half> = true;
template <>
inline constexpr bool holds_in<DoubleSingle, float> = true;
template <>
inline constexpr bool holds_in<DoubleDouble, Half> = true;
template <>
inline constexpr bool holds_in<DoubleDouble, float> = true;
template <>
inline constexpr bool holds_in<DoubleDouble, double> = true;

/// A value as what is computed with.
template <class C, class V>
HOST_DEVICE C held_value(const V& value) {
  return C(static_cast<Arithmetic<V>>(value));
}

template <class T>
struct HeldValues {
  const void* data;
  HeldAs as;

  /// use(values, as a pointer of the type that they are held in)
  template <class Use>
  HOST_DEVICE decltype(auto) visit(const Use& use) const {
    if constexpr (holds_in<T, Half>) {
      if (as == HeldAs::half) return use(static_cast<const Half*>(data));
    }
    if constexpr (holds_in<T, float>) {
      if (as == HeldAs::single_) return use(static_cast<const float*>(data));
    }
    if constexpr (holds_in<T, double>) {
      if (as == HeldAs::double_) return use(static_cast<const double*>(data));
    }
    return use(static_cast<const T*>(data));
  }
};

/// How many entries of each of two rows a thread of a device reads at once, or of one.  Rows of a
/// grid in space have 7 or 27, those of a plane 5, 7 or 9.
inline constexpr int paired_entries = 7, lone_entries = 9;

template <class T>
struct SlicedRows : SparseRows<T> {
  const Slice* slices;
  const std::uint16_t* columns;
  const std::uint16_t* places;  ///< of lane l of slice s, at 32 s + l: its row within its chunk
  int together;                 ///< rows that have the same columns (slices.hpp)
  bool is_near;      ///< rows that follow each other meet the same lines of x for the most part
  bool suits_pairs;  ///< batches of paired_entries hardly read, or wait, in vain
  HeldValues<T> values;
};

/// Where the offsets of row i count from.
template <class T>
HOST_DEVICE std::int32_t offset_base(const SlicedRows<T>& A, int i) {
  return first_of_node(i, A.together);
}

template <class T>
struct CompressedRows : SparseRows<T> {
  const std::int64_t* starts;
  const std::int32_t* columns;
  const T* values;
};

template <class T>
struct JaggedRows : SparseRows<T> {
  int diagonals;
  const std::int64_t* starts;  ///< of each diagonal; multiples of 16
  const std::int32_t* rows;    ///< that are the first, second, ... of each diagonal
  const std::int32_t* columns;
  const T* values;
  Arithmetic<T>* kept;  ///< for the use of sums: n values
};

template <class T, int b>
struct BlockRows : SparseRows<T> {
  static constexpr int block = b;
  const std::int64_t* starts;   ///< of each row of blocks
  const std::int32_t* columns;  ///< of blocks
  const T* values;              ///< of each block b by b, by rows
};

/// What the values of x are compared with in row i, where unknowns are of one kind ...
template <class T>
class OwnValue {
 public:
  using C = Arithmetic<T>;

  OwnValue() = default;  ///< of no row
  HOST_DEVICE OwnValue(const SparseRows<T>& A, const T* x, int i) : own_(x[A.own_column + i]) {}

  HOST_DEVICE C at(std::int32_t) const { return own_; }
  HOST_DEVICE static constexpr int components() { return 1; }
  HOST_DEVICE C of_kind(int) const { return own_; }

 private:
  C own_;
};
/// ... and where they are of several: a question for each entry, which a device waits for.
template <class T>
class OwnValues {
 public:
  using C = Arithmetic<T>;

  OwnValues() = default;
  HOST_DEVICE OwnValues(const SparseRows<T>& A, const T* x, int i)
      : node_(x + A.own_column + (i - i % A.components)), components_(A.components) {}

  HOST_DEVICE C at(std::int32_t column) const { return C(node_[column % components_]); }
  HOST_DEVICE int components() const { return components_; }
  HOST_DEVICE C of_kind(int k) const { return C(node_[k]); }

 private:
  const T* node_;
  int components_;
};
/// Where that is nothing.
template <class T>
struct NoOwnValues {
  NoOwnValues() = default;
  HOST_DEVICE NoOwnValues(const SparseRows<T>&, const T*, int) {}
  HOST_DEVICE Arithmetic<T> at(std::int32_t) const { return Arithmetic<T>(0); }
};
template <class Sum, class T>
using OwnOf =
    std::conditional_t<!Sum::needs_here, NoOwnValues<T>,
                       std::conditional_t<Sum::compares_kinds, OwnValues<T>, OwnValue<T>>>;

/// The sum of a row's terms, in either form: from the first one on, the rest added, finished.
template <OperatorForm form, class C, bool of_several_kinds = false>
class TermSum {
 public:
  static constexpr bool needs_here = form == OperatorForm::difference;
  static constexpr bool compares_kinds = needs_here && of_several_kinds;

  HOST_DEVICE TermSum() : sum_(C(0), C(0)) {}  ///< before the first one
  HOST_DEVICE TermSum(const C& a, const C& x, const C& here) : sum_(a, of(x, here)) {}
  HOST_DEVICE void add(const C& a, const C& x, const C& here) { sum_.add(a, of(x, here)); }
  HOST_DEVICE C value() const { return sum_.value(); }

  /// Of a chain.
  template <class T, class Own>
  HOST_DEVICE C finish(const SparseRows<T>& A, int i, const Own& own) {
    if constexpr (needs_here) {
      const T* const sums = A.row_sums + std::ptrdiff_t{i} * own.components();
      for (int k = 0; k < own.components(); ++k) sum_.add(sums[k], own.of_kind(k));
    }
    return sum_.value() + C(0);
  }
  /// Of what lanes have summed, or of nothing.
  template <class T, class Own>
  HOST_DEVICE static C finished(C sum, const SparseRows<T>& A, int i, const Own& own) {
    if constexpr (needs_here) {
      const T* const sums = A.row_sums + std::ptrdiff_t{i} * own.components();
      for (int k = 0; k < own.components(); ++k) sum = fused(C(sums[k]), own.of_kind(k), sum);
    }
    return sum + C(0);
  }

 private:
  HOST_DEVICE static C of(const C& x, const C& here) {
    if constexpr (needs_here) return x - here;
    return x;
  }
  ProductSum<C> sum_;
};

/// The sum of |a_ij| |x_j|.
template <class C>
class SizeSum {
 public:
  static constexpr bool needs_here = false, compares_kinds = false;

  HOST_DEVICE SizeSum() : sum_(0) {}
  HOST_DEVICE SizeSum(const C& a, const C& x, const C&) : sum_(size(a) * size(x)) {}
  HOST_DEVICE void add(const C& a, const C& x, const C&) { sum_ = sum_ + size(a) * size(x); }
  HOST_DEVICE C value() const { return sum_; }
  template <class T, class Own>
  HOST_DEVICE C finish(const SparseRows<T>&, int, const Own&) const {
    return sum_;
  }
  template <class T, class Own>
  HOST_DEVICE static C finished(const C& sum, const SparseRows<T>&, int, const Own&) {
    return sum;
  }
  HOST_DEVICE static C size(const C& v) { return v < C(0) ? -v : v; }

 private:
  C sum_;
};

/// Row i of A x where entry k of n, a chain, is value(k) in column(k).
template <class Sum, class T, class Value, class Column>
HOST_DEVICE Arithmetic<T> chain(const SparseRows<T>& A, const T* x, int i, int n,
                                const Value& value, const Column& column) {
  using C = Arithmetic<T>;
  const OwnOf<Sum, T> own(A, x, i);
  if (n == 0) return Sum::finished(C(0), A, i, own);
  Sum sum(held_value<C>(value(0)), C(x[column(0)]), own.at(column(0)));
  for (int k = 1; k < n; ++k) {
    sum.add(held_value<C>(value(k)), C(x[column(k)]), own.at(column(k)));
  }
  return sum.finish(A, i, own);
}

/// Row i of A x where that is one of the long ones, whose sums are there.
template <class Sum, class T>
HOST_DEVICE Arithmetic<T> long_row(const SparseRows<T>& A, const T* x, int i, int position) {
  return Sum::finished(A.longer.products[position], A, i, OwnOf<Sum, T>(A, x, i));
}

/// The position of row i among the long ones, or -1.
template <class T>
HOST_DEVICE int position_of(const LongRows<T>& longer, int i) {
  return longer.position == nullptr ? -1 : longer.position[i];
}

// Row i of A x; the sums of long rows must be there.

template <class Sum, class T>
HOST_DEVICE Arithmetic<T> row_of(const CompressedRows<T>& A, const T* x, int i) {
  if (const int position = position_of(A.longer, i); position >= 0) {
    return long_row<Sum>(A, x, i, position);
  }
  const std::int64_t first = A.starts[i];
  const T* const values = A.values + first;
  const std::int32_t* const columns = A.columns + first;
  return chain<Sum>(
      A, x, i, static_cast<int>(A.starts[i + 1] - first), [&](int k) { return values[k]; },
      [&](int k) { return columns[k]; });
}

template <class Sum, class T, int b>
HOST_DEVICE Arithmetic<T> row_of(const BlockRows<T, b>& A, const T* x, int i) {
  if (const int position = position_of(A.longer, i); position >= 0) {
    return long_row<Sum>(A, x, i, position);
  }
  const int row = i / b;
  const std::int64_t first = A.starts[row];
  const int blocks = static_cast<int>(A.starts[row + 1] - first);
  const T* const values = A.values + (first * b + (i - row * b)) * b;
  const std::int32_t* const columns = A.columns + first;
  // The last column of blocks may reach beyond x, with zeros.
  const int last = A.met - 1;
  return chain<Sum>(
      A, x, i, blocks * b, [&](int k) { return values[std::ptrdiff_t{k / b} * (b * b) + k % b]; },
      [&](int k) {
        const int column = columns[k / b] * b + k % b;
        return column < last ? column : last;
      });
}

/// The one that is k-th among those of a jagged storage.
template <class Sum, class T>
HOST_DEVICE Arithmetic<T> row_of(const JaggedRows<T>& A, const T* x, int k) {
  const int i = A.rows[k];
  if (const int position = position_of(A.longer, i); position >= 0) {
    return long_row<Sum>(A, x, i, position);
  }
  int n = 0;
  while (n < A.diagonals && k < A.starts[n + 1] - A.starts[n]) ++n;
  return chain<Sum>(
      A, x, i, n, [&](int d) { return A.values[A.starts[d] + k]; },
      [&](int d) { return A.columns[A.starts[d] + k]; });
}

}  // namespace ninefold
