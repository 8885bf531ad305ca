#include "fem/problem/problems.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

#include <boost/math/constants/constants.hpp>

#include "precision/bad_value.hpp"

#include "fem/problem/expression.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/exact.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using testing::ExactFunction;
using testing::within;

/// The formulas of the documentation in 50 digits, written down a second time.
ExactFunction exact_formula(const std::string& name, double width, double height) {
  const Exact X(width), Y(height), pi = boost::math::constants::pi<Exact>();
  const std::map<std::string, ExactFunction> formulas{
      {"polynomial", [=](Exact x, Exact y) { return x * (X - x) * y * (Y - y); }},
      {"sine", [=](Exact x, Exact y) { return sin(pi * x / X) * sin(pi * y / Y); }},
      {"boundary_layer",
       [=](Exact x, Exact y) {
         const Exact eps = Exact(0.02);
         return x / X * (1 - exp(-(X - x) / (eps * X))) * (Y - y) / Y * (1 - exp(-y / (eps * Y)));
       }},
      {"peak",
       [=](Exact x, Exact y) {
         const Exact a = (x / X - Exact(0.6)) / Exact(0.05);
         const Exact b = (y / Y - Exact(0.4)) / Exact(0.05);
         return exp(-a * a - b * b);
       }},
      {"exponential", [=](Exact x, Exact y) { return exp(x / X) * cos(y / Y); }},
      {"cosine", [=](Exact x, Exact y) { return cos(pi * x / X) * cos(pi * y / Y); }},
  };
  return formulas.at(name);
}

/// A point and where it exactly is: next to a side the distance to that side is what counts.
struct Place {
  Point point;
  Exact x, y;
};

std::vector<Place> places(double width, double height) {
  struct OneWay {
    double start, end;
    Exact exact;
  };
  const auto direction = [](double length) {
    std::vector<OneWay> ways;
    for (const double part : {0.0, 1e-30, 1e-13, 0.1, 0.37, 0.5, 0.59, 0.6}) {
      const double d = part * length;
      ways.push_back({d, length - d, Exact(d)});
      ways.push_back({length - d, d, Exact(length) - Exact(d)});
    }
    return ways;
  };
  std::vector<Place> all;
  for (const OneWay& x : direction(width)) {
    for (const OneWay& y : direction(height)) {
      all.push_back({{x.start, x.end, y.start, y.end}, x.exact, y.exact});
    }
  }
  return all;
}

/// Derivatives by fourth-order differences: with 50 digits good to about 30.
struct Derivatives {
  Exact u, ux, uy, uxx, uyy;
};

Derivatives differentiate(const ExactFunction& u, const Place& at, double width, double height) {
  const Exact dx = Exact(width) * Exact(1e-9), dy = Exact(height) * Exact(1e-9);
  const auto in_x = [&](int k) { return u(at.x + k * dx, at.y); };
  const auto in_y = [&](int k) { return u(at.x, at.y + k * dy); };
  const auto first = [](const auto& v, const Exact& d) {
    return Exact((8 * (v(1) - v(-1)) - (v(2) - v(-2))) / (12 * d));
  };
  const auto second = [](const auto& v, const Exact& d) {
    return Exact((16 * (v(1) + v(-1)) - (v(2) + v(-2)) - 30 * v(0)) / (12 * d * d));
  };
  return {u(at.x, at.y), first(in_x, dx), first(in_y, dy), second(in_x, dx), second(in_y, dy)};
}

ProblemOptions named(const std::string& name, BoundaryKind kind = BoundaryKind::dirichlet) {
  ProblemOptions options;
  options.solution = name;
  options.gx = 2.5;
  options.gy = 0.3;
  options.reaction = kind == BoundaryKind::neumann ? 1.7 : 0.0;
  for (const Side side : all_sides) options.boundary[side] = kind;
  return options;
}

