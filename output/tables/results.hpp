#pragma once
// The results of a run, as every file and table shows them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ninefold {

/// The outcome of a level that was not solved, because a format cannot hold it, say; the remark
/// says why.
inline constexpr std::string_view refused = "refused";

/// One level of one run: a row of its table.  Absent values are empty in tables, null in JSON.
struct LevelResult {
  int level = 0;
  std::int64_t unknowns = 0;
  double h_min = 0;
  double aspect_ratio = 1;
  int iterations = 0;                   ///< of refinement: of the outer solver
  std::optional<int> inner_iterations;  ///< of refinement: of the last inner solver, in all
  std::vector<int> inner_history;       ///< the same of each outer iteration
  std::string outcome;
  double residual_reduction = 0;
  double true_residual_reduction = 0;
  double attainable_reduction = 0;    ///< of the residual, with this rounding: see Report
  std::optional<double> error_bound;  ///< of the solve, relative to the solution: see Report
  std::string judged_by;              ///< which error that is: "bound", "change", or empty
  std::string bound_norm;  ///< in which norm: "error" for the larger of l2 and the largest
                           ///< node, "energy", "l2", "largest", these with
                           ///< ", absolute" if it is in units of the problem; or empty
  std::optional<double> error_l2, error_rms, error_max;
  /// The discretisation error, told by the solutions of this level and those before it, and the
  /// order at which its l2 norm falls; absent where none is observed.
  std::optional<double> estimated_l2, estimated_rms, observed_order;
  std::optional<double> solution_l2;  ///< what the first is compared with; for the screen
  std::string not_estimated;          ///< why, "is not resolved yet: ..."; for the screen
  /// What separates the solution from the exact one of the level's equations, in l2: by the
  /// iteration, by the format, and by both.
  std::optional<double> algebraic_l2, rounding_l2, left_l2;
  std::optional<double> reduction_factor;  ///< error_l2 of the level before over this one's
  /// Of the solution and of its error (fem/discrete/quantities.hpp), where they are asked for.
  std::optional<double> integral, l2_norm, energy, energy_error, estimated_energy_error;
  double setup_seconds = 0;
  double solve_seconds = 0;
  double finish_seconds = 0;  ///< what a level takes beside these two: judgement, errors
  std::vector<std::pair<std::string, double>> timeline;  ///< parts of all three, and their seconds
  std::int64_t moved_bytes = 0;                  ///< by the iteration, as its operations declare
  std::optional<std::int64_t> outer_bytes;       ///< of refinement: the outer solver's part of it
  std::optional<double> plain_bytes_per_second;  ///< what plain memory movement reaches there
  std::size_t memory_bytes = 0;  ///< that the backend held at most, for the estimates, too
  std::optional<std::size_t> transferred_bytes;  ///< of refinement: vectors between the backends
  std::string formats;                           ///< that were chosen, in words; or empty
  std::string formats_settings;                  ///< that take them without a choice
  std::string smoother;                          ///< of multigrid, in words, or none; or empty
  std::string remark;                            ///< on this level: a sentence, or empty
  std::vector<std::string> data_remarks;         ///< on the data, often the same for all levels
  std::vector<double> history;                   ///< |r_k| / |r_0|
};

/// One configuration, solved on one or more levels.
struct RunResult {
  std::string name;  ///< unique within the file, e.g. "run-1"
  std::vector<std::pair<std::string, std::string>> varied;  ///< study: dotted key and value
  std::vector<LevelResult> levels;
};

/// What produced the results: version, commit, compiler, device, date, and all options as
/// (dotted key, value) pairs.
struct Meta {
  std::string program, version, commit, compiler, cuda, device, driver, date;
  std::vector<std::pair<std::string, std::string>> options;
};

struct Results {
  Meta meta;
  std::vector<RunResult> runs;
};

}  // namespace ninefold
