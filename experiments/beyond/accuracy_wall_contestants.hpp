#pragma once
// Who runs against the accuracy wall, how far, and what must come of it; part of accuracy_wall.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precision/precision.hpp"

#include "fem/matrix/nine_band.hpp"

#include "output/tables/results.hpp"

#include "experiments/support/options.hpp"
#include "experiments/support/solver_paths.hpp"

namespace ninefold {

inline constexpr int first_wall_level = 2;
inline constexpr double off_the_exact = 0.1;  ///< what counts as having left the exact errors

/// A format, or formats inside each other; how far it goes on a host in a minute, how far it shall
/// go on a device with --full (half has no range for level 14; for single and bfloat16 nothing
/// changes there); its colour and, of mixed paths, its symbol.
struct Contestant {
  SolverPath path;
  int host_level, host_level_full, device_level_full;
  std::string_view colour;
  int symbol = 0;
};

/// Formats that work alone first, mixed paths after them.
const std::vector<Contestant>& contestants();

/// What must come out: within `margin` of the exact l2 error through `last_level`, off by more than
/// 10 % on level `wall`.
struct Expected {
  int last_level;
  double margin;
  std::optional<int> wall{};
};

/// A contestant in one form of the operator; mixed paths run in difference form alone, outside and
/// inside.
struct Entry {
  const Contestant& contestant;
  OperatorForm form;
  Expected expected;

  std::string name() const { return to_string(contestant.path) + " " + form_name(); }
  std::string form_name() const { return std::string(to_string(form)); }
};

/// All of them, in the order of the contestants.
const std::vector<Entry>& entries();

/// Throws ConfigurationError if the backend is not there.
Plan plan_entry(const ExperimentOptions& options, const Entry& entry);

/// The error over the exact one.
double l2_ratio(const LevelResult& row);
double rms_ratio(const LevelResult& row);

/// The first level whose error is off by 10 % and stays so, if there is one; not a number is off.
std::optional<int> wall_of(const RunResult& run, double (*ratio)(const LevelResult&));

}  // namespace ninefold
