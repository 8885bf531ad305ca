// Where does CG with a sparse matrix end in single precision, what is its error there, and what do
// mixed precision and difference form do about it?
//
// Buatois, Caumon, Levy 2009 (CNC), figure 11: in single the residual falls to 1e-8 within 500
// iterations, for which CPU and GPU agree; then they part.  Here the bits agree from the first
// iteration to the last, in every storage and on a device; and beside the residual, which CG only
// updates, stand the true one and the error, which the paper does not show.  Cevahir, Nukada,
// Matsuoka 2009: CG in single as the preconditioner of CG in double, "not sacrificing accuracy".
// Section 3.3 of CNC: 80 % of the time is the product's; here its part of the bytes.
//
// The systems are of the papers' kinds (sparse_models.hpp); their own are not to be had, nor their
// rates, which are those of their machines.  CNC prints d = r + beta d; s + beta d is meant, s =
// M^-1 r, and taken here.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/operations/row_operations.hpp"
#include "gpu/operations/sparse_operations.hpp"

#include "experiments/paper/sparse_cg_solves.hpp"
#include "experiments/paper/sparse_papers.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;
using namespace ninefold::sparse_cg;

// On level 7 single is of no use for the parameterisation, inside double neither (docs/sparse.md).
constexpr LevelRange possible{2, 6};
constexpr LevelRange usual{4, 6}, full{2, 6};
constexpr double texels = 4096;  // along a side of a texture that is parameterised

