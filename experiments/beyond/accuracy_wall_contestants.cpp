#include "experiments/beyond/accuracy_wall_contestants.hpp"

#include <algorithm>
#include <cmath>

#include "output/plots/colours.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/report.hpp"

namespace ninefold {
namespace {

constexpr int device_level = 13;

// Low enough that what is left of the algebraic error is nothing beside the discretisation error
// down to level 15; a format that cannot go there stagnates, which is meant.
constexpr PathSolve to_the_end{.tolerance = 1e-11, .most_iterations = 60};

LevelRange levels_of(const ExperimentOptions& options, const Contestant& contestant,
                     const SolverOptions& solver) {
  if (options.levels) return *options.levels;
  const BackendKind where = find_backend(options.backend, contestant.path.outer);
  if (where == BackendKind::host) {
    return {first_wall_level, options.full ? contestant.host_level_full : contestant.host_level};
  }
  if (!options.full) return {first_wall_level, device_level};
  return {
      first_wall_level,
      std::max(first_wall_level, finest_that_fits(contestant.device_level_full, solver, where))};
}

}  // namespace

const std::vector<Contestant>& contestants() {
  static constexpr Precision half = Precision::half, bfloat16 = Precision::bfloat16,
                             single = Precision::single_, double_ = Precision::double_,
                             double_double = Precision::double_double;
  static const std::vector<Contestant> all{
      {{half}, 9, 10, 13, okabe_ito[4]},
      {{bfloat16}, 10, 12, 13, okabe_ito[3]},
      {{single}, 11, 12, 13, okabe_ito[1]},
      {{Precision::double_single}, 9, 10, 15, okabe_ito[5]},
      {{double_}, 11, 12, 15, okabe_ito[0]},
      {{double_double}, 9, 10, 15, okabe_ito[2]},
      {{double_, {single}}, 11, 12, 15, okabe_ito[1], 9},
      {{double_, {half}}, 9, 10, 13, okabe_ito[4], 5},
      {{double_, {bfloat16}}, 10, 11, 13, okabe_ito[3], 11},
      {{double_double, {double_}}, 9, 11, 15, okabe_ito[0], 13},
      {{double_double, {single}}, 9, 11, 15, okabe_ito[6], 8}};
  return all;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    using enum OperatorForm;
    const auto expected = [](const SolverPath& path, OperatorForm form) -> Expected {
      const bool in_plain_form = form == plain;
      switch (path.outer.kind()) {
        case Precision::Kind::half:
          return {3, off_the_exact, 5};
        case Precision::Kind::bfloat16:
          return {2, off_the_exact, 4};
        case Precision::Kind::single_:
          return in_plain_form ? Expected{6, off_the_exact, 7} : Expected{10, off_the_exact, 11};
        case Precision::Kind::double_single:
          return in_plain_form ? Expected{11, off_the_exact} : Expected{15, 1e-3};
        case Precision::Kind::double_:
          return in_plain_form ? Expected{13, off_the_exact, 15} : Expected{15, 1e-5};
        default:
          return {15, 1e-6};
      }
    };
    std::vector<Entry> list;
    for (const Contestant& contestant : contestants()) {
      for (const OperatorForm form : {plain, difference}) {
        if (form == plain && contestant.path.mixed()) continue;
        list.push_back({contestant, form, expected(contestant.path, form)});
      }
    }
    return list;
  }();
  return all;
}

Plan plan_entry(const ExperimentOptions& options, const Entry& entry) {
  PathSolve solve = to_the_end;
  solve.form = entry.form;
  Plan plan = plan_path(entry.contestant.path, solve, options, {});
  plan.name = entry.name();
  Configuration& c = plan.configuration;
  const LevelRange levels = levels_of(options, entry.contestant, c.solver);
  c.first_level = levels.first;
  c.last_level = levels.last;
  return plan;
}

double l2_ratio(const LevelResult& row) {
  return error_l2(row) / exact_l2('A', row.level);
}
double rms_ratio(const LevelResult& row) {
  return error_rms(row) / exact_rms('A', row.level);
}

std::optional<int> wall_of(const RunResult& run, double (*ratio)(const LevelResult&)) {
  std::optional<int> wall;
  for (const LevelResult& row : run.levels) {
    if (std::abs(ratio(row) - 1) <= off_the_exact) {
      wall.reset();
    } else if (!wall) {
      wall = row.level;
    }
  }
  return wall;
}

}  // namespace ninefold
