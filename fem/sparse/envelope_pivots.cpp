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

}  // namespace

std::optional<EnvelopePivots> envelope_pivots(const SparseMatrix& A,
                                              const std::vector<std::int32_t>& order, double most) {
  const auto n = static_cast<std::int64_t>(order.size());
  std::vector<std::int32_t> position(order.size());
  for (std::int64_t k = 0; k < n; ++k) position[at(order[at(k)])] = static_cast<std::int32_t>(k);
  const std::vector<std::int32_t> first = first_columns(A.pattern, order, position);
  std::vector<std::int64_t> start(order.size() + 1, 0);  // of each row's values
  double work = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto width = static_cast<double>(i - first[at(i)]);
    work += width * width / 2;
    start[at(i + 1)] = start[at(i)] + i - first[at(i)];
  }
  if (work > most || static_cast<double>(start.back()) > most / 16) return std::nullopt;

  constexpr double u = 0x1p-53;
  EnvelopePivots result{.definite = Definite::yes};
  std::vector<double> values(at(start.back()), 0.0), root(at(n));
  for (std::int64_t i = 0; i < n; ++i) {
    double* const row = values.data() + start[at(i)];  // its column first[i] first
    const std::int64_t begin = first[at(i)];
    const std::int32_t given = order[at(i)];
    const auto columns = A.pattern.row(given);
    double diagonal = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::int64_t j = position[at(columns[k])];
      if (j < i) row[j - begin] = A.row_values(given)[k];
      if (j == i) diagonal = A.row_values(given)[k];
    }
    double pivot = diagonal;
    for (std::int64_t j = begin; j < i; ++j) {
      const std::int64_t from = std::max<std::int64_t>(begin, first[at(j)]);
      const double* const a = row + (from - begin);
      const double* const b = values.data() + start[at(j)] + (from - first[at(j)]);
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
    const double doubt = (static_cast<double>(i - begin) + 2) * u;
    if (!(share > doubt)) {
      result.definite = share < -doubt ? Definite::no : Definite::unknown;
      return result;
    }
    root[at(i)] = std::sqrt(pivot);
  }
  return result;
}

}  // namespace ninefold
