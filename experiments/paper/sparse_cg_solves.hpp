#pragma once
// The solves that sparse_cg_precision compares: ways through single and double, the same in other
// storages and places, and iterations cut short.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "output/document/results_figures.hpp"

#include "experiments/paper/sparse_runs.hpp"
#include "experiments/support/options.hpp"

namespace ninefold::sparse_cg {

inline constexpr double tolerance = 1e-10;
inline constexpr int flexible_steps = 50;  ///< of CG in single that precondition one in double

/// Of sparse_models.hpp.
const std::vector<std::string>& models();

/// A way to solve.
struct Way {
  std::string name;
  Precision precision = Precision::double_;
  std::optional<OperatorForm> form{};
  std::optional<RefinementVariant> variant{};  ///< of CG in single inside
  bool mixed() const { return variant.has_value(); }
};
const std::vector<Way>& ways();
/// Ways whose iterations are cut short.
const std::vector<std::string>& cut_ways();

/// Of a run on one level.
struct Solve {
  std::string model;
  const Way* way;
  int level, unknowns;
  SparseSolved solved;

  std::string run() const { return model + " " + way->name; }
  std::string link() const { return "#" + history_id(run(), level); }
  const Report& report() const { return solved.report; }
  int steps() const { return way->mixed() ? report().inner_iterations : report().iterations; }
};

/// The same solve in another storage, or elsewhere.
struct Again {
  std::string what;
  int level, iterations, alike;  ///< alike: iterations with the same residual
  bool same_solution;
};

/// Solves that end after so many iterations.
struct Cut {
  int level, iterations;
  const Way* way;
  SparseSolved solved;
};

/// What all of them found.
struct Found {
  std::vector<Solve> solves;
  std::vector<Again> again;
  std::vector<Cut> cuts;

  /// Of a run that there is.
  const Solve& at(const std::string& model, const std::string& way, int level) const {
    return *std::find_if(solves.begin(), solves.end(), [&](const Solve& one) {
      return one.model == model && one.way->name == way && one.level == level;
    });
  }
};

/// Solves all; the iterations of a parameterisation on the last level are cut short.
Found find_all(const LevelRange& levels, SparseRuns& runs);

}  // namespace ninefold::sparse_cg
