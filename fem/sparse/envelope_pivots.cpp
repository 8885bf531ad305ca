#include "fem/sparse/envelope_pivots.hpp"

#include <algorithm>
#include <cmath>

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// The first column of each row's envelope, in the new order.
std::vector<std::int32_t> first_columns(const SparsePattern& pattern,
                                        const std::vector<std::int32_t>& order,
                                        const std::vector<std::int32_t>& position) {
  std::vector<std::int32_t> first(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    first[i] = static_cast<std::int32_t>(i);
    for (const std::int32_t j : pattern.row(order[i])) {
      first[i] = std::min(first[i], position[at(j)]);
    }
  }
  return first;
}

/// A row by row within the envelope of its order.
class Envelope {
 public:
  Envelope(const SparseMatrix& A, const std::vector<std::int32_t>& order)
      : A_(A), order_(order), position_(order.size()), start_(order.size() + 1, 0) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      position_[at(order[k])] = static_cast<std::int32_t>(k);
    }
    first_ = first_columns(A.pattern, order, position_);
    for (std::int64_t i = 0; i < n(); ++i) {
      const std::int64_t width = i - first_[at(i)];
      widest_ = std::max(widest_, width);
      work_ += static_cast<double>(width) * static_cast<double>(width) / 2;
      start_[at(i + 1)] = start_[at(i)] + width;
    }
  }

  double work() const { return work_; }  ///< multiplications
  std::int64_t values() const { return start_.back(); }

  struct Pivots {
    double smallest = 1;  ///< over the diagonal entry, down to the row at which it ended
    int row = -1;
    bool are_positive = true;  ///< else it ended at the first that is not
    double rounding = 0;       ///< e of the header, of the rows that there are
  };
  /// Of A + `shift` D, D its diagonal.
  Pivots eliminated(double shift) const {
    Pivots result;
    std::vector<double> values(at(start_.back()), 0.0), root(at(n())), scale(at(n()));
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < n() && result.are_positive; ++i) {
      double* const row = values.data() + start_[at(i)];  // its column first[i] first
      const std::int64_t begin = first_[at(i)];
      const std::int32_t given = order_[at(i)];
      const auto columns = A_.pattern.row(given);
      double diagonal = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::int64_t j = position_[at(columns[k])];
        if (j < i) row[j - begin] = A_.row_values(given)[k];
        if (j == i) diagonal = A_.row_values(given)[k];
      }
      double pivot = diagonal + shift * diagonal;
      for (std::int64_t j = begin; j < i; ++j) {
        const std::int64_t from = std::max<std::int64_t>(begin, first_[at(j)]);
        const double* const a = row + (from - begin);
        const double* const b = values.data() + start_[at(j)] + (from - first_[at(j)]);
        double sum = 0;
        for (std::int64_t k = 0; k < j - from; ++k) sum += a[k] * b[k];
        const double entry = (row[j - begin] - sum) / root[at(j)];
        row[j - begin] = entry;
        pivot -= entry * entry;
      }
      const double share = pivot / diagonal;
      if (!(share >= result.smallest)) {
        result.smallest = share;
        result.row = given;
      }
      result.are_positive = pivot > 0;
      if (!result.are_positive) continue;
      root[at(i)] = std::sqrt(pivot);
      scale[at(i)] = 1 / std::sqrt(diagonal);
      rows = i + 1;
    }
    result.rounding = rounding(values, root, scale, rows);
    return result;
  }

 private:
  /// Of the first rows of L: its values, its diagonal, and D^(-1/2).
  double rounding(const std::vector<double>& values, const std::vector<double>& root,
                  const std::vector<double>& scale, std::int64_t rows) const {
    constexpr double u = 0x1p-53;
    std::vector<double> sums(root.begin(), root.begin() + rows);  // of the columns of D^(-1/2) |L|
    for (std::int64_t i = 0; i < rows; ++i) sums[at(i)] *= scale[at(i)];
    const auto entry = [&](std::int64_t i, std::int64_t j) {
      return std::abs(values[at(start_[at(i)] + j - first_[at(i)])]);
    };
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = first_[at(i)]; j < i; ++j) sums[at(j)] += scale[at(i)] * entry(i, j);
    }
    double largest = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      double row = root[at(i)] * sums[at(i)];
      for (std::int64_t j = first_[at(i)]; j < i; ++j) row += entry(i, j) * sums[at(j)];
      largest = std::max(largest, scale[at(i)] * row);
    }
    return (static_cast<double>(widest_) + 2) * u * largest;
  }

  std::int64_t n() const { return static_cast<std::int64_t>(order_.size()); }

  const SparseMatrix& A_;
  const std::vector<std::int32_t>& order_;
  std::vector<std::int32_t> position_, first_;
  std::vector<std::int64_t> start_;  ///< of each row's values
  std::int64_t widest_ = 0;
  double work_ = 0;
};

}  // namespace

std::optional<EnvelopePivots> envelope_pivots(const SparseMatrix& A,
                                              const std::vector<std::int32_t>& order, double most) {
  const Envelope envelope(A, order);
  if (envelope.work() > most || static_cast<double>(envelope.values()) > most / 16) {
    return std::nullopt;
  }
  const Envelope::Pivots pivots = envelope.eliminated(0);
  EnvelopePivots result{.smallest = pivots.smallest, .row = pivots.row};
  const double part = 2 * std::max(pivots.rounding, 0x1p-52);
  const Envelope::Pivots moved = envelope.eliminated(pivots.are_positive ? -part : part);
  if (moved.are_positive == pivots.are_positive && moved.rounding < part) {
    result.definite = pivots.are_positive ? Definite::yes : Definite::no;
  }
  return result;
}

}  // namespace ninefold
