#include "solvers/sparse/sparse_solve.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "fem/sparse/matrix_part.hpp"

#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/sparse/judged.hpp"
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

/// What the residual of a scaled system must meet, once more, so that what was given meets the
/// tolerance: D has changed the norm.  Nothing where it does already, or where the format that
/// holds it or the limit of iterations leaves nothing to gain.
std::optional<SolverOptions> stricter(const SparseOptions& options, const ScaledSystem& system,
                                      const Report& report) {
  SolverOptions result = options.solver;
  const bool is_hidden = !system.exponents.empty() && result.refinement.used()
                         && options.stop == StopBy::residual
                         && report.residual_reduction <= result.tolerance
                         && report.true_residual_reduction > result.tolerance;
  if (!is_hidden) return {};
  const double excess = report.true_residual_reduction / result.tolerance;
  result.tolerance =
      std::max(result.tolerance / (2 * excess), 16 * facts(result.precision).unit_roundoff);
  result.max_iterations -= report.iterations;
  if (!(result.tolerance < options.solver.tolerance) || result.max_iterations < 1) return {};
  return result;
}

/// The time and the work of another solve of the same system.
void add_costs(const Report& other, Report& report) {
  report.work += other.work;
  report.outer_work += other.outer_work;
  report.transferred_bytes += other.transferred_bytes;
  report.setup_seconds += other.setup_seconds;
  report.solve_seconds += other.solve_seconds;
  require(report.timeline.size() == other.timeline.size(), "timelines of other parts");
  for (std::size_t k = 0; k < report.timeline.size(); ++k) {
    report.timeline[k].seconds += other.timeline[k].seconds;
  }
}

/// Puts what was iterated before in front, with its costs.
void add_before(const Report& before, Report& report) {
  const auto append = [](auto values, const auto& more, std::size_t from) {
    values.insert(values.end(), more.begin() + static_cast<std::ptrdiff_t>(from), more.end());
    return values;
  };
  report.history = append(before.history, report.history, report.history.empty() ? 0 : 1);
  report.inner_history = append(before.inner_history, report.inner_history, 0);
  report.iterations += before.iterations;
  report.inner_iterations += before.inner_iterations;
  add_costs(before, report);
}

/// A solve and, where it has to be, another one by itself, from zero; the better one is kept.
SparseSolved solved_as_given(SparseSolved first, const SparseMatrix& A, const GivenRight& given,
                             const SparseOptions& options, ScaledSystem& system, std::size_t k,
                             BackendKind where) {
  const auto again = stricter(options, system, first.report);
  if (!again) return first;
  SparseOptions own = options;
  own.solver = *again;
  std::vector<ScaledRight> all = std::exchange(system.rights, {});
  system.rights.push_back(std::move(all[k]));
  SparseFound found = std::move(find(system, own, where).front());
  SparseSolved second = judged(A, given, options, system, 0, std::move(found));
  all[k] = std::move(system.rights.front());
  system.rights = std::move(all);
  if (!(second.report.true_residual_reduction < first.report.true_residual_reduction)) {
    add_costs(second.report, first.report);
    return first;
  }
  add_before(first.report, second.report);
  const std::string why = fmt::format(
      "rows and columns were scaled to fit a format: solved once more, to {:.1e} of those, so that "
      "what was given meets {}",
      own.solver.tolerance, Parameter::tolerance);
  std::string& remark = second.report.remark;
  remark = remark.empty() ? why : why + "; " + remark;
  return second;
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
  ScaledSystem system = scaled_system(A, given, options);
  const double ordered = seconds_since(began);
  std::vector<SparseFound> found = find(system, options, where);
  std::vector<SparseSolved> solved;
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].report.setup_seconds += ordered;
    solved.push_back(solved_as_given(judged(A, rights[k], options, system, k, std::move(found[k])),
                                     A, rights[k], options, system, k, where));
  }
  return solved;
}

}  // namespace

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
