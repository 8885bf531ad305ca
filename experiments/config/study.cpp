#include "experiments/config/study.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/shortened.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/keys.hpp"

namespace ninefold {
namespace {

constexpr std::size_t most_runs = 10000;  // a slip of the pen, not a study, above this

void check_axis(const Document& document, const Axis& axis) {
  const Setting& first = axis.choices.front();
  if (find_key(axis.key) == nullptr) refuse_unknown(first);
  if (table_of(axis.key) == "output") {
    refuse_at(axis.origin,
              fmt::format("{} cannot be varied: all runs of a study share it", axis.key));
  }
  // An option that is overridden by every run would be without effect; in the file it is a default
  // that may stay when a config becomes a study.
  const Setting* fixed = document.find(axis.key);
  if (fixed != nullptr && fixed->origin.place.starts_with("--")) {
    refuse_at(fixed->origin,
              fmt::format("{} is varied by the study ({})", axis.key, axis.origin.place),
              {fmt::format("to vary it otherwise: --set 'study.{}=[{}]'", axis.key,
                           to_toml(fixed->value))});
  }
}

/// The choice of axis `a` in combination `number`; the last axis changes fastest.
std::size_t choice(const std::vector<Axis>& axes, std::size_t number, std::size_t a) {
  for (std::size_t b = axes.size(); b-- > a + 1;) number /= axes[b].choices.size();
  return number % axes[a].choices.size();
}

}  // namespace

std::string combination_words(const Plan& plan) {
  if (plan.varied.empty()) return "";
  std::vector<std::string> combination;
  for (const auto& [key, value] : plan.varied) {
    combination.push_back(fmt::format("{} = {}", key, shortened(value)));
  }
  return fmt::format("\n  in {} of the study: {}", plan.name, fmt::join(combination, ", "));
}

std::vector<Plan> plan_study(const Document& document) {
  if (!document.study_origin) {
    refuse_at({document.file.string(), ""}, "the file has no [study] table: it is a single run",
              {fmt::format("run it with: ninefold solve {}", document.file.string())});
  }
  if (document.study.empty()) {
    refuse_at(
        *document.study_origin, "the [study] table is empty",
        {R"(it takes lists of values, for example "solver.precision" = ["single", "double"])"});
  }
  std::size_t runs = 1;
  for (const Axis& axis : document.study) {
    check_axis(document, axis);
    runs *= axis.choices.size();
    if (runs > most_runs) {
      refuse_at(axis.origin, fmt::format("the study has more than {} runs", most_runs));
    }
  }
  std::vector<std::string> varied;
  for (const Axis& axis : document.study) varied.push_back(axis.key);
  std::vector<Plan> plans;
  for (std::size_t number = 0; number < runs; ++number) {
    Plan plan{fmt::format("run-{}", number + 1), {}, {}};
    std::vector<Setting> settings = document.settings;
    for (std::size_t a = 0; a < document.study.size(); ++a) {
      const Axis& axis = document.study[a];
      const Setting& chosen = axis.choices[choice(document.study, number, a)];
      std::erase_if(settings, [&](const Setting& setting) { return setting.key == axis.key; });
      settings.push_back(chosen);
      plan.varied.emplace_back(axis.key, to_words(chosen.value));
    }
    try {
      plan.configuration = make_configuration(settings, document.file, varied);
    } catch (const ConfigurationError& error) {
      throw ConfigurationError(error.what() + combination_words(plan));
    }
    plan.settings = std::move(settings);
    plan.file = document.file;
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<Plan> plan_run(const Document& document) {
  return {{"run-1", {}, make_configuration(document), document.settings, document.file}};
}

Options all_options(const std::vector<Plan>& plans) {
  if (plans.empty()) return {};
  Options options = all_options(plans.front().configuration);
  for (const auto& [key, first] : plans.front().varied) {
    std::vector<std::string> values;
    for (const Plan& plan : plans) {
      const std::string value = find_key(key)->show(plan.configuration);
      if (std::count(values.begin(), values.end(), value) == 0) values.push_back(value);
    }
    for (auto& [name, text] : options) {
      if (name == key) text = fmt::format("[{}]", fmt::join(values, ", "));
    }
  }
  return options;
}

}  // namespace ninefold
