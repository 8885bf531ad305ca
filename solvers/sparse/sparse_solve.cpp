#include "solvers/sparse/sparse_solve.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "fem/sparse/diagonal_blocks.hpp"
#include "fem/sparse/matrix_part.hpp"

#include "solvers/krylov/lanczos.hpp"
#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/sparse/solve_end.hpp"
#include "solvers/sparse/solve_sparse_on.hpp"
#include "solvers/timeline.hpp"
#include "solvers/with_backend.hpp"

namespace ninefold {
namespace {

template <Backend B>
std::vector<SparseFound> find_with(const B& on, const SparseStages<B>& stages) {
  const auto& [system, options, layout, part] = stages;
  return with_type(options.solver.precision, [&]<class T>() -> std::vector<SparseFound> {
    if constexpr (std::is_same_v<B, Host> || (has_cuda && !is_software<T>)) {
      if (!options.solver.refinement.used()) return sparse_cg<B, T>(on, stages);
      std::vector<SparseFound> found;
      for (std::size_t k = 0; k < system.rights.size(); ++k) {
        found.push_back(sparse_mixed<B, T>(on, stages, k));
      }
      return found;
    } else {
      throw std::logic_error("there are no operations on a device for this format");
    }
  });
}

/// Where the rows of each rank begin, at multiples by which nodes and blocks stay whole; empty
/// where there is one rank, or too few rows.
std::vector<int> part_begins(const Ranks* ranks, const SparsePattern& pattern,
                             const SparseOptions& options) {
  if (ranks == nullptr || ranks->size() == 1) return {};
  std::int64_t multiple = sum_chunk;
  for (const int whole : {options.components, options.block_size.value_or(1),
                          values_together(options.storage.value())}) {
    multiple = std::lcm(multiple, std::int64_t{whole});
    if (multiple > pattern.n_rows) return {};
  }
  return divided_rows(pattern, ranks->size(), static_cast<int>(multiple));
}

/// Several ranks take a part of the rows each, or, of few rows, all of them all rows.
template <Backend B>
std::vector<SparseFound> find_on(const B& on, const ScaledSystem& system,
                                 const SparseOptions& options) {
  const SparseStorage storage = options.storage.value();
  const std::vector<int> begins = part_begins(on.ranks(), system.A.pattern, options);
  if (begins.empty()) {
    return find_with<B>(on, {system, options,
                             std::make_shared<const LayoutOnBackend<B>>(
                                 on, row_layout(system.A.pattern, storage))});
  }
  const int together = std::lcm(options.components, values_together(storage));
  const MatrixPart part = cut_rows(system.A, begins, begins, on.ranks()->rank(), together);
  const B own = on.divided(
      std::make_shared<const VectorPart>(begins, on.ranks()->rank(), part.below, part.above));
  return find_with<B>(own, {system, options,
                            std::make_shared<const LayoutOnBackend<B>>(
                                own, row_layout(part.A.pattern, storage, false, true), &part),
                            &part});
}

std::vector<SparseFound> find(const ScaledSystem& system, const SparseOptions& options,
                              BackendKind where) {
  std::optional<SoftFloat::Scope> scope;
  if (const auto soft = software_format(options.solver)) {
    scope.emplace(soft->mantissa(), soft->exponent());
  }
  std::vector<SparseFound> found = with_backend(
      where, [&](const auto& on) { return find_on(on, system, options); },
      sum_scratch_bytes(system.A.pattern.n_rows, 1), options.solver.ranks);
  if (has_several_ranks(options.solver)) {
    for (SparseFound& one : found) add_up(*options.solver.ranks, one.report, one.matrix_bytes);
  }
  return found;
}

/// What helps where a format holds the residual.
std::string_view remedy(const SparseOptions& options) {
  return options.solver.refinement.used() ? "a wider format is needed outside"
                                          : "a wider format is needed, or mixed precision";
}

/// What the solve is called, by what is true of the residual in the norm that is asked for.
void judge_by_residual(const SparseOptions& options, const ScaledSystem& system,
                       const SparseResidual& left, Report& report) {
  const double tolerance = options.solver.tolerance;
  const double u = facts(options.solver.precision).unit_roundoff;
  const auto part = [](double size, double of) { return of > 0 ? size / of : size; };
  report.true_residual_reduction = part(left.norm, left.right_norm);
  report.attainable_reduction = u * part(left.row_sizes, left.right_norm);
  const bool by_residual = options.stop == StopBy::residual;
  const double reached = by_residual
                             ? report.true_residual_reduction
                             : std::sqrt(part(left.scaled_square, left.right_scaled_square));
  if (!std::isfinite(reached)) {
    report.outcome = Outcome::not_finite;
    return;
  }
  if (reached <= tolerance) {
    report.outcome = Outcome::converged;
    return;
  }
  if (report.outcome == Outcome::converged && reached > recurrence_drift * tolerance) {
    report.outcome = Outcome::stagnated;
    const std::string held =
        fmt::format("the residual is {:.1e} of the right-hand side, above the tolerance of {:g}",
                    reached, tolerance);
    report.remark =
        system.exponents.empty()
            ? fmt::format("{}, where {} holds it: {}", held, to_string(options.solver.precision),
                          remedy(options))
            : held
                  + ": the tolerance was met by that of rows and columns that were scaled to fit a "
                    "format; a format of wider range needs no scaling";
  } else if (report.outcome == Outcome::stagnated) {
    report.remark = fmt::format(
        "the residual no longer falls: {} leaves about {:.1e} of the right-hand side by rounding",
        to_string(options.solver.precision), report.attainable_reduction);
  }
}

/// With the squares in the norm of the preconditioner that there is.
SparseResidual residual_left(const SparseOptions& options, const SparseMatrix& A,
                             const WideVector& b, const WideVector& x) {
  const bool has_blocks = options.solver.preconditioner == Preconditioning::block_jacobi;
  WideVector r;
  SparseResidual left = sparse_residual(A, b, x, has_blocks ? &r : nullptr);
  if (has_blocks) {
    const int size = options.block_size.value();
    const std::vector<DoubleDouble> inverses = block_inverses(A, size);
    const auto square = [&](const WideVector& v) {
      return block_square(inverses, size, v, left.exponent);
    };
    left.scaled_square = square(r);
    left.right_scaled_square = square(b);
  }
  return left;
}

/// Of the solution, relative to it: (r, M^-1 r) over the lowest eigenvalue of M^-1 A, which CG
/// knows of the scaled system; nothing where that has another one.
std::optional<double> energy_error(const SolverOptions& solver, const ScaledSystem& system,
                                   const SparseResidual& left, double lowest) {
  const bool preconditioned = solver.preconditioner != Preconditioning::none;
  if (!preconditioned && !system.exponents.empty()) return {};
  const double square = preconditioned ? left.scaled_square : left.norm * left.norm;
  const double eigenvalue = preconditioned ? lowest : std::ldexp(lowest, -system.matrix_exponent);
  if (!(left.energy_square > 0) || !(eigenvalue > 0)) return {};
  // The square is in units of 2^(-2 e), the energy in those of 2^-e, half of which is a root's.
  const double root = std::sqrt(square / eigenvalue / left.energy_square);
  const double error = root * std::exp2(-0.5 * left.exponent);
  if (!std::isfinite(error)) return {};
  return error;
}

/// A right-hand side as it was given.
struct GivenRight {
  const WideVector* b;
  const std::optional<WideVector>* solution;
};

/// What was found for one of them, judged.
SparseSolved judged(const SparseMatrix& A, const GivenRight& right, const SparseOptions& options,
                    const ScaledSystem& system, std::size_t k, SparseFound found) {
  const auto began = Clock::now();
  SparseSolved solved;
  solved.report = std::move(found.report);
  Report& report = solved.report;
  solved.solution = system.solution(found.y, k);
  const SparseResidual left = residual_left(options, A, *right.b, solved.solution);
  solved.backward_error = left.backward_error;
  judge_by_residual(options, system, left, report);
  if (*right.solution) solved.errors = errors_of(solved.solution, **right.solution);
  const SpectrumEnds ends = lanczos_spectrum(found.coefficients.steps, found.coefficients.ratios);
  // Beyond this the lowest one is made by rounding.
  const double largest_condition = 0.1 / facts(options.solver.precision).unit_roundoff;
  const bool is_of_matrix =
      options.solver.preconditioner != Preconditioning::none || system.exponents.empty();
  if (is_of_matrix && ends.lowest > 0 && ends.highest < largest_condition * ends.lowest) {
    solved.condition = ends.highest / ends.lowest;
    solved.errors.energy = energy_error(options.solver, system, left, ends.lowest);
  }
  solved.order = system.taken;
  solved.form = options.solver.form.value();
  solved.storage = options.storage.value();
  solved.matrix_bytes = found.matrix_bytes;
  report.timeline = {{part::solver, report.setup_seconds},
                     {part::iteration, report.solve_seconds},
                     {part::judgement, seconds_since(began)}};
  return solved;
}

std::vector<SparseSolved> solve_all(const SparseMatrix& A, const std::vector<GivenRight>& rights,
                                    const SparseOptions& stated, BackendKind where) {
  validate(stated, where);
  require_components(stated, A.pattern.n_rows);
  require(!rights.empty(), "there is no right-hand side");
  const auto began = Clock::now();
  const SparseOptions options = settled(stated, A);
  std::vector<const WideVector*> given;
  for (const GivenRight& right : rights) given.push_back(right.b);
  const ScaledSystem system = scaled_system(A, given, options);
  const double ordered = seconds_since(began);
  std::vector<SparseFound> found = find(system, options, where);
  std::vector<SparseSolved> solved;
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].report.setup_seconds += ordered;
    solved.push_back(judged(A, rights[k], options, system, k, std::move(found[k])));
  }
  return solved;
}

}  // namespace

