#include "experiments/config/study.hpp"

#include <algorithm>
#include <string_view>

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

/// What states several systems: their own columns say what each has of it.
bool is_of_systems(std::string_view key) {
  return key == "matrix.files" || key == "matrix.right_hand_sides";
}

/// The choice of axis `a` in combination `number`; the last axis changes fastest.
std::size_t choice(const std::vector<Axis>& axes, std::size_t number, std::size_t a) {
  for (std::size_t b = axes.size(); b-- > a + 1;) number /= axes[b].choices.size();
  return number % axes[a].choices.size();
}

/// Appends the plan, or one for each of its systems, named in their order.
void append(Plan plan, std::vector<Plan>& plans) {
  const MatrixSettings& matrix = plan.configuration.matrix;
  const std::vector<std::string> files = matrix.files, rights = matrix.right_hand_sides;
  const auto add = [&](Plan one) {
    one.name = fmt::format("run-{}", plans.size() + 1);
    plans.push_back(std::move(one));
  };
  if (files.empty()) {
    add(std::move(plan));
    return;
  }
  plan.together = static_cast<int>(plans.size()) + 1;
  for (std::size_t k = 0; k < files.size(); ++k) {
    Plan one = plan;
    one.configuration.matrix.file = files[k];
    std::erase_if(one.varied, [](const auto& axis) { return is_of_systems(axis.first); });
    one.varied.emplace_back("matrix.file", files[k]);
    if (!rights.empty()) {
      one.configuration.matrix.right_hand_side = rights[k];
      one.varied.emplace_back("matrix.right_hand_side", rights[k]);
    }
    add(std::move(one));
  }
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
    Plan plan{fmt::format("run-{}", plans.size() + 1), {}, {}};
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
    append(std::move(plan), plans);
  }
  return plans;
}

std::vector<Plan> plan_run(const Document& document) {
  std::vector<Plan> plans;
  append({"", {}, make_configuration(document), document.settings, document.file}, plans);
  return plans;
}

Options all_options(const std::vector<Plan>& plans) {
  if (plans.empty()) return {};
  Options options = all_options(plans.front().configuration);
  std::vector<std::string> varied;
  const Plan& front = plans.front();
  for (const auto& [key, first] : front.varied) {
    // Of several systems their lists are among the options.
    const bool is_of_one = key == "matrix.file"
                           || (key == "matrix.right_hand_side"
                               && !front.configuration.matrix.right_hand_sides.empty());
    if (front.together == 0 || !is_of_one) varied.push_back(key);
  }
  if (front.together > 0) {
    varied.emplace_back("matrix.files");
    varied.emplace_back("matrix.right_hand_sides");
  }
  for (const std::string& key : varied) {
    std::vector<std::string> values;
    for (const Plan& plan : plans) {
      const std::string value = find_key(key)->show(plan.configuration);
      if (std::count(values.begin(), values.end(), value) == 0) values.push_back(value);
    }
    if (is_of_systems(key) && values.size() == 1) continue;  // a list as it is
    for (auto& [name, text] : options) {
      if (name == key) text = fmt::format("[{}]", fmt::join(values, ", "));
    }
  }
  return options;
}

}  // namespace ninefold
