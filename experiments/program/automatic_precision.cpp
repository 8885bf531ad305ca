#include "experiments/program/automatic_precision.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "precision/bad_value.hpp"
#include "precision/require.hpp"

#include "solvers/devices.hpp"
#include "solvers/estimate/level_errors.hpp"
#include "solvers/judgement/thin_cells.hpp"

namespace ninefold {
namespace {

/// Of the device that solves: "9.0" of "compute capability 9.0, driver ...".
std::string capability_of(BackendKind where) {
  constexpr std::string_view before = "compute capability ";
  if (!is_device(where)) return "";
  for (const DeviceInfo& device : devices()) {
    const std::size_t found = device.detail.find(before);
    if (device.kind != where || found == std::string::npos) continue;
    const std::string rest = device.detail.substr(found + before.size());
    return rest.substr(0, rest.find_first_not_of("0123456789."));
  }
  return "";
}

const Configuration& with_a_choice(const Configuration& c) {
  const SolverOptions& s = c.solver;
  require_value(s.to_discretisation, Parameter::precision, "auto",
                "what is enough is measured by the discretisation error: it goes with {} = "
                "\"discretisation\" and {} = \"full-multigrid\"",
                Parameter::tolerance, Parameter::method);
  require_value(!s.refinement.used() && !s.form && !s.storage, Parameter::precision, "auto",
                "it chooses {}, {} and {}, too, which are to be left out",
                Parameter::inner_precision, Parameter::form, Parameter::storage);
  return c;
}

}  // namespace

std::string settings_of(const PrecisionPath& path) {
  std::string text = fmt::format("--set solver.precision={}", to_string(path.precision));
  if (path.inner) {
    text += fmt::format(" --set refinement.inner_precision={}", to_string(*path.inner));
  }
  if (path.plain) text += " --set operator.form=plain";
  return text;
}

double double_speed_on(BackendKind where) {
  return double_speed_of(capability_of(where));
}

AutomaticPrecision::AutomaticPrecision(const Configuration& configuration, const Problem& problem,
                                       BackendKind where, int last_kept)
    : configuration_(with_a_choice(configuration)),
      problem_(problem),
      where_(where),
      last_kept_(last_kept),
      grids_(make_hierarchy(configuration.width, configuration.height, configuration.last_level,
                            configuration.grading)),
      paths_(automatic_paths(configuration.double_speed.value_or(double_speed_on(where)))),
      forecast_(problem_, grids_, configuration.solver, where) {
  for (const PrecisionPath& path : paths_) {
    try {
      trends_.push_back(forecast_.trend(path));
    } catch (const BadValue&) {  // choose() says so where nothing else is possible
      trends_.emplace_back();
    }
  }
}

ChosenPath AutomaticPrecision::prepared(std::size_t index, int level) const {
  return {index,
          prepare(problem_, {grids_.begin(), grids_.begin() + level + 1},
                  with_path(configuration_.solver, paths_[index]), where_, level <= last_kept_)};
}

bool AutomaticPrecision::foresees(int level) const {
  return forecast_.is_resolved() && forecast_.discretisation(level) > 0;
}

ChosenPath AutomaticPrecision::choose(int level) const {
  const double most = configuration_.solver.fraction * forecast_.discretisation(level);
  std::optional<ChosenPath> last;
  std::optional<BadValue> refusal;
  const bool is_foreseen = foresees(level);
  const auto is_double = [](const PrecisionPath& path) {
    return path.precision == Precision::double_;
  };
  const auto first =
      is_foreseen ? paths_.begin() : std::find_if(paths_.begin(), paths_.end(), is_double);
  for (auto k = static_cast<std::size_t>(first - paths_.begin()); k < paths_.size(); ++k) {
    const bool is_enough = !is_foreseen || (trends_[k] && trends_[k]->at(level) <= most);
    try {
      ChosenPath chosen = prepared(k, level);
      if (is_enough && holds_cells(chosen.solve)) return chosen;
      last.emplace(std::move(chosen));
    } catch (const BadValue& error) {
      refusal.emplace(error);
    }
  }
  if (last) return *std::move(last);
  throw *refusal;
}

std::string AutomaticPrecision::caution(int level) const {
  if (foresees(level)) return "";
  const int last = forecast_.last_pilot();
  return forecast_.discretisation(level) > 0 && last >= first_estimated_level
             ? fmt::format("pilots on levels {} to {} see no order in the discretisation error",
                           forecast_.first_pilot(), last)
             : "coarser levels do not tell the discretisation error";
}

std::optional<ChosenPath> AutomaticPrecision::after(std::size_t index, int level) const {
  for (std::size_t k = index + 1; k < paths_.size(); ++k) {
    try {
      ChosenPath next = prepared(k, level);
      require_memory(next.solve.memory, where_);
      return next;
    } catch (const BadValue&) {  // the one after it may be possible
    } catch (const std::runtime_error&) {
    }
  }
  return {};
}

}  // namespace ninefold
