#include "fem/problem/problems.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/require.hpp"

#include "fem/discrete/gauss_rule.hpp"
#include "fem/problem/analytic_solutions.hpp"
#include "fem/problem/consistency.hpp"
#include "fem/problem/expression.hpp"
#include "fem/problem/formula_rows.hpp"
#include "fem/problem/separation.hpp"

namespace ninefold {
namespace {

const std::string& flux_text(const ProblemOptions& options, Side side) {
  return options.flux[static_cast<std::size_t>(side)];
}

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}

/// What holds for every problem, whether its functions are there yet or not.
void check_equation(const Problem& problem) {
  require_value(positive(problem.width), Parameter::width, problem.width, "it must be positive");
  require_value(positive(problem.height), Parameter::height, problem.height, "it must be positive");
  require_value(
      positive(problem.gx) && positive(problem.gy), Parameter::coefficients,
      [&] { return fmt::format("[{}, {}]", problem.gx, problem.gy); }, "both must be positive");
  require_value(std::isfinite(problem.reaction) && problem.reaction >= 0, Parameter::reaction,
                problem.reaction, "it must not be negative");
  require_value(problem.quadrature >= 1 && problem.quadrature <= 5, Parameter::quadrature,
                problem.quadrature, "1 to 5");
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

/// Of the parameter's function over the rectangle, n x n parts.
double integral(const Problem& problem, int n, const Function& f, Parameter parameter,
                bool of_size = false) {
  double sum = 0;
  for_each_point(problem.height, n, [&](double bottom, double top, double height) {
    for_each_point(problem.width, n, [&](double left, double right, double width) {
      const double value = finite_value(f, {left, right, bottom, top}, parameter) * width * height;
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
  Balance result{integral(problem, n, problem.source, Parameter::source),
                 integral(problem, n, problem.source, Parameter::source, true)};
  for (const Side side : all_sides) {
    const Function& flux = problem.flux[static_cast<std::size_t>(side)];
    if (!flux) continue;
    const bool in_x = side == Side::bottom || side == Side::top;
    for_each_point(in_x ? X : Y, n, [&](double start, double end, double weight) {
      const Point p = side == Side::left     ? Point{0, X, start, end}
                      : side == Side::right  ? Point{X, 0, start, end}
                      : side == Side::bottom ? Point{start, end, 0, Y}
                                             : Point{start, end, Y, 0};
      const double value = finite_value(flux, p, flux_parameter(side)) * weight;
      result.sum += value;
      result.size += std::abs(value);
    });
  }
  return result;
}

/// That data are given only where they have a meaning.
void check_places(const ProblemOptions& options) {
  for (const Side side : all_sides) {
    const std::string& flux = flux_text(options, side);
    if (options.boundary[side] != BoundaryKind::dirichlet || flux.empty()) continue;
    throw BadValue(flux,
                   words("{} is given, but that side is a Dirichlet side: make it a Neumann side, "
                         "or give its values by {}",
                         flux_parameter(side), Parameter::dirichlet));
  }
  if (options.boundary.any_dirichlet() || options.dirichlet.empty()) return;
  throw BadValue(options.dirichlet,
                 words("{} is given, but no side is a Dirichlet side", Parameter::dirichlet));
}

void refuse_further_data(const ProblemOptions& options) {
  const auto refuse = [&](const std::string& text, Parameter parameter) {
    if (text.empty()) return;
    throw BadValue(text, words("{} is given, but the solution \"{}\" brings its own; leave it out, "
                               "or write the solution as an expression",
                               parameter, options.solution));
  };
  refuse(options.source, Parameter::source);
  refuse(options.dirichlet, Parameter::dirichlet);
  for (const Side side : all_sides) refuse(flux_text(options, side), flux_parameter(side));
}

/// The data that make the named solution the solution.
void set_named(Problem& problem, const AnalyticSolution& named) {
  const double gx = problem.gx, gy = problem.gy, reaction = problem.reaction;
  problem.solution = named.u;
  problem.dirichlet = named.u;
  std::vector<std::pair<double, Function>> source{{-gx, named.uxx}, {-gy, named.uyy}};
  if (reaction != 0) source.emplace_back(reaction, named.u);
  problem.source = sum_of(source);
  const auto flux = [&](Side side, const Function& derivative, double factor) {
    if (problem.boundary[side] == BoundaryKind::dirichlet) return;
    problem.flux[static_cast<std::size_t>(side)] = sum_of({{factor, derivative}});
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
      + (problem.solution
             ? fmt::format(", and is compared with {} less its mean", Parameter::solution)
             : ""));
  if (!problem.solution) return;
  const double mean = integral(problem, 64, problem.solution, Parameter::solution)
                      / (problem.width * problem.height);
  if (problem.solution.has_wide()) {  // a named one
    problem.solution = sum_of({{1.0, problem.solution}, {1.0, constant(-mean)}});
    return;
  }
  std::vector<ProductFunction> products = problem.solution.products();
  if (!products.empty()) products.push_back(constant(-mean).products().front());
  problem.solution = {[u = problem.solution, mean](const Point& p) { return u(p) - mean; },
                      std::move(products)};
}

/// The function that `text`, the parameter's value, states; empty for an empty text.
Function parse(const std::string& text, Parameter parameter, const Problem& problem) {
  if (text.empty()) return {};
  try {
    return [expression = Expression(text, problem.width, problem.height)](const Point& p) {
      return expression(p.x(), p.y());
    };
  } catch (const FormulaError& error) {
    throw BadValue(text, words("{}", parameter), words("{}", error.what()), error.position());
  }
}

/// The same with its products, where it can be taken apart, or else with its rows.
Function parse_and_separate(const std::string& text, Parameter parameter, const Problem& problem) {
  Function function = parse(text, parameter, problem);
  if (!function) return function;
  std::vector<ProductFunction> products = separated(text, problem.width, problem.height);
  if (!products.empty()) return {function, std::move(products)};
  return {function, formula_rows(text, problem.width, problem.height)};
}

void set_expressions(Problem& problem, const ProblemOptions& options) {
  try {
    problem.solution = parse_and_separate(options.solution, Parameter::solution, problem);
  } catch (const BadValue& error) {
    throw BadValue(error.value(), words("{}", Parameter::solution),
                   words("{}; nor is it one of the names {}", error.allowed(),
                         fmt::join(problem_names(), ", ")),
                   error.position());
  }
  if (options.source.empty()) {
    throw BadValue("", words("{} is missing", Parameter::source),
                   words("it is needed unless {} is one of {}", Parameter::solution,
                         fmt::join(problem_names(), ", ")));
  }
  problem.source = parse_and_separate(options.source, Parameter::source, problem);
  problem.dirichlet = parse(options.dirichlet, Parameter::dirichlet, problem);
  if (!problem.dirichlet) problem.dirichlet = problem.solution;
  for (const Side side : all_sides) {
    problem.flux[static_cast<std::size_t>(side)] =
        parse(flux_text(options, side), flux_parameter(side), problem);
  }
  require_finite_data(problem);
  if (problem.solution) problem.remarks = find_disagreements(problem);
}

}  // namespace

std::string_view to_string(BoundaryKind kind) {
  return kind == BoundaryKind::dirichlet ? "dirichlet" : "neumann";
}

Parameter flux_parameter(Side side) {
  using enum Parameter;
  constexpr std::array fluxes{flux_left, flux_right, flux_bottom, flux_top};
  return fluxes[static_cast<std::size_t>(side)];
}

bool has_free_constant(const Problem& problem) {
  return !problem.boundary.any_dirichlet() && problem.reaction == 0;
}

void require_balance(const Problem& problem) {
  const Balance coarse = balance(problem, 32), fine = balance(problem, 64);
  constexpr double allowed = 1e-3;
  const double uncertain = 10 * std::abs(fine.sum - coarse.sum);
  if (std::abs(fine.sum) <= allowed * fine.size + uncertain) return;
  throw BadValue(
      std::string(to_string(BoundaryKind::neumann)),
      words("{} is Neumann on all sides and {} is 0, but {} and {} do not balance",
            Parameter::boundary, Parameter::reaction, Parameter::source, Parameter::flux),
      words("their integrals add up to {:.4g}, of magnitudes of {:.4g}, and there is no solution; "
            "let them add up to 0, make one side Dirichlet or the reaction positive",
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
