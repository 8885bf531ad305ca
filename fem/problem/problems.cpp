#include "fem/problem/problems.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/number.hpp"

#include "fem/discrete/gauss_rule.hpp"
#include "fem/problem/analytic_solutions.hpp"
#include "fem/problem/consistency.hpp"
#include "fem/problem/expression.hpp"

namespace ninefold {
namespace {

std::string flux_key(Side side) {
  return fmt::format("problem.flux.{}", to_string(side));
}

const std::string& flux_text(const ProblemOptions& options, Side side) {
  return options.flux[static_cast<std::size_t>(side)];
}

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}

/// What holds for every problem, whether its functions are there yet or not.
void check_equation(const Problem& problem) {
  require(positive(problem.width),
          fmt::format("domain.width is {}, must be positive", problem.width));
  require(positive(problem.height),
          fmt::format("domain.height is {}, must be positive", problem.height));
  require(positive(problem.gx) && positive(problem.gy),
          fmt::format("problem.coefficients is [{}, {}], both must be positive", problem.gx,
                      problem.gy));
  require(std::isfinite(problem.reaction) && problem.reaction >= 0,
          fmt::format("problem.reaction is {}, must not be negative", problem.reaction));
  require(problem.quadrature >= 1 && problem.quadrature <= 5,
          fmt::format("problem.quadrature is {}, must be 1 to 5", problem.quadrature));
}

/// Calls at(from start, from end, weight) for five Gauss points in each of n parts of a length.
template <class At>
void for_each_point(double length, int n, const At& at) {
  static const GaussRule<double> rule = gauss_rule<double>(5);
  for (int part = 0; part < n; ++part) {
    for (std::size_t q = 0; q < rule.point.size(); ++q) {
      const double start = length * ((part + rule.point[q]) / n);
      const double end = length * ((n - 1 - part + (1 - rule.point[q])) / n);
      at(start, end, length / n * rule.weight[q]);
    }
  }
}

/// Of a function over the rectangle, n x n parts.
double integral(const Problem& problem, int n, const Function& f, bool of_size = false) {
  double sum = 0;
  for_each_point(problem.height, n, [&](double bottom, double top, double height) {
    for_each_point(problem.width, n, [&](double left, double right, double width) {
      const double value = f(Point{left, right, bottom, top}) * width * height;
      sum += of_size ? std::abs(value) : value;
    });
  });
  return sum;
}

/// Of the source and the fluxes: their sum, and that of their magnitudes.
struct Balance {
  double sum, size;
};
Balance balance(const Problem& problem, int n) {
  const double X = problem.width, Y = problem.height;
  Balance result{integral(problem, n, problem.source), integral(problem, n, problem.source, true)};
  for (const Side side : all_sides) {
    const Function& flux = problem.flux[static_cast<std::size_t>(side)];
    if (!flux) continue;
    const bool in_x = side == Side::bottom || side == Side::top;
    for_each_point(in_x ? X : Y, n, [&](double start, double end, double weight) {
      const Point p = side == Side::left     ? Point{0, X, start, end}
                      : side == Side::right  ? Point{X, 0, start, end}
                      : side == Side::bottom ? Point{start, end, 0, Y}
                                             : Point{start, end, Y, 0};
      const double value = flux(p) * weight;
      result.sum += value;
      result.size += std::abs(value);
    });
  }
  return result;
}

/// That data are given only where they have a meaning.
void check_places(const ProblemOptions& options) {
  for (const Side side : all_sides) {
    require(options.boundary[side] != BoundaryKind::dirichlet || flux_text(options, side).empty(),
            fmt::format("{} is given, but that side is a Dirichlet side", flux_key(side)));
  }
  require(options.boundary.any_dirichlet() || options.dirichlet.empty(),
          "problem.dirichlet is given, but no side is a Dirichlet side");
}

void refuse_further_data(const ProblemOptions& options) {
  const auto refuse = [&](const std::string& text, const std::string& key) {
    require(text.empty(), fmt::format("{} is given, but the solution \"{}\" brings its own; leave "
                                      "it out, or write the solution as an expression",
                                      key, options.solution));
  };
  refuse(options.source, "problem.source");
  refuse(options.dirichlet, "problem.dirichlet");
  for (const Side side : all_sides) refuse(flux_text(options, side), flux_key(side));
}

/// The data that make the named solution the solution.
void set_named(Problem& problem, const AnalyticSolution& named) {
  const double gx = problem.gx, gy = problem.gy, reaction = problem.reaction;
  problem.solution = named.u;
  problem.dirichlet = named.u;
  const auto source = [named, gx, gy, reaction]<class W>(const PointOf<W>& p) -> W {
    const W diffusion = -(gx * named.uxx.at(p) + gy * named.uyy.at(p));
    return reaction == 0 ? diffusion : diffusion + reaction * named.u.at(p);
  };
  problem.source = Function(source, source);
  const auto flux = [&](Side side, const Function& derivative, double factor) {
    if (problem.boundary[side] == BoundaryKind::dirichlet) return;
    const auto value = [derivative, factor]<class W>(const PointOf<W>& p) -> W {
      return factor * derivative.at(p);
    };
    problem.flux[static_cast<std::size_t>(side)] = Function(value, value);
  };
  flux(Side::left, named.ux, -gx);
  flux(Side::right, named.ux, gx);
  flux(Side::bottom, named.uy, -gy);
  flux(Side::top, named.uy, gy);
}

/// Neumann on all sides and no reaction: the solution is the one of mean zero.
void settle_constant(Problem& problem) {
  if (!has_free_constant(problem)) return;
  require_balance(problem);
  problem.remarks.emplace_back(
      "Neumann on all sides without a reaction leaves a constant free: the solution has the mean "
      "zero"
      + std::string(problem.solution ? ", and is compared with problem.solution less its mean"
                                     : ""));
  if (!problem.solution) return;
  const double mean = integral(problem, 64, problem.solution) / (problem.width * problem.height);
  const auto centred = [u = problem.solution, mean]<class W>(const PointOf<W>& p) -> W {
    return u.at(p) - mean;
  };
  problem.solution = problem.solution.has_wide()
                         ? Function(centred, centred)
                         : Function([centred](const Point& p) { return centred(p); });
}

/// The function that `text` states, empty for an empty text; exceptions name the config key.
Function parse(const std::string& text, const std::string& key, const Problem& problem) {
  if (text.empty()) return {};
  try {
    return [expression = Expression(text, problem.width, problem.height)](const Point& p) {
      return expression(p.x(), p.y());
    };
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", key, error.what()));
  }
}

void set_expressions(Problem& problem, const ProblemOptions& options) {
  try {
    problem.solution = parse(options.solution, "problem.solution", problem);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}; nor is it one of the names {}", error.what(),
                                            fmt::join(problem_names(), ", ")));
  }
  require(
      !options.source.empty(),
      fmt::format("problem.source is missing: it is needed unless problem.solution is one of {}",
                  fmt::join(problem_names(), ", ")));
  problem.source = parse(options.source, "problem.source", problem);
  problem.dirichlet = parse(options.dirichlet, "problem.dirichlet", problem);
  if (!problem.dirichlet) problem.dirichlet = problem.solution;
  for (const Side side : all_sides) {
    problem.flux[static_cast<std::size_t>(side)] =
        parse(flux_text(options, side), flux_key(side), problem);
  }
  require_finite_data(problem);
  if (problem.solution) problem.remarks = find_disagreements(problem);
}

}  // namespace

