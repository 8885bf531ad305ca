// How many mantissa bits does a level need?
//
// Section 7 of Goeddeke, Strzodka, Turek 2007 counts the area of a CG core on an FPGA for number
// formats from s17e11 to s52e11 (table 6).  Here is what these formats, and all between s10e11 and
// s52e11, are worth: test A by CG and by multigrid, every operation rounded to the format by
// software, each solve carried to where its residual goes; iterations and attained error beside
// the paper's slices.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "output/plots/colours.hpp"
#include "output/plots/curve_plot.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/format_solves.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 10}, default_levels{3, 7}, full_levels{3, 8};
constexpr int least_bits = FormatSolves::least_bits, most_bits = FormatSolves::most_bits;

Precision format_of(int bits) {
  return Precision::soft(bits, FormatSolves::exponent_bits);
}

/// The mantissas of table 6.
std::vector<int> paper_mantissas() {
  std::vector<int> bits;
  for (const AreaRow& row : paper_table_6()) {
    if (row.multiplier == "PipeLUT") bits.push_back(row.mantissa);
  }
  return bits;
}

Column way_column(const SolveWay& way) {
  std::string header = way.name;
  header[header.find(' ')] = '\n';
  return count_column(way.name, header);
}

/// The finest level on which the format suffices, and on all coarser ones.
Cell finest_level(const FormatSolves& study, const SolveWay& way, int bits) {
  const LevelRange levels = study.levels();
  int level = levels.first;
  while (level <= levels.last && study.suffices(way, bits, level)) ++level;
  if (level > levels.last) return fmt::format("{} or finer", levels.last);
  if (level == levels.first) return fmt::format("below {}", levels.first);
  return fmt::format("{}", level - 1);
}

std::string bits_words(std::optional<int> bits) {
  if (!bits) return fmt::format("above {}", most_bits);
  return fmt::format("{}{}", *bits, *bits == least_bits ? " or fewer" : "");
}

void report_needed_bits(ExperimentReport& report, const FormatSolves& study) {
  std::vector<Column> columns{level_column(), error_column("exact_error", "exact\nrms error", 4)};
  for (const SolveWay& way : solve_ways()) columns.push_back(way_column(way));
  columns.push_back(text_column("format", "smallest of table 6\nfor CG plain"));
  columns.push_back(count_column("slices", "slices\n(PipeLUT)"));
  columns.push_back(count_column("hard_slices", "slices\n(MUL18x18)"));
  columns.push_back(count_column("blocks", "MUL18x18\nblocks"));
  Table table(columns);
  for (int level = study.levels().first; level <= study.levels().last; ++level) {
    std::vector<Cell> cells{std::int64_t{level}, exact_rms('A', level)};
    for (const SolveWay& way : solve_ways()) {
      cells.emplace_back(bits_words(study.needed_bits(way, level)));
    }
    const auto bits = study.needed_bits(solve_ways().front(), level);
    const auto mantissas = paper_mantissas();
    const auto format = std::find_if(mantissas.begin(), mantissas.end(),
                                     [&](int mantissa) { return bits && mantissa >= *bits; });
    if (format == mantissas.end()) {
      while (cells.size() < columns.size()) cells.emplace_back();
    } else {
      const AreaRow &logic = *find_area("PipeLUT", *format),
                    &hard = *find_area("MUL18x18", *format);
      cells.emplace_back(to_string(format_of(*format)));
      for (const int value : {logic.slices, hard.slices, hard.blocks}) {
        cells.emplace_back(std::int64_t{value});
      }
    }
    table.add_row(std::move(cells));
  }
  report.table("Mantissa bits that a level needs: rms error within 10 % of the exact one",
               "needed_bits", table);
}

void report_area(ExperimentReport& report, const FormatSolves& study) {
  std::vector<Column> columns{
      text_column("format", "format"),    count_column("slices", "PipeLUT\nslices"),
      count_column("megahertz", "\nMHz"), count_column("hard_slices", "MUL18x18\nslices"),
      count_column("blocks", "\nblocks"), count_column("hard_megahertz", "\nMHz")};
  for (const SolveWay& way : solve_ways()) columns.push_back(way_column(way));
  Table table(columns);
  for (const int bits : paper_mantissas()) {
    const AreaRow &logic = *find_area("PipeLUT", bits), &hard = *find_area("MUL18x18", bits);
    std::vector<Cell> cells{to_string(format_of(bits))};
    for (const int value :
         {logic.slices, logic.megahertz, hard.slices, hard.blocks, hard.megahertz}) {
      cells.emplace_back(std::int64_t{value});
    }
    for (const SolveWay& way : solve_ways()) cells.push_back(finest_level(study, way, bits));
    table.add_row(std::move(cells));
  }
  report.table("Table 6, and the finest level that each format can solve", "table_6", table);
}

