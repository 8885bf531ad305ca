#include "solvers/sparse/sparse_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "precision/require.hpp"

namespace ninefold {
namespace {

/// True where differences of neighbours are small beside what a row's entries would sum up: in all,
/// and in the mean of the rows, which of badly scaled ones says what the largest do not.
bool has_small_row_sums(const SparseMatrix& A, int components) {
  constexpr double part = 0.125, part_of_rows = 0.25;
  const auto c = static_cast<std::size_t>(components);
  double sums = 0, sizes = 0, ratios = 0;
  std::vector<double> of_kind(c);
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    std::fill(of_kind.begin(), of_kind.end(), 0.0);
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    double size = 0, sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      of_kind[static_cast<std::size_t>(columns[k]) % c] += values[k];
      size += std::abs(values[k]);
    }
    for (const double value : of_kind) sum += std::abs(value);
    sums += sum;
    sizes += size;
    if (values.size() > 1 && size > 0) ratios += sum / size;  // one entry has no difference
  }
  return sums <= part * sizes && ratios <= part_of_rows * A.pattern.n_rows;
}

void require_blocks(const SparseOptions& options) {
  const bool has_blocks = options.solver.preconditioner == Preconditioning::block_jacobi;
  if (!has_blocks) {
    require_value(!options.block_size, Parameter::matrix_block_size, options.block_size.value_or(0),
                  "it is for {} = \"block-jacobi\"", Parameter::preconditioner);
    return;
  }
  const int size = options.block_size.value_or(options.components);
  require_value(size >= 2 && size <= largest_block,
                options.block_size ? Parameter::matrix_block_size : Parameter::matrix_components,
                size, "blocks of {} = \"block-jacobi\" have 2 to {} unknowns, by {} or else by {}",
                Parameter::preconditioner, largest_block, Parameter::matrix_block_size,
                Parameter::matrix_components);
  require_value(
      options.order == RowOrder::automatic || options.order == RowOrder::given,
      Parameter::matrix_order, options.order,
      "with {} = \"block-jacobi\", whose blocks are unknowns that follow each other, it is "
      "\"given\"",
      Parameter::preconditioner);
}

}  // namespace

std::string_view to_string(RowOrder order) {
  switch (order) {
    case RowOrder::automatic:
      return "auto";
    case RowOrder::given:
      return "given";
    case RowOrder::rcm:
      return "rcm";
    case RowOrder::random:
      return "random";
  }
  throw std::logic_error("an order of rows without a name");
}

std::string_view to_string(StopBy stop) {
  return stop == StopBy::residual ? "residual" : "preconditioned";
}

SolverOptions SparseOptions::default_solver() {
  SolverOptions options;
  options.method = Method::cg;
  options.preconditioner = Preconditioning::jacobi;
  options.norm = StoppingNorm::residual;
  options.refinement.variant = RefinementVariant::residual_guided_cg;
  options.refinement.stop_at_tolerance = true;
  return options;
}

void validate(const SparseOptions& options, BackendKind where) {
  const SolverOptions& solver = options.solver;
  require_value(solver.method == Method::cg, Parameter::method, solver.method,
                "systems with a matrix of your own are solved by \"cg\"");
  require_value(solver.preconditioner != Preconditioning::multigrid, Parameter::preconditioner,
                solver.preconditioner,
                "with a matrix of your own there are \"none\", \"jacobi\" and \"block-jacobi\"");
  require_value(
      solver.norm == StoppingNorm::residual, Parameter::norm, solver.norm,
      "with a matrix of your own it is \"residual\": what bounds its inverse is not known");
  require_value(solver.start == Start::zero, Parameter::start, solver.start,
                "with a matrix of your own it is \"zero\"");
  require_value(!solver.to_discretisation, Parameter::tolerance, "discretisation",
                "a matrix of your own has no discretisation error that is known: a number");
  require_value(!solver.storage, Parameter::storage, "given", "a matrix of your own has {}",
                Parameter::matrix_storage);
  require_value(options.components >= 1, Parameter::matrix_components, options.components,
                "at least 1");
  require_value(options.components == 1 || options.order == RowOrder::automatic
                    || options.order == RowOrder::given,
                Parameter::matrix_order, options.order, "with {} it is \"given\"",
                Parameter::matrix_components);
  require_blocks(options);
  const RefinementOptions& refinement = solver.refinement;
  require_value(options.stop == StopBy::residual || solver.preconditioner != Preconditioning::none,
                Parameter::matrix_stop, options.stop,
                "it needs {} = \"jacobi\" or \"block-jacobi\"", Parameter::preconditioner);
  // Guided CG is preconditioned here, which it is not on grids.
  SolverOptions as_on_grids = solver;
  if (refinement.variant == RefinementVariant::residual_guided_cg) {
    as_on_grids.preconditioner = Preconditioning::none;
  } else if (solver.preconditioner == Preconditioning::block_jacobi) {
    as_on_grids.preconditioner = Preconditioning::jacobi;
  }
  as_on_grids.norm = StoppingNorm::residual;
  validate(as_on_grids);
  if (refinement.used()) {
    require_value(!options.storage || *options.storage == SparseStorage::sliced,
                  Parameter::matrix_storage, *options.storage,
                  "in mixed precision ({}) it is \"sliced\"", inner_parameter(refinement));
    require_value(options.stop == StopBy::residual, Parameter::matrix_stop, options.stop,
                  "in mixed precision ({}) it is \"residual\"", inner_parameter(refinement));
    require_value(refinement.outer_backend == OuterBackend::same, Parameter::outer_backend,
                  refinement.outer_backend, "with a matrix of your own it is \"same\"");
    require_value(refinement.inner_storage.empty(), Parameter::inner_storage, "given",
                  "a matrix of your own has {}", Parameter::matrix_storage);
  }
  if (!is_device(where)) return;
  const auto require_on_device = [&](Precision precision, Parameter parameter) {
    require_value(facts(precision).on_device, parameter, to_string(precision),
                  "software formats run on the host only: {} = \"host\"", Parameter::backend);
  };
  require_on_device(solver.precision, Parameter::precision);
  for (const Precision inner : refinement.inner) {
    require_on_device(inner, inner_parameter(refinement));
  }
}

void require_components(const SparseOptions& options, int rows) {
  require_value(rows % options.components == 0, Parameter::matrix_components, options.components,
                "a number that divides the {} rows of the matrix", rows);
}

SparseOptions settled(const SparseOptions& options, const SparseMatrix& A) {
  SparseOptions result = options;
  if (!result.storage) result.storage = SparseStorage::sliced;
  const bool has_blocks = result.solver.preconditioner == Preconditioning::block_jacobi;
  if (has_blocks && !result.block_size) result.block_size = result.components;
  if (has_blocks || result.components > 1) result.order = RowOrder::given;
  std::optional<OperatorForm>& inner_form = result.solver.refinement.inner_form;
  const bool is_narrow = facts(result.solver.precision).unit_roundoff > 0x1p-53;
  const bool leaves_inner = result.solver.refinement.used() && !inner_form;
  if ((!result.solver.form && is_narrow) || leaves_inner) {
    const OperatorForm suitable =
        has_small_row_sums(A, result.components) ? OperatorForm::difference : OperatorForm::plain;
    if (leaves_inner) inner_form = suitable;
    if (!result.solver.form && is_narrow) result.solver.form = suitable;
  }
  if (!result.solver.form) result.solver.form = OperatorForm::plain;
  return result;
}

}  // namespace ninefold
