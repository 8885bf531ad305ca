#pragma once
// The plane of a direct solver (solvers/direct/fast_diagonalisation.hpp) among ranks: each has some
// of its rows or, turned over to all others, an even share of its columns.
//
// Why.  Lines along one direction are transformed each by itself, so that ranks divide them, and
// no bit depends on how.
//
// Cost.  Of r ranks each sends (r - 1) / r of its rows, or columns, which are copied twice.
//
// Tests.  tests/solvers/direct/plane_among_ranks_test.cpp, tests/solvers/ranks_test.cpp

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "grids/slabs.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

template <Backend B, Number T>
class PlaneAmongRanks {
 public:
  /// Of a plane of so many columns, whose rows `rows[r]` are rank r's; `on` is one of them.
  PlaneAmongRanks(const B& on, std::vector<RowRange> rows, int columns)
      : on_(on),
        alone_(on.among(nullptr)),
        own_(static_cast<std::size_t>(on.ranks()->rank())),
        rows_(std::move(rows)) {
    const int ranks = static_cast<int>(rows_.size());
    const auto begin = [&](int r) { return static_cast<int>(std::int64_t{columns} * r / ranks); };
    for (int r = 0; r < ranks; ++r) columns_.push_back({begin(r), begin(r + 1)});
    std::size_t by_rows = 0, by_columns = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == own_) continue;
      by_rows += Block{own_rows(), columns_[r]}.values();
      by_columns += Block{rows_[r], own_columns()}.values();
    }
    sent_ = Array<B, T>(on, std::max(by_rows, by_columns));
    received_ = Array<B, T>(on, std::max(by_rows, by_columns));
  }

  const RowRange& own_rows() const { return rows_[own_]; }
  const RowRange& own_columns() const { return columns_[own_]; }

  /// Own columns := what each rank has of them in its rows.  Called by all; can be recorded.
  void to_columns(const Field<T>& plane) const {
    turn(
        plane,
        [this](std::size_t r) {
          return Block{own_rows(), columns_[r]};
        },
        [this](std::size_t r) {
          return Block{rows_[r], own_columns()};
        });
  }
  /// Own rows := what each rank has of them in its columns.
  void to_rows(const Field<T>& plane) const {
    turn(
        plane,
        [this](std::size_t r) {
          return Block{rows_[r], own_columns()};
        },
        [this](std::size_t r) {
          return Block{own_rows(), columns_[r]};
        });
  }

 private:
  struct Block {
    RowRange rows, columns;
    std::size_t values() const {
      return static_cast<std::size_t>(rows.count()) * static_cast<std::size_t>(columns.count());
    }
    Field<T> in(const Field<T>& plane) const {
      return {plane.row(rows.first) + columns.first, columns.count(), rows.count(), plane.pitch};
    }
    /// By itself, row by row.
    Field<T> at(T* values) const {
      return {values, columns.count(), rows.count(), columns.count()};
    }
  };

  /// Gives rank r the block given(r), and takes taken(r) from it.
  template <class Given, class Taken>
  void turn(const Field<T>& plane, const Given& given, const Taken& taken) const {
    std::vector<Message> messages;
    T *out = sent_.data(), *in = received_.data();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == own_) continue;
      const std::size_t n_out = given(r).values(), n_in = taken(r).values();
      if (n_out > 0) copy<B, T>(alone_, given(r).in(plane), given(r).at(out));
      messages.push_back({static_cast<int>(r), out, n_out * sizeof(T), in, n_in * sizeof(T)});
      out += n_out;
      in += n_in;
    }
    on_.trade(messages);
    for (const Message& message : messages) {
      const Block block = taken(static_cast<std::size_t>(message.other));
      if (message.received > 0) {
        copy<B, T>(alone_, block.at(static_cast<T*>(message.to)), block.in(plane));
      }
    }
  }

  B on_, alone_;  ///< the latter is none of several
  std::size_t own_;
  std::vector<RowRange> rows_, columns_;
  Array<B, T> sent_, received_;
};

}  // namespace ninefold
