#include "experiments/config/refinement_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

constexpr std::string_view none = "none";

std::string format_list(const std::vector<Precision>& formats) {
  std::vector<std::string> names;
  for (const Precision format : formats) names.push_back(to_toml(to_string(format)));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

/// inner_precision is the key of one stage, cascade that of several; each shows nothing where the
/// other one shows the formats, so that both can be read back, in any order.
std::string show_inner_precision(const Configuration& c) {
  const std::vector<Precision>& inner = c.solver.refinement.inner;
  return to_toml(inner.size() == 1 ? to_string(inner.front()) : std::string(none));
}

std::string show_cascade(const Configuration& c) {
  const std::vector<Precision>& inner = c.solver.refinement.inner;
  return inner.size() == 1 ? "[]" : format_list(inner);
}

void set_formats(const Setting& setting, std::vector<Precision> formats, Configuration& c) {
  std::vector<Precision>& inner = c.solver.refinement.inner;
  if (formats.empty()) return;
  if (!inner.empty()) {
    refuse(setting,
           "is given, but refinement.inner_precision and refinement.cascade are two ways "
           "to say the same: use one of them");
  }
  inner = std::move(formats);
}

Key inner_precision_key() {
  return {"refinement.inner_precision",
          "text",
          to_toml(none) + " (no refinement), " + precision_names(),
          "\"single\"",
          [](const Setting& setting, Configuration& c) {
            if (text_of(setting) == none) return set_formats(setting, {}, c);
            set_formats(setting, {precision_of(setting, {std::string(none)})}, c);
          },
          show_inner_precision};
}

Key cascade_key() {
  return {"refinement.cascade",
          "list of texts",
          "number formats as for refinement.inner_precision, the outermost inner one first; [] is "
          "no refinement",
          R"(["double", "single"])",
          [](const Setting& setting, Configuration& c) {
            std::vector<Precision> formats;
            for (std::size_t k = 0; k < list_of(setting, R"(["double", "single"])").size(); ++k) {
              formats.push_back(precision_of(element_of(setting, k)));
            }
            set_formats(setting, std::move(formats), c);
          },
          show_cascade};
}

/// One half of the stopping rules: a member of InnerStop for each stage, one for all or none.
/// `read` turns a setting into its value, `show` a value into TOML.
template <class Value>
struct StopHalf {
  std::optional<Value> InnerStop::*member;
  Value (*read)(const Setting&);
  std::string (*show)(Value);

  std::optional<Value> read_or_automatic(const Setting& setting) const {
    if (is_automatic(setting)) return {};
    return read(setting);
  }

  void read_all(const Setting& setting, Configuration& c) const {
    std::vector<std::optional<Value>> values;
    const auto* list = std::get_if<List>(&setting.value.content);
    if (list == nullptr) values.push_back(read_or_automatic(setting));
    for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
      values.push_back(read_or_automatic(element_of(setting, k)));
    }
    if (values.empty()) refuse(setting, "is an empty list");
    if (std::none_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); })) {
      values.resize(1);  // however long, it says nothing
    }
    std::vector<InnerStop>& stop = c.solver.refinement.stop;
    const bool fit = stop.size() <= 1 || values.size() == 1 || stop.size() == values.size();
    if (!fit) {
      refuse(setting, fmt::format("has {} elements, but refinement.inner_digits and "
                                  "refinement.inner_iterations are lists of one length, here {}",
                                  values.size(), stop.size()));
    }
    // What is given once is meant for all stages.
    stop.resize(std::max(stop.size(), values.size()), stop.empty() ? InnerStop{} : stop.front());
    for (std::size_t k = 0; k < stop.size(); ++k) {
      stop[k].*member = values[values.size() == 1 ? 0 : k];
    }
    const auto says_nothing = [](const InnerStop& one) { return one == InnerStop{}; };
    if (std::all_of(stop.begin(), stop.end(), says_nothing)) stop.clear();
  }

  std::string show_all(const Configuration& c) const {
    std::vector<std::string> values;
    bool any = false;
    for (const InnerStop& one : c.solver.refinement.stop) {
      const std::optional<Value>& value = one.*member;
      values.push_back(value ? show(*value) : to_toml(automatic));
      any = any || value;
    }
    if (!any) return to_toml(automatic);
    return values.size() == 1 ? values.front() : fmt::format("[{}]", fmt::join(values, ", "));
  }
};

