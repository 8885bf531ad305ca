#include "fem/sparse/reordering.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "precision/require.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

void require_square(const SparsePattern& pattern) {
  require(pattern.is_square(), [&] {
    return fmt::format("an order of unknowns needs a square matrix, not {} x {}", pattern.n_rows,
                       pattern.n_columns);
  });
}

/// The entries of both patterns, which have the same shape.
SparsePattern together(const SparsePattern& a, const SparsePattern& b) {
  SparsePattern result;
  result.n_rows = a.n_rows;
  result.n_columns = a.n_columns;
  for (int i = 0; i < a.n_rows; ++i) {
    const auto one = a.row(i), other = b.row(i);
    std::set_union(one.begin(), one.end(), other.begin(), other.end(),
                   std::back_inserter(result.columns));
    result.row_starts.push_back(static_cast<std::int64_t>(result.columns.size()));
  }
  return result;
}

/// The search for an order, in a pattern that is symmetric.
class CuthillMcKee {
 public:
  explicit CuthillMcKee(const SparsePattern& graph)
      : graph_(graph),
        degree_(at(graph.n_rows)),
        ordered_(at(graph.n_rows), false),
        seen_(at(graph.n_rows), 0) {
    for (int i = 0; i < graph.n_rows; ++i) {
      const auto row = graph.row(i);
      degree_[at(i)] = graph.length(i) - (std::binary_search(row.begin(), row.end(), i) ? 1 : 0);
    }
  }

  std::vector<std::int32_t> order() {
    for (const std::int32_t start : by_degree()) {
      if (!ordered_[at(start)]) append_part(at_the_rim(start));
    }
    return std::move(order_);
  }

 private:
  bool comes_first(std::int32_t a, std::int32_t b) const {
    const int one = degree_[at(a)], other = degree_[at(b)];
    return one != other ? one < other : a < b;
  }

  std::vector<std::int32_t> by_degree() const {
    std::vector<std::int32_t> nodes(at(graph_.n_rows));
    std::iota(nodes.begin(), nodes.end(), 0);
    std::sort(nodes.begin(), nodes.end(),
              [&](std::int32_t a, std::int32_t b) { return comes_first(a, b); });
    return nodes;
  }

  /// The levels of a breadth-first search from `start`: their number, and of the last one the node
  /// that comes first.
  struct Rim {
    int depth;
    std::int32_t node;
  };
  Rim rim_of(std::int32_t start) {
    ++search_;
    level_.assign(1, start);
    seen_[at(start)] = search_;
    for (int depth = 0;; ++depth) {
      next_.clear();
      for (const std::int32_t i : level_) {
        for (const std::int32_t j : graph_.row(i)) {
          if (seen_[at(j)] == search_) continue;
          seen_[at(j)] = search_;
          next_.push_back(j);
        }
      }
      if (next_.empty()) {
        return {depth, *std::min_element(
                           level_.begin(), level_.end(),
                           [&](std::int32_t a, std::int32_t b) { return comes_first(a, b); })};
      }
      std::swap(level_, next_);
    }
  }

  /// A node of the part of `start` from which the farthest node is nearly as far as any two are.
  std::int32_t at_the_rim(std::int32_t start) {
    Rim rim = rim_of(start);
    while (true) {
      const Rim other = rim_of(rim.node);
      if (other.depth <= rim.depth) return start;
      start = rim.node;
      rim = other;
    }
  }

  void append_part(std::int32_t start) {
    std::size_t next = order_.size();
    order_.push_back(start);
    ordered_[at(start)] = true;
    for (; next < order_.size(); ++next) {
      const auto begin = static_cast<std::ptrdiff_t>(order_.size());
      for (const std::int32_t j : graph_.row(order_[next])) {
        if (ordered_[at(j)]) continue;
        ordered_[at(j)] = true;
        order_.push_back(j);
      }
      std::sort(order_.begin() + begin, order_.end(),
                [&](std::int32_t a, std::int32_t b) { return comes_first(a, b); });
    }
  }

