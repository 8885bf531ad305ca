#include "experiments/config/matrix_keys.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

constexpr int most = std::numeric_limits<int>::max();
constexpr std::size_t most_systems = 1000;

Key generate_key() {
  const std::vector<std::string>& names = generator_names();
  return {"matrix.generate",
          "In place of a file: a matrix that is made here (ninefold matrix --help says what each "
          "one is).",
          "text",
          alternatives(names),
          {{WordShape{names}}},
          "\"triangles\"",
          [](const Setting& setting, Configuration& c) {
            c.matrix.generator.name = generator_names()[choice_of(setting, generator_names())];
          },
          [](const Configuration& c) { return to_toml(c.matrix.generator.name); }};
}

Key seed_key() {
  return {"matrix.seed",
          "Of what is generated at random, and of a right-hand side that is \"random\".",
          "integer",
          "at least 0",
          {{IntegerShape{0, most}}},
          "2",
          [](const Setting& setting, Configuration& c) {
            c.matrix.generator.seed =
                static_cast<std::uint64_t>(integer_within(IntegerShape{0, most}, setting));
          },
          [](const Configuration& c) { return fmt::format("{}", c.matrix.generator.seed); }};
}

using Files = std::vector<std::string>;

/// One file, or word, for each of several systems.
Key files_key(std::string name, std::string text, const std::vector<std::string>& words,
              std::string allowed, std::string example, Files MatrixSettings::*member) {
  Shapes element{{TextShape{R"(.*\.mtx(\.gz)?)"}}};
  if (!words.empty()) element.push_back({WordShape{words}});
  return {std::move(name),
          std::move(text),
          "list of texts",
          std::move(allowed),
          {{ListShape{.element = std::move(element), .most = most_systems}}},
          example,
          [=](const Setting& setting, Configuration& c) {
            Files files;
            const std::size_t count = list_of(setting, example).size();
            if (count > most_systems) refuse(setting, "has too many elements");
            for (std::size_t k = 0; k < count; ++k) {
              const Setting one = element_of(setting, k);
              const std::string& file = text_of(one);
              const bool is_word = std::count(words.begin(), words.end(), file) > 0;
              if (!is_word && !file.ends_with(".mtx") && !file.ends_with(".mtx.gz")) {
                refuse(one, "is no .mtx file", suggestion(file, words));
              }
              files.push_back(file);
            }
            c.matrix.*member = std::move(files);
          },
          [=](const Configuration& c) {
            std::vector<std::string> shown;
            for (const std::string& file : c.matrix.*member) shown.push_back(to_toml(file));
            return fmt::format("[{}]", fmt::join(shown, ", "));
          }};
}

/// Tables that matrices do without, and keys that only grids have.
constexpr std::string_view other_tables[] = {"domain.",    "grid.", "problem.",
                                             "multigrid.", "mesh.", "least_squares."};
constexpr std::string_view keys_of_grids[] = {"operator.storage",
                                              "solver.fraction",
                                              "solver.double_speed",
                                              "solver.norm",
                                              "solver.relative",
                                              "solver.start",
                                              "refinement.inner_storage",
                                              "refinement.outer_backend",
                                              "backend.min_rows_per_rank",
                                              "output.vtk",
                                              "output.plots",
                                              "output.estimates",
                                              "output.points",
                                              "output.lines",
                                              "output.quantities",
                                              "output.matrix"};

bool is_stated(const std::vector<Setting>& settings, std::string_view key) {
  return find_setting(settings, key) != nullptr;
}

/// There are as many as matrices, and none are stated otherwise.
void check_right_hand_sides(const std::vector<Setting>& settings, const MatrixSettings& matrix) {
  const Setting* const list = find_setting(settings, "matrix.right_hand_sides");
  if (list == nullptr || matrix.right_hand_sides.empty()) return;
  if (matrix.files.empty()) {
    refuse(*list, "is for matrix.files", "of one matrix it is matrix.right_hand_side");
  }
  if (matrix.right_hand_sides.size() != matrix.files.size()) {
    refuse(*list, fmt::format("has {} elements, but matrix.files has {}",
                              matrix.right_hand_sides.size(), matrix.files.size()));
  }
  if (const Setting* const one = find_setting(settings, "matrix.right_hand_side")) {
    refuse(*one, "contradicts matrix.right_hand_sides, which states that of each matrix");
  }
}