/// Iterations and attained errors, of the paper's formats on the screen.
void report_solves(ExperimentReport& report, const FormatSolves& study) {
  std::vector<Column> columns{level_column(), text_column("format", "format")};
  for (const SolveWay& way : solve_ways()) {
    columns.push_back(count_column(way.name + " iterations", way.name + "\niterations"));
    columns.push_back(
        {.key = way.name + " over exact", .header = "error\nover exact", .style = significant(4)});
  }
  Table table(columns);
  for (int level = study.levels().first; level <= study.levels().last; ++level) {
    for (const int bits : paper_mantissas()) {
      const Precision precision = format_of(bits);
      std::vector<Cell> cells{std::int64_t{level}, to_string(precision)};
      for (const SolveWay& way : solve_ways()) {
        cells.emplace_back(std::int64_t{study.at(way, precision, level).iterations});
        cells.emplace_back(study.over_exact(way, precision, level));
      }
      table.add_row(std::move(cells));
    }
  }
  report.table("Iterations, and the attained rms error over the exact one", "solves", table);
}

void compare_twins(ExperimentReport& report, const FormatSolves& study) {
  Comparison comparison("format_study, software against hardware");
  Table table({text_column("software", "software"), text_column("hardware", "hardware"),
               text_column("solver", "solver"), level_column(),
               count_column("iterations", "iterations"), error_column("error", "rms error", 10),
               text_column("agreement", "agrees")});
  for (const auto& [native, soft] : {std::pair{Precision::single_, Precision::soft(23, 8)},
                                     std::pair{Precision::double_, format_of(most_bits)}}) {
    for (const SolveWay& way : solve_ways()) {
      for (int level = study.levels().first; level <= study.levels().last; ++level) {
        const LevelResult &hard = study.at(way, native, level), &ours = study.at(way, soft, level);
        comparison.begin_row(to_string(soft) + " " + way.name, level);
        comparison.count("iterations", Source::theory, hard.iterations, ours.iterations);
        comparison.statement("error", Source::theory, "every bit that of " + to_string(native),
                             error_rms(ours), error_rms(ours) == error_rms(hard));
        if (level == study.levels().last) {
          table.add_row({to_string(soft), to_string(native), way.name, std::int64_t{level},
                         iterations_cell(ours), error_rms(ours), comparison.verdict()});
        }
      }
    }
  }
  report.table("Formats that the hardware has too, on the finest level", "twins", table);
  report.add(std::move(comparison));
}

void compare_with_paper(ExperimentReport& report, const FormatSolves& study) {
  Comparison comparison("format_study, the paper's iterations");
  const SolveWay &cg = solve_ways()[0], &multigrid = solve_ways()[2];
  for (int level = study.levels().first; level <= study.levels().last; ++level) {
    const Precision twin_of_double = format_of(most_bits);
    const auto compare = [&](const SolveWay& way, const std::string& table) {
      const EmulationRow* const paper = find_emulation(table, level);
      if (paper == nullptr) return;
      comparison.begin_row(to_string(twin_of_double) + " " + way.name, level);
      comparison.count("iterations", Source::paper, paper->cpu_iterations,
                       study.at(way, twin_of_double, level).iterations);
    };
    compare(cg, "A1");
    compare(multigrid, "A2");
  }
  report.add(std::move(comparison));
}

/// Rounding costs u 4^level in plain form and u in difference form; the error to be met is
/// 4^-level.
void compare_growth(ExperimentReport& report, const FormatSolves& study) {
  Comparison comparison("format_study, bits that the next level needs");
  for (const SolveWay& way : solve_ways()) {
    if (way.method != Method::multigrid) continue;
    for (int level = study.levels().first + 1; level <= study.levels().last; ++level) {
      const auto before = study.needed_bits(way, level - 1), bits = study.needed_bits(way, level);
      if (!before || !bits || *before == least_bits) continue;  // fewer might have done before
      comparison.begin_row(way.name, level);
      comparison.count("more bits", Source::theory, way.form == OperatorForm::plain ? 4 : 2,
                       *bits - *before, 1);
    }
  }
  report.add(std::move(comparison));
}

std::string_view colour_of(const SolveWay& way) {
  const bool cg = way.method == Method::cg;
  if (way.form == OperatorForm::plain) return okabe_ito[cg ? 1 : 0];
  return okabe_ito[cg ? 4 : 5];
}

/// As in all pictures: dashed lines and open symbols for the plain form.
Stroke stroke_of(OperatorForm form, std::string colour) {
  const bool plain = form == OperatorForm::plain;
  return {.colour = std::move(colour), .width = plain ? 3.0 : 4.0, .dashed = plain};
}
int symbol_of(OperatorForm form) {
  return form == OperatorForm::plain ? 6 : 7;
}

