// What `converged` promises, for every pair of problem, sides, grid, level, format, tolerance and
// method: up to level 7 by the guard's judge, above against double-double.  By hand, since it takes
// minutes: unit_tests "[covering]".  NINEFOLD_SAMPLE=k for the k-th sample alone.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "solvers/solve.hpp"

#include "tests/guard/judge.hpp"
#include "tests/guard/sample.hpp"
#include "tests/solvers/judgement/covering_samples.hpp"
#include "tests/support/catch.hpp"

namespace ninefold::testing {
namespace {

using guard::Deviation;
using guard::Finding;
using guard::Trial;
using guard::Verdict;

/// Up to here the direct solution takes seconds at most.
constexpr int last_direct_level = 7;

/// Of a solve, from the reference with all its digits; l2 by lumped masses.
Deviation deviation(const TensorGrid& grid, const std::vector<double>& values,
                    const Solved& reference) {
  const auto share = [](const Line& line, std::size_t i) {
    return (i > 0 ? line.width[i - 1] : 0.0) + (i < line.width.size() ? line.width[i] : 0.0);
  };
  const std::size_t nx = grid.x.from_start.size();
  double difference = 0, size = 0, most = 0, largest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double exact = reference.solution[k];
    const double d = (values[k] - exact) - reference.solution_low[k];
    const double mass = share(grid.x, k % nx) * share(grid.y, k / nx);
    difference += mass * d * d;
    size += mass * exact * exact;
    most = std::isnan(d) ? INFINITY : std::max(most, std::abs(d));
    largest = std::max(largest, std::abs(exact));
  }
  return {std::sqrt(difference / size), most / largest};
}

/// Of fine grids: by multigrid in double-double, whose own bound must be far below the tolerance.
Verdict judge_by_multigrid(const Trial& trial, const SolverOptions& options) {
  Verdict v = said_by(trial);
  if (v.finding == Finding::refused) return v;
  SolverOptions exact;
  exact.precision = Precision::double_double;
  exact.storage = OperatorStorage::factored;
  exact.refinement.inner = {Precision::double_};
  exact.tolerance = 1e-19;
  exact.start = Start::full_multigrid;
  exact.max_iterations = 60;
  const TensorGrid& grid = trial.grids.back();
  const Solved reference = solve(trial.problem, trial.grids, exact, BackendKind::host);
  v.error = deviation(grid, trial.solved.solution, reference);
  // Data in double are worth a few roundoffs, and so are the entries of the matrix.
  const double rounding = 2e-16 * (grid.nx() - 1.0) * (grid.ny() - 1.0);
  v.rounding.l2 = v.rounding.max = std::max(rounding, guard::stated_rounding(trial.solved.report));
  const bool certain = reference.report.error_bound.value_or(1.0) < 0.1 * options.tolerance;
  v.finding = certain ? find(settled(options, trial.problem, grid), trial.solved.report, v)
                      : Finding::not_judged;
  return v;
}

class Tally {
 public:
  void add(const Combination& sample, const Configuration& c, std::size_t number,
           const Verdict& v) {
    const bool refused = v.finding == Finding::refused;
    ++counts_[refused ? "refused" : v.outcome];
    if (v.finding == Finding::not_judged) ++not_judged_;
    if (v.finding == Finding::out_of_reach) ++out_of_reach_;
    if (!refused) solved_.push_back(sample);
    fmt::print("{:3} {}: {} after {}, {:.1f} s, error {:.1e} {:.1e}, rounding {:.1e} {:.1e}: {}\n",
               number, to_words(sample), v.outcome, v.iterations, v.seconds, v.error.l2,
               v.error.max, v.rounding.l2, v.rounding.max, to_string(v.finding));
    const bool unknown = v.finding == Finding::not_judged && v.outcome == "converged";
    const bool failed = v.finding == Finding::wrong || v.finding == Finding::contradicted
                        || v.finding == Finding::lost || unknown;
    if (failed) fmt::print("{}\n", guard::config_file(c));
    std::fflush(stdout);
    INFO(number << ": " << to_words(sample) << ": " << to_string(v.finding));
    CHECK_FALSE(failed);
  }

  void print() const {
    for (const auto& [name, count] : counts_) fmt::print("{:<50}{:>6}\n", name, count);
    fmt::print("{:<50}{:>6}\n", "not judged: the reference is not certain", not_judged_);
    fmt::print("{:<50}{:>6}\n", "right, called lost beyond the format's reach", out_of_reach_);
  }

  int count(const char* outcome) const {
    const auto found = counts_.find(outcome);
    return found == counts_.end() ? 0 : found->second;
  }
  /// Those that were not refused.
  const std::vector<Combination>& solved() const { return solved_; }

 private:
  int not_judged_ = 0, out_of_reach_ = 0;
  std::map<std::string, int> counts_;
  std::vector<Combination> solved_;
};

/// Pairs that none of these samples has.
std::vector<std::string> missing_pairs(const std::vector<Combination>& samples) {
  std::vector<std::string> missing;
  for (const ValuePair& p : sample_factors().possible_pairs()) {
    const bool there = std::any_of(samples.begin(), samples.end(), [&](const Combination& s) {
      return s[static_cast<std::size_t>(p.factor)] == p.value
             && s[static_cast<std::size_t>(p.other_factor)] == p.other_value;
    });
    if (!there) missing.push_back(to_words(p));
  }
  return missing;
}

TEST_CASE("a sample that covers all pairs keeps what converged promises", "[.][covering]") {
  const std::vector<Combination>& samples = covering_samples();
  const char* alone = std::getenv("NINEFOLD_SAMPLE");
  Tally tally;
  std::vector<Configuration> configurations;
  std::vector<Trial> trials(samples.size());
  std::vector<std::size_t> direct;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Configuration& c = configurations.emplace_back(configuration_of(samples[k]));
    if (alone != nullptr && std::stoul(alone) != k) continue;
    trials[k] = guard::attempt(c);
    if (c.last_level <= last_direct_level) {
      direct.push_back(k);
    } else {
      tally.add(samples[k], c, k, judge_by_multigrid(trials[k], c.solver));
      trials[k] = {};
    }
  }
  // A direct solve is serial.
  std::vector<Verdict> verdicts(direct.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t n = 0; n < direct.size(); ++n) {
    verdicts[n] = guard::judge(trials[direct[n]], configurations[direct[n]].solver);
  }
  for (std::size_t n = 0; n < direct.size(); ++n) {
    tally.add(samples[direct[n]], configurations[direct[n]], direct[n], verdicts[n]);
  }
  tally.print();
  if (alone != nullptr) return;
  CHECK(missing_pairs(tally.solved()) == std::vector<std::string>{});
  CHECK(2 * tally.count("converged") >= static_cast<int>(samples.size()));
}

}  // namespace
}  // namespace ninefold::testing
