// How fast, and how well, is an image reconstructed from sparse rows?
//
// Stock and Koch, table 2: products with a matrix of 81,545 x 3,072 and with its transpose, in each
// way to store them; figure 3: their time by the number of nonzeros; table 1 and its text: the
// loop, whose alpha is misprinted, its kernels and starts.  Their matrices are not to be had: one
// of the same shape is made at random, and images are those of parallel-beam tomography.
//
// Times, the shortest of several, depend on the machine and are shown beside the paper's; compared
// are shapes, bits, counts of kernels and starts, and what the loops and fits come to.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fem/sparse/random_rows.hpp"
#include "fem/sparse/rectangular.hpp"

#include "solvers/least_squares/least_squares.hpp"

#include "experiments/measure/rectangular_products.hpp"
#include "experiments/paper/reconstruction_images.hpp"
#include "experiments/paper/reconstruction_loops.hpp"
#include "experiments/paper/sparse_papers.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;
namespace paper = stock_koch;

constexpr LevelRange possible{3, 8};
constexpr LevelRange usual{4, 6}, full{4, 8};

// --- table 2 ----------------------------------------------------------------------------------

void compare_shape(ExperimentReport& report, const SparseMatrix& A) {
  const SparsePattern& pattern = A.pattern;
  const double density =
      static_cast<double>(pattern.entries()) / pattern.n_rows / pattern.n_columns;
  const double megabytes =
      1e-6 * (8.0 * static_cast<double>(pattern.entries()) + 4.0 * (pattern.n_rows + 1));
  Comparison comparison("reconstruction, table 2's matrix");
  comparison.begin_row("shape", 0);
  comparison.count("rows", Source::paper, paper::rows, pattern.n_rows);
  comparison.count("columns", Source::paper, paper::columns, pattern.n_columns);
  comparison.count("nonzeros", Source::paper, paper::entries, static_cast<int>(pattern.entries()));
  comparison.statement("density", Source::paper, "0.3 to 0.4 %", density,
                       paper::least_density <= density && density <= paper::largest_density);
  comparison.digits("MB of compressed rows", Source::paper, paper::crs_megabytes, megabytes, 1);
  comparison.relative("part of the CPU's rate", Source::paper, paper::printed_part,
                      paper::cpu_rate / paper::cpu_bandwidth, 0.035);
  Table table({text_column("what", "what"), decimal_column("paper", "paper", 3),
               decimal_column("ours", "ours", 3)});
  table.add_row({std::string("rows"), 1.0 * paper::rows, 1.0 * pattern.n_rows});
  table.add_row({std::string("columns"), 1.0 * paper::columns, 1.0 * pattern.n_columns});
  table.add_row(
      {std::string("nonzeros"), 1.0 * paper::entries, static_cast<double>(pattern.entries())});
  table.add_row({std::string("density, %"), {}, 100 * density});
  table.add_row({std::string("MB of compressed rows"), paper::crs_megabytes, megabytes});
  report.table("The matrix of table 2", "matrix", table);
  report.paragraph(
      "Called under-determined, it is printed with more rows than columns.  43 of 48 GB/s are 90 "
      "%, printed is 87.");
  report.add(std::move(comparison));
}

/// Of table 2's matrix, or of one that many times as large.
void report_products(ExperimentReport& report, BackendKind where, const SparseMatrix& A,
                     int times = 1) {
  const std::vector<TimedProduct> forward = timed_products(where, A, true),
                                  back = timed_products(where, transposed(A), true);
  const auto best_other = [](const std::vector<TimedProduct>& all) {
    double best = INFINITY;
    for (const TimedProduct& one : all) {
      if (!one.is_ours) best = std::min(best, one.seconds);
    }
    return best;
  };
  Comparison comparison(times == 1
                            ? "reconstruction, products"
                            : fmt::format("reconstruction, products {} times as large", times));
  Table table({text_column("whose", "whose"), text_column("storage", "storage"),
               time_column("forward_us", "A x\nus"), time_column("transposed_us", "A'y\nus"),
               decimal_column("forward_gflops", "A x\nGFlops", 2),
               decimal_column("transposed_gflops", "A'y\nGFlops", 2),
               decimal_column("forward_over", "A x, best\nother over it", 2),
               decimal_column("transposed_over", "A'y, best\nother over it", 2),
               text_column("agreement", "agrees")});
  for (const paper::ProductRow& row : paper::table_2) {
    if (times > 1) break;
    const auto cell = [](double time) { return time > 0 ? Cell(time) : Cell(); };
    const auto rate = [](double time) {
      return time > 0 ? Cell(2e-3 * paper::entries / time) : Cell();
    };
    table.add_row({std::string("paper"),
                   std::string(row.kernel),
                   cell(row.forward),
                   cell(row.transposed),
                   rate(row.forward),
                   rate(row.transposed),
                   {},
                   {},
                   std::string()});
  }
  const double operations = 2.0 * static_cast<double>(A.pattern.entries());
  for (std::size_t k = 0; k < forward.size(); ++k) {
    const TimedProduct &one = forward[k], &other = back[k];
    comparison.begin_row(one.whose + " " + one.storage, 0);
    if (one.is_ours) {
      comparison.count("values with other bits", Source::theory, 0,
                       static_cast<int>(one.differing + other.differing));
    } else {
      // Of n additions at most n roundings of |A||x|, here of both sums.
      constexpr double most = 2 * 512;
      const double difference = std::max(one.difference, other.difference);
      comparison.statement("difference over u |A||x|", Source::theory, fmt::format("<= {}", most),
                           difference, difference <= most);
    }
    table.add_row({one.whose, one.storage, 1e6 * one.seconds, 1e6 * other.seconds,
                   1e-9 * operations / one.seconds, 1e-9 * operations / other.seconds,
                   one.is_ours ? Cell(best_other(forward) / one.seconds) : Cell(),
                   one.is_ours ? Cell(best_other(back) / other.seconds) : Cell(),
                   comparison.verdict()});
  }
  report.table(times == 1 ? "Table 2: products, in single"
                          : fmt::format("Products of a matrix {} times as large, in single", times),
               times == 1 ? "products" : "large_products", table);
  report.paragraph(
      "Both A and A' are stored.  The paper's are of a GeForce 8800 GTS or GTX 280; its OnTheFly "
      "computes entries.  Times are the\nshortest of several and shown, not compared: ratios are "
      "those within this run.");
  report.add(std::move(comparison));
}

