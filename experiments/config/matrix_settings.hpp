#pragma once
// What [matrix] of a config file says.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "solvers/sparse/sparse_options.hpp"

namespace ninefold {

enum class ReferenceSolution { none, double_double };

constexpr std::string_view to_string(ReferenceSolution reference) {
  return reference == ReferenceSolution::none ? "none" : "double-double";
}

struct MatrixSettings {
  std::string file;  ///< of Matrix Market; or empty
  /// Of several systems that are solved in one solve; `file` is then the plan's own.
  std::vector<std::string> files{};
  std::vector<std::string> right_hand_sides{};  ///< theirs; or empty: right_hand_side of all
  GeneratorOptions generator;                   ///< without a name if there is none
  std::string right_hand_side = "ones";         ///< or "random", or a file
  std::optional<SparseStorage> storage;
  RowOrder order = RowOrder::automatic;
  StopBy stop = StopBy::residual;
  int components = 1;
  std::optional<int> block_size{};
  ReferenceSolution reference = ReferenceSolution::none;
  bool write_solution = false;

  bool is_used() const { return !file.empty() || !files.empty() || !generator.name.empty(); }
};

}  // namespace ninefold
