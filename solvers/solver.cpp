#include "solvers/solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/require.hpp"
#include "precision/shortened.hpp"

#include "fem/discrete/error_sums.hpp"
#include "fem/discrete/load.hpp"

#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

void require_same_matrix(const Problem& problem, const Problem& own) {
  const auto require_same = [](const char* what, const auto& now, const auto& before) {
    require(now == before, [&] {
      return fmt::format(
          "data of a problem with another {}, {} instead of {}: another Solver "
          "solves it",
          what, now, before);
    });
  };
  require_same("width", problem.width, own.width);
  require_same("height", problem.height, own.height);
  require_same("gx", problem.gx, own.gx);
  require_same("gy", problem.gy, own.gy);
  require_same("reaction", problem.reaction, own.reaction);
  for (const Side side : all_sides) {
    require_same("kind of a side", to_string(problem.boundary[side]),
                 to_string(own.boundary[side]));
  }
}

struct Solver::Parts {
  PreparedSolve prepared;
  std::unique_ptr<StandingSolve> standing;  ///< of the above
  /// Of the zero that is there at first.
  Report last = [] {
    Report report;
    report.outcome = Outcome::converged;
    return report;
  }();
};

Solver::Solver(PreparedSolve prepared) : parts_(std::make_unique<Parts>()) {
  require_value(!prepared.options.to_discretisation, Parameter::tolerance, "discretisation",
                "a solver that stays knows no coarser level; a number between 0 and 1");
  require_memory(prepared.memory, prepared.where, prepared.options.ranks.get());
  parts_->prepared = std::move(prepared);
  parts_->standing = make_standing(parts_->prepared);
}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const PreparedSolve& Solver::prepared() const {
  return parts_->prepared;
}

void Solver::set_data(Problem problem) {
  validate(problem);
  Problem& own = parts_->prepared.problem;
  require_same_matrix(problem, own);
  // What is known node by node takes memory on the host.
  const bool needs_as_much = has_load_products(problem) == has_load_products(own)
                             && compares_on_backend(problem) == compares_on_backend(own);
  PreparedSolve& prepared = parts_->prepared;
  own = std::move(problem);
  parts_->standing->take_data();
  if (needs_as_much) return;
  prepared.memory = forecast_memory(prepared);
  require_memory({0, prepared.memory.host}, prepared.where, prepared.options.ranks.get());
}

Solved Solver::solve() {
  Solved solved = parts_->standing->solve();
  solved.report.smoother = smoother_words(parts_->prepared, solved.report);
  parts_->last = solved.report;
  return solved;
}

void Solver::set_solution(const std::vector<double>& values) {
  const TensorGrid& grid = parts_->prepared.finest();
  const std::size_t nodes = std::size_t(grid.nx()) * std::size_t(grid.ny());
  require(values.size() == nodes, [&] {
    return fmt::format("{} values, but the grid has {} x {} nodes", values.size(), grid.nx(),
                       grid.ny());
  });
  const auto wrong = std::find_if_not(values.begin(), values.end(),
                                      [](double value) { return std::isfinite(value); });
  require(wrong == values.end(), [&] {
    const auto k = wrong - values.begin();
    return fmt::format("a solution to begin with that is not finite: {} at node ({}, {})", *wrong,
                       k % grid.nx(), k / grid.nx());
  });
  parts_->standing->set_solution(values);
}

Report Solver::step(double rate) {
  const double reaction = parts_->prepared.problem.reaction;
  require(rate > 0 && rate <= reaction, [&] {
    return fmt::format(
        "a step with the rate {}: above 0 and at most the problem's reaction, {}, is "
        "possible",
        shortened(rate), shortened(reaction));
  });
  parts_->last = parts_->standing->step(rate);
  parts_->last.smoother = smoother_words(parts_->prepared, parts_->last);
  return parts_->last;
}

Solved Solver::current() const {
  return parts_->standing->current(parts_->last);
}

}  // namespace ninefold
