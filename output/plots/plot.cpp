#include "output/plots/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "output/plots/colours.hpp"
#include "output/tables/table.hpp"

namespace ninefold {

namespace {

struct Curve {
  std::string title;
  std::string data;  ///< lines of "x y"
};

/// Points are left out where a logarithm has no value for them.
bool has_logarithm(double y) {
  return std::isfinite(y) && y > 0;
}

/// "single, plain" from what a study varied; the name of a run that is not part of one.
std::string curve_title(const RunResult& run) {
  std::string title;
  for (const auto& [key, value] : run.varied) title += (title.empty() ? "" : ", ") + value;
  return title.empty() ? run.name : title;
}

/// Terminal, frame and grid that all line plots share.  The key stands in the upper right corner,
/// which falling curves leave free, or beside the frame.
std::string axes(std::size_t n_curves, bool falling) {
  const bool key_outside = n_curves > 6 || !falling;
  return fmt::format(
      "set terminal pngcairo enhanced size {},800 font 'DejaVu Sans,19' background rgb 'white'\n"
      "set output image\n"
      "set border 3 linewidth 1.5 linecolor rgb '#404040'\n"
      "set tics nomirror out scale 0.6\n"
      "set grid linecolor rgb '#A8A8A8' linewidth 1 dashtype 3\n"
      "set logscale y\n"
      "set format y '10^{{%L}}'\n"
      "set key {} right top noenhanced Left reverse spacing 1.15\n",
      key_outside ? 1500 : 1200, key_outside ? "outside" : "inside");
}

/// From 1 for the first to 0 for the last curve.  Earlier ones are drawn wider, so that those which
/// coincide stay visible.
double earliness(std::size_t c, std::size_t n_curves) {
  if (n_curves == 1) return 0.25;
  return 1.0 - static_cast<double>(c) / static_cast<double>(n_curves - 1);
}

/// Inline data blocks $curve0, $curve1, ... of at least one line each.
std::string data_blocks(const std::vector<Curve>& curves) {
  std::string text;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    text += fmt::format("$curve{} << END\n{}END\n", c, curves[c].data);
  }
  return text;
}

/// A picture without curves: there is no script either, the remark says why.
Picture nothing_to_draw(const std::filesystem::path& image, std::string_view reason) {
  return {.script = {},
          .image = image,
          .drawn = false,
          .remark = fmt::format("'{}' was not drawn: {}", image.string(), reason)};
}

}  // namespace

Picture write_convergence_plot(const Results& results, const std::filesystem::path& directory) {
  std::vector<Curve> curves;
  bool falling = true;
  int first_level = max_level, last_level = 0;
  double lowest = std::numeric_limits<double>::infinity();  // start of a curve times 4^level
  for (const RunResult& run : results.runs) {
    Curve curve{curve_title(run), {}};
    double first_error = 0, last_error = 0;
    for (const LevelResult& level : run.levels) {
      if (!level.error_l2 || !has_logarithm(*level.error_l2)) continue;
      if (curve.data.empty()) {
        lowest = std::min(lowest, std::ldexp(*level.error_l2, 2 * level.level));
        first_error = *level.error_l2;
      }
      last_error = *level.error_l2;
      first_level = std::min(first_level, level.level);
      last_level = std::max(last_level, level.level);
      curve.data += fmt::format("{} {}\n", level.level, exact_number(*level.error_l2));
    }
    falling = falling && last_error <= 0.2 * first_error;
    if (!curve.data.empty()) curves.push_back(std::move(curve));
  }
  const std::filesystem::path image = directory / "convergence.png";
  if (curves.empty()) return nothing_to_draw(image, "no level has an error");

  std::string script = axes(curves.size(), falling);
  script += fmt::format(
      "set xlabel 'refinement level'\n"
      "set ylabel 'L2 error'\n"
      "set xrange [{}:{}]\n"
      "set xtics 1\n",
      first_level - 0.4, last_level + 0.4);
  script += data_blocks(curves);
  // Somewhat below the lowest curve, where it hides nothing; h halves with each level.
  script += fmt::format("reference(level) = {} * 4.0**(-level)\nplot ", exact_number(0.4 * lowest));
  for (std::size_t c = 0; c < curves.size(); ++c) {
    script += fmt::format(
        "$curve{} using 1:2 title {} with linespoints linecolor rgb '{}' linewidth {:.1f} "
        "pointtype {} pointsize {:.1f}, "
        "\\\n     ",
        c, gnuplot_string(curves[c].title), okabe_ito[c % okabe_ito.size()],
        2.5 + 4.0 * earliness(c, curves.size()), std::array{7, 5, 9, 13, 11, 4, 6}[c % 7],
        1.3 + 1.2 * earliness(c, curves.size()));
  }
  script += fmt::format(
      "[{}:{}] reference(x) with lines linecolor rgb '#707070' linewidth 2.5 dashtype 2 title "
      "'falls as h²'\n",
      first_level, std::max(last_level, first_level + 1));
  return draw(image, script);
}

Picture write_residual_plot(const Results& results, const std::filesystem::path& directory) {
  std::vector<Curve> curves;
  const auto add_curve = [&](std::string title, const std::vector<double>& history) {
    Curve curve{std::move(title), {}};
    for (std::size_t k = 0; k < history.size(); ++k) {
      if (has_logarithm(history[k])) {
        curve.data += fmt::format("{} {:.7g}\n", k, history[k]);
      }
    }
    if (!curve.data.empty()) curves.push_back(std::move(curve));
  };
  const bool single_run = results.runs.size() == 1;
  for (const RunResult& run : results.runs) {
    if (single_run) {
      for (const LevelResult& level : run.levels) {
        add_curve(fmt::format("level {}", level.level), level.history);
      }
    } else if (const auto finest =  // a level that was refused has none
               std::find_if(run.levels.rbegin(), run.levels.rend(),
                            [](const LevelResult& level) { return !level.history.empty(); });
               finest != run.levels.rend()) {
      add_curve(fmt::format("{}, level {}", curve_title(run), finest->level), finest->history);
    }
  }
  const std::filesystem::path image = directory / "residuals.png";
  if (curves.empty()) return nothing_to_draw(image, "no level has a residual history");

  std::string script = axes(curves.size(), true);
  script +=
      "set xlabel 'iteration'\n"
      "set ylabel 'residual / first residual'\n"
      "set xrange [0:*]\n";
  script += data_blocks(curves) + "plot ";
  for (std::size_t c = 0; c < curves.size(); ++c) {
    // Levels are an order, hence shades of one colour map; runs are not.  Its palest end is left.
    const std::size_t shade =
        curves.size() > 1 ? c * (viridis.size() - 2) / (curves.size() - 1) : 0;
    script +=
        fmt::format("{}$curve{} using 1:2 title {} with lines linecolor rgb '{}' linewidth {:.1f}",
                    c == 0 ? "" : ", \\\n     ", c, gnuplot_string(curves[c].title),
                    single_run ? viridis[shade] : okabe_ito[c % okabe_ito.size()],
                    single_run ? 2.5 : 2.0 + 4.0 * earliness(c, curves.size()));
  }
  return draw(image, script + "\n");
}

}  // namespace ninefold
