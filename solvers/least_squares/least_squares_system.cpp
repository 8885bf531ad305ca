#include "solvers/least_squares/least_squares_system.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/require.hpp"

#include "fem/sparse/rectangular.hpp"
#include "fem/sparse/value_range.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

int exponent_for(double size) {
  return size > 0 && std::isfinite(size) ? -std::ilogb(size) : 0;
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// The square root of ten times the largest (A'A)_jj, at any scale at which that is a double.
double default_weight(const SparseMatrix& A) {
  const int exponent = exponent_for(largest_of(A.values));
  std::vector<double> squares(at(A.pattern.n_columns), 0.0);
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    const double value = std::ldexp(A.values[k], exponent);
    squares[at(A.pattern.columns[k])] += value * value;
  }
  return std::ldexp(std::sqrt(10 * *std::max_element(squares.begin(), squares.end())), -exponent);
}

void require_held(const LeastSquaresSystem& system, const SolverOptions& solver) {
  const ValueRange range = value_range(system.K.values);
  const auto holds = [&](Precision precision) {
    return range.others == 0 || std::ilogb(range.smallest) >= facts(precision).min_exponent;
  };
  const auto check = [&](Precision precision, Parameter parameter) {
    if (holds(precision)) return;
    std::vector<std::string> allowed;
    for (const Precision other : named_precisions()) {
      if (holds(other)) allowed.push_back(to_string(other));
    }
    const auto given = [&](double entry) { return std::ldexp(entry, -system.matrix_exponent); };
    require_value(false, parameter, to_string(precision),
                  "entries from {:.3g} to {:.3g} are needed, those of regularisation and bounds "
                  "among them, and with the largest it holds none below {:.2g}; allowed: {}",
                  given(range.smallest), given(range.largest),
                  given(std::ldexp(1.0, facts(precision).min_exponent)), fmt::join(allowed, ", "));
  };
  check(solver.precision, Parameter::precision);
  for (const Precision inner : solver.refinement.inner) check(inner, Parameter::inner_precision);
}

}  // namespace

void validate_matrices(const SparseMatrix& A, const SparseMatrix& L) {
  const SparsePattern& pattern = A.pattern;
  require(pattern.n_rows > 0 && pattern.n_columns > 0, [&] {
    return fmt::format("the matrix is {} x {}: rows and columns are needed", pattern.n_rows,
                       pattern.n_columns);
  });
  for (const double value : A.values) {
    require(std::isfinite(value), "the matrix has an entry that is not finite");
  }
  if (const auto row = first_empty_row(A)) {
    throw std::invalid_argument(
        fmt::format("row {} of the matrix is empty: its value of the right-hand side says nothing; "
                    "leave it out",
                    1 + *row));
  }
  if (const auto column = first_empty_column(A)) {
    throw std::invalid_argument(fmt::format(
        "column {} of the matrix is empty: nothing says what this unknown is; leave it out",
        1 + *column));
  }
  const SparsePattern& of_L = L.pattern;
  require(of_L.n_rows == 0 || of_L.n_columns == pattern.n_columns, [&] {
    return fmt::format("the operator has {} columns, the matrix {}: as many are needed",
                       of_L.n_columns, pattern.n_columns);
  });
  for (const double value : L.values) {
    require(std::isfinite(value), "the operator has an entry that is not finite");
  }
}

void validate_right(const SparseMatrix& A, const WideVector& b,
                    const std::optional<WideVector>& solution) {
  const SparsePattern& pattern = A.pattern;
  require(b.high.size() == at(pattern.n_rows), [&] {
    return fmt::format("the right-hand side has {} values, the matrix {} rows", b.high.size(),
                       pattern.n_rows);
  });
  for (const std::vector<double>* part : {&b.high, &b.low}) {
    require(part->empty() || part->size() == at(pattern.n_rows),
            "the right-hand side has low parts for some of its values only");
    for (const double value : *part) {
      require(std::isfinite(value), "the right-hand side has a value that is not finite");
    }
  }
  require(!solution || solution->high.size() == at(pattern.n_columns), [&] {
    return fmt::format("the solution to measure against has {} values, the matrix {} columns",
                       solution->high.size(), pattern.n_columns);
  });
}

void validate(const LeastSquaresProblem& problem) {
  validate_matrices(problem.A, problem.L);
  validate_right(problem.A, problem.b, problem.solution);
}

WideVector LeastSquaresSystem::solution(const WideVector& y, std::size_t k) const {
  WideVector x = y;
  const int exponent = matrix_exponent - rights[k].exponent;
  for (double& value : x.high) value = std::ldexp(value, exponent);
  for (double& value : x.low) value = std::ldexp(value, exponent);
  return x;
}