// Factors of one direction lose at most 6 roundoffs each (argument 3, function 2, product 1), since
// no argument is worse conditioned than 1.6; the peak's exponent has size xi^2 <= 144 and an
// absolute error of about 5 |xi| 12 roundoffs.
TEST_CASE("named solutions keep their digits, also within 1e-30 of a side", "[fem][problems]") {
  const std::string name =
      GENERATE("polynomial", "sine", "boundary_layer", "exponential", "cosine", "peak");
  const double width = GENERATE(1.0, 0.3, 1e-11);
  CAPTURE(name, width);
  const Problem problem = make_problem(named(name), width, 1.0);
  const auto exact = exact_formula(name, width, 1.0);
  const double roundoffs = name == "peak" ? 3000 : 20;
  for (const Place& at : places(width, 1.0)) {
    CAPTURE(at.point.left, at.point.right, at.point.bottom, at.point.top);
    Exact u = exact(at.x, at.y);
    const Point& p = at.point;
    const bool on_side = p.left == 0 || p.right == 0 || p.bottom == 0 || p.top == 0;
    const bool midway = 2 * at.x == Exact(width) || 2 * at.y == 1;
    // 50 digits of pi leave sin(pi) at 1e-50, and newer releases of Boost cos(pi / 2), too.
    if ((name == "sine" && on_side) || (name == "cosine" && midway)) u = 0;
    REQUIRE(within(problem.solution(at.point), u, roundoffs, u));
  }
}

TEST_CASE("source, boundary values and fluxes of named solutions belong to the solution",
          "[fem][problems]") {
  const std::string name = GENERATE_COPY(from_range(problem_names()));
  const BoundaryKind kind = GENERATE(BoundaryKind::dirichlet, BoundaryKind::neumann);
  const double width = GENERATE(1.0, 1e-11);
  CAPTURE(name, to_string(kind), width);
  const ProblemOptions options = named(name, kind);
  const Problem problem = make_problem(options, width, 1.0);
  const auto exact = exact_formula(name, width, 1.0);
  const Exact gx(options.gx), gy(options.gy), c(options.reaction);
  // The layer's derivatives are proportional to exp(-z), z <= 50, which is z times as sensitive.
  const double roundoffs = name == "peak" ? 3000 : name == "boundary_layer" ? 450 : 40;
  for (const Place& at : places(width, 1.0)) {
    CAPTURE(at.point.left, at.point.right, at.point.bottom, at.point.top);
    const Derivatives d = differentiate(exact, at, width, 1.0);
    // The differences themselves are good to 1e-30 in units of the width.
    const Exact floor = Exact(1e-14) / (Exact(width) * Exact(width));
    REQUIRE(within(problem.source(at.point), -gx * d.uxx - gy * d.uyy + c * d.u, roundoffs,
                   abs(gx * d.uxx) + abs(gy * d.uyy) + abs(c * d.u) + floor));
    if (kind == BoundaryKind::dirichlet) {
      REQUIRE(problem.dirichlet(at.point) == problem.solution(at.point));
      for (const Function& flux : problem.flux) REQUIRE_FALSE(flux);
      continue;
    }
    const auto flux = [&](Side side) {
      return problem.flux[static_cast<std::size_t>(side)](at.point);
    };
    // The derivatives of the layer and the peak are differences of terms of about 50 u/extent.
    const Exact part = name == "boundary_layer" || name == "peak" ? abs(d.u) : Exact(0);
    const Exact fx = abs(gx * d.ux) + gx * part / width + floor * width;
    const Exact fy = abs(gy * d.uy) + gy * part + floor;
    REQUIRE(within(flux(Side::left), -gx * d.ux, roundoffs, fx));
    REQUIRE(within(flux(Side::right), gx * d.ux, roundoffs, fx));
    REQUIRE(within(flux(Side::bottom), -gy * d.uy, roundoffs, fy));
    REQUIRE(within(flux(Side::top), gy * d.uy, roundoffs, fy));
  }
}

TEST_CASE("the paper's source is 2y(Y-y) + 2x(X-x)", "[fem][problems]") {
  const Problem problem = make_problem({}, 0.25, 1.0);
  REQUIRE(problem.name == "polynomial");
  REQUIRE(problem.source({0.125, 0.125, 0.5, 0.5}) == 2 * 0.25 + 2 * 0.125 * 0.125);
  REQUIRE(problem.solution({0.125, 0.125, 0.5, 0.5}) == 0.125 * 0.125 * 0.25);
}

