#include "solvers/prepared_solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "precision/precision.hpp"
#include "precision/require.hpp"
#include "precision/shortened.hpp"
#include "precision/soft_float.hpp"

#include "fem/discrete/error_bound.hpp"
#include "fem/discrete/error_sums.hpp"
#include "fem/discrete/line_spectrum.hpp"
#include "fem/discrete/load.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/direct/eigenvectors.hpp"

#include "solvers/direct/direct_options.hpp"
#include "solvers/drivers/solve_on.hpp"
#include "solvers/system/rows_of_ranks.hpp"

namespace ninefold {

namespace {

/// True if one direction holds differences much less than the other: where nothing holds constants,
/// the error bound is by the smaller of the two eigenvalues.
bool is_long(const Problem& problem) {
  const double x = problem.gx / (problem.width * problem.width);
  const double y = problem.gy / (problem.height * problem.height);
  return std::max(x, y) > 10 * std::min(x, y);
}

/// The thinnest cell, relative to its direction.
double thinnest_cell(const TensorGrid& grid) {
  const auto of = [](const Line& line) {
    return *std::min_element(line.width.begin(), line.width.end()) / line.from_start.back();
  };
  return std::min(of(grid.x), of(grid.y));
}

/// True if all stages of refinement in shorter formats than the outer one have factored rows, in
/// formats that lose no more than cells of that width leave: u^2 over the width
/// (fem/matrix/factored_rows.hpp).
bool stages_hold_thin_cells(const SolverOptions& options, double thinnest) {
  const std::vector<Precision>& inner = options.refinement.inner;
  const double outer = facts(options.precision).unit_roundoff;
  for (std::size_t stage = 0; stage < inner.size(); ++stage) {
    const double u = facts(inner[stage]).unit_roundoff;
    if (u > outer
        && (storage_of_stage(options, stage) != OperatorStorage::factored || u * u > thinnest)) {
      return false;
    }
  }
  return true;
}

/// All but the memory.
PreparedSolve decide(Problem problem, std::vector<TensorGrid> grids, const SolverOptions& stated,
                     BackendKind where) {
  PreparedSolve prepared;
  prepared.problem = std::move(problem);
  prepared.grids = std::move(grids);
  prepared.options = settled(stated, prepared.problem, prepared.finest());
  prepared.where = where;
  const SolverOptions& options = prepared.options;
  const double gx = prepared.problem.gx, gy = prepared.problem.gy;
  const TensorGrid& finest = prepared.finest();
  const OperatorStorage storage = multigrid_storage(options);
  prepared.smoothing = choose_smoothing(options.multigrid, finest, gx, gy, storage);
  prepared.smoothing.solves_base = options.method == Method::full_multigrid;
  prepared.suitable = suitable_smoothing(options.multigrid, finest, gx, gy, storage);
  prepared.judging = choose_smoothing({}, finest, gx, gy, judging_storage(options));
  prepared.has_detached_thin_cells = has_detached_thin_cells(prepared.problem.boundary, finest);

  const bool thin = prepared.has_detached_thin_cells;
  const bool free = has_free_constant(prepared.problem);
  // In the energy norm changes tell nothing (solvers/judgement/accuracy.hpp).
  const bool asked = options.norm != StoppingNorm::residual && options.norm != StoppingNorm::energy;
  const bool only_refines =
      !options.refinement.used() || options.refinement.variant == RefinementVariant::refinement;
  // Hardly damped steps change little of anything.
  const bool changes_much = uses_multigrid(options)
                            && options.multigrid.damping.value_or(1.0) >= 0.5
                            && suits(prepared.smoothing, prepared.suitable);
  // Nor do corrections by rows whose rounding takes away what couples thin cells.
  const bool stages_hold = !thin || stages_hold_thin_cells(options, thinnest_cell(finest));
  prepared.watches_changes = asked && (thin || free) && only_refines && changes_much && stages_hold;
  // Its multigrid takes memory: made only where the bound falls short by far.
  prepared.judges_by_a_cycle =
      asked && (thin || (free && is_long(prepared.problem))) && !prepared.watches_changes;
  return prepared;
}

void require_grids(const Problem& problem, const std::vector<TensorGrid>& grids) {
  require(grids.size() >= 2, "a solve needs the grids of levels 0 to at least 1");
  const double width = grids.back().x.from_start.back(), height = grids.back().y.from_start.back();
  require(std::abs(width - problem.width) <= 1e-12 * width
              && std::abs(height - problem.height) <= 1e-12 * height,
          [&] {
            return fmt::format("the problem is stated on {} x {}, the grids cover {} x {}",
                               shortened(problem.width), shortened(problem.height),
                               shortened(width), shortened(height));
          });
}

void require_backend(const SolverOptions& options, BackendKind where) {
  if (const auto soft = software_format(options); soft && is_device(where)) {
    const Parameter parameter =
        *soft == options.precision ? Parameter::precision : inner_parameter(options.refinement);
    throw BadValue(
        to_string(*soft),
        words("{} = \"{}\" is not possible on a CUDA device", parameter, to_string(*soft)),
        words("software formats run on the host only"));
  }
  require_value(!is_device(where) || built_with_cuda(), Parameter::backend, where,
                "this build has no CUDA: solve on the host");
}

void require_turns(const SolverOptions& options, const Smoothing& smoothing) {
  const int steps = smoothing.pre_steps + smoothing.post_steps;
  if (steps >= 2 || !smoothing.sweep().alternates || !uses_multigrid(options)) return;
  throw BadValue(
      value_text(steps),
      words("{} + {} = {} is not possible with {} = \"{}\", here {}", Parameter::pre_smoothing,
            Parameter::post_smoothing, steps, Parameter::smoother,
            to_string(options.multigrid.smoother), to_words(smoothing)),
      words("lines along x and along y take turns, so that there must be at least 2 steps"));
}

/// What works on all rows of a grid at once.
void require_divided_rows(const PreparedSolve& prepared) {
  const SolverOptions& options = prepared.options;
  if (options.ranks == nullptr || options.ranks->size() == 1) return;
  const int ranks = options.ranks->size();
  require_value(!is_direct(options), Parameter::method, options.method,
                "the direct solver works on one rank, and these are {}", ranks);
  const bool is_split = options.refinement.used() && is_device(prepared.where)
                        && options.refinement.outer_backend == OuterBackend::host;
  require_value(!is_split, Parameter::outer_backend, options.refinement.outer_backend,
                "\"same\" where there are several ranks, here {}", ranks);
}

/// Where the smoother divides by what factors tell.
void require_factors_of_smoother(const SolverOptions& options) {
  if (options.multigrid.smoother != Smoother::chebyshev || !uses_multigrid(options)) return;
  const OperatorStorage storage = multigrid_storage(options);
  // Of full multigrid by itself the cycles are of its own format, and of the keys of `operator`.
  const bool by_itself = options.refinement.inner == std::vector{options.precision};
  const bool inside = options.refinement.used() && !by_itself;
  const OperatorForm form =
      options.refinement.used() ? inner_form_of(options) : options.form.value();
  const Parameter of_storage = inside ? Parameter::inner_storage : Parameter::storage;
  require_value(storage == OperatorStorage::factored || form != OperatorForm::plain,
                Parameter::smoother, options.multigrid.smoother,
                "it needs {} = \"difference\" and {} = \"factored\", and these are \"plain\" and "
                "\"{}\" here",
                inside ? Parameter::inner_form : Parameter::form, of_storage, to_string(storage));
  require_value(storage == OperatorStorage::factored, Parameter::smoother,
                options.multigrid.smoother, "it needs {} = \"factored\", and that is \"{}\" here",
                of_storage, to_string(storage));
}

/// Of the matrix whose eigenvectors are computed on the host, or for a device, before it solves.
std::size_t eigenvector_bytes(const PreparedSolve& prepared) {
  const TensorGrid& grid = prepared.finest();
  std::size_t most = 0;
  for (const Line* line : {&grid.x, &grid.y}) {
    if (has_equal_cells(*line)) continue;
    const std::size_t n = static_cast<std::size_t>(line->nodes());
    const std::size_t beside =
        is_diagonalised_on_device(line->nodes()) ? 0 : host_eigenvector_values(n);
    most = std::max(most, sizeof(double) * (n * n + beside));
  }
  return most;
}

/// Stored rows have an end, whatever the memory.
void require_indices(const PreparedSolve& prepared) {
  const TensorGrid& finest = prepared.finest();
  const std::int64_t nodes = std::int64_t{finest.nx()} * finest.ny();
  if (nodes <= max_stored_nodes) return;
  const auto require_other = [&](OperatorStorage storage, Parameter parameter) {
    require_value(storage != OperatorStorage::stored, parameter, storage,
                  "a stored matrix has at most {} nodes, and this grid {}; \"factored\" and "
                  "\"computed\" have no such limit",
                  max_stored_nodes, nodes);
  };
  const SolverOptions& options = prepared.options;
  require_other(storage_of(options), Parameter::storage);
  // The last stage of a direct solver holds no matrix.
  const std::size_t inner = options.refinement.inner.size();
  const std::size_t holding = is_direct(options) && inner > 0 ? inner - 1 : inner;
  for (std::size_t stage = 0; stage < holding; ++stage) {
    require_other(storage_of_stage(options, stage), Parameter::inner_storage);
  }
  if (prepared.judges_by_a_cycle) require_other(judging_storage(options), Parameter::storage);
}

/// What the solve will hold; its own `memory` is not looked at.
MemoryForecast count_memory(const PreparedSolve& prepared) {
  const SolverOptions& options = prepared.options;
  // Owners convert numbers to their format when they are made.
  std::optional<SoftFloat::Scope> scope;
  if (const auto soft = software_format(options)) scope.emplace(soft->mantissa(), soft->exponent());
  const TensorGrid& finest = prepared.finest();
  const std::size_t scratch = sum_scratch_bytes(finest.nx(), finest.ny());
  const std::size_t nodes = std::size_t(finest.nx()) * std::size_t(finest.ny());
  const bool on_device = is_device(prepared.where);
  const Host backend =
      Host(on_device ? CountedMemory::device : CountedMemory::host, scratch).among(options.ranks);
  MemoryForecast forecast;
  // What is there node by node: the load, or solution, exact one and error; or two
  // vectors of solver and judgement (solvers/judgement/rounding_response.hpp).
  const Problem& problem = prepared.problem;
  const bool measures_energy = options.norm == StoppingNorm::energy && options.relative;
  const bool by_nodes = prepared.keeps_solution || !has_load_products(problem)
                        || !compares_on_backend(problem) || prepared.watches_changes
                        || measures_energy || prepared.judges_by_a_cycle;
  forecast.host = !by_nodes ? 0 : with_type(options.precision, [&]<class T>() {
    constexpr std::size_t fields = 5;  // both solutions, two errors, the exact solution
    const auto share = rows_of_ranks(options.ranks, finest.ny());
    const std::size_t here =
        share == nullptr ? nodes : std::size_t(finest.nx()) * std::size_t(share->here().count());
    return (prepared.keeps_solution ? fields : 3) * here * sizeof(Assembly<T>);
  });
  if (on_device && is_direct(options)) forecast.host += eigenvector_bytes(prepared);
  if (!options.refinement.used()) {
    hold_on(backend, prepared);
  } else if (on_device && options.refinement.outer_backend == OuterBackend::host) {
    const Host outer(CountedMemory::host, scratch);
    hold_mixed_on(outer, backend, prepared);
    forecast.host += outer.peak();
    // Two vectors pass through page-locked memory.
    forecast.host += with_type(options.refinement.inner.front(), [&]<class Low>() {
      return 2 * NodeVector<Host, Low>::storage(finest.nx(), finest.ny()) * sizeof(Low);
    });
  } else {
    hold_mixed_on(backend, backend, prepared);
  }
  forecast.backend = backend.peak();
  return forecast;
}

std::string in_gibibytes(std::size_t bytes) {
  const double gibibytes = static_cast<double>(bytes) / (1 << 30);
  return gibibytes < 1 ? fmt::format("{:.3g} GiB", gibibytes)
                       : fmt::format("{:.2f} GiB", gibibytes);
}

/// What to say where the one is more than the other; else nothing.
std::string memory_lacking(std::size_t needed, std::size_t available, const char* where) {
  if (needed <= available) return "";
  return fmt::format(
      "the run needs {} of memory on the {}, but only {} are free: use fewer levels ({}) or a "
      "smaller format ({}; in mixed precision {})",
      in_gibibytes(needed), where, in_gibibytes(available), Parameter::levels, Parameter::precision,
      Parameter::inner_precision);
}

}  // namespace

PreparedSolve prepare(Problem problem, std::vector<TensorGrid> grids, const SolverOptions& stated,
                      BackendKind where, bool keeps_solution) {
  validate(stated);
  validate(problem);
  require_grids(problem, grids);
  PreparedSolve prepared = decide(std::move(problem), std::move(grids), stated, where);
  require_backend(prepared.options, where);
  require_eigenvectors(prepared.options, prepared.problem, prepared.finest(), is_device(where));
  require_turns(prepared.options, prepared.smoothing);
  require_factors_of_smoother(prepared.options);
  require_divided_rows(prepared);
  require_indices(prepared);
  prepared.keeps_solution = keeps_solution;
  prepared.memory = count_memory(prepared);
  return prepared;
}

MemoryForecast forecast_memory(const PreparedSolve& prepared) {
  return count_memory(prepared);
}

MemoryForecast forecast_memory(const Problem& problem, const std::vector<TensorGrid>& grids,
                               const SolverOptions& options, BackendKind where) {
  validate(options);
  return count_memory(decide(problem, grids, options, where));
}

MemoryForecast forecast_memory(int level, const SolverOptions& options, BackendKind where) {
  require_value(level >= 1 && level <= max_level, Parameter::levels, level, "1 to {}", max_level);
  SolverOptions chosen = options;
  const bool open = options.multigrid.smoother == Smoother::automatic;
  if (open && is_device(where)) chosen.multigrid.smoother = Smoother::adi_trigs;
  return forecast_memory(Problem{}, make_hierarchy(1.0, 1.0, level), chosen, where);
}

std::string smoother_words(const PreparedSolve& prepared, const Report& report) {
  if (!uses_multigrid(prepared.options)) return "";
  return report.is_solved_by_vectors ? "none, eigenvectors solve" : to_words(prepared.smoothing);
}

namespace {

/// What all ranks that run on this machine need of its memory, each stating its own.
std::size_t needed_on_this_host(const Ranks& ranks, std::size_t own) {
  struct Need {
    std::size_t host, bytes;
  };
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::size_t host = std::hash<std::string>()(name.data());
  std::size_t sum = 0;
  for (const Need& need : ranks.statements(Need{host, own}))
    sum += need.host == host ? need.bytes : 0;
  return sum;
}

/// What one rank lacks, or nothing.
std::string lack_of_memory(const MemoryForecast& forecast, BackendKind where, const Ranks* ranks) {
  const std::size_t host = describe_host().memory_available;
  std::size_t on_host = forecast.host + (is_device(where) ? 0 : forecast.backend);
  if (ranks != nullptr) on_host = needed_on_this_host(*ranks, on_host);
  if (!is_device(where)) return memory_lacking(on_host, host, "host, its backend included");
  const std::size_t on_device = describe_cuda(device_of(ranks)).memory_available;
  const std::string lacks = memory_lacking(forecast.backend, on_device, "CUDA device");
  return lacks.empty() ? memory_lacking(on_host, host, "host") : lacks;
}

}  // namespace

void require_memory(const MemoryForecast& forecast, BackendKind where, const Ranks* ranks) {
  std::string lacks = lack_of_memory(forecast, where, ranks);
  if (ranks != nullptr && ranks->any(!lacks.empty()) && lacks.empty()) {
    lacks = "another rank has too little memory";
  }
  if (!lacks.empty()) throw OutOfMemory(lacks);
}

bool fits_memory(const MemoryForecast& forecast, BackendKind where, const Ranks* ranks) {
  const bool lacks = !lack_of_memory(forecast, where, ranks).empty();
  return ranks == nullptr ? !lacks : !ranks->any(lacks);
}

}  // namespace ninefold
