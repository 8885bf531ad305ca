#include "fem/sparse/definiteness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "precision/double_word.hpp"

namespace ninefold {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// Rows that entries connect, directly or by others.
class ConnectedRows {
 public:
  explicit ConnectedRows(int n) : parent_(at(n)) { std::iota(parent_.begin(), parent_.end(), 0); }

  int part_of(int i) {
    while (parent_[at(i)] != i) {
      parent_[at(i)] = parent_[at(parent_[at(i)])];
      i = parent_[at(i)];
    }
    return i;
  }
  void connect(int i, int j) {
    const int a = part_of(i), b = part_of(j);
    parent_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

/// What a row has beyond the sizes of its entries beside the diagonal: its sign, without those that
/// are rounding alone.
struct Excess {
  double value;
  int sign;
};

Excess excess_of(const SparseMatrix& A, int i) {
  const auto columns = A.pattern.row(i);
  const auto values = A.row_values(i);
  DoubleDouble sum(0.0);
  double size = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    sum = sum + DoubleDouble(columns[k] == i ? values[k] : -std::abs(values[k]));
    size += std::abs(values[k]);
  }
  const double value = sum.high;
  return {value, std::abs(value) <= 0x1p-90 * size ? 0 : value > 0 ? 1 : -1};
}

}  // namespace

DiagonalFacts diagonal_facts(const SparseMatrix& A) {
  DiagonalFacts facts;
  facts.smallest = infinity;
  facts.largest = -infinity;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const std::int64_t k = A.find(i, i);
    if (k < 0) {
      if (facts.missing++ == 0) facts.first_missing = i;
      continue;
    }
    const double value = A.values[at(k)];
    facts.smallest = std::min(facts.smallest, value);
    facts.largest = std::max(facts.largest, value);
    if (!(value > 0) && facts.not_positive++ == 0) facts.first_not_positive = i;
  }
  if (facts.missing == A.pattern.n_rows) facts.smallest = facts.largest = 0;
  return facts;
}

DefinitenessFacts definiteness_facts(const SparseMatrix& A) {
  const int n = A.pattern.n_rows;
  std::vector<double> diagonal(at(n));
  for (int i = 0; i < n; ++i) diagonal[at(i)] = A(i, i);

  DefinitenessFacts facts;
  facts.lowest = facts.scaled_lowest = infinity;
  facts.highest = -infinity;
  ConnectedRows rows(n);
  std::vector<bool> is_strict(at(n), false);
  bool no = false;
  const auto deny = [&](int i, int j) {
    if (!no) facts.row = i, facts.column = j;
    no = true;
  };
  for (int i = 0; i < n; ++i) {
    const double a = diagonal[at(i)];
    if (!(a > 0)) {
      deny(i, i);
      facts.scaled_lowest = -infinity;
    }
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    double others = 0, scaled = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const int j = columns[k];
      if (j == i || values[k] == 0) continue;
      const double size = std::abs(values[k]), b = diagonal[at(j)];
      others += size;
      if (j < i) rows.connect(i, j);
      if (!(a > 0) || !(b > 0)) continue;
      const double part = size / std::sqrt(a) / std::sqrt(b);
      scaled += part;
      // Clearly: what is 1 but for rounding is not judged.
      if (part > 1 + 0x1p-48) deny(i, j);
    }
    facts.lowest = std::min(facts.lowest, a - others);
    facts.highest = std::max(facts.highest, a + others);
    if (a > 0) facts.scaled_lowest = std::min(facts.scaled_lowest, 1 - scaled);
    const Excess excess = excess_of(A, i);
    if (excess.sign > 0) {
      ++facts.strict_rows;
      is_strict[at(i)] = true;
    } else if (excess.sign == 0) {
      ++facts.equal_rows;
    }
  }
  std::vector<bool> has_strict(at(n), false);
  for (int i = 0; i < n; ++i) {
    if (is_strict[at(i)]) has_strict[at(rows.part_of(i))] = true;
  }
  bool all_parts = true;
  for (int i = 0; i < n; ++i) {
    if (rows.part_of(i) != i) continue;
    ++facts.parts;
    all_parts = all_parts && has_strict[at(i)];
  }
  const bool dominant = facts.strict_rows + facts.equal_rows == n;
  facts.definite = no ? Definite::no : dominant && all_parts ? Definite::yes : Definite::unknown;
  return facts;
}

}  // namespace ninefold
