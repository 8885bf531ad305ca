#include "solvers/least_squares/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "grids/counter_random.hpp"

#include "fem/sparse/matrix_part.hpp"
#include "fem/sparse/rectangular.hpp"

#include "solvers/least_squares/fit_condition.hpp"
#include "solvers/least_squares/solve_least_squares_on.hpp"
#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/sparse/solve_end.hpp"
#include "solvers/timeline.hpp"
#include "solvers/with_backend.hpp"

namespace ninefold {
namespace {

template <Backend B>
std::vector<LeastSquaresFound> find_with(const B& on, const LeastSquaresStages<B>& stages) {
  const LeastSquaresOptions& options = stages.options;
  return with_type(options.solver.precision, [&]<class T>() -> std::vector<LeastSquaresFound> {
    if constexpr (std::is_same_v<B, Host> || (has_cuda && !is_software<T>)) {
      if (!options.solver.refinement.used()) return least_squares_in_format<B, T>(on, stages);
      std::vector<LeastSquaresFound> found;
      for (std::size_t k = 0; k < stages.system.rights.size(); ++k) {
        found.push_back(least_squares_mixed<B, T>(on, stages, k));
      }
      return found;
    } else {
      throw std::logic_error("there are no operations on a device for this format");
    }
  });
}

template <Backend B>
std::vector<LeastSquaresFound> find_whole_on(const B& on, const LeastSquaresSystem& system,
                                             const LeastSquaresOptions& options) {
  const auto layout = [&](const SparseMatrix& A) {
    return std::make_shared<const LayoutOnBackend<B>>(on, row_layout(A.pattern, *options.storage));
  };
  return find_with<B>(
      on, {system, options, layout(system.K), layout(system.transposed), on, on, nullptr, nullptr});
}

/// Several ranks take a part of the rows and one of the columns each or, where either are few, all
/// of them all.
template <Backend B>
std::vector<LeastSquaresFound> find_on(const B& on, const LeastSquaresSystem& system,
                                       const LeastSquaresOptions& options) {
  if (!has_several_ranks(options.solver)) return find_whole_on(on, system, options);
  const int ranks = on.ranks()->size(), rank = on.ranks()->rank();
  const std::vector<int> rows = divided_rows(system.K.pattern, ranks, sum_chunk);
  const std::vector<int> columns = divided_rows(system.transposed.pattern, ranks, sum_chunk);
  if (rows.empty() || columns.empty()) return find_whole_on(on, system, options);
  const MatrixPart of_rows = cut_rows(system.K, rows, columns, rank);
  const MatrixPart of_columns = cut_rows(system.transposed, columns, rows, rank);
  // A product with the one meets what the other's rows are.
  const auto divided = [&](const std::vector<int>& begins, const MatrixPart& meets) {
    return on.divided(std::make_shared<const VectorPart>(begins, rank, meets.below, meets.above));
  };
  const auto layout = [&](const MatrixPart& part) {
    return std::make_shared<const LayoutOnBackend<B>>(
        on, row_layout(part.A.pattern, *options.storage, false, true), &part);
  };
  return find_with<B>(
      on, {system, options, layout(of_rows), layout(of_columns), divided(rows, of_columns),
           divided(columns, of_rows), &of_rows, &of_columns});
}

std::vector<LeastSquaresFound> find(const LeastSquaresSystem& system,
                                    const LeastSquaresOptions& options, BackendKind where) {
  std::optional<SoftFloat::Scope> scope;
  if (const auto soft = software_format(options.solver)) {
    scope.emplace(soft->mantissa(), soft->exponent());
  }
  std::vector<LeastSquaresFound> found = with_backend(
      where, [&](const auto& on) { return find_on(on, system, options); },
      sum_scratch_bytes(std::max(system.K.pattern.n_rows, system.K.pattern.n_columns), 1),
      options.solver.ranks);
  if (has_several_ranks(options.solver)) {
    for (LeastSquaresFound& one : found) {
      add_up(*options.solver.ranks, one.report, one.matrix_bytes);
    }
  }
  return found;
}

/// What the gradient has come to; whether x is right all the same is told by the condition.
std::string held(const LeastSquaresOptions& options, const LeastSquaresSolved& solved) {
  return fmt::format(
      "the gradient ends at {:.1e} of |A'b|, above the tolerance of {:g}, where rounding to {} "
      "leaves about {:.1e}",
      solved.report.true_residual_reduction, options.solver.tolerance,
      to_string(options.solver.precision), solved.report.attainable_reduction);
}

void judge(const LeastSquaresOptions& options, double reached, LeastSquaresSolved& solved) {
  Report& report = solved.report;
  const double tolerance = options.solver.tolerance;
  report.true_residual_reduction = reached;
  if (!std::isfinite(reached)) {
    report.outcome = Outcome::not_finite;
  } else if (reached <= tolerance) {
    report.outcome = Outcome::converged;
  } else if (report.outcome == Outcome::converged && reached > recurrence_drift * tolerance) {
    report.outcome = Outcome::stagnated;
  }
  if (report.outcome == Outcome::stagnated) report.remark = held(options, solved);
}

/// What is fitted, as it was given.
struct GivenFits {
  const SparseMatrix &A, &L;
  std::vector<const WideVector*> rights;
  std::vector<const std::optional<WideVector>*> solutions;
};

void measure(const GivenFits& given, std::size_t k, const LeastSquaresOptions& options,
             LeastSquaresSolved& solved) {
  const std::optional<WideVector>& known = *given.solutions[k];
  solved.residual_norm = norm_of(wide_residual(given.A, *given.rights[k], solved.solution));
  solved.right_norm = norm_of(*given.rights[k]);
  solved.solution_norm = given.L.pattern.n_rows == 0
                             ? norm_of(solved.solution)
                             : norm_of(wide_residual(given.L, {}, solved.solution));
  if (known) solved.errors = errors_of(solved.solution, *known);
  for (const double x : solved.solution.high) {
    const double above = options.upper ? x - *options.upper : -1;
    const double below = options.lower ? *options.lower - x : -1;
    const double beyond = std::max(above, below);
    if (beyond <= 0) continue;
    ++solved.out_of_bounds;
    solved.largest_violation = std::max(solved.largest_violation, beyond);
  }
}

/// The norms of the first values and of the others.
std::pair<double, double> norms_of_parts(const WideVector& v, std::size_t first) {
  const auto part = [](const std::vector<double>& of, std::size_t begin, std::size_t end) {
    const auto from = of.begin();
    return of.empty() ? of
                      : std::vector<double>(from + static_cast<std::ptrdiff_t>(begin),
                                            from + static_cast<std::ptrdiff_t>(end));
  };
  const std::size_t n = v.high.size();
  return {norm_of({part(v.high, 0, first), part(v.low, 0, first)}),
          norm_of({part(v.high, first, n), part(v.low, first, n)})};
}

/// What was found for right-hand side k, judged.
void take_found(const GivenFits& given, std::size_t k, const LeastSquaresOptions& options,
                const LeastSquaresSystem& system, std::size_t number, LeastSquaresFound found,
                double stacked_in, LeastSquaresSolved& solved) {
  solved.report = std::move(found.report);
  solved.report.setup_seconds += stacked_in;
  const auto judged = Clock::now();
  solved.matrix_bytes = found.matrix_bytes;
  solved.kernels_per_iteration = found.kernels_per_iteration;
  solved.solution = system.solution(found.y, number);
  const WideGradient left = wide_gradient(system, number, found.y);
  const auto rows = given.A.pattern.n_rows;
  const auto [data, rest] = norms_of_parts(left.r, static_cast<std::size_t>(rows));
  const FitCondition seen = fit_condition(
      found.coefficients, solved.report, options.solver.precision,
      {data, rest, norm_of(left.s), norm_of(found.y), two_norm_bound(system.K, rows)});
  solved.has_fallen = seen.has_fallen;
  if (!solved.is_deficient) {
    solved.condition = seen.of_matrix;
    solved.fit_condition = seen.of_fit;
    solved.unfinished = seen.unfinished;
  }
  measure(given, k, options, solved);
  judge(options, norm_of(left.s) / system.rights[number].norm, solved);
  solved.report.timeline = {{part::solver, solved.report.setup_seconds},
                            {part::iteration, solved.report.solve_seconds},
                            {part::judgement, seconds_since(judged)}};
}

std::vector<LeastSquaresSolved> solve_all(const GivenFits& given, const LeastSquaresOptions& stated,
                                          BackendKind where) {
  validate(stated, where);
  require(!given.rights.empty(), "there is no right-hand side");
  validate_matrices(given.A, given.L);
  for (std::size_t k = 0; k < given.rights.size(); ++k) {
    validate_right(given.A, *given.rights[k], *given.solutions[k]);
  }
  const auto began = Clock::now();
  LeastSquaresOptions options = stated;
  if (!options.storage) options.storage = SparseStorage::sliced;
  LeastSquaresSystem system = least_squares_system(given.A, given.L, given.rights, options);
  const double stacked_in = seconds_since(began);
  std::vector<LeastSquaresSolved> solved(given.rights.size());
  const bool starts_within =
      (!options.lower || *options.lower <= 0) && (!options.upper || *options.upper >= 0);
  std::vector<FittedRight> fitted;  // and which of the given ones they are
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < solved.size(); ++k) {
    LeastSquaresSolved& one = solved[k];
    one.storage = *options.storage;
    const double weight = std::ldexp(system.weight, -system.matrix_exponent);
    one.penalty = options.penalty.value_or(weight * weight);
    one.is_deficient =
        options.regularisation == 0 && given.A.pattern.n_rows < given.A.pattern.n_columns;
    if (system.rights[k].norm > 0) {
      fitted.push_back(std::move(system.rights[k]));
      numbers.push_back(k);
      continue;
    }
    require(starts_within,
            "the right-hand side has no part in what the matrix reaches, and zero is out of "
            "bounds");
    one.solution.high.assign(static_cast<std::size_t>(given.A.pattern.n_columns), 0.0);
    one.report.outcome = Outcome::converged;  // zero is the solution
    one.report.history = {0.0};
    measure(given, k, options, one);
  }
  if (numbers.empty()) return solved;
  system.rights = std::move(fitted);
  std::vector<LeastSquaresFound> found = find(system, options, where);
  for (std::size_t number = 0; number < numbers.size(); ++number) {
    const std::size_t k = numbers[number];
    take_found(given, k, options, system, number, std::move(found[number]), stacked_in, solved[k]);
  }
  return solved;
}

}  // namespace

