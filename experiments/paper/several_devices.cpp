// How does conjugate gradients with a sparse matrix go on several devices, and what do parts give
// each other?
//
// Cevahir, Nukada, Matsuoka 2009, section 4.2: rows are cut so that each GPU has as many nonzeros;
// figure 5 has CG on 1, 2 and 4 of them, the text what three matrices send and receive.  Here the
// same by 1, 2 and 4 ranks, which are devices, or threads of the host: with the bits of one, in
// every iteration.
//
// The paper's matrices are not to be had: of matrices made here what parts exchange is counted, and
// compared with what can be counted by hand.  Times are compared with nothing: ranks may share the
// cores of a host, or a device.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fem/sparse/row_parts.hpp"

#include "gpu/backend/ranks.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "output/document/results_figures.hpp"

#include "experiments/paper/sparse_models.hpp"
#include "experiments/paper/sparse_papers.hpp"
#include "experiments/paper/sparse_runs.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{3, 13};
constexpr LevelRange usual{6, 7}, full{6, 9};
constexpr double tolerance = 1e-8;
constexpr std::array<int, 3> rank_counts{1, 2, 4};
const std::vector<std::string> models{"laplace-3d-7", "triangles", "elasticity-3d"};

/// What parts give each other.
struct Volumes {
  std::string model;
  int level, parts;
  double imbalance;  ///< of rows: the most of a part over the mean, less 1
  int fewest_rows;
  std::int64_t most_sent, most_received, all_received;
};

/// A solve by so many ranks.
struct Timed {
  std::string model;
  int level, ranks;
  std::int64_t entries;
  int iterations;
  double seconds_per_iteration;
  bool same_bits;
  std::string link;
};

struct Found {
  std::vector<Volumes> volumes;
  std::vector<Timed> solves;
};

Volumes volumes_of(const SparseModel& model, int level, int parts) {
  Volumes found{model.name, level, parts, 0, model.A.pattern.n_rows, 0, 0, 0};
  int most_rows = 0;
  for (const RowPart& part : row_parts(model.A.pattern, parts)) {
    most_rows = std::max(most_rows, part.last_row - part.first_row);
    found.fewest_rows = std::min(found.fewest_rows, part.last_row - part.first_row);
    found.most_sent = std::max(found.most_sent, part.sent);
    found.most_received = std::max(found.most_received, part.received);
    found.all_received += part.received;
  }
  found.imbalance = static_cast<double>(most_rows) * parts / model.A.pattern.n_rows - 1;
  return found;
}

/// What all parts receive: a plane of nodes on each side of a cut, which may go anywhere through a
/// grid with 7 points, and has to go between two planes where nodes have all around for neighbours:
/// of elastic bodies, whose cells are counted along a side.
std::optional<std::int64_t> received_by_hand(const Volumes& of) {
  const std::int64_t side = side_of(of.model, of.level);
  if (of.fewest_rows < side * side) return {};  // which meet more than the part beside
  if (of.model == "laplace-3d-7") return 2 * (of.parts - 1) * side * side;
  if (of.model == "elasticity-3d" && of.parts == 2) return 2 * 3 * (side + 1) * (side + 1);
  return {};
}

std::string run_name(const std::string& model, int ranks) {
  return fmt::format("{} by {}", model, ranks);
}

/// What rank 0 finds, whose solve is a row of results.
SparseSolved solve_by_ranks(SparseRuns& runs, const SparseProblem& problem,
                            const std::string& model, int level, int count) {
  SparseSolved found;
  run_on_ranks(Slabs(count, Slabs::fewest_cells), [&](const std::shared_ptr<const Ranks>& ranks) {
    SparseOptions options = by_cg(Precision::double_, tolerance);
    options.solver.ranks = ranks;
    if (ranks->rank() == 0) {
      found = runs.solve(run_name(model, count), level, problem, options);
    } else {
      (void)solve_sparse(problem, options, runs.where());
    }
  });
  return found;
}

Found find_all(const LevelRange& levels, SparseRuns& runs) {
  Found found;
  for (const std::string& name : models) {
    for (int level = levels.first; level <= levels.last; ++level) {
      const SparseModel model = sparse_model(name, level);
      const SparseProblem problem = with_solution(model);
      SparseSolved alone;
      for (const int count : rank_counts) {
        if (count > 1) found.volumes.push_back(volumes_of(model, level, count));
        SparseSolved solved = solve_by_ranks(runs, problem, name, level, count);
        if (count == 1) alone = solved;
        const Report& report = solved.report;
        found.solves.push_back(
            {name, level, count, model.A.pattern.entries(), report.iterations,
             report.solve_seconds / std::max(1, report.iterations),
             solved.solution.high == alone.solution.high && report.history == alone.report.history,
             "#" + history_id(run_name(name, count), level)});
      }
    }
  }
  return found;
}

