#include "experiments/config/grid_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

Key levels_key() {
  return {
      "grid.levels",
      "list of two integers, or one integer",
      fmt::format("[first, last] with 1 <= first <= last <= {}", max_level),
      "[2, 10]",
      [](const Setting& setting, Configuration& c) {
        const auto level = [](const Setting& element) {
          const std::int64_t value = integer_of(element);
          if (value < 1 || value > max_level) refuse(element, "is out of range");
          return static_cast<int>(value);
        };
        if (std::holds_alternative<std::int64_t>(setting.value.content)) {
          c.first_level = c.last_level = level(setting);
          return;
        }
        if (list_of(setting, "[5, 9]").size() != 2) {
          refuse(setting, "does not have two elements");
        }
        c.first_level = level(element_of(setting, 0));
        c.last_level = level(element_of(setting, 1));
        if (c.first_level > c.last_level) refuse(setting, "begins after its end");
      },
      [](const Configuration& c) { return fmt::format("[{}, {}]", c.first_level, c.last_level); }};
}

Key refined_sides_key() {
  static const std::vector<Side> sides(all_sides.begin(), all_sides.end());
  return {"grid.refined_sides",
          "list of texts",
          "different ones of " + alternatives(names_of(sides)),
          R"(["left", "right"])",
          [](const Setting& setting, Configuration& c) {
            c.grading.sides.clear();
            for (std::size_t k = 0; k < list_of(setting, R"(["right"])").size(); ++k) {
              const Setting element = element_of(setting, k);
              const Side side = sides[choice_of(element, names_of(sides))];
              if (std::count(c.grading.sides.begin(), c.grading.sides.end(), side) > 0) {
                refuse(setting, fmt::format("names {} twice", to_toml(to_string(side))));
              }
              c.grading.sides.push_back(side);
            }
          },
          [](const Configuration& c) {
            std::vector<std::string> names;
            for (const Side side : c.grading.sides) names.push_back(to_toml(to_string(side)));
            return fmt::format("[{}]", fmt::join(names, ", "));
          }};
}

/// Only the name: the file is read when all settings are known (see grid_settings.hpp).
template <Member M>
Key widths_key(std::string name, std::string example, M member) {
  return {std::move(name),
          "text",
          fmt::format("a text file of cell widths, 2 to {} and a power of two; its place is "
                      "relative to the folder of the config file",
                      1 << max_level),
          std::move(example),
          [=](const Setting& setting, Configuration& c) { member(c) = text_of(setting); },
          [=](const Configuration& c) { return to_toml(member(c)); }};
}

}  // namespace

std::vector<Key> grid_keys() {
  using enum Grading;
  std::vector<Key> keys;
  keys.push_back(levels_key());
  keys.push_back(choice_key(
      "grid.grading", std::vector{anisotropic, geometric, shishkin}, R"("geometric")",
      [](auto& c) -> auto& { return c.grading.kind; }));
  keys.push_back(number_key(
      "grid.anisotropy", "greater than 0, at most 1", "0.5",
      [](double v) { return v > 0 && v <= 1; }, [](auto& c) -> auto& { return c.grading.nu; }));
  keys.push_back(number_key(
      "grid.expansion_ratio",
      "at least 1: the widest over the narrowest cell's width, not that of neighbours", "100.0",
      [](double v) { return v >= 1; }, [](auto& c) -> auto& { return c.grading.expansion_ratio; }));
  keys.push_back(number_key(
      "grid.layer_width", "greater than 0, at most 0.5", "0.05",
      [](double v) { return v > 0 && v <= widest_layer(false); },
      [](auto& c) -> auto& { return c.grading.layer_width; }));
  keys.push_back(refined_sides_key());
  keys.push_back(widths_key(
      "grid.x_widths", "\"channel_x.txt\"", [](auto& c) -> auto& { return c.x_widths; }));
  keys.push_back(widths_key(
      "grid.y_widths", "\"channel_y.txt\"", [](auto& c) -> auto& { return c.y_widths; }));
  return keys;
}

}  // namespace ninefold
