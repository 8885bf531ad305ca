#include "solvers/sparse/sparse_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "grids/counter_random.hpp"

#include "fem/sparse/definiteness.hpp"
#include "fem/sparse/pieces.hpp"
#include "fem/sparse/reordering.hpp"
#include "fem/sparse/slices.hpp"
#include "fem/sparse/value_range.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// True if most rows reach so far that their columns take 32 bits, long ones among them.
bool reaches_far(const SparsePattern& pattern) {
  std::int64_t groups = 0, wide = 0;
  for (int first = 0; first < pattern.n_rows; first += slice_rows, ++groups) {
    std::int64_t left = std::numeric_limits<std::int64_t>::max(), right = -1;
    for (int i = first; i < std::min(first + slice_rows, pattern.n_rows); ++i) {
      if (pattern.length(i) == 0) continue;
      left = std::min<std::int64_t>(left, pattern.row(i).front());
      right = std::max<std::int64_t>(right, pattern.row(i).back());
    }
    wide += right - left >= short_reach;
  }
  return 2 * wide > groups;
}

/// True if most slices need no columns of their own.
bool lies_on_diagonals(const SparsePattern& pattern) {
  const std::vector<SliceShape> shapes = slices_of(pattern).shapes;
  return 2 * std::ranges::count_if(shapes, &SliceShape::is_on_diagonals) > std::ssize(shapes);
}

std::vector<std::int32_t> random_order(int n) {
  std::vector<std::int32_t> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  const CounterRandom random(1);
  for (int k = n - 1; k > 0; --k) {
    const auto counter = static_cast<std::uint64_t>(k);
    std::swap(order[at(k)], order[random.below(counter + 1, counter)]);
  }
  return order;
}

std::vector<std::int32_t> order_of(const SparsePattern& pattern, RowOrder& order) {
  if (order == RowOrder::automatic) {
    // Not by the storage, which changes no bit.
    const bool is_far = reaches_far(pattern) && !lies_on_diagonals(pattern);
    order = is_far ? RowOrder::rcm : RowOrder::given;
  }
  switch (order) {
    case RowOrder::rcm:
      return reverse_cuthill_mckee(pattern);
    case RowOrder::random:
      return random_order(pattern.n_rows);
    default:
      return {};
  }
}

/// The exponent of the power of two by which a size comes into [1, 2).
int exponent_for(double size) {
  return size > 0 && std::isfinite(size) ? -std::ilogb(size) : 0;
}

std::vector<double> picked(const std::vector<double>& values,
                           const std::vector<std::int32_t>& order) {
  if (order.empty() || values.empty()) return values;
  std::vector<double> result(values.size());
  for (std::size_t k = 0; k < order.size(); ++k) result[k] = values[at(order[k])];
  return result;
}

/// Multiplies A and right-hand sides by the powers of two that the system names.
void scale(ScaledSystem& system) {
  const SparsePattern& pattern = system.A.pattern;
  const auto exponent = [&](std::size_t k) {
    return system.exponents.empty() ? 0 : system.exponents[k];
  };
  const bool plain = system.exponents.empty() && system.matrix_exponent == 0;
  constexpr int rows_at_once = 1024;
  for_pieces((pattern.n_rows + rows_at_once - 1) / rows_at_once, [&](int piece) {
    const int first = piece * rows_at_once, last = std::min(first + rows_at_once, pattern.n_rows);
    for (int i = first; i < last; ++i) {
      for (std::int64_t k = pattern.start(i); !plain && k < pattern.start(i + 1); ++k) {
        const std::size_t j = at(pattern.columns[at(k)]);
        double& value = system.A.values[at(k)];
        value = std::ldexp(value, system.matrix_exponent + exponent(at(i)) + exponent(j));
      }
      for (ScaledRight& right : system.rights) {
        const int of_right = right.exponent + exponent(at(i));
        right.b.high[at(i)] = std::ldexp(right.b.high[at(i)], of_right);
        if (!right.b.low.empty()) right.b.low[at(i)] = std::ldexp(right.b.low[at(i)], of_right);
      }
    }
  });
}

/// True if all formats in use hold the values, multiplied by 2^exponent, without underflow.
bool all_hold(const SolverOptions& solver, const ValueRange& range, int exponent) {
  const auto holds = [&](Precision precision) {
    const FormatFacts format = facts(precision);
    return range.others == 0
           || (std::ilogb(range.smallest) + exponent >= format.min_exponent
               && std::ilogb(range.largest) + exponent < format.max_exponent);
  };
  return holds(solver.precision)
         && std::all_of(solver.refinement.inner.begin(), solver.refinement.inner.end(), holds);
}