/// Throws ConfigurationError for what has no meaning beside a matrix or beside each other.
void check_matrix(const std::vector<Setting>& settings, const MatrixSettings& matrix) {
  for (const Setting& setting : settings) {
    if (!concerns_matrices(setting.key) && !asks_for_nothing(setting)) {
      refuse(setting, "has no meaning beside [matrix]: this is about grids");
    }
    const bool of_generator = setting.key == "matrix.size" || setting.key == "matrix.generate";
    if (of_generator && !matrix.file.empty()) {
      refuse(setting, "contradicts matrix.file: there is one matrix");
    }
    const bool of_one = of_generator || setting.key == "matrix.file";
    if (of_one && !matrix.files.empty()) {
      refuse(setting, "contradicts matrix.files, which states the matrices");
    }
    const bool of_rows = setting.key == "matrix.mean" || setting.key == "matrix.spread"
                         || setting.key == "matrix.blocks" || setting.key == "matrix.bandwidth";
    if (of_rows && matrix.generator.name != "rows") {
      refuse(setting, "is for matrix.generate = \"rows\"");
    }
  }
  check_right_hand_sides(settings, matrix);
  const auto is_made = [](const std::string& b) { return b == "ones" || b == "random"; };
  const Files& each = matrix.right_hand_sides;
  const bool is_known = each.empty() ? is_made(matrix.right_hand_side)
                                     : std::all_of(each.begin(), each.end(), is_made);
  if (matrix.reference != ReferenceSolution::none && is_known) {
    refuse(*find_setting(settings, "matrix.reference"),
           "has no effect: the solution is known, matrix.right_hand_side being made from it");
  }
  if (matrix.file.empty() && matrix.files.empty() && matrix.generator.size < 1) {
    refuse(*find_setting(settings, "matrix.generate"), "needs its size",
           "for example matrix.size = 200");
  }
}

}  // namespace

std::vector<Key> matrix_keys() {
  std::vector<Key> keys;
  const auto add = [&](Key key) { keys.push_back(std::move(key)); };
  Key file = matrix_file_key(
      "matrix.file", "A symmetric positive definite matrix in the Matrix Market format.", {},
      "a .mtx file, or .mtx.gz; relative to the folder in which the program is called", "\"A.mtx\"",
      [](auto& c) -> auto& { return c.matrix.file; });
  file.show = [](const Configuration& c) {
    return to_toml(c.matrix.files.empty() ? c.matrix.file : "");  // else a plan's own
  };
  add(std::move(file));
  add(files_key("matrix.files",
                "In place of a file: matrices of several systems, which are solved in one solve, "
                "side by side; each is a run.",
                {}, ".mtx or .mtx.gz files, at most 1000", R"(["a.mtx", "b.mtx"])",
                &MatrixSettings::files));
  add(generate_key());
  add(integer_key(
      "matrix.size", "Of what is generated: its N.", {0, most}, "200",
      [](auto& c) -> auto& { return c.matrix.generator.size; }));
  add(seed_key());
  add(number_key(
      "matrix.mean", "Of matrix.generate = \"rows\": entries in a row.", at_least(1), "40.0",
      [](auto& c) -> auto& { return c.matrix.generator.mean; }));
  add(number_key(
      "matrix.spread", "Of \"rows\": how many times as many one row in 64 has.",
      at_least(1).at_most(64), "8.0", [](auto& c) -> auto& { return c.matrix.generator.spread; }));
  add(integer_key(
      "matrix.blocks", "Of \"rows\": rows of each dense block.", {1, 64}, "3",
      [](auto& c) -> auto& { return c.matrix.generator.blocks; }));
  add(integer_key(
      "matrix.bandwidth", "Of \"rows\": how far entries are from the diagonal; 0: anywhere.",
      {0, most}, "1000", [](auto& c) -> auto& { return c.matrix.generator.bandwidth; }));
  Key right = matrix_file_key(
      "matrix.right_hand_side",
      "\"ones\": b = A x for x = 1, so that the error is known; \"random\": the same for an x at "
      "random; else a file with one column.",
      {"ones", "random"}, "\"ones\", \"random\", or a .mtx file", "\"b.mtx\"",
      [](auto& c) -> auto& { return c.matrix.right_hand_side; });
  right.show = [](const Configuration& c) {
    return to_toml(c.matrix.right_hand_sides.empty() ? c.matrix.right_hand_side
                                                     : MatrixSettings().right_hand_side);
  };
  add(std::move(right));
  add(files_key("matrix.right_hand_sides",
                "Of matrix.files: what matrix.right_hand_side is, of each matrix.",
                {"ones", "random"}, "as many as files, each \"ones\", \"random\", or a .mtx file",
                R"(["a-right.mtx", "ones"])", &MatrixSettings::right_hand_sides));
  add(optional_choice_key(
      "matrix.storage",
      "How rows lie in memory: sliced, compressed, by jagged diagonals or in dense blocks; no bit "
      "of a result depends on it.  \"auto\" is \"sliced\".",
      std::vector{SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged,
                  SparseStorage::blocks_2, SparseStorage::blocks_3, SparseStorage::blocks_4},
      R"("crs")", [](auto& c) -> auto& { return c.matrix.storage; }));
  add(choice_key(
      "matrix.order",
      "Of the unknowns: as given, by reverse Cuthill-McKee, at random; \"auto\" is \"rcm\" where "
      "most rows reach farther than 65535 columns and do not lie on diagonals, as those of grids "
      "do.",
      std::vector{RowOrder::automatic, RowOrder::given, RowOrder::rcm, RowOrder::random},
      R"("rcm")", [](auto& c) -> auto& { return c.matrix.order; }));
  add(choice_key(
      "matrix.stop",
      "What the tolerance is about: |r| against |b|, or (r, M^-1 r)^(1/2) against the first one.",
      std::vector{StopBy::residual, StopBy::preconditioned}, R"("preconditioned")",
      [](auto& c) -> auto& { return c.matrix.stop; }));
  add(integer_key(
      "matrix.components",
      "Unknowns of a node, which follow each other, in the given order; difference form compares "
      "each with its own kind.",
      {1, 64}, "3", [](auto& c) -> auto& { return c.matrix.components; }));
  add(optional_integer_key(
      "matrix.block_size",
      "Of solver.preconditioner = \"block-jacobi\": unknowns of a block, which follow each other; "
      "\"auto\" is matrix.components.",
      {2, largest_block}, "3", [](auto& c) -> auto& { return c.matrix.block_size; }));
  add(choice_key(
      "matrix.reference",
      "What the error is measured against where matrix.right_hand_side is a file: a solution by "
      "double in double-double, as near as that comes.",
      std::vector{ReferenceSolution::none, ReferenceSolution::double_double}, R"("double-double")",
      [](auto& c) -> auto& { return c.matrix.reference; }));
  add(flag_key(
      "matrix.write_solution", "Write each run's solution to a .mtx file, in double.",
      [](auto& c) -> auto& { return c.matrix.write_solution; }));
  return keys;
}

