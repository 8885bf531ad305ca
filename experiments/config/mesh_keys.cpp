#include "experiments/config/mesh_keys.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grids/mesh/mesh_file.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/matrix_keys.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

constexpr int most_vertices = std::numeric_limits<int>::max();
/// Beyond these the one or the other term is lost in double.
constexpr Range fidelities{1e-12, 1e12, true, true};

Key mesh_file_key() {
  std::vector<std::string> patterns;
  for (const std::string& ending : mesh_endings()) patterns.push_back("\\" + ending);
  return {"mesh.file",
          "A surface of triangles in a file of the format OFF, OBJ or PLY.",
          "text",
          "a .off, .obj or .ply file; relative to the folder in which the program is called",
          {{TextShape{fmt::format(".*({})", fmt::join(patterns, "|"))}}},
          "\"head.off\"",
          [](const Setting& setting, Configuration& c) {
            const std::string& file = text_of(setting);
            if (!is_mesh_file(file)) refuse(setting, "is no file of a mesh");
            c.mesh.file = file;
          },
          [](const Configuration& c) { return to_toml(c.mesh.file); }};
}

Key mesh_generate_key() {
  const std::vector<std::string>& names = mesh_generator_names();
  return {"mesh.generate",
          "In place of a file: a surface that is made here (ninefold parameterise --help says what "
          "each one is).",
          "text",
          alternatives(names),
          {{WordShape{names}}},
          "\"patch\"",
          [](const Setting& setting, Configuration& c) {
            c.mesh.generator.name =
                mesh_generator_names()[choice_of(setting, mesh_generator_names())];
          },
          [](const Configuration& c) { return to_toml(c.mesh.generator.name); }};
}

Key pins_key() {
  const IntegerShape vertex{0, most_vertices};
  return {
      "mesh.pins",
      "The two vertices that are held, numbered from 0 on as in the file; \"auto\" takes two of "
      "the boundary that are far apart.",
      "list of integers",
      "two different vertices, or \"auto\"",
      {{ListShape{{{vertex}}, 2, 2, true}}, automatic_shape()},
      "[0, 100]",
      [=](const Setting& setting, Configuration& c) {
        c.mesh.pins.reset();
        if (is_automatic(setting)) return;
        const List& list = list_of(setting, "[0, 100]");
        if (list.size() != 2) refuse(setting, "has not two vertices");
        const int first = integer_within(vertex, element_of(setting, 0)),
                  second = integer_within(vertex, element_of(setting, 1));
        if (first == second) refuse(setting, "has one vertex twice");
        c.mesh.pins = {first, second};
      },
      [](const Configuration& c) {
        if (!c.mesh.pins) return to_toml(automatic);
        return fmt::format("[{}, {}]", (*c.mesh.pins)[0], (*c.mesh.pins)[1]);
      }};
}

/// Of [matrix], what is said of equations wherever they come from.
constexpr std::string_view shared_keys[] = {"matrix.storage", "matrix.stop", "matrix.block_size",
                                            "matrix.reference", "matrix.write_solution"};

bool is_shared(std::string_view key) {
  return std::find(std::begin(shared_keys), std::end(shared_keys), key) != std::end(shared_keys);
}

/// Throws ConfigurationError unless what is generated has a size that it can have.
void require_size(const std::vector<Setting>& settings, const MeshGenerator& generator) {
  if (generator.size < 1) {
    refuse(*find_setting(settings, "mesh.generate"), "needs its size",
           "for example mesh.size = 64");
  }
  const MeshSizes sizes = mesh_generator_sizes(generator.name);
  if (generator.size >= sizes.least && generator.size <= sizes.most) return;
  refuse(*find_setting(settings, "mesh.size"), "is out of range",
         fmt::format("of \"{}\" it is from {} to {}", generator.name, sizes.least, sizes.most));
}

bool names_format(std::string_view key) {
  return key == "solver.precision" || key == "refinement.inner_precision"
         || key == "refinement.cascade";
}

}  // namespace

