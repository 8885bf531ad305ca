// How much do blocks store of a sparse matrix, and what does another order change?
//
// Buatois, Caumon, Levy 2009 (CNC), figures 2 and 3, section 2.2: blocks of 2 x 2 and 4 x 4 hold
// each entry and the zeros beside it; reverse Cuthill-McKee "had no influence".  Of matrices of
// their kinds (sparse_models.hpp), nodes numbered by rows, at random, and by that order: bandwidth,
// stored values, fill, and the iterations and time of CG.
//
// The papers' meshes and matrices are not to be had, and figure 2's numbers are those of a small
// matrix in a picture: what is compared is what can be counted by hand, what the order may not
// change, and the entries per row of table 3.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fem/sparse/reordering.hpp"
#include "fem/sparse/storage_size.hpp"

#include "output/document/results_figures.hpp"

#include "experiments/paper/sparse_models.hpp"
#include "experiments/paper/sparse_papers.hpp"
#include "experiments/paper/sparse_runs.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 10};
constexpr LevelRange usual{4, 6}, full{4, 8};
constexpr double tolerance = 1e-8;
// An order changes no number that is exact, but the rounding of CG's sums: in double-double this is
// of no account.
constexpr double iteration_margin = 0.03;
constexpr NodeOrder orders[] = {NodeOrder::rows, NodeOrder::random, NodeOrder::rcm};
// Of CNC's kinds, whose systems are solved.
const std::vector<std::string> solved_models{"parameterisation", "smoothing"};

/// A matrix in an order, as blocks hold it.
struct Filled {
  std::string model;
  int level;
  NodeOrder order;
  int unknowns;
  std::int64_t entries, bandwidth, stored_in_2, stored_in_4;

  double fill(std::int64_t stored) const {
    return static_cast<double>(entries) / static_cast<double>(stored);
  }
  double per_row(std::int64_t values) const {
    return static_cast<double>(values) / static_cast<double>(unknowns);
  }
  std::string row() const { return fmt::format("{} {}", model, to_string(order)); }
};

Filled filled(const SparseModel& model, int level, NodeOrder order) {
  const SparsePattern& pattern = model.A.pattern;
  return {model.name,
          level,
          order,
          pattern.n_rows,
          pattern.entries(),
          band_facts(pattern).bandwidth,
          4 * count_blocks(pattern, 2),
          16 * count_blocks(pattern, 4)};
}

/// A solve with its place in the table of times.
struct Timed {
  std::string model;
  int level;
  NodeOrder order;
  int iterations, wide_iterations;  ///< in double and in double-double
  double seconds_per_iteration;
  std::string link;
};

struct Found {
  std::vector<Filled> fills;
  std::vector<Timed> solves;
};

std::string run_name(const std::string& model, NodeOrder order) {
  return fmt::format("{} {}", model, to_string(order));
}

bool is_solved(const std::string& model) {
  return std::find(solved_models.begin(), solved_models.end(), model) != solved_models.end();
}

Found find_all(const LevelRange& levels, SparseRuns& runs) {
  Found found;
  for (const std::string& name : sparse_model_names()) {
    for (int level = levels.first; level <= levels.last; ++level) {
      const SparseModel by_rows = sparse_model(name, level);
      for (const NodeOrder order : orders) {
        const SparseModel model = reordered(by_rows, order);
        found.fills.push_back(filled(model, level, order));
        if (!is_solved(name)) continue;
        const SparseSolved solved = runs.solve(run_name(name, order), level, with_solution(model),
                                               by_cg(Precision::double_, tolerance));
        const SparseSolved wide =
            runs.solve(run_name(name, order) + ", double-double", level, with_solution(model),
                       by_cg(Precision::double_double, tolerance));
        found.solves.push_back({name, level, order, solved.report.iterations,
                                wide.report.iterations,
                                solved.report.solve_seconds / std::max(1, solved.report.iterations),
                                "#" + history_id(run_name(name, order), level)});
      }
    }
  }
  return found;
}

Cell counted_cell(const std::optional<std::int64_t>& count) {
  return count ? Cell(*count) : Cell();
}

