#include "experiments/program/run_words.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/precision.hpp"
#include "precision/shortened.hpp"

#include "experiments/config/grid_settings.hpp"

namespace ninefold {
namespace {

/// The graded sides at which the cells are a layer's: a direction where layers are as wide as can
/// be is uniform.
std::vector<Side> layered_sides(const GridGrading& grading) {
  const std::vector<Side> graded = graded_sides(grading);
  const auto is_graded = [&](Side side) { return std::count(graded.begin(), graded.end(), side); };
  const bool x_at_both = is_graded(Side::left) && is_graded(Side::right);
  const bool y_at_both = is_graded(Side::bottom) && is_graded(Side::top);
  std::vector<Side> sides;
  for (const Side side : graded) {
    const bool in_x = side == Side::left || side == Side::right;
    if (grading.layer_width < widest_layer(in_x ? x_at_both : y_at_both)) sides.push_back(side);
  }
  return sides;
}

/// How the cells are made, as far as they are not uniform: "refined to right by 0.5, x widths from
/// x.txt".
std::string grid_words(const Configuration& c) {
  std::vector<std::string> parts;
  const GridGrading& grading = c.grading;
  std::vector<std::string> sides;
  for (const Side side :
       grading.kind == Grading::shishkin ? layered_sides(grading) : graded_sides(grading)) {
    sides.emplace_back(to_string(side));
  }
  if (!sides.empty()) {
    const std::string towards = fmt::format("{}", fmt::join(sides, ", "));
    if (grading.kind == Grading::anisotropic && grading.nu != 1) {
      parts.push_back(fmt::format("refined to {} by {}", towards, grading.nu));
    } else if (grading.kind == Grading::geometric && grading.expansion_ratio != 1) {
      parts.push_back(
          fmt::format("geometric to {}, expansion ratio {}", towards, grading.expansion_ratio));
    } else if (grading.kind == Grading::shishkin) {
      parts.push_back(fmt::format("with layers at {}, {} wide", towards, grading.layer_width));
    }
  }
  if (!c.x_widths.empty()) parts.push_back("with x widths from " + c.x_widths);
  if (!c.y_widths.empty()) parts.push_back("with y widths from " + c.y_widths);
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What follows the word "multigrid".
std::string multigrid_words(const SolverOptions& s) {
  const MultigridOptions& m = s.multigrid;
  const bool full = s.method == Method::full_multigrid;
  std::string text = m.cycle ? fmt::format(" {}-cycle", to_string(*m.cycle)) : "";
  if (m.pre_smoothing || m.post_smoothing) {
    const auto [pre, post] = smoothing_steps(m, full);
    text += fmt::format(", {} + {} steps", pre, post);
  }
  if (full && m.cycles_per_level != 1) {
    text += fmt::format(", {} cycles per level", m.cycles_per_level);
  }
  text += fmt::format(", smoother {}", to_string(m.smoother));
  if (m.line_direction) text += fmt::format(" along {}", to_string(*m.line_direction));
  if (m.line_order != LineOrder::zebra) text += fmt::format(", {}", to_string(m.line_order));
  if (m.damping) text += fmt::format(", damping {}", *m.damping);
  return text;
}

/// "3 iterations or 2 digits", or what inner_stop() makes of nothing said.
std::string stop_words(const InnerStop& stop) {
  std::string text;
  if (stop.iterations) {
    text += fmt::format("{} iteration{}", *stop.iterations, *stop.iterations == 1 ? "" : "s");
  }
  if (stop.digits) {
    text += fmt::format("{}{} digit{}", text.empty() ? "" : " or ", *stop.digits,
                        *stop.digits == 1 ? "" : "s");
  }
  return text;
}

/// " precision", " over" the inner formats, outermost first, each with what ends its solves.
std::string refinement_words(const SolverOptions& s) {
  std::string text = " precision";
  for (std::size_t stage = 0; stage < s.refinement.inner.size(); ++stage) {
    text += fmt::format(" over {} ({})", to_string(s.refinement.inner[stage]),
                        stop_words(inner_stop(s, stage)));
  }
  if (s.refinement.used() && s.refinement.variant != RefinementVariant::refinement) {
    text += fmt::format(", {}", to_string(s.refinement.variant));
  }
  if (s.refinement.used() && s.refinement.inner_form && s.refinement.inner_form != s.form) {
    text += fmt::format(", {} form inside", to_string(s.refinement.inner_form));
  }
  return text;
}

/// The sum of a file's widths by the 12 digits to which it counts: the rest is what rounding makes
/// of the widths.
std::string length_words(double length, const std::string& widths_file) {
  return widths_file.empty() ? shortened(length) : fmt::format("{:.12g}", length);
}

}  // namespace

std::string problem_words(const Configuration& c) {
  const ProblemOptions& problem = c.problem;
  std::vector<std::string> neumann;
  for (const Side side : all_sides) {
    if (problem.boundary[side] == BoundaryKind::neumann) neumann.emplace_back(to_string(side));
  }
  std::string text = fmt::format(
      "{} on {} x {}",
      problem.solution.empty() ? "unknown solution, source " + problem.source : problem.solution,
      length_words(c.width, c.x_widths), length_words(c.height, c.y_widths));
  if (problem.gx != 1 || problem.gy != 1) {
    text += fmt::format(", coefficients {} and {}", problem.gx, problem.gy);
  }
  if (problem.reaction != 0) text += fmt::format(", reaction {}", problem.reaction);
  if (!neumann.empty()) text += fmt::format(", Neumann on {}", fmt::join(neumann, ", "));
  const std::string grid = grid_words(c);
  if (!grid.empty()) text += "; grid " + grid;
  return text;
}

std::string method_words(const Configuration& c) {
  const SolverOptions& s = c.solver;
  std::string text(to_string(s.method));
  if (s.method == Method::multigrid || s.method == Method::full_multigrid) {
    text += multigrid_words(s);
  } else if (s.preconditioner == Preconditioning::multigrid) {
    text += " preconditioned by multigrid" + multigrid_words(s);
  } else if (s.preconditioner != Preconditioning::none) {
    text += fmt::format(" preconditioned by {}", to_string(s.preconditioner));
  }
  std::string tolerance = s.to_discretisation
                              ? fmt::format("to {:g} of the discretisation error", s.fraction)
                              : fmt::format("tolerance {}", s.tolerance);
  if (measures_error(s)) {
    tolerance +=
        fmt::format(" of the error, {}{}", to_string(s.norm), s.relative ? "" : ", absolute");
  }
  return fmt::format("{}; {}{}, {} form, {}", text,
                     c.automatic_precision ? "auto" : to_string(s.precision), refinement_words(s),
                     to_string(s.form), tolerance);
}

}  // namespace ninefold