Picture draw_needed_bits(const FormatSolves& study, const ExperimentOptions& options) {
  CurvePlot plot{.title = "Mantissa bits that a level needs",
                 .x_label = "refinement level",
                 .y_label = "mantissa bits",
                 .key_corner = KeyCorner::top_left,
                 .logarithmic = false};
  const LevelRange levels = study.levels();
  std::vector<Curve> needed;
  int most = least_bits;
  for (const SolveWay& way : solve_ways()) {
    Curve curve;
    curve.name = way.name;
    curve.stroke = stroke_of(way.form, std::string(colour_of(way)));
    curve.stroke.point = symbol_of(way.form);
    for (int level = levels.first; level <= levels.last; ++level) {
      if (const auto bits = study.needed_bits(way, level)) {
        curve.points.emplace_back(level, *bits);
        most = std::max(most, *bits);
      }
    }
    needed.push_back(std::move(curve));
  }
  plot.least_y = least_bits - 2;
  plot.greatest_y = most + 9;  // room for the key
  const Stroke guide{.colour = "#909090", .width = 1.5, .dashed = true};
  for (const int bits : paper_mantissas()) {
    if (bits > most + 4) continue;
    Curve line;
    line.name = fmt::format("s{}e11: {} slices", bits, find_area("PipeLUT", bits)->slices);
    line.stroke = guide;
    line.points = {{levels.first, bits}, {levels.last, bits}};
    plot.curves.push_back(std::move(line));
  }
  plot.curves.insert(plot.curves.end(), needed.begin(), needed.end());
  plot.key = {{"rms error within 10 % of the exact one, plain form", {.dashed = true, .point = 6}},
              {"the same, difference form", {.width = 4, .point = 7}},
              {"formats of the paper's table 6, with the area of a CG core", guide}};
  return write_curve_plot(options.output / "needed_bits.png", plot);
}

Picture draw_errors(const FormatSolves& study, const ExperimentOptions& options) {
  CurvePlot plot{.title = "The error that multigrid attains, against the mantissa's bits",
                 .x_label = "mantissa bits",
                 .y_label = "rms error",
                 .x_step = 2};
  const LevelRange levels = study.levels();
  const SolveWay &plain = solve_ways()[2], &difference = solve_ways()[3];
  int most_drawn = least_bits;  // beyond the needed bits nothing changes
  for (int level = levels.first; level <= levels.last; ++level) {
    most_drawn = std::max(most_drawn, study.needed_bits(plain, level).value_or(most_bits));
  }
  most_drawn = std::min(most_drawn + 6, most_bits);
  for (int level = levels.first; level <= levels.last; ++level) {
    const std::size_t shade = levels.first == levels.last
                                  ? 0
                                  : static_cast<std::size_t>(level - levels.first)
                                        * (viridis.size() - 3)
                                        / static_cast<std::size_t>(levels.last - levels.first);
    for (const SolveWay* way : {&plain, &difference}) {
      const std::string colour(viridis[shade]);
      Curve curve;
      if (way == &difference) curve.name = fmt::format("level {}", level);
      curve.stroke = stroke_of(way->form, colour);
      for (int bits = least_bits; bits <= most_drawn; ++bits) {
        curve.points.emplace_back(bits, error_rms(study.at(*way, format_of(bits), level)));
      }
      plot.curves.push_back(std::move(curve));
      if (const auto bits = study.needed_bits(*way, level)) {
        plot.marks.push_back({static_cast<double>(*bits),
                              exact_rms('A', level),
                              {.colour = colour, .point = symbol_of(way->form)}});
      }
    }
  }
  plot.key_corner = KeyCorner::top_right;
  plot.key = {{"operator in plain form", {.dashed = true}},
              {"operator in difference form", {.width = 4}},
              {"enough, plain form", {.point = 6}, false},
              {"enough, difference form", {.point = 7}, false}};
  return write_curve_plot(options.output / "format_study.png", plot);
}

bool run(const ExperimentOptions& options) {
  find_backend(options.backend, format_of(most_bits));  // refuses "cuda"
  const LevelRange levels = options.levels.value_or(options.full ? full_levels : default_levels);
  const FormatSolves study(levels, options.output);
  ExperimentReport report("Format study: the numerics of table 6, Goeddeke, Strzodka, Turek 2007",
                          study.results(), options.output);
  report.paragraph(fmt::format(
      "Test A to a residual of {:g}, or to where the format goes: CG with at most {} 2^level\n"
      "iterations, multigrid (F-cycles, 2+2 Jacobi steps) with at most {} cycles.  Every "
      "operation\n"
      "is rounded to the format by software, on the host.  The area is the paper's: a pipelined "
      "CG\n"
      "core on a Xilinx xc2v8000, its multipliers of logic (PipeLUT) or of hardwired blocks.",
      FormatSolves::tolerance, FormatSolves::most_iterations_per_node, FormatSolves::most_cycles));
  report_solves(report, study);
  report_needed_bits(report, study);
  compare_growth(report, study);
  report.paragraph(
      "Rounding costs about u 4^level in plain form and about u in difference form, where the\n"
      "discretisation error is about 4^-level: a level more takes four bits in plain form, two in\n"
      "difference form.  (Multigrid: within one bit.)");
  report.picture("needed_bits.png", draw_needed_bits(study, options).remark);
  report.picture("format_study.png", draw_errors(study, options).remark);
  report_area(report, study);
  compare_twins(report, study);
  compare_with_paper(report, study);
  report.paragraph("All formats from s10e11 to s52e11 are in results.csv.");
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(argc, argv,
                        {.name = "format_study",
                         .question = "How many mantissa bits does a level need?  Section 7 and "
                                     "table 6 of the paper.",
                         .possible = possible,
                         .defaults = "3 7",
                         .full = "level 8 too"},
                        run);
}