void report_ends(ExperimentReport& report, const Found& found) {
  Table table(
      {text_column("matrix", "matrix"), level_column(), count_column("unknowns", "unknowns"),
       text_column("way", "way"), count_column("steps", "steps\nof CG"),
       decimal_column("over_double", "over those\nof double", 2), text_column("outcome", "outcome"),
       error_column("residual", "residual\nof CG", 2),
       error_column("true_residual", "true\nresidual", 2), error_column("error", "l2 error", 2),
       error_column("texels", "largest,\ntexels", 2), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("sparse_cg_precision, where each way ends");
  for (const Solve& one : found.solves) {
    const Report& solved = one.report();
    const double error = one.solved.errors.l2.value();
    comparison.begin_row(one.run(), one.level);
    if (one.way->precision == Precision::double_) {
      comparison.statement("true residual", one.way->mixed() ? Source::paper : Source::theory,
                           one.way->mixed() ? "as accurate as double" : "below the tolerance",
                           solved.true_residual_reduction,
                           solved.true_residual_reduction <= recurrence_drift * tolerance);
    } else {
      const double least = *std::min_element(solved.history.begin(), solved.history.end());
      comparison.statement("residual of CG", Source::paper, "falls to 1e-8", least, least <= 1e-8);
      comparison.statement("true residual", Source::theory, "stays above 1e-8",
                           solved.true_residual_reduction, solved.true_residual_reduction > 1e-8);
    }
    const bool on_mesh = one.model == "parameterisation" || one.model == "smoothing";
    // Of a handful of unknowns chance decides.
    if (one.way->name == "single difference" && on_mesh && one.level >= 3) {
      const double plain = found.at(one.model, "single plain", one.level).solved.errors.l2.value();
      comparison.statement("l2 error", Source::theory,
                           fmt::format("less than {:.2e}, in plain form", plain), error,
                           error < plain);
    }
    const Solve& in_double = found.at(one.model, "double", one.level);
    const bool in_texels = one.model == "parameterisation";
    table.add_row({one.model, std::int64_t{one.level}, std::int64_t{one.unknowns}, one.way->name,
                   std::int64_t{one.steps()}, static_cast<double>(one.steps()) / in_double.steps(),
                   std::string(to_string(solved.outcome)), solved.residual_reduction,
                   solved.true_residual_reduction, error,
                   in_texels ? Cell(texels * one.solved.errors.largest.value()) : Cell(),
                   comparison.verdict()});
    links.push_back(cell_links(table, {{"steps", one.link()}}));
  }
  report.table("Figure 11 of CNC, and mixed precision: where each way ends", "ends", table,
               std::move(links));
  report.paragraph(fmt::format(
      "Tolerance {}.  Steps: of the innermost CG.  guided: the inner iteration keeps its search "
      "directions; flexible: {}\nsteps in single precondition each one in double, as JDS has it, "
      "whose number is not printed; restarted: plain\nrefinement.  The residual of CG is the one "
      "that it updates: in single it goes on falling when the true one no longer\ndoes, and says "
      "nothing of the error.  As accurate as double: by the true residual, as JDS has it; errors "
      "of "
      "the\nsame residual differ.  In difference form errors shall be less than in plain form "
      "where "
      "rows sum up to little, on\nmeshes of level 3 and up.  Texels: the largest error of a map to "
      "a texture of {}^2.",
      tolerance, flexible_steps, texels));
  report.add(std::move(comparison));
}

void report_cuts(ExperimentReport& report, const Found& found) {
  std::vector<Column> columns{count_column("iterations", "iterations")};
  for (const char* what : {"residual", "error"}) {
    for (const std::string& way : cut_ways()) {
      std::string header = fmt::format("{}\n{}", what, way);
      columns.push_back(error_column(fmt::format("{} {}", what, way), header, 2));
    }
  }
  Table table(std::move(columns));
  for (std::size_t k = 0; k < found.cuts.size(); k += cut_ways().size()) {
    std::vector<Cell> cells{std::int64_t{found.cuts[k].iterations}};
    for (std::size_t w = 0; w < cut_ways().size(); ++w) {
      cells.emplace_back(found.cuts[k + w].solved.report.residual_reduction);
    }
    for (std::size_t w = 0; w < cut_ways().size(); ++w) {
      cells.push_back(to_cell(found.cuts[k + w].solved.errors.l2));
    }
    table.add_row(std::move(cells));
  }
  report.table(fmt::format("Figure 11: a parameterisation, level {}, after so many iterations",
                           found.cuts.front().level),
               "figure_11", table);
  report.paragraph(
      "Left as the figure has it, the residual that CG updates; right the error of the same "
      "iterate.");
}

void report_bits(ExperimentReport& report, const Found& found) {
  Table table({text_column("what", "CG in single"), level_column(),
               count_column("paper_alike", "iterations alike,\nCPU and GPU, paper"),
               count_column("alike", "alike\nours"), count_column("iterations", "of"),
               text_column("solution", "solution"), text_column("agreement", "agrees")});
  Comparison comparison("sparse_cg_precision, the same bits");
  for (const Again& one : found.again) {
    comparison.begin_row(one.what, one.level);
    comparison.count("iterations alike", Source::theory, one.iterations, one.alike);
    comparison.statement("solution", Source::theory, "the same bits", one.same_solution,
                         one.same_solution);
    table.add_row({one.what, std::int64_t{one.level}, std::int64_t{cnc::iterations_alike},
                   std::int64_t{one.alike}, std::int64_t{one.iterations},
                   std::string(one.same_solution ? "the same" : "another"), comparison.verdict()});
  }
  report.table("Figure 11: how long residuals agree, against sliced storage", "same_bits", table);
  report.paragraph(
      "To the last bit, in every storage; on a machine with a GPU that, and the host beside it.  "
      "The paper's two curves are\nof its own CPU and GPU.");
  report.add(std::move(comparison));
}

void report_shares(ExperimentReport& report, const Found& found) {
  Table table({text_column("matrix", "matrix"), level_column(), text_column("format", "format"),
               decimal_column("bytes_per_unknown", "bytes per unknown\nand iteration", 1),
               decimal_column("paper_share", "product's share\npaper, of time", 2),
               decimal_column("share", "ours,\nof bytes", 3), text_column("agreement", "agrees")});
  Comparison comparison("sparse_cg_precision, the product's share");
  for (const Solve& one : found.solves) {
    if (one.way->mixed() || one.way->form != OperatorForm::plain) continue;
    const double vector = (one.way->precision == Precision::double_ ? 8.0 : 4.0) * one.unknowns;
    const double of_product =
        static_cast<double>(one.solved.matrix_bytes) + product_dot_traffic.values() * vector;
    const double of_all = of_product + values_by_diagonal * vector;
    const double share = of_product / of_all;
    comparison.begin_row(one.run(), one.level);
    comparison.statement("share", Source::paper, "most of it: above 0.5", share,
                         share > 0.5 && share < 1);
    table.add_row({one.model, std::int64_t{one.level}, to_string(one.way->precision),
                   of_all / one.unknowns, cnc::share_of_product, share, comparison.verdict()});
  }
  report.table("Section 3.3 of CNC: the product's part of an iteration", "shares", table);
  report.paragraph(fmt::format(
      "Of the bytes that an iteration moves, by declaration, in sliced storage.  Beside "
      "the product it moves {} values an\nunknown, in two passes; the paper's vector "
      "operations are a pass each, and its blocks store more.",
      values_by_diagonal));
  report.add(std::move(comparison));
}

bool run(const ExperimentOptions& options) {
  const LevelRange levels = options.levels.value_or(options.full ? full : usual);
  SparseRuns runs(options, static_cast<int>(models().size() * ways().size())
                               * (levels.last - levels.first + 1));
  const Found found = find_all(levels, runs);
  runs.finish();
  ExperimentReport report("CG with sparse matrices in single, double and both", runs.results(),
                          options.output);
  report_ends(report, found);
  report_cuts(report, found);
  report_bits(report, found);
  report_shares(report, found);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "sparse_cg_precision",
       .question = "Where does CG with a sparse matrix end in single precision, and with which "
                   "error?",
       .possible = possible,
       .defaults = "4 6",
       .full = "from level 2"},
      run);
}
