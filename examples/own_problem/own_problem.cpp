// A problem of one's own: its right-hand side is a C++ function, its solution a formula, and its
// cells are as wide as it says.
//
// -eps^2 div grad u + u = f on the unit square, u = 0 on the sides left and right, no flux through
// bottom and top.  u = layer(x) cos(pi y) falls to zero within a few eps of the sides.

#include <cmath>
#include <exception>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <vector>

#include <ninefold/ninefold.hpp>
#include <ninefold/output.hpp>

namespace {

constexpr double eps = 0.01;

ninefold::Problem layer_problem() {
  ninefold::Problem problem;
  problem.name = "two layers";
  problem.gx = problem.gy = eps * eps;
  problem.reaction = 1;
  problem.boundary[ninefold::Side::bottom] = ninefold::BoundaryKind::neumann;
  problem.boundary[ninefold::Side::top] = ninefold::BoundaryKind::neumann;

  // A point is known by its distances to all four sides.
  problem.source = [](const ninefold::Point& p) {
    const double layer = 1 - std::cosh((p.left - p.right) / (2 * eps)) / std::cosh(1 / (2 * eps));
    const double rate = eps * std::numbers::pi;
    return (1 + rate * rate * layer) * std::cos(std::numbers::pi * p.bottom);
  };
  const ninefold::Expression formula("(1 - cosh((x - 0.5) / 0.01) / cosh(50)) * cos(pi * y)", 1, 1);
  problem.solution = [formula](const ninefold::Point& p) { return formula(p.x(), p.y()); };
  return problem;
}

/// 32 cells, each 3/2 as wide as the one before it, from both ends to the middle.
std::vector<double> layer_widths() {
  constexpr int half = 16;
  constexpr double growth = 1.5;
  const double first = 0.5 * (growth - 1) / (std::pow(growth, half) - 1);
  std::vector<double> widths;
  for (int i = 0; i < half; ++i) widths.push_back(first * std::pow(growth, i));
  for (int i = half; i-- > 0;) widths.push_back(widths[static_cast<std::size_t>(i)]);
  return widths;
}

}  // namespace

int main(int argc, char** argv) try {
  const ninefold::Problem problem = layer_problem();
  for (const auto& remark : ninefold::find_disagreements(problem)) std::cout << remark << '\n';

  ninefold::GridGrading grading;
  grading.x_widths = layer_widths();  // level 5; finer ones halve the cells
  const auto where = ninefold::choose_backend("auto");
  ninefold::SolverOptions options;
  options.refinement.inner = {ninefold::Precision::single_};  // under double

  bool all_converged = true;
  std::cout << std::scientific << std::setprecision(3);
  for (int level = 5; level <= 8; ++level) {
    const auto grids = ninefold::make_hierarchy(1, 1, level, grading);
    const auto solved = ninefold::solve(problem, grids, options, where);
    const auto errors = ninefold::measure_errors(problem, grids.back(), solved.solution);
    std::cout << "level " << level << ": " << ninefold::to_string(solved.report.outcome)
              << ", l2 error " << errors.l2 << '\n';
    all_converged = all_converged && solved.report.outcome == ninefold::Outcome::converged;
    if (level == 8 && argc == 2) {  // a file to write, .vtr
      const ninefold::NamedField field{"u", solved.solution};
      ninefold::write_vtr(argv[1], grids.back(), {&field, 1});
    }
  }
  return all_converged ? 0 : 1;
} catch (const ninefold::BadValue& error) {
  std::cerr << ninefold::name(error.parameter()) << ": " << error.what() << '\n';
  return 2;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
