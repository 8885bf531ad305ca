#include "experiments/config/keys.hpp"

#include <utility>

#include "grids/slabs.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/grid_keys.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/least_squares_keys.hpp"
#include "experiments/config/matrix_keys.hpp"
#include "experiments/config/mesh_keys.hpp"
#include "experiments/config/problem_keys.hpp"
#include "experiments/config/reading.hpp"
#include "experiments/config/refinement_keys.hpp"
#include "experiments/config/sample_keys.hpp"
#include "experiments/config/solver_keys.hpp"

namespace ninefold {
namespace {

std::vector<Key> domain_keys() {
  std::vector<Key> keys;
  keys.push_back(number_key(
      "domain.width", "The length of the rectangle in x.", above(0), "0.25",
      [](auto& c) -> auto& { return c.width; }));
  keys.push_back(number_key(
      "domain.height", "The length of the rectangle in y.", above(0), "2.0",
      [](auto& c) -> auto& { return c.height; }));
  return keys;
}

Key backend_key() {
  static const std::vector<std::string> names{"auto", "host", "cuda"};
  return {
      "backend.name",
      "Where to run; \"auto\" takes a CUDA device if there is one.  Both give the same bits, but "
      "for the direct solver's.",
      "text",
      alternatives(names),
      {{WordShape{names}}},
      "\"host\"",
      [](const Setting& setting, Configuration& c) {
        c.backend = names[choice_of(setting, names)];
      },
      [](const Configuration& c) { return to_toml(c.backend); }};
}

Key devices_key() {
  static const IntegerShape some{1, 16};
  static const std::vector<std::string> all{"all"};
  return {"backend.devices",
          "How many CUDA devices solve together, each with a part of the rows of large grids; the "
          "bits of one.  So do as many processes: mpirun -n 4 ninefold solve FILE.",
          "integer",
          words_of(some) + ", or \"all\"",
          {{some}, {WordShape{all}}},
          "2",
          [](const Setting& setting, Configuration& c) {
            const bool is_word = std::holds_alternative<std::string>(setting.value.content);
            c.devices =
                is_word ? static_cast<int>(choice_of(setting, all)) : integer_within(some, setting);
          },
          [](const Configuration& c) {
            return c.devices == 0 ? to_toml(all.front()) : fmt::format("{}", c.devices);
          }};
}

Key min_rows_key() {
  return optional_integer_key(
      "backend.min_rows_per_rank",
      "The fewest rows of cells that each of several devices or processes has of a grid that is "
      "divided; smaller grids, and those of up to 65 rows of nodes, each has whole.  "
      "\"auto\": 1024 of devices, 64 of processes on the host.",
      {Slabs::fewest_cells, 1 << 16}, "256", [](auto& c) -> auto& { return c.min_rows_per_rank; });
}

Key transfers_key() {
  static const std::vector<std::string> names{"auto", "direct", "host"};
  return {
      "backend.transfers",
      "How devices of processes that mpirun starts tell each other: from one's memory to the "
      "other's, or by way of the hosts, as devices of several machines do.  The bits are the same.",
      "text",
      alternatives(names),
      {{WordShape{names}}},
      "\"host\"",
      [](const Setting& setting, Configuration& c) {
        c.transfers = names[choice_of(setting, names)];
      },
      [](const Configuration& c) { return to_toml(c.transfers); }};
}

Key directory_key() {
  return {"output.directory",
          "Where all files go; without it results/ and the name of the config file.",
          "text",
          "a folder, made if it is not there; relative to the one in which the program is called",
          {{TextShape{".+"}}},
          "\"results/mine\"",
          [](const Setting& setting, Configuration& c) {
            if (text_of(setting).empty()) refuse(setting, "is empty");
            c.output.directory = text_of(setting);
          },
          [](const Configuration& c) { return to_toml(c.output.directory); }};
}

std::vector<Key> output_keys() {
  std::vector<Key> keys;
  keys.push_back(directory_key());
  keys.push_back(flag_key(
      "output.vtk",
      "Write solutions as .vtr files, of several ranks .pvtr in pieces, and a .pvd for ParaView.",
      [](auto& c) -> auto& { return c.output.vtk; }));
  keys.push_back(flag_key(
      "output.plots", "Draw .png pictures of errors, residuals and the solution; needs gnuplot.",
      [](auto& c) -> auto& { return c.output.plots; }));
  keys.push_back(flag_key(
      "output.estimates",
      "Estimate the discretisation error; up to three coarser levels are solved for the first one.",
      [](auto& c) -> auto& { return c.output.estimates; }, "false"));
  keys.push_back(points_key());
  keys.push_back(lines_key());
  keys.push_back(flag_key(
      "output.quantities",
      "Add the solution's integral, l2 norm and energy, and the energy norm of its error, to "
      "results.csv and results.json.",
      [](auto& c) -> auto& { return c.output.quantities; }));
  keys.push_back(flag_key(
      "output.matrix",
      "Write each level's matrix and right-hand side as .mtx files, which \"ninefold matrix\" and "
      "other programs read; to level 10.",
      [](auto& c) -> auto& { return c.output.matrix; }));
  return keys;
}

std::vector<Key> make_keys() {
  std::vector<Key> keys;
  const auto add = [&](std::vector<Key> some) {
    for (Key& key : some) keys.push_back(std::move(key));
  };
  add(domain_keys());
  add(grid_keys());
  add(problem_keys());
  add(solver_keys());
  add(refinement_keys());
  add(matrix_keys());
  add(mesh_keys());
  add(least_squares_keys());
  add({backend_key(), devices_key(), min_rows_key(), transfers_key()});
  add(output_keys());
  return keys;
}

}  // namespace

const std::vector<Key>& configuration_keys() {
  static const std::vector<Key> keys = make_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  for (const Key& key : configuration_keys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::string default_of(const Key& key) {
  static const Configuration defaults;
  const std::string shown = key.show(defaults);
  return shown == "\"\"" ? "" : shown;
}

std::string_view table_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
}

const std::vector<KeyTable>& configuration_tables() {
  static const std::vector<KeyTable> tables{
      {"domain", "the rectangle [0, width] x [0, height]"},
      {"grid", "which grids"},
      {"problem", "-div(diag(gx, gy) grad u) + c u = f"},
      {"operator", "how a matrix row is evaluated"},
      {"solver", "the method, its format, and when it is done"},
      {"multigrid", "the method, or the preconditioner, of that name"},
      {"refinement", "mixed precision"},
      {"matrix", "a sparse matrix in the place of domain, grid and problem"},
      {"mesh", "a surface of triangles, which is laid flat or smoothed, in the place of a matrix"},
      {"least_squares", "a fit to data in the place of a system"},
      {"backend", "where to run"},
      {"output", "where results go"},
  };
  return tables;
}

bool is_table(std::string_view name) {
  return !keys_below(name).empty();
}

std::vector<const Key*> keys_below(std::string_view table) {
  const std::string prefix = std::string(table) + ".";
  std::vector<const Key*> keys;
  for (const Key& key : configuration_keys()) {
    if (key.name.starts_with(prefix)) keys.push_back(&key);
  }
  return keys;
}

}  // namespace ninefold