/// The exponent by which D and it bring the largest value into [1, 2) or nearly so.
int right_exponent_by_rows(const WideVector& b, const std::vector<int>& exponents) {
  std::optional<int> largest;  // an exponent: the product of both may leave the range
  for (std::size_t i = 0; i < b.high.size(); ++i) {
    if (b.high[i] == 0) continue;
    const int size = std::ilogb(b.high[i]) + exponents[i];
    largest = std::max(largest.value_or(size), size);
  }
  return -largest.value_or(0);
}

/// The largest size of a right-hand side's values, each of which must be finite.
double largest_of(const WideVector& b, int rows) {
  require(b.high.size() == at(rows), [&] {
    return fmt::format("the right-hand side has {} values, the matrix {} rows", b.high.size(),
                       rows);
  });
  double largest = 0;
  for (const double value : b.high) {
    require(std::isfinite(value), "the right-hand side has a value that is not finite");
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

SparseProblem with_ones(SparseMatrix A) {
  std::vector<double> ones(at(A.pattern.n_columns), 1.0);
  WideVector b = sparse_product(A, ones);
  return {std::move(A), std::move(b), WideVector{std::move(ones), {}}};
}

SparseProblem with_random_solution(SparseMatrix A, std::uint64_t seed) {
  std::vector<double> x(at(A.pattern.n_columns));
  const CounterRandom random(seed);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 2 * random.unit(k) - 1;
  WideVector b = sparse_product(A, x);
  return {std::move(A), std::move(b), WideVector{std::move(x), {}}};
}

WideVector ScaledSystem::solution(const WideVector& y, std::size_t right) const {
  WideVector x{std::vector<double>(y.high.size()), std::vector<double>(y.low.size())};
  for (std::size_t k = 0; k < y.high.size(); ++k) {
    const std::size_t row = order.empty() ? k : at(order[k]);
    const int exponent =
        matrix_exponent - rights[right].exponent + (exponents.empty() ? 0 : exponents[k]);
    x.high[row] = std::ldexp(y.high[k], exponent);
    if (!y.low.empty()) x.low[row] = std::ldexp(y.low[k], exponent);
  }
  return x;
}

ScaledSystem scaled_system(const SparseMatrix& A, std::span<const WideVector* const> rights,
                           const SparseOptions& options) {
  const SparsePattern& pattern = A.pattern;
  require(pattern.is_square() && pattern.n_rows > 0, [&] {
    return fmt::format("the matrix is {} x {}: a square one is needed", pattern.n_rows,
                       pattern.n_columns);
  });
  constexpr int most_rows = std::numeric_limits<int>::max() - 2 * sorted_rows;
  require(pattern.n_rows <= most_rows, [&] {
    return fmt::format("the matrix has {} rows: systems have at most {}", pattern.n_rows,
                       most_rows);
  });
  const DiagonalFacts diagonal = diagonal_facts(A);
  require(diagonal.is_positive(), [&] {
    const bool missing = diagonal.missing > 0;
    return fmt::format("row {} of the matrix has {}: conjugate gradients need a positive diagonal",
                       1 + (missing ? diagonal.first_missing : diagonal.first_not_positive),
                       missing ? "no diagonal entry" : "a diagonal entry that is not positive");
  });
  std::vector<int> exponents;
  for (const WideVector* b : rights) {
    exponents.push_back(exponent_for(largest_of(*b, pattern.n_rows)));
  }
  ScaledSystem system;
  system.taken = options.order;
  system.order = order_of(pattern, system.taken);
  system.A = system.order.empty() ? A : reordered(A, system.order);
  for (std::size_t k = 0; k < rights.size(); ++k) {
    const WideVector& b = *rights[k];
    system.rights.push_back(
        {{picked(b.high, system.order), picked(b.low, system.order)}, exponents[k]});
  }
  const ValueRange range = value_range(A.values);
  system.matrix_exponent = exponent_for(range.largest);
  system.diagonal_span = diagonal.largest / diagonal.smallest;
  const auto n = at(pattern.n_rows);
  if (!all_hold(options.solver, range, system.matrix_exponent)) {
    system.exponents.resize(n);
    system.matrix_exponent = 0;
    system.diagonal_span = 4;
    for (int i = 0; i < pattern.n_rows; ++i) {
      const int exponent = std::ilogb(system.A(i, i));
      system.exponents[at(i)] = -(exponent >= 0 ? exponent : exponent - 1) / 2;
    }
    for (ScaledRight& right : system.rights) {
      right.exponent = right_exponent_by_rows(right.b, system.exponents);
    }
  }
  scale(system);
  return system;
}

}  // namespace ninefold