// --- figure 3 ---------------------------------------------------------------------------------

void report_sizes(ExperimentReport& report, BackendKind where, const LevelRange& levels) {
  Table table({level_column(), count_column("entries", "nonzeros"), count_column("rows", "rows"),
               time_column("forward_us", "A x\nus"), time_column("transposed_us", "A'y\nus"),
               decimal_column("forward_ns", "A x, ns\na nonzero", 4),
               decimal_column("transposed_ns", "A'y, ns\na nonzero", 4),
               decimal_column("megabytes", "MB that\nA x moves", 3), text_column("knee", "knee"),
               text_column("agreement", "agrees")});
  Comparison comparison("reconstruction, figure 3");
  double least = INFINITY;
  bool has_knee = false;
  for (int step = 2 * levels.first; step <= 2 * levels.last; ++step) {
    const auto entries = static_cast<std::int64_t>(std::llround(std::pow(10.0, 0.5 * step)));
    RandomRowsOptions shape;
    shape.rows = static_cast<int>(static_cast<double>(entries) * paper::rows / paper::entries);
    shape.columns = std::max(16, static_cast<int>(std::llround(static_cast<double>(shape.rows)
                                                               * paper::columns / paper::rows)));
    shape.entries = entries;
    const SparseMatrix A = random_rows(shape).A;
    const TimedProduct forward = timed_products(where, A, false).front(),
                       back = timed_products(where, transposed(A), false).front();
    const double ns = 1e9 * forward.seconds / static_cast<double>(entries);
    least = std::min(least, ns);
    constexpr double risen = 1.5;
    const bool is_knee = !has_knee && ns > risen * least;
    has_knee = has_knee || is_knee;
    comparison.begin_row(fmt::format("{} nonzeros", entries), step / 2);
    comparison.count("values with other bits", Source::theory, 0,
                     static_cast<int>(forward.differing + back.differing));
    table.add_row({std::int64_t{step / 2}, entries, std::int64_t{shape.rows}, 1e6 * forward.seconds,
                   1e6 * back.seconds, ns, 1e9 * back.seconds / static_cast<double>(entries),
                   1e-6 * forward.bytes, std::string(is_knee ? "here" : ""), comparison.verdict()});
  }
  report.table("Figure 3: time of products by the number of nonzeros", "sizes", table);
  report.paragraph(
      "10^level nonzeros, and the half of a power more, in rows as table 2's, sliced.  Knee: the "
      "first time a nonzero takes 1.5\ntimes as long as the shortest before, as where matrix and x "
      "leave a cache; the paper's CPU has it at about 450,000.");
  report.add(std::move(comparison));
}

// --- the loop ---------------------------------------------------------------------------------

void report_loop(ExperimentReport& report, const MeasuredRows& data) {
  constexpr int shown[] = {1, 2, 5, 10, 20};
  const std::vector<double> printed = paper_loop(data, true, 20),
                            meant = paper_loop(data, false, 20);
  LeastSquaresOptions options;
  options.solver.max_iterations = 20;
  options.solver.tolerance = 1e-15;
  const std::vector<double> ours =
      solve_least_squares(problem_of(data), options, BackendKind::host).report.history;
  Comparison comparison("reconstruction, the loop of table 1");
  Table table({count_column("iteration", "iteration"),
               error_column("printed", "alpha as\nprinted", 3),
               error_column("meant", "alpha as\nmeant", 3), error_column("cgls", "CGLS", 3),
               text_column("agreement", "agrees")});
  for (const int k : shown) {
    const auto at = static_cast<std::size_t>(k);
    comparison.begin_row(fmt::format("iteration {}", k), 0);
    comparison.relative("|g| of CGLS", Source::theory, meant[at], ours[at], 1e-6);
    const auto cell = [&](const std::vector<double>& history) {
      return at < history.size() ? Cell(history[at]) : Cell();
    };
    table.add_row({std::int64_t{k}, cell(printed), cell(meant), cell(ours), comparison.verdict()});
  }
  comparison.begin_row("as printed", 0);
  comparison.statement("|g|", Source::theory, "grows beyond 1e6", printed.back(),
                       printed.back() > 1e6);
  report.table("Table 1: what alpha does", "loop", table);
  report.paragraph(
      "Shown is |A'(A x - b)| over the first.  Printed is alpha = -(g, e) / (d, e), which is 1 at "
      "first; "
      "-(g, d) / (d, e) minimises along d.");
  report.add(std::move(comparison));
}