std::string_view to_string(BoundaryKind kind) {
  return kind == BoundaryKind::dirichlet ? "dirichlet" : "neumann";
}

bool has_free_constant(const Problem& problem) {
  return !problem.boundary.any_dirichlet() && problem.reaction == 0;
}

void require_balance(const Problem& problem) {
  const Balance coarse = balance(problem, 32), fine = balance(problem, 64);
  constexpr double allowed = 1e-3;
  const double uncertain = 10 * std::abs(fine.sum - coarse.sum);
  require(std::abs(fine.sum) <= allowed * fine.size + uncertain,
          fmt::format("problem.boundary is Neumann on all sides and problem.reaction is 0, but "
                      "problem.source and problem.flux do not balance: their integrals add up to "
                      "{:.4g}, of magnitudes of {:.4g}, and there is no solution; let them add up "
                      "to 0, make one side Dirichlet or the reaction positive",
                      fine.sum, fine.size));
}

void validate(const Problem& problem) {
  check_equation(problem);
  require(static_cast<bool>(problem.source), "the problem has no source: Problem::source is empty");
  if (has_free_constant(problem)) require_balance(problem);
}

bool has_wide_data(const Problem& problem) {
  const auto wide = [](const Function& f) { return !f || f.has_wide(); };
  return wide(problem.source) && (!problem.boundary.any_dirichlet() || wide(problem.dirichlet))
         && std::all_of(all_sides.begin(), all_sides.end(), [&](Side side) {
              return problem.boundary[side] == BoundaryKind::dirichlet
                     || wide(problem.flux[static_cast<std::size_t>(side)]);
            });
}

Problem make_problem(const ProblemOptions& options, double width, double height) {
  Problem problem;
  problem.name = options.solution.empty() ? "unknown solution" : options.solution;
  problem.width = width;
  problem.height = height;
  problem.gx = options.gx;
  problem.gy = options.gy;
  problem.reaction = options.reaction;
  problem.boundary = options.boundary;
  problem.quadrature = options.quadrature;
  check_equation(problem);
  check_places(options);
  if (const auto named = analytic_solution(options.solution, width, height)) {
    refuse_further_data(options);
    set_named(problem, *named);
  } else {
    set_expressions(problem, options);
  }
  settle_constant(problem);
  return problem;
}

}  // namespace ninefold
