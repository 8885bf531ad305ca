// The heat equation u' = div grad u + f on the unit square, u = 0 on its sides, in steps of
// implicit Euler's method: one solver that stays, on the GPU where there is one.
//
//     heat [LEVEL [STEPS]]      2^LEVEL by 2^LEVEL cells, to the time 0.1; 6 and 200 if left out
//
// f is chosen so that u = (1 + sin(20 t)) sin(pi x) sin(pi y) / 2.  Each step is a system with the
// reaction 1/dt, solved from the solution before.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <ninefold/ninefold.hpp>

namespace {

constexpr double pi = std::numbers::pi, end = 0.1, frequency = 20;

double amplitude(double t) {
  return 0.5 * (1 + std::sin(frequency * t));
}
double source_amplitude(double t) {
  return 0.5 * frequency * std::cos(frequency * t) + 2 * pi * pi * amplitude(t);
}

/// factor sin(pi x) sin(pi y), known as a product: its load is set up where the solver runs, and
/// only two lines of numbers go there.
ninefold::Function bump(double factor) {
  const ninefold::LineFunction sine([](double from_start, double from_end) {
    return std::sin(pi * std::min(from_start, from_end));
  });
  return ninefold::Function({{factor, sine, sine}});
}

int number(int argc, char** argv, int k, const std::string& name, int most, int otherwise) {
  if (argc <= k) return otherwise;
  const std::string text = argv[k];
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value < 1 || value > most) {
    throw std::invalid_argument(name + " = " + text + " is not possible: an integer from 1 to "
                                + std::to_string(most));
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3 || (argc > 1 && std::string(argv[1]).starts_with("-"))) {
    std::cerr
        << "heat [LEVEL [STEPS]]: 2^LEVEL by 2^LEVEL cells, to the time 0.1 in STEPS steps; 6 "
           "and 200 if left out\n";
    return argc > 1 && (argv[1] == std::string("-h") || argv[1] == std::string("--help")) ? 0 : 2;
  }
  const int level = number(argc, argv, 1, "LEVEL", 15, 6),
            steps = number(argc, argv, 2, "STEPS", 1000000, 200);
  const double dt = end / steps, rate = 1 / dt;

  ninefold::Problem problem;
  problem.name = "heat";
  problem.reaction = rate;
  problem.source = bump(source_amplitude(dt));
  problem.solution = bump(amplitude(end));

  ninefold::SolverOptions options;  // double, corrected by multigrid in single
  options.method = ninefold::Method::full_multigrid;
  options.refinement.inner = {ninefold::Precision::single_};
  options.tolerance = 1e-8;

  const auto grids = ninefold::make_hierarchy(1, 1, level);
  const auto where = ninefold::choose_backend("auto");
  ninefold::Solver solver(ninefold::prepare(problem, grids, options, where));
  const ninefold::TensorGrid& grid = grids.back();
  const ninefold::Function start = bump(amplitude(0));
  std::vector<double> values;
  for (std::size_t j = 0; j < grid.y.from_start.size(); ++j) {
    for (std::size_t i = 0; i < grid.x.from_start.size(); ++i) {
      values.push_back(start(
          {grid.x.from_start[i], grid.x.from_end[i], grid.y.from_start[j], grid.y.from_end[j]}));
    }
  }
  solver.set_solution(values);

  const auto began = std::chrono::steady_clock::now();
  int iterations = 0, converged = 0;
  for (int k = 1; k <= steps; ++k) {
    problem.source = bump(source_amplitude(k * dt));
    solver.set_data(problem);
    const ninefold::Report report = solver.step(rate);
    iterations += report.iterations;
    if (report.outcome == ninefold::Outcome::converged) ++converged;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const ninefold::Solved at_the_end = solver.current();

  std::cout << "level " << level << ", " << ninefold::to_string(where) << ": " << converged
            << " of " << steps << " steps converged, " << iterations << " cycles, "
            << std::setprecision(3) << took.count() << " s\n"
            << "at the time " << end << ": l2 error " << at_the_end.errors.value().l2
            << ", of the time steps (half as large with twice as many) and of the grid\n";
  return converged == steps ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