bool concerns_matrices(std::string_view key) {
  return std::none_of(std::begin(other_tables), std::end(other_tables),
                      [&](std::string_view table) { return key.starts_with(table); })
         && std::find(std::begin(keys_of_grids), std::end(keys_of_grids), key)
                == std::end(keys_of_grids);
}

bool asks_for_nothing(const Setting& setting) {
  constexpr std::string_view switches[] = {"output.vtk", "output.plots", "output.estimates"};
  const bool* const is_on = std::get_if<bool>(&setting.value.content);
  return is_on != nullptr && !*is_on
         && std::find(std::begin(switches), std::end(switches), setting.key) != std::end(switches);
}

bool concerns_grids(std::string_view key) {
  return !key.starts_with("matrix.") && !key.starts_with("mesh.")
         && !key.starts_with("least_squares.");
}

void take_matrix(const std::vector<Setting>& settings, Configuration& c) {
  if (!c.has_matrix()) {
    for (const Setting& setting : settings) {
      if (concerns_grids(setting.key)) continue;
      refuse(setting, "has no effect: there is no matrix",
             "one is stated by matrix.file, or by matrix.generate and matrix.size");
    }
    return;
  }
  if (c.matrix.is_used()) check_matrix(settings, c.matrix);
  const SolverOptions defaults = SparseOptions::default_solver();
  if (!is_stated(settings, "solver.method")) c.solver.method = defaults.method;
  if (!is_stated(settings, "solver.preconditioner")) {
    c.solver.preconditioner = defaults.preconditioner;
  }
  if (!is_stated(settings, "refinement.variant")) {
    c.solver.refinement.variant = c.solver.refinement.inner.size() > 1
                                      ? RefinementVariant::flexible_cg
                                      : defaults.refinement.variant;
  }
  if (!is_stated(settings, "refinement.stop_at_tolerance")) {
    c.solver.refinement.stop_at_tolerance = defaults.refinement.stop_at_tolerance;
  }
  c.solver.norm = defaults.norm;
}

}  // namespace ninefold
