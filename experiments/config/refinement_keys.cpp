#include "experiments/config/refinement_keys.hpp"

#include <algorithm>
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
  Shapes shapes = precision_shapes();
  shapes.push_back({WordShape{{std::string(none)}}});
  return {
      "refinement.inner_precision",
      "The format that solves for the corrections, which are added in solver.precision; no more "
      "precise than that.",
      "text",
      to_toml(none) + " (no refinement), " + precision_names(),
      std::move(shapes),
      "\"single\"",
      [](const Setting& setting, Configuration& c) {
        if (text_of(setting) == none) return set_formats(setting, {}, c);
        set_formats(setting, {precision_of(setting, {std::string(none)})}, c);
      },
      show_inner_precision};
}

Key cascade_key() {
  return {"refinement.cascade",
          "Several inner formats in place of refinement.inner_precision: each solves for the "
          "corrections of the one before it.",
          "list of texts",
          "number formats, the outermost inner one first, none more precise than the one before",
          {{ListShape{.element = precision_shapes()}}},
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
Key stop_key(std::string name, std::string text, std::string type, std::string allowed,
             const Shape& one, std::string example, StopHalf<Value> half) {
  return {std::move(name),
          std::move(text),
          std::move(type),
          std::move(allowed) + ", or \"auto\"; in a list one for each stage",
          {one, automatic_shape(), {ListShape{.element = {one, automatic_shape()}, .fewest = 1}}},
          std::move(example),
          [=](const Setting& setting, Configuration& c) { half.read_all(setting, c); },
          [=](const Configuration& c) { return half.show_all(c); }};
}

Key inner_digits_key() {
  static constexpr Range range = above(0).at_most(15);
  const auto read = [](const Setting& setting) {
    const double digits = number_of(setting);
    if (!range.contains(digits)) refuse(setting, "is out of range");
    return digits;
  };
  const auto show = [](double digits) { return to_toml(digits); };
  return stop_key<double>("refinement.inner_digits",
                          "An inner solve ends when its residual has fallen by so many digits.",
                          "number, or list of numbers", range.words(), {NumberShape{range}}, "2.0",
                          {&InnerStop::digits, read, show});
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
  return stop_key<int>("refinement.inner_iterations",
                       "An inner solve ends after so many cycles, or steps of CG.",
                       "integer, or list of integers", "at least 1",
                       {IntegerShape{1, std::numeric_limits<int>::max()}}, "[4, 2]",
                       {&InnerStop::iterations, read, show});
}

/// One for each stage, or one for all.
Key inner_storage_key() {
  static const std::vector storages{OperatorStorage::stored, OperatorStorage::computed,
                                    OperatorStorage::factored};
  const Shape word{WordShape{names_of(storages)}};
  return {"refinement.inner_storage",
          "Where rows of the inner formats' matrices come from, as operator.storage says it.",
          "text, or list of texts",
          alternatives(names_of(storages)) + ", or \"auto\"; in a list one for each stage",
          {word, automatic_shape(), {ListShape{.element = {word}, .fewest = 1}}},
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
  keys.push_back(optional_choice_key(
      "refinement.inner_form",
      "How the inner formats evaluate a matrix row; the difference form is far less sensitive to "
      "rounding, and \"auto\" takes it, but for sparse matrices whose row sums are not small.",
      std::vector{OperatorForm::plain, OperatorForm::difference}, R"("plain")",
      [](auto& c) -> auto& { return c.solver.refinement.inner_form; }));
  keys.push_back(inner_storage_key());
  keys.push_back(choice_key(
      "refinement.scaling",
      "How a residual is scaled before it is stored in the inner format: by a power of two, "
      "without rounding, or by its norm.",
      std::vector{RefinementScaling::power_of_two, RefinementScaling::norm}, R"("norm")",
      [](auto& c) -> auto& { return c.solver.refinement.scaling; }));
  keys.push_back(choice_key(
      "refinement.variant",
      "Corrections one by one, CG that keeps its directions over them (the default with a matrix), "
      "or CG with the inner solver as preconditioner.",
      std::vector{refinement, residual_guided_cg, flexible_cg}, R"("flexible-cg")",
      [](auto& c) -> auto& { return c.solver.refinement.variant; }));
  keys.push_back(choice_key(
      "refinement.outer_backend",
      "With \"host\" the outer part runs on the host although the backend is CUDA.",
      std::vector{OuterBackend::same, OuterBackend::host}, R"("host")",
      [](auto& c) -> auto& { return c.solver.refinement.outer_backend; }));
  keys.push_back(flag_key(
      "refinement.stop_at_tolerance",
      "Inner solves also end when their own residual says that solver.tolerance is met.",
      [](auto& c) -> auto& { return c.solver.refinement.stop_at_tolerance; }));
  return keys;
}

}  // namespace ninefold