void report_fills(ExperimentReport& report, const Found& found) {
  Table table(
      {text_column("matrix", "matrix"), level_column(), text_column("order", "order"),
       count_column("unknowns", "unknowns"), count_column("entries", "entries"),
       decimal_column("per_row", "per row", 2), count_column("bandwidth", "bandwidth"),
       count_column("stored_in_2", "2 x 2\nstored"), decimal_column("fill_of_2", "2 x 2\nfill", 3),
       count_column("stored_in_4", "4 x 4\nstored"), decimal_column("fill_of_4", "4 x 4\nfill", 3),
       decimal_column("per_row_in_4", "4 x 4\nper row", 2),
       count_column("counted_entries", "entries\nby hand"),
       count_column("counted_in_2", "2 x 2\nby hand"),
       count_column("counted_in_4", "4 x 4\nby hand"), text_column("agreement", "agrees")});
  Comparison comparison("fill, entries and blocks");
  const auto by_hand = [&](const char* quantity, std::int64_t expected, std::int64_t ours) {
    comparison.statement(quantity, Source::theory, fmt::format("{}", expected),
                         static_cast<double>(ours), ours == expected);
  };
  for (std::size_t k = 0; k < found.fills.size(); ++k) {
    const Filled& one = found.fills[k];
    std::optional<CountedEntries> counted = counted_entries(one.model, one.level);
    comparison.begin_row(one.row(), one.level);
    if (counted) by_hand("entries", counted->entries, one.entries);
    if (one.order != NodeOrder::rows || one.model == "triangles-shuffled") {
      // Blocks that whole nodes fill stay as they are.
      if (counted && one.model != "parameterisation" && one.model != "elasticity-2d"
          && one.model != "shell") {
        counted->stored_in_2.reset();
      }
      if (counted) counted->stored_in_4.reset();
    }
    if (counted && counted->stored_in_2) {
      by_hand("2 x 2 stored", *counted->stored_in_2, one.stored_in_2);
    }
    if (counted && counted->stored_in_4) {
      by_hand("4 x 4 stored", *counted->stored_in_4, one.stored_in_4);
    }
    if (one.order == NodeOrder::rcm) {
      const std::int64_t before = found.fills[k - 1].bandwidth;
      comparison.statement("bandwidth", Source::paper,
                           fmt::format("less than {} at random", before),
                           static_cast<double>(one.bandwidth), one.bandwidth < before);
    }
    table.add_row({one.model, std::int64_t{one.level}, std::string(to_string(one.order)),
                   std::int64_t{one.unknowns}, one.entries, one.per_row(one.entries), one.bandwidth,
                   one.stored_in_2, one.fill(one.stored_in_2), one.stored_in_4,
                   one.fill(one.stored_in_4), one.per_row(one.stored_in_4),
                   counted ? Cell(counted->entries) : Cell(),
                   counted ? counted_cell(counted->stored_in_2) : Cell(),
                   counted ? counted_cell(counted->stored_in_4) : Cell(), comparison.verdict()});
  }
  report.table("Figures 2 and 3: what blocks store, in three orders", "fill", table);
  std::string kinds;
  for (const std::string& name : sparse_model_names()) {
    kinds += fmt::format("{}{}: {}", kinds.empty() ? "" : ";\n", name, stands_for(name));
  }
  report.paragraph(fmt::format(
      "{}.\nLevel l has 2^l nodes along a side.  Orders number whole nodes: rcm is reverse "
      "Cuthill-McKee of the random one.\nFill: entries over stored values.  By hand: formulas of "
      "the meshes.  The paper shows fill of a small matrix in\nfigure 2 alone, and figure 3 "
      "without numbers: that the reversed order brings entries to the diagonal.",
      kinds));
  report.add(std::move(comparison));
}