std::vector<Key> mesh_keys() {
  std::vector<Key> keys;
  const auto add = [&](Key key) { keys.push_back(std::move(key)); };
  add(mesh_file_key());
  add(mesh_generate_key());
  add(integer_key(
      "mesh.size", "Of what is generated: its N.", {0, mesh_generator_sizes().most}, "64",
      [](auto& c) -> auto& { return c.mesh.generator.size; }));
  add(optional_choice_key(
      "mesh.task",
      "What is done with it: it is laid flat (\"parameterise\", which \"auto\" is), or smoothed.",
      std::vector{MeshTask::parameterise, MeshTask::smooth}, R"("smooth")",
      [](auto& c) -> auto& { return c.mesh.task; }));
  add(choice_key(
      "mesh.part",
      "Of a mesh of several parts: all of it, which cannot be laid flat, or the largest one.",
      std::vector{MeshParts::whole, MeshParts::largest}, R"("largest")",
      [](auto& c) -> auto& { return c.mesh.part; }));
  add(pins_key());
  add(choice_key(
      "mesh.weight",
      "Of a triangle in the sum that is least: 1 over its area, so that it counts as what it "
      "covers, or none, as some programs have it: large triangles then count for more.",
      std::vector{TriangleWeight::conformal, TriangleWeight::unscaled}, R"("unscaled")",
      [](auto& c) -> auto& { return c.mesh.weight; }));
  add(number_key(
      "mesh.fidelity",
      "Of smoothing: how much it counts that vertices stay where they are, beside that each is "
      "where the mean of its neighbours is.",
      fidelities, "0.1", [](auto& c) -> auto& { return c.mesh.fidelity; }));
  return keys;
}

bool concerns_meshes(std::string_view key) {
  if (key.starts_with("mesh.")) return true;
  return key.starts_with("matrix.") ? is_shared(key) : concerns_matrices(key);
}

void take_mesh(const std::vector<Setting>& settings, Configuration& c) {
  if (!c.mesh.is_used()) {
    for (const Setting& setting : settings) {
      if (!setting.key.starts_with("mesh.")) continue;
      refuse(setting, "has no effect: there is no mesh",
             "one is stated by mesh.file, or by mesh.generate and mesh.size");
    }
    return;
  }
  for (const Setting& setting : settings) {
    if (!concerns_meshes(setting.key) && !asks_for_nothing(setting)) {
      refuse(setting, concerns_grids(setting.key)
                          ? "has no meaning beside [mesh]: this is about grids"
                          : "has no meaning beside [mesh]: the matrix is that of the mesh");
    }
    const bool of_generator = setting.key == "mesh.size" || setting.key == "mesh.generate";
    if (of_generator && !c.mesh.file.empty()) {
      refuse(setting, "contradicts mesh.file: there is one mesh");
    }
  }
  if (c.mesh.file.empty()) require_size(settings, c.mesh.generator);
  const bool smooths = c.mesh.is_smoothed();
  for (const auto& [key, is_for_it] :
       {std::pair{"mesh.pins", !smooths}, {"mesh.weight", !smooths}, {"mesh.fidelity", smooths}}) {
    if (const Setting* setting = find_setting(settings, key); setting != nullptr && !is_for_it) {
      refuse(*setting, fmt::format("has no meaning with mesh.task = \"{}\"",
                                   to_string(c.mesh.chosen_task())));
    }
  }
  c.matrix.components = smooths ? 1 : 2;
  if (find_setting(settings, "matrix.reference") == nullptr) {
    c.matrix.reference = ReferenceSolution::double_double;
  }
  // They grow like the number of vertices: the default of grids ends at some hundred thousand.
  if (find_setting(settings, "solver.max_iterations") == nullptr) c.solver.max_iterations = 100'000;
}

bool leaves_formats_open(const Document& document) {
  const auto& settings = document.settings;
  const bool has_mesh = std::any_of(settings.begin(), settings.end(), [](const Setting& setting) {
    return setting.key.starts_with("mesh.");
  });
  return has_mesh && !document.study_origin
         && std::none_of(settings.begin(), settings.end(),
                         [](const Setting& setting) { return names_format(setting.key); });
}

Document with_open_formats(Document document) {
  const Origin origin{document.file.string(), ""};
  Axis axis{"solver.precision", {}, origin};
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    axis.choices.push_back({axis.key, Value{std::string(to_string(precision))}, origin});
  }
  document.study = {std::move(axis)};
  document.study_origin = origin;
  return document;
}

}  // namespace ninefold
