// What `converged` promises, on fine grids: a covering sample against double-double.  By hand,
// since it takes minutes: unit_tests "[covering]".
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "fem/discrete/error_bound.hpp"

#include "solvers/solve.hpp"

namespace ninefold {
namespace {

/// l2 (mass lumped) and largest node of the difference, relative to b; the larger one.
double distance(const TensorGrid& grid, const std::vector<double>& a, const std::vector<double>& b,
                const std::vector<double>& b_low) {
  const auto share = [](const Line& line, std::size_t i) {
    return (i > 0 ? line.width[i - 1] : 0.0) + (i < line.width.size() ? line.width[i] : 0.0);
  };
  const std::size_t nx = grid.x.from_start.size();
  double difference = 0, size = 0, most = 0, largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = (a[k] - b[k]) - b_low[k];
    const double mass = share(grid.x, k % nx) * share(grid.y, k / nx);
    difference += mass * d * d;
    size += mass * b[k] * b[k];
    most = std::isnan(d) ? INFINITY : std::max(most, std::abs(d));
    largest = std::max(largest, std::abs(b[k]));
  }
  return std::max(std::sqrt(difference / size), most / largest);
}

TEST_CASE("a covering sample of fine grids keeps what converged promises", "[.][covering]") {
  const std::vector<std::string> formulas{"polynomial",
                                          "sine",
                                          "boundary_layer",
                                          "peak",
                                          "exponential",
                                          "cosine",
                                          "1",
                                          "exp(x)*sin(y)",
                                          "x^2-y^2",
                                          "x*y+exp(-y)*cos(x)",
                                          "1/(1+x+y)",
                                          "1000+cosh(y)*cos(x)"};
  const std::vector<std::string> sources{"", "", "", "", "", "", "0", "0", "0", "0", "-4/(1+x+y)^3",
                                         "0"};
  std::mt19937_64 engine(2026);
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); };
  std::map<std::string, int> outcomes;
  int wrong = 0;
  const int samples = 96;
  for (int k = 0; k < samples; ++k) {
    const int which = (k + pick(2)) % 12, level = k % 12 == 0 ? 10 : k % 3 == 0 ? 9 : 8;
    ProblemOptions stated;
    stated.solution = formulas[std::size_t(which)];
    stated.source = sources[std::size_t(which)];
    // Named problems bring their fluxes.
    const int sides = which < 6 ? pick(4) : 0;
    if (sides > 0) stated.boundary[Side::top] = BoundaryKind::neumann;
    if (sides > 1) stated.boundary[Side::right] = BoundaryKind::neumann;
    if (sides > 2) stated.boundary[Side::bottom] = BoundaryKind::neumann;
    Refinement refinement;
    const int grading = (k / 2) % 9;
    constexpr double factors[] = {1, 0.5, 0.2, 0.05, 0.01, 0.001};
    if (grading < 6) {
      refinement.nu = factors[grading];
      refinement.sides = pick(2) ? std::vector{Side::left} : std::vector{Side::left, Side::bottom};
    } else if (grading == 6) {
      refinement = {.sides = {Side::left}, .grading = Grading::geometric, .expansion_ratio = 1e10};
    } else if (grading == 7) {
      refinement = {.sides = {Side::left}, .grading = Grading::shishkin, .layer_width = 1e-8};
    } else {
      refinement.x_widths = {1e-18, 1e-12, 1e-6, 1e-3, 0.25, 0.25, 0.25, 0};
      refinement.x_widths.back() = 0.25 - 1e-3 - 1e-6 - 1e-12;
    }
    SolverOptions options;
    constexpr double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13};
    options.tolerance = tolerances[pick(6)];
    const int method = pick(level == 8 ? 4 : 3);
    if (method > 0) options.method = method == 1 ? Method::multigrid : Method::cg;
    if (method == 2) options.preconditioner = Preconditioning::multigrid;
    if (method == 3) options.preconditioner = Preconditioning::jacobi;
    if (method == 0 || pick(3) == 0) options.refinement.inner = {Precision::single_};
    if (method < 3 && pick(3) == 0) options.start = Start::full_multigrid;
    const Problem problem = make_problem(stated, 1, 1);
    const auto grids = make_hierarchy(1, 1, level, refinement);

    SolverOptions exact;
    exact.precision = Precision::double_double;
    exact.form = OperatorForm::difference;
    exact.refinement.inner = {Precision::double_};
    exact.tolerance = 1e-19;
    exact.start = Start::full_multigrid;
    exact.max_iterations = 60;
    const Solved reference = solve(problem, grids, exact, BackendKind::host);
    const Solved solved = solve(problem, grids, options, BackendKind::host);
    const double error =
        distance(grids.back(), solved.solution, reference.solution, reference.solution_low);
    const bool converged = solved.report.outcome == Outcome::converged;
    // Data in double are worth a few roundoffs; the rounding of the matrix counts apart.
    const double rounding = 2e-16 * std::pow(4.0, level);
    const bool kept = !converged || error <= 1000 * options.tolerance + rounding;
    wrong += !kept;
    ++outcomes[std::string(to_string(solved.report.outcome))];
    std::printf(
        "%3d %-20s level %2d grading %d sides %d method %d%s tol %.0e: %s after %d, error "
        "%.1e, bound %.1e; reference %s%s\n",
        k, stated.solution.c_str(), level, grading, sides, method,
        options.refinement.used() ? " mixed" : "", options.tolerance,
        std::string(to_string(solved.report.outcome)).c_str(), solved.report.iterations, error,
        solved.report.error_bound.value_or(-1),
        std::string(to_string(reference.report.outcome)).c_str(), kept ? "" : "  WRONG");
    std::fflush(stdout);
    CAPTURE(k, stated.solution, level, grading, method, solved.report.remark);
    CHECK(kept);
  }
  for (const auto& [name, count] : outcomes) std::printf("%-12s %d\n", name.c_str(), count);
  CHECK(wrong == 0);
  CHECK(2 * outcomes["converged"] >= samples);
}

}  // namespace
}  // namespace ninefold
