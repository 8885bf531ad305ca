#include "solvers/solver.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"
#include "precision/shortened.hpp"

#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

struct Solver::Parts {
  PreparedSolve prepared;
  std::unique_ptr<StandingSolve> standing;  ///< of the above
  Report last;
};

Solver::Solver(PreparedSolve prepared) : parts_(std::make_unique<Parts>()) {
  require_memory(prepared.memory, prepared.where);
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
  require(problem.width == own.width && problem.height == own.height && problem.gx == own.gx
              && problem.gy == own.gy && problem.reaction == own.reaction
              && problem.boundary.kind == own.boundary.kind,
          "data of a problem with another rectangle, other coefficients or other sides: another "
          "Solver solves it");
  own = std::move(problem);
  parts_->standing->take_data();
}

Solved Solver::solve() {
  Solved solved = parts_->standing->solve();
  solved.report.smoother = smoother_words(parts_->prepared);
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
  for (const double value : values) {
    require(std::isfinite(value), "a solution to begin with that is not finite");
  }
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
  parts_->last.smoother = smoother_words(parts_->prepared);
  return parts_->last;
}

Solved Solver::current() const {
  Solved solved = parts_->standing->current();
  solved.report = parts_->last;
  return solved;
}

}  // namespace ninefold
