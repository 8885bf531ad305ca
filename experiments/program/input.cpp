#include "experiments/program/input.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/shortened.hpp"

#include "grids/mesh/mesh_file.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/mesh_keys.hpp"

namespace ninefold {
namespace {

std::vector<Override> overrides_of(const Arguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& setting : arguments.settings) {
    overrides.push_back({setting, "--set " + setting});
  }
  const auto add = [&](const std::string& key, const std::string& option,
                       const std::string& value) {
    if (!value.empty()) {
      overrides.push_back({key + "=" + value, fmt::format("--{} {}", option, value), true});
    }
  };
  add("backend.name", "backend", arguments.backend);
  add("output.directory", "output", arguments.output);
  return overrides;
}

/// What parameterise and smooth are told, as settings.
Document mesh_document(const MeshArguments& mesh, std::vector<Override> overrides,
                       MeshTask task = MeshTask::parameterise) {
  if (mesh.file.empty() == mesh.generate.empty()) {
    throw ConfigurationError(
        mesh.file.empty() ? fmt::format(
            "a mesh is needed: ninefold {} FILE.off, or --generate NAME --size N", to_string(task))
                          : "a file or --generate: there is one mesh");
  }
  const auto add = [&](const std::string& key, const std::string& value, const std::string& option,
                       bool is_text) {
    if (!value.empty()) overrides.push_back({key + "=" + value, option, is_text});
  };
  add("mesh.file", mesh.file, mesh.file, true);
  add("mesh.generate", mesh.generate, "--generate " + mesh.generate, true);
  add("mesh.size", mesh.size, "--size " + mesh.size, false);
  add("mesh.part", mesh.part, "--part " + mesh.part, true);
  if (!mesh.pins.empty()) {
    add("mesh.pins", mesh.pins == "auto" ? mesh.pins : "[" + mesh.pins + "]", "--pins " + mesh.pins,
        false);
  }
  if (task == MeshTask::smooth) add("mesh.task", "smooth", "smooth", true);
  add("mesh.fidelity", mesh.fidelity, "--fidelity " + mesh.fidelity, false);
  const std::string name = mesh.file.empty() ? mesh.generate : mesh.file;
  return parse_document("", name, overrides);
}

}  // namespace

Document mesh_input(const Arguments& arguments, MeshTask task) {
  return mesh_document(arguments.mesh, overrides_of(arguments), task);
}

Document read_input(const Arguments& arguments) {
  const std::string& file = arguments.file;
  const auto overrides = overrides_of(arguments);
  const bool is_matrix = file.ends_with(".mtx") || file.ends_with(".mtx.gz");
  if (!is_mesh_file(file) && !is_matrix) return read_document(file, overrides, arguments.without);
  if (!arguments.without.empty()) {
    throw ConfigurationError(fmt::format("--without {}: {} is no config file",
                                         shortened(arguments.without.front()), shortened(file)));
  }
  if (is_mesh_file(file)) return mesh_document({.file = file}, overrides);
  std::filesystem::path name = file;
  if (name.extension() == ".gz") name.replace_extension();
  return parse_document(fmt::format("[matrix]\nfile = {}\n", to_toml(file)), name, overrides);
}

}  // namespace ninefold