void report_iterations(ExperimentReport& report, BackendKind where, const MeasuredRows& data) {
  Comparison comparison("reconstruction, kernels and starts");
  Table table({text_column("format", "format"), count_column("iterations", "iterations"),
               decimal_column("kernels", "kernels an\niteration", 2),
               count_column("starts", "starts"), decimal_column("milliseconds", "ms", 3),
               decimal_column("per_iteration", "us an\niteration", 2),
               text_column("agreement", "agrees")});
  table.add_row({std::string("paper, before"),
                 std::int64_t{paper::iterations},
                 double{paper::kernels_before},
                 std::int64_t{paper::starts},
                 {},
                 {},
                 std::string()});
  table.add_row({std::string("paper, joined"),
                 std::int64_t{paper::iterations},
                 double{paper::kernels_after},
                 std::int64_t{paper::iterations} * paper::kernels_after,
                 {},
                 {},
                 std::string()});
  comparison.begin_row("paper", 0);
  comparison.count("starts", Source::paper, paper::starts,
                   paper::iterations * paper::kernels_before);
  comparison.relative("seconds of starts", Source::paper, paper::start_seconds_after,
                      paper::start_seconds_before * paper::kernels_after / paper::kernels_before,
                      0.03);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    LeastSquaresOptions options;
    options.solver.precision = precision;
    options.solver.max_iterations = paper::iterations;
    options.solver.tolerance = 1e-100;  // all are to be done
    LeastSquaresSolved solved;
    double seconds = INFINITY;
    constexpr int tries = 5;
    for (int k = 0; k < tries; ++k) {
      solved = solve_least_squares(problem_of(data), options, where);
      seconds = std::min(seconds, solved.report.solve_seconds);
    }
    comparison.begin_row(to_string(precision), 0);
    comparison.count("iterations", Source::paper, paper::iterations, solved.report.iterations);
    const bool has_kernels = is_device(where);
    if (has_kernels) {
      comparison.statement(
          "kernels an iteration", Source::paper, fmt::format("at most {}", paper::kernels_after),
          solved.kernels_per_iteration, solved.kernels_per_iteration <= paper::kernels_after);
      const LeastSquaresSolved host =
          solve_least_squares(problem_of(data), options, BackendKind::host);
      comparison.statement("bits of the host", Source::theory, "the same in all iterations", 1,
                           host.report.history == solved.report.history
                               && host.solution.high == solved.solution.high);
    }
    table.add_row({to_string(precision), std::int64_t{solved.report.iterations},
                   has_kernels ? Cell(solved.kernels_per_iteration) : Cell(),
                   has_kernels ? Cell(static_cast<std::int64_t>(
                       std::llround(solved.kernels_per_iteration * solved.report.iterations)))
                               : Cell(),
                   1e3 * seconds, 1e6 * seconds / solved.report.iterations, comparison.verdict()});
  }
  report.table("An iteration of CGLS", "iterations", table);
  report.paragraph(
      "Of table 2's matrix, the shortest of five solves of 400 iterations, data in place; on a "
      "device recorded and replayed 32\niterations at once.  A host has no kernels.");
  report.add(std::move(comparison));
}

bool run(const ExperimentOptions& options) {
  const LevelRange levels = options.levels.value_or(options.full ? full : usual);
  const BackendKind where = begin_measuring(options.backend, options.output);
  const Results none{make_meta({where}), {}};
  ExperimentReport report("Reconstruction from sparse rows", none, options.output);
  const MeasuredRows data = random_rows({});
  compare_shape(report, data.A);
  report_products(report, where, data.A);
  if (options.full && is_device(where)) {
    constexpr int times = 100;
    RandomRowsOptions large;
    large.rows *= times;
    large.columns *= times;
    large.entries *= times;
    report_products(report, where, random_rows(large).A, times);
  }
  report_sizes(report, where, levels);
  report_loop(report, tomography({.image_size = 16, .angles = 18, .detectors = 24}));
  report_iterations(report, where, data);
  report_images(report, where);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "reconstruction",
       .question = "How fast, and how well, is an image reconstructed from sparse rows?",
       .possible = possible,
       .defaults = "4 6: 10^4 to 10^6 nonzeros of figure 3",
       .full = "to 10^8, and on a device table 2 for a matrix 100 times as large"},
      run);
}