SolverOptions LeastSquaresOptions::default_solver() {
  SolverOptions options = SparseOptions::default_solver();
  options.preconditioner = Preconditioning::none;
  options.refinement.variant = RefinementVariant::refinement;
  return options;
}

void validate(const LeastSquaresOptions& options, BackendKind where) {
  SparseOptions as_sparse;
  as_sparse.solver = options.solver;
  const SolverOptions& solver = options.solver;
  require_value(solver.preconditioner == Preconditioning::none, Parameter::preconditioner,
                solver.preconditioner, "of least squares it is \"none\"");
  require_value(!solver.form || *solver.form == OperatorForm::plain, Parameter::form,
                to_string(solver.form), "of least squares it is \"plain\"");
  const RefinementOptions& refinement = solver.refinement;
  require_value(refinement.inner.size() <= 1, Parameter::cascade,
                fmt::format("of {} formats", refinement.inner.size()),
                "of least squares there is one inner format, {}", Parameter::inner_precision);
  require_value(refinement.variant == RefinementVariant::refinement, Parameter::variant,
                refinement.variant, "of least squares it is \"refinement\"");
  validate(as_sparse, where);
  require(
      !has_several_ranks(solver) || (!options.lower && !options.upper),
      "with bounds a fit is solved by one process and on one device: a bound is of a row of the "
      "stacked matrix and of a column at once");
  if (options.storage) {
    const bool is_possible = *options.storage == SparseStorage::sliced
                             || *options.storage == SparseStorage::compressed
                             || *options.storage == SparseStorage::jagged;
    require_value(is_possible, Parameter::matrix_storage, *options.storage,
                  "of least squares it is \"sliced\", \"crs\" or \"jagged\": blocks are for square "
                  "matrices");
  }
  require(std::isfinite(options.regularisation) && options.regularisation >= 0, [&] {
    return fmt::format("the regularisation is {}: a number that is not negative",
                       options.regularisation);
  });
  const auto require_finite = [](const char* what, const std::optional<double>& bound) {
    require(!bound || std::isfinite(*bound),
            [&] { return fmt::format("the {} bound is {}: a number", what, *bound); });
  };
  require_finite("lower", options.lower);
  require_finite("upper", options.upper);
  const bool has_bounds = options.lower || options.upper;
  require(!options.lower || !options.upper || *options.lower < *options.upper, [&] {
    return fmt::format("the lower bound is {}: below the upper one, {}", *options.lower,
                       *options.upper);
  });
  require(!options.penalty || (std::isfinite(*options.penalty) && *options.penalty > 0),
          [&] { return fmt::format("the penalty is {}: a number above zero", *options.penalty); });
  require(!options.penalty || has_bounds, "a penalty is for bounds: there are none");
  std::string inner;
  for (const Precision precision : refinement.inner) {
    inner += (inner.empty() ? "" : ", ") + to_string(precision);
  }
  require_value(!has_bounds || !refinement.used(), inner_parameter(refinement), inner,
                "with bounds, which CGLS meets anew in each step, there is one format, {}",
                Parameter::precision);
}

