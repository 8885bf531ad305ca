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
      "The levels to solve on: level l has 2^l cells in each direction.  One integer is that level "
      "alone.",
      "list of two integers, or one integer",
      fmt::format("[first, last] with 1 <= first <= last <= {}", max_level),
      {{ListShape{{{IntegerShape{1, max_level}}}, 2, 2}}, {IntegerShape{1, max_level}}},
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
          "The sides towards which cells become narrower; two opposite ones refine symmetrically.",
          "list of texts",
          "different ones of " + alternatives(names_of(sides)),
          {{ListShape{.element = {{WordShape{names_of(sides)}}}, .distinct = true}}},
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
Key widths_key(std::string name, std::string text, std::string example, M member) {
  return {std::move(name),
          std::move(text),
          "text",
          fmt::format("a file of cell widths, 2 to {} and a power of two of them; its place is "
                      "relative to the folder of the config file",
                      1 << max_level),
          {{TextShape{}}},
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
      "grid.grading",
      "How cells become narrower towards refined sides: the last one is split unevenly from level "
      "to level, widths grow geometrically, or a layer has cells of its own.",
      std::vector{anisotropic, geometric, shishkin}, R"("geometric")",
      [](auto& c) -> auto& { return c.grading.kind; }));
  keys.push_back(number_key(
      "grid.anisotropy",
      "Of grading \"anisotropic\": the cell next to a refined side is split at half of this of its "
      "width; 1 is uniform.",
      above(0).at_most(1), "0.5", [](auto& c) -> auto& { return c.grading.nu; }));
  keys.push_back(number_key(
      "grid.expansion_ratio",
      "Of grading \"geometric\", which needs it: the width of the widest cell over that of the "
      "narrowest; 1 is uniform.",
      at_least(1), "100.0", [](auto& c) -> auto& { return c.grading.expansion_ratio; }));
  keys.back().allowed += ": the widest over the narrowest cell's width, not that of neighbours";
  keys.push_back(number_key(
      "grid.layer_width",
      "Of grading \"shishkin\", which needs it: the part of the length that a layer takes; at most "
      "0.25 where two opposite sides are refined.",
      above(0).at_most(widest_layer(false)), "0.05",
      [](auto& c) -> auto& { return c.grading.layer_width; }));
  keys.push_back(refined_sides_key());
  keys.push_back(widths_key(
      "grid.x_widths",
      "Cell widths of your own, from left to right, in place of a grading; domain.width follows "
      "from them.",
      "\"channel_x.txt\"", [](auto& c) -> auto& { return c.x_widths; }));
  keys.push_back(widths_key(
      "grid.y_widths",
      "Cell widths of your own, from bottom to top, in place of a grading; domain.height follows "
      "from them.",
      "\"channel_y.txt\"", [](auto& c) -> auto& { return c.y_widths; }));
  return keys;
}

}  // namespace ninefold
