#include "solvers/options.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "fem/discrete/error_bound.hpp"

namespace ninefold {

namespace {

template <class Value>
void require_option(bool condition, std::string_view key, const Value& value,
                    std::string_view allowed) {
  if (condition) return;
  std::ostringstream message;
  message << key << " = " << value << " is not possible: " << allowed;
  throw std::invalid_argument(message.str());
}

template <class Value, class Show>
std::string list_of(const std::vector<Value>& values, const Show& show) {
  std::ostringstream text;
  for (std::size_t k = 0; k < values.size(); ++k) text << (k == 0 ? "[" : ", ") << show(values[k]);
  return text.str() + "]";
}

/// The key that names the inner formats, and what it says.
std::pair<std::string_view, std::string> inner_formats(const RefinementOptions& refinement) {
  if (refinement.inner.size() == 1) {
    return {"refinement.inner_precision", to_string(refinement.inner.front())};
  }
  return {"refinement.cascade",
          list_of(refinement.inner, [](Precision p) { return to_string(p); })};
}

void require_formats(const SolverOptions& options) {
  const auto [key, value] = inner_formats(options.refinement);
  Precision before = options.precision;
  const std::optional<Precision> soft = software_format(options);
  for (const Precision format : options.refinement.inner) {
    require_option(facts(format).unit_roundoff >= facts(before).unit_roundoff, key, value,
                   to_string(format) + " is more precise than " + to_string(before)
                       + " before it; the formats of refinement.inner_precision or "
                         "refinement.cascade follow solver.precision = "
                       + to_string(options.precision) + ", none more precise than the one before");
    before = format;
    if (format.kind() != Precision::Kind::soft) continue;
    require_option(*soft == format, key, value,
                   "one software format at a time, so not " + to_string(format) + " beside "
                       + to_string(*soft) + "; solver.precision counts");
  }
}

void require_stop(const RefinementOptions& refinement) {
  const auto digits = [](const InnerStop& stop) {
    return stop.digits ? (std::ostringstream() << *stop.digits).str() : "auto";
  };
  const auto iterations = [](const InnerStop& stop) {
    return stop.iterations ? std::to_string(*stop.iterations) : "auto";
  };
  for (const InnerStop& stop : refinement.stop) {
    require_option(!stop.iterations || *stop.iterations >= 1, "refinement.inner_iterations",
                   iterations(stop), "at least 1");
    require_option(!stop.digits || (*stop.digits > 0 && *stop.digits <= 15),
                   "refinement.inner_digits", digits(stop), "greater than 0, at most 15");
  }
  if (!refinement.used()) return;
  const std::size_t stages = refinement.inner.size();
  const bool one_for_each = refinement.stop.size() <= 1 || refinement.stop.size() == stages;
  const bool of_digits = std::any_of(refinement.stop.begin(), refinement.stop.end(),
                                     [](const InnerStop& stop) { return stop.digits; });
  const std::string key(inner_formats(refinement).first);
  const std::string allowed = stages == 1 ? "one value for the one format of " + key
                                          : "one value for all, or one for each of the "
                                                + std::to_string(stages) + " formats of " + key;
  require_option(
      one_for_each, of_digits ? "refinement.inner_digits" : "refinement.inner_iterations",
      of_digits ? list_of(refinement.stop, digits) : list_of(refinement.stop, iterations), allowed);
  const auto name = [](OperatorStorage storage) { return std::string(to_string(storage)); };
  const bool storages_fit =
      refinement.inner_storage.size() <= 1 || refinement.inner_storage.size() == stages;
  require_option(storages_fit, "refinement.inner_storage", list_of(refinement.inner_storage, name),
                 allowed);
  const bool factored = std::count(refinement.inner_storage.begin(), refinement.inner_storage.end(),
                                   OperatorStorage::factored)
                        > 0;
  require_option(!factored || refinement.inner_form == OperatorForm::difference,
                 "refinement.inner_form", to_string(refinement.inner_form),
                 "rows of refinement.inner_storage = \"factored\" have the form \"difference\"");
}

void require_variant(const SolverOptions& options) {
  const RefinementOptions& refinement = options.refinement;
  const auto require = [&](bool condition, std::string_view allowed) {
    require_option(condition, "refinement.variant", to_string(refinement.variant), allowed);
  };
  if (refinement.variant == RefinementVariant::residual_guided_cg) {
    require(options.method == Method::cg, "it needs solver.method = \"cg\"");
    require(options.preconditioner == Preconditioning::none,
            "it needs solver.preconditioner = \"none\"");
    require(options.start == Start::zero, "it needs solver.start = \"zero\"");
    require(refinement.inner.size() == 1,
            "it needs one inner format, refinement.inner_precision; refinement.cascade has more");
  }
  require_option(refinement.outer_backend == OuterBackend::same
                     || refinement.variant == RefinementVariant::refinement,
                 "refinement.outer_backend", to_string(refinement.outer_backend),
                 "only refinement.variant = \"refinement\" can be split");
}

}  // namespace

std::string_view to_string(Method method) {
  return method == Method::cg ? "cg" : "multigrid";
}

std::string_view to_string(Preconditioning preconditioning) {
  switch (preconditioning) {
    case Preconditioning::none:
      return "none";
    case Preconditioning::jacobi:
      return "jacobi";
    case Preconditioning::multigrid:
      return "multigrid";
  }
  throw std::logic_error("a preconditioner without a name");
}

std::string_view to_string(Cycle cycle) {
  switch (cycle) {
    case Cycle::v:
      return "V";
    case Cycle::f:
      return "F";
    case Cycle::w:
      return "W";
  }
  throw std::logic_error("a cycle without a name");
}

std::string_view to_string(Smoother smoother) {
  switch (smoother) {
    case Smoother::automatic:
      return "auto";
    case Smoother::jacobi:
      return "jacobi";
    case Smoother::tridi:
      return "tridi";
    case Smoother::trigs:
      return "trigs";
    case Smoother::adi_tridi:
      return "adi-tridi";
    case Smoother::adi_trigs:
      return "adi-trigs";
  }
  throw std::logic_error("a smoother without a name");
}

std::string_view to_string(LineOrder order) {
  return order == LineOrder::zebra ? "zebra" : "sequential";
}

std::string_view to_string(LineDirection direction) {
  return direction == LineDirection::x ? "x" : "y";
}

std::string_view to_string(Start start) {
  return start == Start::zero ? "zero" : "full-multigrid";
}

std::string_view to_string(StoppingNorm norm) {
  return norm == StoppingNorm::error ? "error" : "residual";
}

std::string_view to_string(std::optional<OperatorForm> form) {
  return form ? to_string(*form) : "auto";
}

std::string_view to_string(RefinementVariant variant) {
  switch (variant) {
    case RefinementVariant::refinement:
      return "refinement";
    case RefinementVariant::residual_guided_cg:
      return "residual-guided-cg";
    case RefinementVariant::flexible_cg:
      return "flexible-cg";
  }
  throw std::logic_error("a variant of refinement without a name");
}

std::string_view to_string(RefinementScaling scaling) {
  return scaling == RefinementScaling::power_of_two ? "power-of-two" : "norm";
}

std::string_view to_string(OuterBackend backend) {
  return backend == OuterBackend::same ? "same" : "host";
}

FormatRange range_of(Precision precision, const char* key) {
  const FormatFacts format = facts(precision);
  return {to_string(precision), format.min_exponent, format.max_exponent, key};
}

namespace {

/// Of the numbers that rows are computed with.
FormatRange range_of_factors(Precision precision, const char* key) {
  FormatRange range =
      range_of(facts(precision).storage ? Precision(Precision::single_) : precision, key);
  range.name = to_string(precision);
  return range;
}

}  // namespace

SolverOptions settled(const SolverOptions& options, const Problem& problem,
                      const TensorGrid& finest) {
  SolverOptions chosen = options;
  const auto holds = [&](Precision precision) {
    return holds_factors(problem, finest, range_of_factors(precision, "solver.precision"));
  };
  const bool detached = has_detached_thin_cells(problem.boundary, finest);
  if (detached && !options.form && !options.storage && holds(options.precision)) {
    chosen.storage = OperatorStorage::factored;
  }
  const bool factored = chosen.storage == OperatorStorage::factored;
  if (!chosen.form) {
    const bool differences = factored || (detached && !facts(options.precision).storage);
    chosen.form = differences ? OperatorForm::difference : OperatorForm::plain;
  }
  RefinementOptions& refinement = chosen.refinement;
  if (factored && refinement.inner_storage.empty()
      && refinement.inner_form == OperatorForm::difference) {
    for (std::size_t stage = 0; stage < refinement.inner.size(); ++stage) {
      refinement.inner_storage.push_back(holds(refinement.inner[stage])
                                             ? OperatorStorage::factored
                                             : storage_of_stage(options, stage));
    }
  }
  return chosen;
}

void require_rows(const Problem& problem, const TensorGrid& grid, const Scaling& scaling,
                  Precision precision, const char* key, OperatorStorage storage,
                  OperatorForm form) {
  if (storage == OperatorStorage::factored) {
    require_factors(problem, grid, range_of_factors(precision, key));
  } else if (form == OperatorForm::difference) {
    require_row_sums(problem, grid, scaling, range_of(precision, key));
  }
}

OperatorStorage storage_of(const SolverOptions& options) {
  return options.storage.value_or(options.refinement.used() ? OperatorStorage::computed
                                                            : OperatorStorage::stored);
}

OperatorStorage judging_storage(const SolverOptions& options) {
  return options.storage == OperatorStorage::factored ? OperatorStorage::factored
                                                      : OperatorStorage::stored;
}

OperatorStorage storage_of_stage(const SolverOptions& options, std::size_t stage) {
  const RefinementOptions& refinement = options.refinement;
  const auto& given = refinement.inner_storage;
  if (!given.empty()) return given[given.size() == 1 ? 0 : stage];
  return stage + 1 == refinement.inner.size() ? OperatorStorage::stored : OperatorStorage::computed;
}

InnerStop inner_stop(const SolverOptions& options, std::size_t stage) {
  const RefinementOptions& refinement = options.refinement;
  const FormatFacts format = facts(refinement.inner.at(stage));
  InnerStop stop;
  if (!refinement.stop.empty()) {
    stop = refinement.stop.size() == 1 ? refinement.stop.front() : refinement.stop.at(stage);
  }
  if (stop != InnerStop{}) return stop;
  if (stage + 1 < refinement.inner.size()) {
    return {{}, std::max(1.0, std::floor(-std::log10(format.unit_roundoff) / 2))};
  }
  if (options.method == Method::cg) return {{}, 2.0};
  return {format.storage ? 1 : 2, {}};
}

void validate(const SolverOptions& options) {
  require_option(options.tolerance > 0 && options.tolerance < 1, "solver.tolerance",
                 options.tolerance, "a number between 0 and 1, both excluded");
  require_option(options.max_iterations >= 1, "solver.max_iterations", options.max_iterations,
                 "at least 1");
  require_option(options.method == Method::cg || options.preconditioner == Preconditioning::none,
                 "solver.preconditioner", to_string(options.preconditioner),
                 "solver.method = \"multigrid\" takes none; use solver.method = \"cg\"");
  const MultigridOptions& multigrid = options.multigrid;
  const double damping = multigrid.damping.value_or(1.0);
  require_option(damping > 0 && damping < 2, "multigrid.damping", damping,
                 "a number between 0 and 2, both excluded");
  const bool gauss_seidel = multigrid.smoother == Smoother::automatic
                            || multigrid.smoother == Smoother::trigs
                            || multigrid.smoother == Smoother::adi_trigs;
  require_option(
      multigrid.line_order == LineOrder::zebra || gauss_seidel, "multigrid.line_order",
      to_string(multigrid.line_order),
      "only multigrid.smoother = \"trigs\", \"adi-trigs\" and \"auto\" visit lines in an order");
  require_option(!multigrid.line_direction || multigrid.smoother == Smoother::tridi
                     || multigrid.smoother == Smoother::trigs,
                 "multigrid.line_direction",
                 to_string(multigrid.line_direction.value_or(LineDirection::x)),
                 "only multigrid.smoother = \"tridi\" and \"trigs\" have one direction");
  require_option(multigrid.pre_smoothing >= 0 && multigrid.pre_smoothing <= 1000,
                 "multigrid.pre_smoothing", multigrid.pre_smoothing, "0 to 1000 steps");
  require_option(multigrid.post_smoothing >= 0 && multigrid.post_smoothing <= 1000,
                 "multigrid.post_smoothing", multigrid.post_smoothing, "0 to 1000 steps");
  require_option(multigrid.pre_smoothing + multigrid.post_smoothing > 0,
                 "multigrid.pre_smoothing + multigrid.post_smoothing", 0,
                 "at least one step in all, or nothing is smoothed");
  require_option(
      options.storage != OperatorStorage::factored || options.form != OperatorForm::plain,
      "operator.form", "plain",
      "rows of operator.storage = \"factored\" have the form \"difference\"");
  require_stop(options.refinement);
  if (options.refinement.used()) {
    require_formats(options);
    require_variant(options);
  }
  require_option(options.start == Start::zero || uses_multigrid(options), "solver.start",
                 to_string(options.start),
                 "it needs coarser grids, by solver.method = \"multigrid\" or "
                 "solver.preconditioner = \"multigrid\"");
}

}  // namespace ninefold