  const SparsePattern& graph_;
  std::vector<int> degree_;
  std::vector<bool> ordered_;
  std::vector<int> seen_;  ///< the last search that came by
  int search_ = 0;
  std::vector<std::int32_t> level_, next_, order_;
};

template <class Position>
BandFacts facts_at(const SparsePattern& pattern, const Position& position) {
  std::int64_t bandwidth = 0, profile = 0;
#pragma omp parallel for schedule(static) reduction(max : bandwidth) reduction(+ : profile)
  for (int i = 0; i < pattern.n_rows; ++i) {
    const std::int64_t here = position(i);
    std::int64_t first = here;
    for (const std::int32_t j : pattern.row(i)) {
      const std::int64_t there = position(j);
      first = std::min(first, there);
      bandwidth = std::max(bandwidth, std::abs(here - there));
    }
    profile += here - first;
  }
  return {bandwidth, profile};
}

/// The place of each row; throws std::invalid_argument unless each row has one.
std::vector<std::int32_t> positions(const std::vector<std::int32_t>& order, int n) {
  std::vector<std::int32_t> position(at(n), -1);
  bool in_order = order.size() == at(n);
  for (std::size_t k = 0; in_order && k < order.size(); ++k) {
    in_order = order[k] >= 0 && order[k] < n && position[at(order[k])] < 0;
    if (in_order) position[at(order[k])] = static_cast<std::int32_t>(k);
  }
  require(in_order,
          [&] { return fmt::format("an order of {} rows that does not hold each once", n); });
  return position;
}

}  // namespace

std::vector<std::int32_t> reverse_cuthill_mckee(const SparsePattern& pattern) {
  require_square(pattern);
  const SparsePattern other = transposed(pattern);
  const bool symmetric = other == pattern;
  const SparsePattern both = symmetric ? SparsePattern{} : together(pattern, other);
  std::vector<std::int32_t> order = CuthillMcKee(symmetric ? pattern : both).order();
  std::reverse(order.begin(), order.end());
  return order;
}

BandFacts band_facts(const SparsePattern& pattern) {
  return facts_at(pattern, [](std::int32_t i) { return std::int64_t{i}; });
}

BandFacts band_facts(const SparsePattern& pattern, const std::vector<std::int32_t>& order) {
  const std::vector<std::int32_t> position = positions(order, pattern.n_rows);
  return facts_at(pattern, [&](std::int32_t i) { return std::int64_t{position[at(i)]}; });
}

SparsePattern reordered(const SparsePattern& pattern, const std::vector<std::int32_t>& order) {
  require_square(pattern);
  const std::vector<std::int32_t> position = positions(order, pattern.n_rows);
  SparsePattern result;
  result.n_rows = result.n_columns = pattern.n_rows;
  result.columns.reserve(pattern.columns.size());
  for (const std::int32_t i : order) {
    const auto begin = static_cast<std::ptrdiff_t>(result.columns.size());
    for (const std::int32_t j : pattern.row(i)) result.columns.push_back(position[at(j)]);
    std::sort(result.columns.begin() + begin, result.columns.end());
    result.row_starts.push_back(static_cast<std::int64_t>(result.columns.size()));
  }
  return result;
}

SparseMatrix reordered(const SparseMatrix& A, const std::vector<std::int32_t>& order) {
  require_square(A.pattern);
  const std::vector<std::int32_t> position = positions(order, A.pattern.n_rows);
  SparseMatrix B;
  B.pattern.n_rows = B.pattern.n_columns = A.pattern.n_rows;
  B.pattern.columns.reserve(A.pattern.columns.size());
  B.values.reserve(A.values.size());
  std::vector<std::pair<std::int32_t, double>> row;
  for (const std::int32_t i : order) {
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    row.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      row.emplace_back(position[at(columns[k])], values[k]);
    }
    std::sort(row.begin(), row.end());  // each column once
    for (const auto& [column, value] : row) {
      B.pattern.columns.push_back(column);
      B.values.push_back(value);
    }
    B.pattern.row_starts.push_back(static_cast<std::int64_t>(B.pattern.columns.size()));
  }
  return B;
}

}  // namespace ninefold
