#pragma once
// A sparse matrix in one format on one backend, and vectors that suit it.
//
// Sharing.  Indices are held once, by all formats of a solve; values are a second array each.
//
// Values.  Those of slices are held in the narrowest native format that holds them all
// (solvers/sparse/held_array.hpp).
//
// Rounding.  Entries are rounded once from double to T; row sums are computed in double-double from
// the entries before that, and rounded once.
//
// Tests.  tests/gpu/operations/sparse_operations_test.cpp, tests/solvers/sparse/

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "precision/double_word.hpp"

#include "fem/sparse/matrix_part.hpp"
#include "fem/sparse/row_layouts.hpp"
#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_operator.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/halo.hpp"

#include "solvers/sparse/held_array.hpp"

namespace ninefold {

/// One value for each row, without the margin of a grid.  Of a vector that is divided, own values,
/// with places for those of others before and behind them.
template <Backend B, Number T>
class RowVector {
 public:
  RowVector() = default;
  RowVector(const B& on, int n, int) : n_(n) {
    const VectorPart* const part = on.part();
    constexpr int line = std::max(16, 128 / static_cast<int>(sizeof(T)));  // as NodeVector
    const int above = part == nullptr ? 0 : part->above();
    below_ = part == nullptr ? 0 : (part->below() + line - 1) / line * line;
    values_ = {on, static_cast<std::size_t>(below_) + static_cast<std::size_t>(n)
                       + static_cast<std::size_t>(above)};
  }

  Field<T> view() const { return {values_.data() + below_, n_, 1}; }

 private:
  Array<B, T> values_;
  int n_ = 0, below_ = 0;
};

/// The indices of a layout, of a matrix or of one rank's part.
template <Backend B>
class LayoutOnBackend {
 public:
  LayoutOnBackend(const B& on, RowLayout on_host, const MatrixPart* part = nullptr)
      : layout(std::move(on_host)),
        is_part(part != nullptr),
        own_column(is_part ? part->below : 0),
        met(layout.n_columns),
        shares(is_part ? part->shares : std::vector<HaloShare>{}),
        kept(is_part ? longest_kept(*part, 64) : OwnRange{}),
        sent(on, is_part ? part->sent : std::vector<std::int32_t>{}),
        starts(on, layout.starts),
        columns(on, layout.columns),
        rows(on, layout.rows),
        short_columns(on, layout.short_columns),
        places(on, layout.places),
        slices(on, layout.slices),
        long_rows(on, longer().rows),
        position(on, longer().position),
        long_starts(on, longer().starts),
        long_lengths(on, longer().lengths),
        long_columns(on, longer().columns),
        chunked(on, longer().chunked),
        pieces(on, longer().pieces) {
    on.wait();
  }

  const LongLayout& longer() const { return layout.longer; }

  RowLayout layout;
  bool is_part;
  int own_column, met;
  std::vector<HaloShare> shares;
  OwnRange kept;
  Array<B, std::int32_t> sent;
  Array<B, std::int64_t> starts;
  Array<B, std::int32_t> columns, rows;
  Array<B, std::uint16_t> short_columns, places;
  Array<B, Slice> slices;
  Array<B, int> long_rows, position;
  Array<B, std::int64_t> long_starts;
  Array<B, std::int32_t> long_lengths, long_columns;
  Array<B, ChunkedRow> chunked;
  Array<B, LongPiece> pieces;
};

/// The values of a matrix that has the pattern of a layout.
template <Backend B, Number T>
class SparseMatrixOn {
 public:
  using VectorOfRows = RowVector<B, T>;

  /// `values` are those of the pattern's entries.
  SparseMatrixOn(const B& on, std::shared_ptr<const LayoutOnBackend<B>> layout,
                 const SparsePattern& pattern, const std::vector<double>& values, OperatorForm form,
                 int components = 1)
      : layout_(std::move(layout)), components_(components) {
    const RowLayout& indices = layout_->layout;
    if (indices.storage == SparseStorage::sliced) {
      held_ = HeldArray<B, T>(on, in_places(indices.entries, values));
    } else {
      values_ = Array<B, T>(on, in_places(indices.entries, values));
    }
    long_values_ = Array<B, T>(on, in_places(indices.longer.entries, values));
    diagonal_ = Array<B, T>(on, diagonal_of(pattern, values, layout_->own_column));
    if (form == OperatorForm::difference) {
      row_sums_ = Array<B, T>(on, row_sums_of(pattern, values, components));
    }
    using C = Arithmetic<T>;
    products_ = Array<B, C>(on, indices.longer.rows.size());
    piece_sums_ = Array<B, C>(on, indices.longer.pieces.size());
    if (layout_->is_part) {
      packed_ = Array<B, T>(on, layout_->sent.size());
      halo_ = std::make_unique<const Halo<T>>(
          Halo<T>{&layout_->shares, static_cast<int>(layout_->sent.size()), layout_->sent.data(),
                  packed_.data(), layout_->kept});
    }
    if (indices.storage == SparseStorage::jagged) {
      kept_ = Array<B, C>(on, static_cast<std::size_t>(indices.n));
    }
    on.wait();
    view_ = std::make_unique<SparseOperator<T>>(make_view(form));
  }

  const SparseOperator<T>& view() const { return *view_; }