void report_solves(ExperimentReport& report, const Found& found, const std::string& of_what) {
  Table table({text_column("matrix", "matrix"), level_column(), count_column("ranks", "ranks"),
               count_column("entries", "entries"), count_column("iterations", "iterations"),
               time_column("microseconds", "us per\niteration"),
               decimal_column("rate", "10^9 operations\nper second", 2),
               decimal_column("speed_up", "times as\nfast as one", 2),
               decimal_column("paper", "paper,\nmean", 2), text_column("bits", "bits"),
               text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("several_devices, the bits of one");
  const Timed* alone = nullptr;
  for (const Timed& one : found.solves) {
    if (one.ranks == 1) alone = &one;
    comparison.begin_row(run_name(one.model, one.ranks), one.level);
    if (one.ranks > 1) {
      comparison.statement("bits of all iterations", Source::theory, "those of one rank",
                           one.same_bits ? 1 : 0, one.same_bits);
    }
    std::optional<double> printed;
    for (const jds::DeviceRow& row : jds::figure_5) {
      if (row.devices == one.ranks) printed = row.speed_up;
    }
    table.add_row({one.model, std::int64_t{one.level}, std::int64_t{one.ranks}, one.entries,
                   std::int64_t{one.iterations}, 1e6 * one.seconds_per_iteration,
                   2e-9 * static_cast<double>(one.entries) / one.seconds_per_iteration,
                   alone->seconds_per_iteration / one.seconds_per_iteration,
                   printed ? Cell(*printed) : Cell(),
                   std::string(one.ranks == 1  ? ""
                               : one.same_bits ? "those of one"
                                               : "others"),
                   comparison.verdict()});
    links.push_back(cell_links(table, {{"iterations", one.link}}));
  }
  report.table("Figure 5: conjugate gradients by 1, 2 and 4 ranks", "figure_5", table,
               std::move(links));
  report.paragraph(fmt::format(
      "In double with Jacobi's preconditioner, to {:g} of |b|; ranks are {}.  Operations are two "
      "for each entry.  The paper's\nfactors are means over its matrices of more than 5 million "
      "nonzeros, on 1, 2 and 4 GPUs of one machine: ours are shown, not\ncompared.  That an "
      "iteration has the same bits on any number of ranks is ours alone.",
      tolerance, of_what));
  report.add(std::move(comparison));
}

void report_volumes(ExperimentReport& report, const Found& found) {
  constexpr double kilobyte = 1000;
  Table table({text_column("matrix", "matrix"), level_column(), count_column("parts", "parts"),
               decimal_column("imbalance", "rows: most\nover mean, %", 1),
               decimal_column("sent", "most sent,\nkB", 1),
               decimal_column("received", "most\nreceived, kB", 1),
               count_column("all_received", "values\nin all"), count_column("by_hand", "by hand"),
               text_column("agreement", "agrees")});
  for (const jds::VolumeRow& row : jds::volumes) {
    table.add_row({fmt::format("{} (paper)", row.matrix),
                   {},
                   std::int64_t{4},
                   row.imbalance,
                   row.sent,
                   row.received,
                   {},
                   {},
                   std::string()});
  }
  Comparison comparison("several_devices, what parts exchange");
  for (const Volumes& one : found.volumes) {
    comparison.begin_row(fmt::format("{} in {}", one.model, one.parts), one.level);
    const std::optional<std::int64_t> by_hand = received_by_hand(one);
    if (by_hand) {
      comparison.statement("values in all", Source::theory, fmt::format("{}", *by_hand),
                           static_cast<double>(one.all_received), one.all_received == *by_hand);
    }
    const auto bytes = [](std::int64_t values) {
      return static_cast<double>(values) * sizeof(float) / kilobyte;
    };
    table.add_row({one.model, std::int64_t{one.level}, std::int64_t{one.parts}, 100 * one.imbalance,
                   bytes(one.most_sent), bytes(one.most_received), one.all_received,
                   by_hand ? Cell(*by_hand) : Cell(), comparison.verdict()});
  }
  report.table("Section 4.2: what parts of as many nonzeros exchange for a product", "volumes",
               table);
  report.paragraph(
      "Of values in single, 4 bytes each, as the paper has them; parts begin at any row, while "
      "solves cut at multiples of 1024.\nThe paper's imbalance is of rows among four parts; its "
      "matrices are not to be had (ninefold matrix FILE --parts 4 tells\nof one that is there).  "
      "By hand: a cut meets a plane of the grid on each side.");
  report.add(std::move(comparison));
}

bool run(const ExperimentOptions& options) {
  const LevelRange levels = options.levels.value_or(options.full ? full : usual);
  SparseRuns runs(options, static_cast<int>(models.size() * rank_counts.size())
                               * (levels.last - levels.first + 1));
  const Found found = find_all(levels, runs);
  runs.finish();
  const int devices = number_of_devices();
  const std::string of_what =
      !is_device(runs.where())
          ? std::string("threads of the host, which share its cores")
          : fmt::format("on {} CUDA device{}{}", devices, devices == 1 ? "" : "s",
                        devices < rank_counts.back() ? ", which more ranks share" : "");
  ExperimentReport report("Sparse systems on several devices", runs.results(), options.output);
  report_solves(report, found, of_what);
  report_volumes(report, found);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(argc, argv,
                        {.name = "several_devices",
                         .question = "How does CG with a sparse matrix go on several devices, and "
                                     "what do parts give each other?",
                         .possible = possible,
                         .defaults = "6 7",
                         .full = "to level 9"},
                        run);
}
