#include "tests/solvers/judgement/covering_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "experiments/program/range_check.hpp"

namespace ninefold::testing {
namespace {

enum Factor {
  problem,
  dirichlet_sides,
  grid,
  refined_sides,
  level,
  format,
  tolerance,
  method,
  smoother,
  variant,
  start,
  cycle,
  form,
  factors
};
constexpr std::array<const char*, factors> factor_names{
    "problem", "Dirichlet", "grid",    "refined", "level", "format", "tolerance",
    "method",  "smoother",  "variant", "start",   "cycle", "form"};

// Values: easy ones first, which are taken where nothing else is asked for.

/// A named problem, or a harmonic function with its derivatives.
struct Stated {
  const char *u, *ux = nullptr, *uy = nullptr;
};
constexpr Stated problems[] = {
    {"polynomial"},
    {"sine"},
    {"exponential"},
    {"boundary_layer"},
    {"peak"},
    {"cosine"},
    {"1", "0", "0"},
    {"exp(x)*sin(y)", "exp(x)*sin(y)", "exp(x)*cos(y)"},
    {"x^2-y^2", "2*x", "-2*y"},
    {"x*y+exp(-y)*cos(x)", "y-exp(-y)*sin(x)", "x-exp(-y)*cos(x)"},
    {"(1+x)/((1+x)^2+y^2)", "(y^2-(1+x)^2)/((1+x)^2+y^2)^2", "-2*(1+x)*y/((1+x)^2+y^2)^2"},
    {"1000+cosh(y)*cos(x)", "-cosh(y)*sin(x)", "sinh(y)*cos(x)"}};

/// Bit s for side s; all of them first.
constexpr int sides_with_data[] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

enum class Grid { anisotropic, geometric, shishkin, at_the_end, inside };
/// Anisotropic by nu, geometric by the ratio, layers and own widths by the narrowest.
struct StatedGrid {
  Grid kind;
  double number;
};
constexpr StatedGrid grids[] = {
    {Grid::anisotropic, 1},    {Grid::anisotropic, 0.5},  {Grid::anisotropic, 0.2},
    {Grid::anisotropic, 0.05}, {Grid::anisotropic, 0.01}, {Grid::anisotropic, 0.001},
    {Grid::geometric, 1e3},    {Grid::geometric, 1e10},   {Grid::shishkin, 0.1},
    {Grid::shishkin, 1e-8},    {Grid::at_the_end, 1e-18}, {Grid::inside, 1e-9}};

const std::vector<Side> refined[] = {{Side::left},
                                     {Side::right, Side::bottom},
                                     {Side::left, Side::bottom},
                                     {Side::left, Side::right, Side::bottom, Side::top}};

constexpr int levels[] = {4, 3, 5, 2, 6, 7, 8, 9, 10};

/// The solver's format, then inner ones.
const std::vector<const char*> formats[] = {{"double"},
                                            {"double", "single"},
                                            {"double-single"},
                                            {"single"},
                                            {"double-double"},
                                            {"half"},
                                            {"bfloat16"},
                                            {"s23e8"},
                                            {"s30e11"},
                                            {"s44e8"},
                                            {"single", "bfloat16"},
                                            {"double", "half"},
                                            {"double", "double-single"},
                                            {"double", "s16e8"},
                                            {"double-double", "double"},
                                            {"s40e11", "single"},
                                            {"double", "single", "bfloat16"},
                                            {"double-double", "double", "single"}};

constexpr double tolerances[] = {1e-6, 1e-7, 1e-5, 1e-8, 1e-4, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13};

enum { multigrid, cg_with_multigrid, cg_with_jacobi, cg_alone, methods };
constexpr Smoother smoothers[] = {Smoother::automatic, Smoother::adi_trigs, Smoother::adi_tridi,
                                  Smoother::trigs,     Smoother::tridi,     Smoother::jacobi};
constexpr RefinementVariant variants[] = {RefinementVariant::refinement,
                                          RefinementVariant::flexible_cg,
                                          RefinementVariant::residual_guided_cg};
constexpr Start starts[] = {Start::zero, Start::full_multigrid};
constexpr Cycle cycles[] = {Cycle::f, Cycle::w, Cycle::v};
constexpr std::optional<OperatorForm> forms[] = {std::nullopt, OperatorForm::difference,
                                                 OperatorForm::plain};

bool is_mixed(int f) {
  return formats[f].size() > 1;
}
bool has_half(int f) {
  return std::any_of(formats[f].begin(), formats[f].end(),
                     [](const char* name) { return std::string_view(name) == "half"; });
}
bool has_thin_cells(const StatedGrid& g) {
  return g.kind == Grid::geometric ? g.number > 1e4 : g.number < 0.05;
}
bool has_levels(int m) {
  return m == multigrid || m == cg_with_multigrid;
}

Factors make_factors() {
  const auto size = [](const auto& values) { return static_cast<int>(std::size(values)); };
  Factors all({size(problems), size(sides_with_data), size(grids), size(refined), size(levels),
               size(formats), size(tolerances), methods, size(smoothers), size(variants),
               size(starts), size(cycles), size(forms)});
  // Fine grids take time, and their reference is double-double, which must be far better.
  all.exclude(level, format, [](int l, int f) { return levels[l] >= 8 && f > 1; });
  // Two digits beyond a format show that it does not claim them; more of it shows nothing else.
  all.exclude(format, tolerance, [](int f, int t) {
    const double u = facts(precision_from_name(formats[f].front())).unit_roundoff;
    return 100 * tolerances[t] < u && tolerances[t] < 1e-4;
  });
  // Half holds no such cells on any level; where it depends on the level see is_in_range().
  all.exclude(grid, format, [](int g, int f) { return has_half(f) && has_thin_cells(grids[g]); });
  // What only mixed precision has, and what a variant needs (validate()).
  all.exclude(format, variant, [](int f, int v) {
    const bool guided = variants[v] == RefinementVariant::residual_guided_cg;
    return (v > 0 && !is_mixed(f)) || (guided && formats[f].size() > 2);
  });
  all.exclude(method, variant, [](int m, int v) {
    return variants[v] == RefinementVariant::residual_guided_cg && m != cg_alone;
  });
  // Settings of multigrid, where there is none.
  const auto idle = [](int m, int v) { return v > 0 && !has_levels(m); };
  all.exclude(method, smoother, idle);
  all.exclude(method, start, idle);
  all.exclude(method, cycle, idle);
  return all;
}

std::vector<double> own_widths(const StatedGrid& stated, bool reversed) {
  const double w = stated.number;
  std::vector<double> widths =
      stated.kind == Grid::inside
          ? std::vector<double>{0.25, w, w, 0.125, 0.125, 0.25 - 2 * w, 0.125, 0.125}
          : std::vector<double>{w,    1e6 * w, 1e12 * w, 1e15 * w,
                                0.25, 0.25,    0.25,     0.25 - (1e6 + 1e12 + 1e15) * w};
  if (reversed) std::reverse(widths.begin(), widths.end());
  return widths;
}

GridGrading make_grading(const StatedGrid& stated, const std::vector<Side>& sides) {
  const auto has = [&](Side side) {
    return std::find(sides.begin(), sides.end(), side) != sides.end();
  };
  GridGrading grading;
  grading.sides = sides;
  switch (stated.kind) {
    case Grid::anisotropic:
      grading.nu = stated.number;
      break;
    case Grid::geometric:
      grading.kind = Grading::geometric;
      grading.expansion_ratio = stated.number;
      break;
    case Grid::shishkin:
      grading.kind = Grading::shishkin;
      grading.layer_width = stated.number;
      break;
    case Grid::at_the_end:
    case Grid::inside:
      grading.x_widths = own_widths(stated, has(Side::right));
      if (has(Side::bottom)) grading.y_widths = own_widths(stated, false);
  }
  return grading;
}

ProblemOptions make_problem_options(const Stated& stated, int sides) {
  ProblemOptions p;
  p.solution = stated.u;
  const bool named = stated.ux == nullptr;
  if (!named) p.source = "0";
  for (const Side side : all_sides) {
    const auto k = static_cast<std::size_t>(side);
    if ((sides >> k & 1) != 0) continue;
    p.boundary[side] = BoundaryKind::neumann;
    const bool along_x = side == Side::left || side == Side::right;
    const bool backward = side == Side::left || side == Side::bottom;
    if (!named) {
      p.flux[k] = fmt::format("{}({})", backward ? "-" : "", along_x ? stated.ux : stated.uy);
    }
  }
  return p;
}

/// Enough for what converges in reasonable time; in mixed precision each stage takes as many.
int most_iterations(const SolverOptions& s, int l) {
  const int finer = std::max(0, l - 7);
  if (s.refinement.inner.size() > 1) return uses_multigrid(s) ? 15 : 30;
  if (uses_multigrid(s)) return l < 8 ? 150 : 40 >> (finer - 1);
  if (s.refinement.used()) return software_format(s) ? 60 : 100 >> finer;
  return software_format(s) ? 1000 : 4000 >> finer;
}

}  // namespace

const Factors& sample_factors() {
  static const Factors all = make_factors();
  return all;
}

namespace {

bool is_in_range(const Combination& sample) {
  return !has_half(sample[format])
         || !find_range_refusal(prepare_run({"", {}, configuration_of(sample)}));
}

}  // namespace

const std::vector<Combination>& covering_samples() {
  static const CoveringArray array(sample_factors(), 2026, is_in_range);
  return array.rows();
}

Configuration configuration_of(const Combination& sample) {
  const auto value = [&](Factor f) { return sample[static_cast<std::size_t>(f)]; };
  Configuration c;
  c.backend = "host";
  c.problem =
      make_problem_options(problems[value(problem)], sides_with_data[value(dirichlet_sides)]);
  c.grading = make_grading(grids[value(grid)], refined[value(refined_sides)]);
  if (!c.grading.x_widths.empty()) c.x_widths = "x_widths.txt";
  if (!c.grading.y_widths.empty()) c.y_widths = "y_widths.txt";
  c.first_level = c.last_level = levels[value(level)];
  SolverOptions& s = c.solver;
  const std::vector<const char*>& names = formats[value(format)];
  s.precision = precision_from_name(names.front());
  for (std::size_t k = 1; k < names.size(); ++k) {
    s.refinement.inner.push_back(precision_from_name(names[k]));
  }
  s.refinement.variant = variants[value(variant)];
  s.tolerance = tolerances[value(tolerance)];
  s.form = forms[value(form)];
  const int m = value(method);
  s.method = m == multigrid ? Method::multigrid : Method::cg;
  if (m == cg_with_multigrid) s.preconditioner = Preconditioning::multigrid;
  if (m == cg_with_jacobi) s.preconditioner = Preconditioning::jacobi;
  s.multigrid.smoother = smoothers[value(smoother)];
  s.multigrid.cycle = cycles[value(cycle)];
  s.start = starts[value(start)];
  s.max_iterations = most_iterations(s, c.last_level);
  return c;
}

namespace {

std::string value_name(int f, int v) {
  switch (f) {
    case problem:
      return problems[v].u;
    case dirichlet_sides: {
      std::string names;
      for (const Side side : all_sides) {
        const int k = static_cast<int>(side);
        if ((sides_with_data[v] >> k & 1) != 0) {
          names += (names.empty() ? "" : "+") + std::string(to_string(side));
        }
      }
      return names;
    }
    case grid: {
      constexpr const char* kinds[] = {"nu", "geometric", "shishkin", "own end", "own inside"};
      return fmt::format("{} {}", kinds[static_cast<int>(grids[v].kind)], grids[v].number);
    }
    case refined_sides: {
      std::string names;
      for (const Side side : refined[v]) {
        names += (names.empty() ? "" : "+") + std::string(to_string(side));
      }
      return names;
    }
    case level:
      return std::to_string(levels[v]);
    case format: {
      std::string names;
      for (const char* name : formats[v]) names += (names.empty() ? "" : ":") + std::string(name);
      return names;
    }
    case tolerance:
      return fmt::format("{:.0e}", tolerances[v]);
    case method: {
      constexpr const char* names[] = {"multigrid", "cg+multigrid", "cg+jacobi", "cg"};
      return names[v];
    }
    case smoother:
      return std::string(to_string(smoothers[v]));
    case variant:
      return std::string(to_string(variants[v]));
    case start:
      return std::string(to_string(starts[v]));
    case cycle:
      return std::string(to_string(cycles[v]));
    default:
      return std::string(to_string(forms[v]));
  }
}

std::string named_value(int f, int v) {
  return fmt::format("{} {}", factor_names[static_cast<std::size_t>(f)], value_name(f, v));
}

}  // namespace

std::string to_words(const ValuePair& pair) {
  return named_value(pair.factor, pair.value) + ", "
         + named_value(pair.other_factor, pair.other_value);
}

std::string to_words(const Combination& sample) {
  std::string text;
  for (int f = 0; f < factors; ++f) {
    text += (f == 0 ? "" : ", ") + named_value(f, sample[static_cast<std::size_t>(f)]);
  }
  return text;
}

}  // namespace ninefold::testing