 private:
  static std::vector<T> in_places(const std::vector<EntryNumber>& entries,
                                  const std::vector<double>& values) {
    std::vector<T> placed(entries.size(), T(Arithmetic<T>(0)));
    const auto n = static_cast<std::int64_t>(entries.size());
#pragma omp parallel for if (n > 4096)
    for (std::int64_t k = 0; k < n; ++k) {
      const EntryNumber entry = entries[static_cast<std::size_t>(k)];
      if (entry == no_entry) continue;
      placed[static_cast<std::size_t>(k)] = rounded(values[static_cast<std::size_t>(entry)]);
    }
    return placed;
  }

  static T rounded(const Assembly<T>& value) {
    return static_cast<T>(value);
  }

  static std::vector<T> diagonal_of(const SparsePattern& pattern, const std::vector<double>& values,
                                    int own_column) {
    std::vector<T> diagonal(static_cast<std::size_t>(pattern.n_rows), T(Arithmetic<T>(0)));
    for (int i = 0; i < pattern.n_rows; ++i) {
      for (std::int64_t k = pattern.start(i); k < pattern.start(i + 1); ++k) {
        const auto entry = static_cast<std::size_t>(k);
        if (pattern.columns[entry] != own_column + i) continue;
        diagonal[static_cast<std::size_t>(i)] = rounded(values[entry]);
      }
    }
    return diagonal;
  }

  static std::vector<T> row_sums_of(const SparsePattern& pattern, const std::vector<double>& values,
                                    int components) {
    const auto c = static_cast<std::size_t>(components);
    std::vector<T> sums(c * static_cast<std::size_t>(pattern.n_rows), T(Arithmetic<T>(0)));
#pragma omp parallel for if (pattern.n_rows > 4096)
    for (int i = 0; i < pattern.n_rows; ++i) {
      std::vector<DoubleDouble> of_kind(c, DoubleDouble(0.0));
      for (std::int64_t k = pattern.start(i); k < pattern.start(i + 1); ++k) {
        const auto entry = static_cast<std::size_t>(k);
        DoubleDouble& sum = of_kind[static_cast<std::size_t>(pattern.columns[entry]) % c];
        sum = sum + DoubleDouble(values[entry]);
      }
      for (std::size_t k = 0; k < c; ++k) {
        sums[c * static_cast<std::size_t>(i) + k] = rounded(static_cast<Assembly<T>>(of_kind[k]));
      }
    }
    return sums;
  }

  SparseOperator<T> make_view(OperatorForm form) const {
    const RowLayout& indices = layout_->layout;
    const LongLayout& longer = indices.longer;
    const bool in_place = indices.storage == SparseStorage::compressed;
    SparseRows<T> all{indices.n,
                      1,
                      form,
                      components_,
                      Box{0, indices.n, 0, 1},
                      diagonal_.data(),
                      form == OperatorForm::plain ? nullptr : row_sums_.data(),
                      {},
                      0,
                      layout_->own_column,
                      layout_->met,
                      halo_.get()};
    constexpr auto own_bytes = static_cast<std::int64_t>(sizeof(T));
    const auto main = static_cast<std::int64_t>(indices.entries.size());
    const bool is_sliced = indices.storage == SparseStorage::sliced;
    all.moved_bytes = main * (is_sliced ? held_.bytes_of_value() : own_bytes)
                      + (indices.stored_values() - main) * own_bytes + indices.index_bytes()
                      + (form == OperatorForm::plain ? 0
                                                     : std::int64_t{indices.n} * components_
                                                           * static_cast<std::int64_t>(sizeof(T)));
    if (!longer.rows.empty()) {
      all.longer = {static_cast<int>(longer.rows.size()),
                    layout_->long_rows.data(),
                    layout_->position.data(),
                    layout_->long_starts.data(),
                    layout_->long_lengths.data(),
                    in_place ? layout_->columns.data() : layout_->long_columns.data(),
                    in_place ? values_.data() : long_values_.data(),
                    static_cast<int>(longer.chunked.size()),
                    static_cast<int>(longer.pieces.size()),
                    layout_->chunked.data(),
                    layout_->pieces.data(),
                    products_.data(),
                    piece_sums_.data()};
    }
    switch (indices.storage) {
      case SparseStorage::compressed:
        return CompressedRows<T>{all, layout_->starts.data(), layout_->columns.data(),
                                 values_.data()};
      case SparseStorage::sliced:
        return SlicedRows<T>{all,
                             layout_->slices.data(),
                             layout_->short_columns.data(),
                             layout_->places.data(),
                             indices.together,
                             indices.is_near,
                             indices.suits_pairs,
                             held_.view()};
      case SparseStorage::jagged:
        return JaggedRows<T>{all,
                             indices.diagonals,
                             layout_->starts.data(),
                             layout_->rows.data(),
                             layout_->columns.data(),
                             values_.data(),
                             kept_.data()};
      case SparseStorage::blocks_2:
        return blocks<2>(all);
      case SparseStorage::blocks_3:
        return blocks<3>(all);
      case SparseStorage::blocks_4:
        break;
    }
    return blocks<4>(all);
  }

  template <int b>
  BlockRows<T, b> blocks(const SparseRows<T>& all) const {
    return {all, layout_->starts.data(), layout_->columns.data(), values_.data()};
  }

  std::shared_ptr<const LayoutOnBackend<B>> layout_;
  int components_;
  HeldArray<B, T> held_;  ///< of the sliced storage
  Array<B, T> values_, long_values_, diagonal_, row_sums_;
  Array<B, T> packed_;
  std::unique_ptr<const Halo<T>> halo_;  ///< of a part
  Array<B, Arithmetic<T>> products_, piece_sums_, kept_;
  std::unique_ptr<SparseOperator<T>> view_;
};

}  // namespace ninefold