template <class Value>
Key stop_key(std::string name, std::string type, std::string allowed, std::string example,
             StopHalf<Value> half) {
  return {std::move(name),
          std::move(type),
          std::move(allowed) + ", or \"auto\"; in a list one for each stage",
          std::move(example),
          [=](const Setting& setting, Configuration& c) { half.read_all(setting, c); },
          [=](const Configuration& c) { return half.show_all(c); }};
}

Key inner_digits_key() {
  const auto read = [](const Setting& setting) {
    const double digits = number_of(setting);
    if (!std::isfinite(digits) || digits <= 0 || digits > 15) refuse(setting, "is out of range");
    return digits;
  };
  const auto show = [](double digits) { return to_toml(digits); };
  return stop_key<double>("refinement.inner_digits", "number, or list of numbers",
                          "greater than 0, at most 15", "2.0", {&InnerStop::digits, read, show});
}

Key inner_iterations_key() {
  const auto read = [](const Setting& setting) {
    const std::int64_t integer = integer_of(setting);
    if (integer < 1 || integer > std::numeric_limits<int>::max()) {
      refuse(setting, "is out of range");
    }
    return static_cast<int>(integer);
  };
  const auto show = [](int iterations) { return fmt::format("{}", iterations); };
  return stop_key<int>("refinement.inner_iterations", "integer, or list of integers", "at least 1",
                       "[4, 2]", {&InnerStop::iterations, read, show});
}

/// One for each stage, or one for all.
Key inner_storage_key() {
  static const std::vector storages{OperatorStorage::stored, OperatorStorage::computed,
                                    OperatorStorage::factored};
  return {"refinement.inner_storage",
          "text, or list of texts",
          alternatives(names_of(storages)) + ", or \"auto\"; in a list one for each stage",
          R"("computed")",
          [](const Setting& setting, Configuration& c) {
            std::vector<OperatorStorage>& chosen = c.solver.refinement.inner_storage;
            chosen.clear();
            if (is_automatic(setting)) return;
            const std::vector<std::string> names = names_of(storages);
            const auto* list = std::get_if<List>(&setting.value.content);
            if (list == nullptr) chosen.push_back(storages[choice_of(setting, names)]);
            for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
              chosen.push_back(storages[choice_of(element_of(setting, k), names)]);
            }
            if (chosen.empty()) refuse(setting, "is an empty list");
          },
          [](const Configuration& c) {
            const std::vector<OperatorStorage>& chosen = c.solver.refinement.inner_storage;
            if (chosen.empty()) return to_toml(automatic);
            std::vector<std::string> names;
            for (const OperatorStorage storage : chosen) {
              names.push_back(to_toml(to_string(storage)));
            }
            return chosen.size() == 1 ? names.front() : fmt::format("[{}]", fmt::join(names, ", "));
          }};
}

}  // namespace

std::vector<Key> refinement_keys() {
  using enum RefinementVariant;
  std::vector<Key> keys;
  keys.push_back(inner_precision_key());
  keys.push_back(cascade_key());
  keys.push_back(inner_digits_key());
  keys.push_back(inner_iterations_key());
  keys.push_back(choice_key(
      "refinement.inner_form", std::vector{OperatorForm::plain, OperatorForm::difference},
      R"("plain")", [](auto& c) -> auto& { return c.solver.refinement.inner_form; }));
  keys.push_back(inner_storage_key());
  keys.push_back(choice_key(
      "refinement.scaling", std::vector{RefinementScaling::power_of_two, RefinementScaling::norm},
      R"("norm")", [](auto& c) -> auto& { return c.solver.refinement.scaling; }));
  keys.push_back(choice_key(
      "refinement.variant", std::vector{refinement, residual_guided_cg, flexible_cg},
      R"("flexible-cg")", [](auto& c) -> auto& { return c.solver.refinement.variant; }));
  keys.push_back(choice_key(
      "refinement.outer_backend", std::vector{OuterBackend::same, OuterBackend::host}, R"("host")",
      [](auto& c) -> auto& { return c.solver.refinement.outer_backend; }));
  keys.push_back(flag_key(
      "refinement.stop_at_tolerance",
      [](auto& c) -> auto& { return c.solver.refinement.stop_at_tolerance; }));
  return keys;
}

}  // namespace ninefold
