#include "solvers/options.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/require.hpp"

#include "fem/discrete/error_bound.hpp"

#include "gpu/operations/relaxation.hpp"

#include "solvers/direct/direct_options.hpp"
#include "solvers/multigrid/smoothing.hpp"

namespace ninefold {

namespace {

/// "[single, half]", each as `show` has it.
template <class Value, class Show>
std::string list_of(const std::vector<Value>& values, const Show& show) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(show(value));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

void require_formats(const SolverOptions& options) {
  const std::vector<Precision>& inner = options.refinement.inner;
  const Parameter parameter = inner_parameter(options.refinement);
  const auto stated = [&] {
    return inner.size() == 1 ? to_string(inner.front())
                             : list_of(inner, [](Precision p) { return to_string(p); });
  };
  Precision before = options.precision;
  const std::optional<Precision> soft = software_format(options);
  for (const Precision format : inner) {
    require_value(facts(format).unit_roundoff >= facts(before).unit_roundoff, parameter, stated,
                  "{} is more precise than {} before it; the formats of {} or {} follow {} = {}, "
                  "none more precise than the one before",
                  to_string(format), to_string(before), Parameter::inner_precision,
                  Parameter::cascade, Parameter::precision, to_string(options.precision));
    before = format;
    if (format.kind() != Precision::Kind::soft) continue;
    require_value(*soft == format, parameter, stated,
                  "one software format at a time, so not {} beside {}; {} counts",
                  to_string(format), to_string(*soft), Parameter::precision);
  }
}

void require_stop(const RefinementOptions& refinement) {
  const auto digits = [](const InnerStop& stop) {
    return stop.digits ? value_text(*stop.digits) : "auto";
  };
  const auto iterations = [](const InnerStop& stop) {
    return stop.iterations ? value_text(*stop.iterations) : "auto";
  };
  for (const InnerStop& stop : refinement.stop) {
    require_value(!stop.iterations || *stop.iterations >= 1, Parameter::inner_iterations,
                  iterations(stop), "at least 1");
    require_value(!stop.digits || (*stop.digits > 0 && *stop.digits <= 15), Parameter::inner_digits,
                  digits(stop), "greater than 0, at most 15");
  }
  if (!refinement.used()) return;
  const auto require_one_for_each = [&](const auto& values, Parameter parameter, const auto& show) {
    const std::size_t stages = refinement.inner.size();
    const bool fits = values.size() <= 1 || values.size() == stages;
    const auto list = [&] { return list_of(values, show); };
    if (stages == 1) {
      require_value(fits, parameter, list, "one value for the one format of {}",
                    inner_parameter(refinement));
    } else {
      require_value(fits, parameter, list,
                    "one value for all, or one for each of the {} formats of {}", stages,
                    inner_parameter(refinement));
    }
  };
  const bool of_digits = std::any_of(refinement.stop.begin(), refinement.stop.end(),
                                     [](const InnerStop& stop) { return stop.digits; });
  if (of_digits) {
    require_one_for_each(refinement.stop, Parameter::inner_digits, digits);
  } else {
    require_one_for_each(refinement.stop, Parameter::inner_iterations, iterations);
  }
  const std::vector<OperatorStorage>& storages = refinement.inner_storage;
  require_one_for_each(storages, Parameter::inner_storage,
                       [](OperatorStorage storage) { return value_text(storage); });
  const bool factored = std::count(storages.begin(), storages.end(), OperatorStorage::factored) > 0;
  require_value(!factored || refinement.inner_form != OperatorForm::plain, Parameter::inner_form,
                refinement.inner_form, "rows of {} = \"factored\" have the form \"difference\"",
                Parameter::inner_storage);
}

/// Its dampings are its own, and few; its divisor is one of factored rows.
void require_chebyshev(const SolverOptions& options) {
  const MultigridOptions& multigrid = options.multigrid;
  require_value(!multigrid.damping, Parameter::damping, multigrid.damping.value_or(0),
                "{} = \"chebyshev\" has a damping for each step, and takes none",
                Parameter::smoother);
  const auto [pre, post] = smoothing_steps(multigrid, options.method == Method::full_multigrid);
  require_value(pre + post <= most_relaxations, Parameter::post_smoothing, post,
                "at most {} steps, with {}, for {} = \"chebyshev\"", most_relaxations,
                Parameter::pre_smoothing, Parameter::smoother);
}

/// One format inside, on the same backend, corrected by cycles.
void require_full_multigrid(const SolverOptions& options) {
  const RefinementOptions& refinement = options.refinement;
  const auto method = to_string(Method::full_multigrid);
  require_value(options.start == Start::zero, Parameter::start, options.start,
                "{} = \"{}\" begins on the coarsest grids by itself", Parameter::method, method);
  require_value(refinement.inner.size() <= 1, Parameter::cascade,
                list_of(refinement.inner, [](Precision p) { return to_string(p); }),
                "{} = \"{}\" takes one inner format, {}", Parameter::method, method,
                Parameter::inner_precision);
  require_value(refinement.variant == RefinementVariant::refinement, Parameter::variant,
                refinement.variant, "{} = \"{}\" takes \"refinement\"", Parameter::method, method);
  require_value(refinement.outer_backend == OuterBackend::same, Parameter::outer_backend,
                refinement.outer_backend, "{} = \"{}\" solves on one backend", Parameter::method,
                method);
}

void require_variant(const SolverOptions& options) {
  const RefinementOptions& refinement = options.refinement;
  if (refinement.variant == RefinementVariant::residual_guided_cg) {
    const auto require_choice = [&](bool condition, Parameter parameter, std::string_view choice) {
      require_value(condition, Parameter::variant, refinement.variant, "it needs {} = \"{}\"",
                    parameter, choice);
    };
    require_choice(options.method == Method::cg, Parameter::method, "cg");
    require_choice(options.preconditioner == Preconditioning::none, Parameter::preconditioner,
                   "none");
    require_choice(options.start == Start::zero, Parameter::start, "zero");
    require_value(refinement.inner.size() == 1, Parameter::variant, refinement.variant,
                  "it needs one inner format, {}; {} has more", Parameter::inner_precision,
                  Parameter::cascade);
  }
  require_value(refinement.outer_backend == OuterBackend::same
                    || refinement.variant == RefinementVariant::refinement,
                Parameter::outer_backend, refinement.outer_backend,
                "only {} = \"refinement\" can be split", Parameter::variant);
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::cg:
      return "cg";
    case Method::multigrid:
      return "multigrid";
    case Method::full_multigrid:
      return "full-multigrid";
    case Method::fast_diagonalisation:
      return "fast-diagonalisation";
  }
  throw std::logic_error("a method without a name");
}

std::string_view to_string(Preconditioning preconditioning) {
  switch (preconditioning) {
    case Preconditioning::none:
      return "none";
    case Preconditioning::jacobi:
      return "jacobi";
    case Preconditioning::block_jacobi:
      return "block-jacobi";
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
    case Smoother::chebyshev:
      return "chebyshev";
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
  switch (norm) {
    case StoppingNorm::error:
      return "error";
    case StoppingNorm::residual:
      return "residual";
    case StoppingNorm::energy:
      return "energy";
    case StoppingNorm::l2:
      return "l2";
    case StoppingNorm::largest:
      return "largest";
  }
  throw std::logic_error("a norm without a name");
}

std::string_view to_string(std::optional<Cycle> cycle) {
  return cycle ? to_string(*cycle) : "auto";
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

FormatRange range_of(Precision precision, Parameter parameter) {
  const FormatFacts format = facts(precision);
  return {to_string(precision), format.min_exponent, format.max_exponent, parameter};
}

namespace {

/// Of the numbers that rows are computed with.
FormatRange range_of_factors(Precision precision, Parameter parameter) {
  FormatRange range =
      range_of(facts(precision).storage ? Precision(Precision::single_) : precision, parameter);
  range.name = to_string(precision);
  return range;
}

/// True for pairs of words, whose factored rows take more operations than stored ones take memory,
/// where these are read often.
bool is_pair(Precision precision) {
  return with_type(precision, []<class T>() { return is_double_word<T>; });
}

}  // namespace

SolverOptions settled(const SolverOptions& options, const Problem& problem,
                      const TensorGrid& finest) {
  SolverOptions chosen = options;
  if (options.method == Method::full_multigrid) {
    if (!chosen.refinement.used()) chosen.refinement.inner = {options.precision};
  }
  const auto holds = [&](Precision precision) {
    return holds_factors(problem, finest, range_of_factors(precision, Parameter::precision));
  };
  const bool detached = has_detached_thin_cells(problem.boundary, finest);
  const auto factors_suit = [&](Precision precision) {
    return holds(precision)
           && (detached || !is_pair(precision)
               || options.multigrid.smoother == Smoother::chebyshev);
  };
  const bool open = !options.form && !options.storage;
  // Full multigrid applies the outer matrix once for each cycle.
  const bool seldom = options.method == Method::full_multigrid && holds(options.precision);
  if (open && (seldom || factors_suit(options.precision)))
    chosen.storage = OperatorStorage::factored;
  const bool factored = chosen.storage == OperatorStorage::factored;
  if (!chosen.form) {
    const bool differences = factored || (detached && !facts(options.precision).storage)
                             || (open && is_pair(options.precision));
    chosen.form = differences ? OperatorForm::difference : OperatorForm::plain;
  }
  RefinementOptions& refinement = chosen.refinement;
  if ((open || factored) && refinement.inner_storage.empty()
      && inner_form_of(chosen) == OperatorForm::difference) {
    for (std::size_t stage = 0; stage < refinement.inner.size(); ++stage) {
      refinement.inner_storage.push_back(factors_suit(refinement.inner[stage])
                                             ? OperatorStorage::factored
                                             : storage_of_stage(options, stage));
    }
  }
  if (options.method == Method::full_multigrid) {
    const bool is_fine = facts(chosen.refinement.inner.back()).unit_roundoff < 0x1p-20;
    chosen.multigrid = with_nested_cycle(options.multigrid, finest, problem.gx, problem.gy,
                                         multigrid_storage(chosen),
                                         is_fine ? most_nested_coupling : isotropic_ratio);
  }
  return chosen;
}

void require_rows(const Problem& problem, const TensorGrid& grid, const Scaling& scaling,
                  Precision precision, Parameter parameter, OperatorStorage storage,
                  OperatorForm form) {
  if (storage == OperatorStorage::factored) {
    require_factors(problem, grid, range_of_factors(precision, parameter));
  } else if (form == OperatorForm::difference) {
    require_row_sums(problem, grid, scaling, range_of(precision, parameter));
  }
}

OperatorStorage multigrid_storage(const SolverOptions& options) {
  const std::size_t stages = options.refinement.inner.size();
  return stages > 0 ? storage_of_stage(options, stages - 1) : storage_of(options);
}

OperatorStorage storage_of(const SolverOptions& options) {
  const bool seldom = options.refinement.used() || is_direct(options);
  return options.storage.value_or(seldom ? OperatorStorage::computed : OperatorStorage::stored);
}

OperatorStorage judging_storage(const SolverOptions& options) {
  return options.storage.value_or(OperatorStorage::stored);
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
  if (is_direct(options) || options.method == Method::full_multigrid) return {1, {}};
  return {format.storage ? 1 : 2, {}};
}

void validate(const SolverOptions& options) {
  require_value(options.relative || measures_error(options), Parameter::relative, "false",
                "tolerances of {0} = \"{1}\" are relative; absolute ones go with {0} = \"energy\", "
                "\"l2\" and \"largest\"",
                Parameter::norm, to_string(options.norm));
  if (options.relative) {
    require_value(options.tolerance > 0 && options.tolerance < 1, Parameter::tolerance,
                  options.tolerance, "a number between 0 and 1, both excluded");
  } else {
    require_value(options.tolerance > 0 && std::isfinite(options.tolerance), Parameter::tolerance,
                  options.tolerance, "a finite number greater than 0");
  }
  require_value(options.fraction > 0 && options.fraction <= 1, Parameter::fraction,
                options.fraction, "greater than 0, at most 1");
  require_value(!options.to_discretisation || options.method == Method::full_multigrid,
                Parameter::tolerance, "discretisation",
                "the discretisation error is what {0} = \"full-multigrid\" ends by, and {0} is "
                "\"{1}\" here; for that, a number between 0 and 1",
                Parameter::method, to_string(options.method));
  require_value(!options.to_discretisation || options.norm == StoppingNorm::error, Parameter::norm,
                options.norm,
                "{0} = \"discretisation\" is about the error: {1} = \"error\", or a number as {0}",
                Parameter::tolerance, Parameter::norm);
  require_value(options.max_iterations >= 1, Parameter::max_iterations, options.max_iterations,
                "at least 1");
  require_value(!options.to_discretisation || options.max_iterations >= 2,
                Parameter::max_iterations, options.max_iterations,
                "at least 2 with {} = \"discretisation\": the second tells what the first has left",
                Parameter::tolerance);
  require_value(options.method == Method::cg || options.preconditioner == Preconditioning::none,
                Parameter::preconditioner, options.preconditioner,
                "{0} = \"{1}\" takes none; use {0} = \"cg\"", Parameter::method,
                to_string(options.method));
  require_value(options.preconditioner != Preconditioning::block_jacobi, Parameter::preconditioner,
                options.preconditioner,
                "it is for a matrix of your own; a grid has one unknown for each node: \"none\", "
                "\"jacobi\" or \"multigrid\"");
  const MultigridOptions& multigrid = options.multigrid;
  const double damping = multigrid.damping.value_or(1.0);
  require_value(damping > 0 && damping < 2, Parameter::damping, damping,
                "a number between 0 and 2, both excluded");
  const bool gauss_seidel = multigrid.smoother == Smoother::automatic
                            || multigrid.smoother == Smoother::trigs
                            || multigrid.smoother == Smoother::adi_trigs;
  require_value(multigrid.line_order == LineOrder::zebra || gauss_seidel, Parameter::line_order,
                multigrid.line_order,
                "only {} = \"trigs\", \"adi-trigs\" and \"auto\" visit lines in an order",
                Parameter::smoother);
  require_value(!multigrid.line_direction || multigrid.smoother == Smoother::tridi
                    || multigrid.smoother == Smoother::trigs,
                Parameter::line_direction, multigrid.line_direction.value_or(LineDirection::x),
                "only {} = \"tridi\" and \"trigs\" have one direction", Parameter::smoother);
  for (const auto& [parameter, steps] :
       {std::pair{Parameter::pre_smoothing, multigrid.pre_smoothing},
        std::pair{Parameter::post_smoothing, multigrid.post_smoothing}}) {
    require_value(!steps || (*steps >= 0 && *steps <= 1000), parameter, steps.value_or(0),
                  "0 to 1000 steps");
  }
  if (multigrid.smoother == Smoother::chebyshev) require_chebyshev(options);
  const auto [pre, post] = smoothing_steps(multigrid, options.method == Method::full_multigrid);
  if (pre == 0 && post == 0) {
    throw BadValue(
        "0",
        words("{} + {} = 0 is not possible", Parameter::pre_smoothing, Parameter::post_smoothing),
        words("at least one step in all, or nothing is smoothed"));
  }
  require_value(options.storage != OperatorStorage::factored || options.form != OperatorForm::plain,
                Parameter::form, options.form,
                "rows of {} = \"factored\" have the form \"difference\"", Parameter::storage);
  require_stop(options.refinement);
  if (options.refinement.used()) {
    require_formats(options);
    require_variant(options);
  }
  if (is_direct(options)) require_direct(options);
  if (options.method == Method::full_multigrid) require_full_multigrid(options);
  require_value(multigrid.cycles_per_level >= 1 && multigrid.cycles_per_level <= 1000,
                Parameter::cycles_per_level, multigrid.cycles_per_level, "1 to 1000");
  require_value(options.start == Start::zero || uses_multigrid(options), Parameter::start,
                options.start,
                "it needs coarser grids, by {} = \"multigrid\" or {} = \"multigrid\"",
                Parameter::method, Parameter::preconditioner);
}

}  // namespace ninefold
