// Solves one problem with the library and prints how large the error is.

#include <exception>
#include <iostream>

#include <ninefold/ninefold.hpp>

int main() try {
  const auto grids = ninefold::make_hierarchy(1.0, 1.0, 7);   // levels 0 to 7 of the unit square
  const auto problem = ninefold::make_problem({}, 1.0, 1.0);  // the paper's polynomial
  const auto where = ninefold::choose_backend("auto");

  const auto solved = ninefold::solve(problem, grids, ninefold::SolverOptions{}, where);
  const auto errors = ninefold::measure_errors(problem, grids.back(), solved.solution);

  std::cout << "level 7, " << ninefold::to_string(where) << ": "
            << ninefold::to_string(solved.report.outcome) << " after " << solved.report.iterations
            << " cycles, l2 error " << errors.l2 << '\n';
  return solved.report.outcome == ninefold::Outcome::converged ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