TEST_CASE("every named solution has a description and unknown names have none", "[fem][problems]") {
  REQUIRE(problem_names()
          == std::vector<std::string>{"polynomial", "sine", "boundary_layer", "peak", "exponential",
                                      "cosine"});
  for (const std::string& name : problem_names()) REQUIRE(problem_description(name).size() > 20);
  REQUIRE_THROWS_WITH(problem_description("sinus"),
                      ContainsSubstring("sinus") && ContainsSubstring("sine"));
}

TEST_CASE("expressions and the name state the same problem", "[fem][problems]") {
  ProblemOptions options;
  options.solution = "x*(width-x)*y*(height-y)";
  options.source = "2*y*(height-y) + 2*x*(width-x)";
  const Problem problem = make_problem(options, 0.5, 2.0);
  const Problem reference = make_problem({}, 0.5, 2.0);
  REQUIRE(problem.remarks.empty());
  REQUIRE(problem.name == options.solution);
  const Point p{0.2, 0.3, 0.7, 1.3};
  REQUIRE(problem.source(p) == Approx(reference.source(p)).epsilon(1e-14));
  REQUIRE(problem.solution(p) == Approx(reference.solution(p)).epsilon(1e-14));
  REQUIRE(problem.dirichlet(p) == problem.solution(p));
}

TEST_CASE("formulas bring their products and keep their values", "[fem][problems]") {
  ProblemOptions options;
  options.solution = "(x + y)^2*sin(pi*x)";
  options.source = "x*y*sin(x*y)";
  const Problem problem = make_problem(options, 1, 1);
  const Point p{0.3, 0.7, 0.1, 0.9};
  const Expression whole(options.solution, 1, 1);
  REQUIRE(problem.solution.products().size() == 3);
  REQUIRE(problem.dirichlet.products().size() == 3);
  REQUIRE(problem.source.products().empty());
  REQUIRE(problem.solution(p) == whole(p.x(), p.y()));
  REQUIRE_FALSE(problem.solution.has_wide());
  REQUIRE(problem.solution.at(WidePoint{0.3, 0.7, 0.1, 0.9}) == DoubleDouble(whole(0.3, 0.1)));
}

TEST_CASE("a formula less its mean keeps its products", "[fem][problems]") {
  ProblemOptions options;
  options.solution = "cos(pi*x)*cos(pi*y) + 7";
  options.source = "2*pi^2*cos(pi*x)*cos(pi*y)";
  for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  const Problem problem = make_problem(options, 1, 1);
  REQUIRE(problem.solution({0, 1, 0, 1}) == Approx(1).epsilon(1e-12));
  const Function products(problem.solution.products());
  REQUIRE(products({0, 1, 0, 1}) == Approx(1).epsilon(1e-12));

  options.solution += " + 0*sin(x*y)";
  const Problem whole = make_problem(options, 1, 1);
  REQUIRE(whole.solution.products().empty());
  REQUIRE(whole.solution({0, 1, 0, 1}) == Approx(1).epsilon(1e-12));
}

TEST_CASE("without a solution only the source is needed and boundary data default to zero",
          "[fem][problems]") {
  ProblemOptions options;
  options.solution = "";
  options.source = "1";
  options.boundary[Side::top] = BoundaryKind::neumann;
  const Problem problem = make_problem(options, 1, 1);
  REQUIRE_FALSE(problem.solution);
  REQUIRE_FALSE(problem.dirichlet);
  REQUIRE_FALSE(problem.flux[3]);
  REQUIRE(problem.remarks.empty());
  REQUIRE(problem.source({0, 1, 0, 1}) == 1);
}

TEST_CASE("functions of a problem are called from several threads at once", "[fem][problems]") {
  ProblemOptions options;
  options.solution = "";
  options.source = "x + 100*y";
  const Problem problem = make_problem(options, 1, 1);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 5000; ++k) {
        const double x = k * 0x1p-13, y = double(t);
        if (problem.source({x, 1 - x, y, 1 - y}) != x + 100 * y) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(wrong == std::vector<int>(8, 0));
}