void report_table_3(ExperimentReport& report, const Found& found) {
  Table table(
      {text_column("task", "task"), text_column("mesh", "mesh"),
       count_column("unknowns", "unknowns"), decimal_column("paper_per_row", "paper\nper row", 1),
       decimal_column("entries_per_row", "ours\nentries", 1),
       decimal_column("per_row_in_2", "ours\n2 x 2", 1),
       decimal_column("per_row_in_4", "ours\n4 x 4", 1), text_column("agreement", "agrees")});
  Comparison comparison("fill, table 3");
  for (const std::string& task : solved_models) {
    const bool maps = task == "parameterisation";
    double least = INFINITY, largest = 0;
    for (const cnc::MeshRow& mesh : cnc::table_3) {
      const double unknowns = maps ? mesh.parameterisation_unknowns : mesh.smoothing_unknowns;
      const double entries = maps ? mesh.parameterisation_entries : mesh.smoothing_entries;
      least = std::min(least, entries / unknowns);
      largest = std::max(largest, entries / unknowns);
      table.add_row({task,
                     std::string(mesh.mesh),
                     std::int64_t{std::llround(1000 * unknowns)},
                     entries / unknowns,
                     {},
                     {},
                     {},
                     std::string()});
    }
    for (const Filled& one : found.fills) {
      if (one.model != task) continue;
      comparison.begin_row(one.row(), one.level);
      // Not on the smallest, where boundaries are half of the mesh.
      if (maps && one.order == NodeOrder::rcm && one.level >= 4) {
        const double ours = one.per_row(one.stored_in_4);
        comparison.statement("4 x 4 per row", Source::paper,
                             fmt::format("within {:.1f} to {:.1f}", least, largest), ours,
                             least <= ours && ours <= largest);
      }
      table.add_row({task,
                     fmt::format("ours, level {}, {}", one.level, to_string(one.order)),
                     std::int64_t{one.unknowns},
                     {},
                     one.per_row(one.entries),
                     one.per_row(one.stored_in_2),
                     one.per_row(one.stored_in_4),
                     comparison.verdict()});
    }
  }
  report.table("Table 3: non-zero elements per row", "table_3", table);
  report.paragraph(
      "The paper's meshes are not to be had.  A row of its parameterisations cannot have more than "
      "about 14 entries (7\nvertices, 2 unknowns each), yet table 3 has 29 to 41: as many values "
      "as blocks of 4 store, once meshes are numbered\nwell.  That it counts these is our guess, "
      "which parameterisations bear out.  Its smoothings have 20 to 41: the\ndragon's 19.6 are our "
      "matrix's entries, the faces' are neither those nor what blocks of our numbering store.  "
      "They\nare shown, not compared.");
  report.add(std::move(comparison));
}

void report_orders(ExperimentReport& report, const Found& found) {
  Table table({text_column("matrix", "matrix"), level_column(), text_column("order", "order"),
               count_column("iterations", "iterations"),
               count_column("wide_iterations", "in double-\ndouble"),
               decimal_column("of_by_rows", "over those\nby rows", 3),
               time_column("microseconds", "us per\niteration"),
               decimal_column("paper_time", "time over\nby rows, paper", 1),
               decimal_column("time", "time over\nby rows", 2),
               text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("fill, iterations in each order");
  const Timed* by_rows = nullptr;
  for (const Timed& one : found.solves) {
    if (one.order == NodeOrder::rows) by_rows = &one;
    const std::string name = run_name(one.model, one.order);
    comparison.begin_row(name, one.level);
    if (one.order != NodeOrder::rows) {
      comparison.relative("iterations", Source::theory, by_rows->wide_iterations,
                          one.wide_iterations, iteration_margin);
    }
    table.add_row({one.model, std::int64_t{one.level}, std::string(to_string(one.order)),
                   std::int64_t{one.iterations}, std::int64_t{one.wide_iterations},
                   static_cast<double>(one.wide_iterations) / by_rows->wide_iterations,
                   1e6 * one.seconds_per_iteration, 1.0,
                   one.seconds_per_iteration / by_rows->seconds_per_iteration,
                   comparison.verdict()});
    links.push_back(cell_links(table, {{"iterations", one.link}}));
  }
  report.table("Section 2.2.4: CG in three orders, in double", "orders", table, std::move(links));
  report.paragraph(fmt::format(
      "To {:g} of |b|.  An order changes no exact number, only how CG's sums are rounded: in "
      "double-double iterations shall be within {:g} %.\nThe paper has seen no influence of "
      "reverse "
      "Cuthill-McKee on the time.  Times here are of one solve each, by a machine\nthat may do "
      "other things: they are shown, not compared.",
      tolerance, 100 * iteration_margin));
  report.add(std::move(comparison));
}

bool run(const ExperimentOptions& options) {
  const LevelRange levels = options.levels.value_or(options.full ? full : usual);
  const auto solves = static_cast<int>(2 * solved_models.size() * std::size(orders))
                      * (levels.last - levels.first + 1);
  SparseRuns runs(options, solves);
  const Found found = find_all(levels, runs);
  runs.finish();
  ExperimentReport report("What blocks store, and what an order changes", runs.results(),
                          options.output);
  report_fills(report, found);
  report_table_3(report, found);
  report_orders(report, found);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "fill",
       .question = "How much do blocks store of a sparse matrix, and what does an order change?",
       .possible = possible,
       .defaults = "4 6",
       .full = "to level 8"},
      run);
}
