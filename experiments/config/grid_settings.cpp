#include "experiments/config/grid_settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "precision/shortened.hpp"

#include "grids/widths_file.hpp"

#include "output/vtk/vtk.hpp"

#include "experiments/config/bad_input.hpp"

namespace ninefold {
namespace {

constexpr int coarser_levels = 3;  // before that of a file, if the levels are not stated

/// The key that says how much a grading refines, and the value that means "not at all".
struct Strength {
  Grading kind;
  std::string_view key;
  double value, uniform;
};

std::array<Strength, 3> strengths_of(const GridGrading& grading) {
  const GridGrading standard;
  return {{{Grading::anisotropic, "grid.anisotropy", grading.nu, standard.nu},
           {Grading::geometric, "grid.expansion_ratio", grading.expansion_ratio,
            standard.expansion_ratio},
           {Grading::shishkin, "grid.layer_width", grading.layer_width, standard.layer_width}}};
}

std::vector<double> widths_of(const Setting& setting, const std::filesystem::path& config) {
  const std::string& name = std::get<std::string>(setting.value.content);
  try {
    return read_widths(config.parent_path() / name);
  } catch (const std::invalid_argument& error) {
    refuse(setting, fmt::format("cannot be used: {}", error.what()));
  }
}

/// Takes the size from the widths; a stated one must say the same.
void take_size(const std::vector<Setting>& settings, std::string_view size_key,
               const Setting& widths_setting, const std::vector<double>& widths, double& size) {
  double sum = 0;
  try {
    sum = make_line(widths).from_start.back();
  } catch (const std::invalid_argument& error) {
    refuse(widths_setting, fmt::format("cannot be used: {}", error.what()));
  }
  const Setting* stated = find_setting(settings, size_key);
  if (stated != nullptr && !agrees(size, sum)) {
    refuse(*stated,
           fmt::format("contradicts {} = {}, whose cell widths add up to {}", widths_setting.key,
                       shortened(to_toml(widths_setting.value)), shortened(sum)),
           fmt::format("leave {} out: it follows from the file", size_key));
  }
  size = sum;
}

/// True if the side belongs to a direction that is graded, not given by widths.
bool is_graded(Side side, const GridGrading& grading) {
  const bool in_x = side == Side::left || side == Side::right;
  return (in_x ? grading.x_widths : grading.y_widths).empty();
}

/// Why a grading has nothing to refine; empty if it has.
std::string no_graded_side(const GridGrading& grading) {
  if (!graded_sides(grading).empty()) return "";
  if (grading.sides.empty()) return "grid.refined_sides is empty";
  if (!grading.x_widths.empty() && !grading.y_widths.empty()) {
    return "the cells of both directions are those of grid.x_widths and grid.y_widths";
  }
  const bool x_is_given = !grading.x_widths.empty();
  return fmt::format(
      "the cells along {} are those of {}, and none of grid.refined_sides refines those along {}",
      x_is_given ? "x" : "y", x_is_given ? "grid.x_widths" : "grid.y_widths",
      x_is_given ? "y" : "x");
}

/// A layer that would leave the cells between two of them narrower than those in it.
void check_layer_width(const Setting& setting, const GridGrading& grading) {
  const std::vector<Side> sides = graded_sides(grading);
  const auto refined = [&](Side side) { return std::count(sides.begin(), sides.end(), side) > 0; };
  for (const auto& [start, end] :
       {std::pair{Side::left, Side::right}, std::pair{Side::bottom, Side::top}}) {
    if (!refined(start) || !refined(end) || grading.layer_width <= widest_layer(true)) continue;
    refuse(setting,
           fmt::format("is out of range: where grid.refined_sides names both {} and {} it is at "
                       "most {}",
                       to_toml(to_string(start)), to_toml(to_string(end)), widest_layer(true)));
  }
}

}  // namespace

void take_widths(const std::vector<Setting>& settings, const std::filesystem::path& file,
                 Configuration& c) {
  std::size_t most = 0;
  const auto read = [&](std::string_view key, std::string_view size_key, const std::string& name,
                        std::vector<double>& widths, double& size) {
    if (name.empty()) return;
    const Setting& setting = *find_setting(settings, key);
    widths = widths_of(setting, file);
    take_size(settings, size_key, setting, widths, size);
    most = std::max(most, widths.size());
  };
  read("grid.x_widths", "domain.width", c.x_widths, c.grading.x_widths, c.width);
  read("grid.y_widths", "domain.height", c.y_widths, c.grading.y_widths, c.height);
  if (most == 0 || find_setting(settings, "grid.levels") != nullptr) return;
  c.last_level = std::countr_zero(most);
  c.first_level = std::max(c.last_level - coarser_levels, 1);
}

std::vector<Side> graded_sides(const GridGrading& grading) {
  std::vector<Side> sides;
  for (const Side side : grading.sides) {
    if (is_graded(side, grading)) sides.push_back(side);
  }
  return sides;
}

void check_grading(const std::vector<Setting>& settings, const Configuration& c,
                   const std::vector<std::string>& varied) {
  const GridGrading& grading = c.grading;
  const bool compares = std::count(varied.begin(), varied.end(), "grid.grading") > 0;
  const auto strengths = strengths_of(grading);
  for (const Strength& strength : strengths) {
    const Setting* setting = find_setting(settings, strength.key);
    const bool own = strength.kind == grading.kind;
    const std::string name = to_toml(to_string(grading.kind));
    if (setting == nullptr) {
      const Setting* stated = find_setting(settings, "grid.grading");
      if (own && stated != nullptr && strength.kind != Grading::anisotropic) {
        refuse(*stated, fmt::format("does not say how much: {} is missing", strength.key));
      }
      continue;
    }
    if (strength.value == strength.uniform) continue;
    if (!own && !compares) {
      refuse(*setting, fmt::format("has no effect: it belongs to grid.grading = {}, and "
                                   "grid.grading = {}",
                                   to_toml(to_string(strength.kind)), name));
    }
    if (!own) continue;
    const std::string obstacle = no_graded_side(grading);
    if (!obstacle.empty()) {
      // The later decision of the two is the one to look at.
      const Setting* sides = find_setting(settings, "grid.refined_sides");
      if (sides != nullptr && grading.sides.empty()) {
        refuse(*sides, fmt::format("is empty, so that {} = {} has no effect", strength.key,
                                   to_toml(strength.value)));
      }
      refuse(*setting, fmt::format("has no effect: {}", obstacle));
    }
  }
  // A strength that is stated may say "uniform", also beside sides; sides alone say nothing.
  const Setting* sides = find_setting(settings, "grid.refined_sides");
  const bool has_strength =
      std::any_of(strengths.begin(), strengths.end(), [&](const Strength& strength) {
        return (strength.kind == grading.kind || compares)
               && find_setting(settings, strength.key) != nullptr;
      });
  if (sides != nullptr && !grading.sides.empty() && !has_strength) {
    refuse(*sides, "has no effect: nothing says how much to refine",
           "state grid.anisotropy, or grid.grading and what belongs to it");
  }
  const Setting* layer = find_setting(settings, "grid.layer_width");
  if (grading.kind == Grading::shishkin && layer != nullptr) {
    check_layer_width(*layer, grading);
  }
}

void check_grids(const std::vector<Setting>& settings, const std::filesystem::path& file,
                 const Configuration& c) {
  try {
    make_hierarchy(c.width, c.height, c.last_level, c.grading);
  } catch (const BadValue& error) {
    refuse_value(error, settings, file);
  } catch (const std::invalid_argument& error) {  // of own widths, or that get too small
    const std::string message = fmt::format("no grid of level {}: {}", c.last_level, error.what());
    for (const Strength& strength : strengths_of(c.grading)) {
      const Setting* setting = find_setting(settings, strength.key);
      if (setting != nullptr && strength.kind == c.grading.kind
          && strength.value != strength.uniform) {
        refuse_at(setting->origin, message);
      }
    }
    for (const char* key :
         {"grid.x_widths", "grid.y_widths", "grid.levels", "domain.width", "domain.height"}) {
      if (const Setting* setting = find_setting(settings, key)) refuse_at(setting->origin, message);
    }
    refuse_at({file.string(), ""}, error.what());
  }
  const Setting* matrix = find_setting(settings, "output.matrix");
  if (c.output.matrix && matrix != nullptr && c.last_level > last_filed_level) {
    refuse_at(
        matrix->origin,
        fmt::format("output.matrix = true, but grid.levels ends at {}: such files are written "
                    "to level {}",
                    c.last_level, last_filed_level));
  }
  const Setting* vtk = find_setting(settings, "output.vtk");
  if (!c.output.vtk || vtk == nullptr) return;
  if (const auto obstacle = vtr_obstacle()) {
    refuse_at(vtk->origin, fmt::format("output.vtk = true, but {}", *obstacle));
  }
}

}  // namespace ninefold