template <class Change>
ProblemOptions with(Change&& change) {
  ProblemOptions options;
  change(options);
  return options;
}

TEST_CASE("the flux of a side is a parameter", "[fem][problems]") {
  for (const Side side : all_sides) {
    CHECK(name(flux_parameter(side)) == "problem.flux." + std::string(to_string(side)));
  }
}

TEST_CASE("problems that cannot be are refused by the parameter", "[fem][problems]") {
  const auto refused = [](const ProblemOptions& options, const std::string& words) {
    try {
      make_problem(options, 1, 1);
    } catch (const BadValue& error) {
      REQUIRE_THAT(error.what(),
                   ContainsSubstring(words) && StartsWith(std::string(name(error.parameter()))));
      return;
    }
    FAIL("not refused: " + words);
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double size : {0.0, -1.0, infinity, std::nan("")}) {
    REQUIRE_THROWS_WITH(make_problem({}, size, 1), ContainsSubstring("domain.width"));
    REQUIRE_THROWS_WITH(make_problem({}, 1, size), ContainsSubstring("domain.height"));
    refused(with([&](auto& o) { o.gx = size; }), "problem.coefficients");
    refused(with([&](auto& o) { o.gy = size; }), "problem.coefficients");
  }
  refused(with([](auto& o) { o.reaction = -1e-9; }), "problem.reaction");
  refused(with([](auto& o) { o.reaction = std::nan(""); }), "problem.reaction");
  refused(with([](auto& o) { o.quadrature = 0; }), "problem.quadrature");
  refused(with([](auto& o) { o.quadrature = 6; }), "problem.quadrature");
  refused(with([](auto& o) { o.source = "1"; }), "problem.source is given");
  refused(with([](auto& o) { o.dirichlet = "0"; }), "problem.dirichlet is given");
  refused(with([](auto& o) { o.solution = "x*y"; }), "problem.source is missing");
  refused(with([](auto& o) { o.solution = ""; }), "problem.source is missing");
  refused(with([](auto& o) {
            o.solution = "sinus";
            o.source = "1";
          }),
          "nor is it one of the names polynomial, sine");
  refused(with([](auto& o) {
            o.solution = "x*y";
            o.source = "x*q";
          }),
          "problem.source: \"q\" is not known");
  refused(with([](auto& o) {
            o.solution = "x*y";
            o.source = "0";
            o.dirichlet = "(";
          }),
          "problem.dirichlet: ");
  refused(with([](auto& o) {
            o.solution = "";
            o.source = "sqrt(x - 2)";
          }),
          "problem.source is nan at x = ");
  refused(with([](auto& o) {
            o.solution = "1/x";
            o.source = "-2/x^3";
          }),
          "problem.solution is inf at x = 0");

  ProblemOptions options = with([](auto& o) {
    o.solution = "x*y";
    o.source = "0";
    o.flux[0] = "1";
  });
  refused(options, "problem.flux.left is given, but that side is a Dirichlet side");
  options.boundary[Side::left] = BoundaryKind::neumann;
  options.flux[0] = "log(-1-y)";
  refused(options, "problem.flux.left is");

  ProblemOptions singular;
  for (const Side side : all_sides) singular.boundary[side] = BoundaryKind::neumann;
  REQUIRE_NOTHROW(make_problem(singular, 1, 1));  // brings the fluxes that balance its source
  singular.solution = "";
  singular.source = "1";
  refused(singular, "do not balance");
  try {
    make_problem(singular, 1, 1);
  } catch (const BadValue& error) {
    CHECK(error.parameters()
          == std::vector{Parameter::boundary, Parameter::reaction, Parameter::source,
                         Parameter::flux});
  }
  singular.source = "1/(x - 1/64)";  // at a Gauss point of the integrals, not at a sample
  refused(singular, "problem.source is inf at x = 0.015625");
  singular.source = "1";
  singular.reaction = 1e-3;
  REQUIRE_NOTHROW(make_problem(singular, 1, 1));
  singular.dirichlet = "1";
  refused(singular, "no side is a Dirichlet side");
}

}  // namespace
}  // namespace ninefold