LeastSquaresSolved solve_least_squares(const LeastSquaresProblem& problem,
                                       const LeastSquaresOptions& options, BackendKind where) {
  const GivenFits given{problem.A, problem.L, {&problem.b}, {&problem.solution}};
  return std::move(solve_all(given, options, where).front());
}

std::vector<LeastSquaresSolved> solve_least_squares(const SparseMatrix& A, const SparseMatrix& L,
                                                    std::span<const SparseRight> rights,
                                                    const LeastSquaresOptions& options,
                                                    BackendKind where) {
  GivenFits given{A, L, {}, {}};
  for (const SparseRight& right : rights) {
    given.rights.push_back(&right.b);
    given.solutions.push_back(&right.solution);
  }
  return solve_all(given, options, where);
}

std::optional<double> rank_deficiency(const SparseMatrix& A, int max_iterations, BackendKind where,
                                      const std::shared_ptr<const Ranks>& ranks) {
  const auto n = static_cast<std::size_t>(A.pattern.n_columns);
  LeastSquaresProblem problem{A};
  WideVector v{std::vector<double>(n), {}};
  const CounterRandom random(1);
  for (std::size_t k = 0; k < n; ++k) v.high[k] = 2 * random.unit(k) - 1;
  const double start = norm_of(v);
  LeastSquaresOptions options;
  options.solver.max_iterations = max_iterations;
  options.solver.ranks = ranks;
  // Takes away from v what A does not take to zero, to the tolerance of a solve.
  const auto correct = [&] {
    problem.b = wide_residual(A, {}, v);
    const WideVector x = solve_least_squares(problem, options, where).solution;
    for (std::size_t k = 0; k < n; ++k) v.high[k] += x.high[k];
  };
  const auto image = [&] {
    return norm_of(wide_residual(A, {}, v)) / (norm_of({A.values, {}}) * norm_of(v));
  };
  correct();
  // Of one direction in n a random start has about 1 / sqrt(n).
  constexpr double least_part = 1e-4, most = 1e-7;
  const double size = norm_of(v);
  if (!(size >= least_part * start)) return {};
  const double first = image();
  if (!(first <= most)) return {};
  // Once more: of what A takes nearly to zero little is left then.
  correct();
  return norm_of(v) >= 0.5 * size ? image() : first;
}

WideVector reference_least_squares(const LeastSquaresProblem& problem, LeastSquaresOptions options,
                                   BackendKind where) {
  const SolverOptions stated = options.solver;
  const bool has_bounds = options.lower || options.upper;
  options.solver = LeastSquaresOptions::default_solver();
  options.solver.max_iterations = stated.max_iterations;
  options.solver.ranks = stated.ranks;
  options.solver.precision = Precision::double_double;
  if (!has_bounds) options.solver.refinement.inner = {Precision::double_};
  options.solver.tolerance = 1e-22;
  LeastSquaresSolved solved = solve_least_squares(problem, options, where);
  require(solved.report.outcome == Outcome::converged, [&] {
    return fmt::format(
        "there is no reference solution: double-double{} has ended ({}) at a "
        "gradient of {:.1e} of |A'b|",
        has_bounds ? "" : ", refined by double,", to_string(solved.report.outcome),
        solved.report.true_residual_reduction);
  });
  return std::move(solved.solution);
}

}  // namespace ninefold