SparseErrors errors_of(const WideVector& x, const WideVector& exact) {
  double largest_size = 0;
  for (const double value : exact.high) largest_size = std::max(largest_size, std::abs(value));
  const int exponent =
      largest_size > 0 && std::isfinite(largest_size) ? -std::ilogb(largest_size) : 0;
  double square = 0, size = 0, largest = 0;
  for (std::size_t k = 0; k < exact.high.size(); ++k) {
    const double error = std::ldexp(static_cast<double>(x[k] - exact[k]), exponent);
    const double value = std::ldexp(exact.high[k], exponent);
    square += error * error;
    size += value * value;
    largest = std::isnan(error) ? error : std::max(largest, std::abs(error));
  }
  SparseErrors errors;
  errors.l2 = size > 0 ? std::sqrt(square / size) : std::sqrt(square);
  errors.largest = size > 0 ? largest / std::ldexp(largest_size, exponent) : largest;
  return errors;
}

SparseSolved solve_sparse(const SparseProblem& problem, const SparseOptions& options,
                          BackendKind where) {
  return std::move(solve_all(problem.A, {{&problem.b, &problem.solution}}, options, where).front());
}

std::vector<SparseSolved> solve_sparse(const SparseMatrix& A, std::span<const SparseRight> rights,
                                       const SparseOptions& options, BackendKind where) {
  std::vector<GivenRight> given;
  for (const SparseRight& right : rights) given.push_back({&right.b, &right.solution});
  return solve_all(A, given, options, where);
}

WideVector reference_solution(const SparseProblem& problem, int max_iterations, BackendKind where,
                              const std::shared_ptr<const Ranks>& ranks) {
  return reference_solution(problem.A, problem.b, max_iterations, where, ranks);
}

WideVector reference_solution(const SparseMatrix& A, const WideVector& b, int max_iterations,
                              BackendKind where, const std::shared_ptr<const Ranks>& ranks) {
  SparseOptions options;
  options.solver.ranks = ranks;
  options.solver.precision = Precision::double_double;
  options.solver.refinement.inner = {Precision::double_};
  options.solver.tolerance = 1e-26;
  options.solver.max_iterations = max_iterations;
  const std::optional<WideVector> unknown;
  SparseSolved solved = std::move(solve_all(A, {{&b, &unknown}}, options, where).front());
  const Report& report = solved.report;
  const double near =
      recurrence_drift * std::max(options.solver.tolerance, report.attainable_reduction);
  require(report.true_residual_reduction <= near, [&] {
    return fmt::format(
        "there is no reference solution: double-double, refined by double, has ended "
        "({}) at a residual of {:.1e} of the right-hand side",
        to_string(report.outcome), report.true_residual_reduction);
  });
  return std::move(solved.solution);
}

}  // namespace ninefold