namespace {

/// A right-hand side over zeros, scaled so that neither it nor the first gradient is above 2.
FittedRight fitted_right(const LeastSquaresSystem& system, const WideVector& b,
                         const LeastSquaresOptions& options) {
  FittedRight right{b, 0, options.lower, options.upper, 0};
  const std::size_t rows = at(system.K.pattern.n_rows);
  right.b.high.resize(rows, 0.0);
  if (!right.b.low.empty()) right.b.low.resize(rows, 0.0);
  const double size_of_b = largest_of(right.b.high);
  const WideVector first = wide_residual(system.transposed, {}, right.b);
  const double larger = std::max(size_of_b, largest_of(first.high));
  require(std::isfinite(larger),
          "the product of the transposed matrix and the right-hand side is "
          "beyond the range of a double");
  right.exponent = exponent_for(larger);
  for (double& value : right.b.high) value = std::ldexp(value, right.exponent);
  for (double& value : right.b.low) value = std::ldexp(value, right.exponent);
  right.norm = std::ldexp(norm_of(first), right.exponent);
  const int of_bounds = right.exponent - system.matrix_exponent;
  if (right.lower) right.lower = std::ldexp(*right.lower, of_bounds);
  if (right.upper) right.upper = std::ldexp(*right.upper, of_bounds);
  return right;
}

}  // namespace

LeastSquaresSystem least_squares_system(const SparseMatrix& A, const SparseMatrix& L,
                                        const std::vector<const WideVector*>& rights,
                                        const LeastSquaresOptions& options) {
  LeastSquaresSystem system;
  SparseMatrix& K = system.K;
  const int n = A.pattern.n_columns;
  K = A;
  if (options.regularisation > 0) {
    const bool has_operator = L.pattern.n_rows > 0;
    K = stacked(std::move(K), has_operator ? L : identity_matrix(n),
                std::sqrt(options.regularisation));
  }
  system.first_bound = K.pattern.n_rows;
  system.has_bounds = options.lower || options.upper;
  if (system.has_bounds) {
    system.weight = options.penalty ? std::sqrt(*options.penalty) : default_weight(A);
    K = stacked(std::move(K), identity_matrix(n), system.weight);
  }
  const double largest_entry = largest_of(K.values);
  require(std::isfinite(largest_entry), [&] {
    return fmt::format(
        "entries times the square root of the regularisation, {}, or of the penalty are beyond the "
        "range of a double",
        options.regularisation);
  });
  system.matrix_exponent = exponent_for(largest_entry);
  for (double& value : K.values) value = std::ldexp(value, system.matrix_exponent);
  system.weight = std::ldexp(system.weight, system.matrix_exponent);
  require_held(system, options.solver);
  system.transposed = transposed(K);
  for (const WideVector* b : rights) system.rights.push_back(fitted_right(system, *b, options));
  return system;
}

WideGradient wide_gradient(const LeastSquaresSystem& system, std::size_t right,
                           const WideVector& y) {
  WideGradient result;
  const FittedRight& fitted = system.rights[right];
  result.r = wide_residual(system.K, fitted.b, y);
  for (std::size_t j = 0; system.has_bounds && j < y.high.size(); ++j) {
    DoubleDouble back(0.0);
    const DoubleDouble value = y[j];
    if (fitted.upper && value > DoubleDouble(*fitted.upper)) {
      back = DoubleDouble(*fitted.upper) - value;
    } else if (fitted.lower && value < DoubleDouble(*fitted.lower)) {
      back = DoubleDouble(*fitted.lower) - value;
    }
    const DoubleDouble r = DoubleDouble(system.weight) * back;
    result.r.high[at(system.first_bound) + j] = r.high;
    result.r.low[at(system.first_bound) + j] = r.low;
  }
  result.s = wide_residual(system.transposed, {}, result.r);
  for (double& value : result.s.high) value = -value;
  for (double& value : result.s.low) value = -value;
  return result;
}

double attainable_gradient(const LeastSquaresSystem& system, std::size_t right, const WideVector& y,
                           double unit_roundoff) {
  const FittedRight& fitted = system.rights[right];
  std::vector<double> sizes(y.high.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = std::abs(y.high[k]);
  std::vector<double> rows = size_product(system.K, sizes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Rows of bounds that x keeps take no part; that they may, and what it is then, is left out.
    if (static_cast<int>(i) >= system.first_bound) rows[i] = 0;
    rows[i] += std::abs(fitted.b.high[i]);
  }
  return unit_roundoff * norm_of({size_product(system.transposed, rows), {}}) / fitted.norm;
}

}  // namespace ninefold
