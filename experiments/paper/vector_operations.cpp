// How fast are operations on vectors, by their length?
//
// Buatois, Caumon, Levy 2009 (CNC), figure 8 and section 3.4: SAXPY and SDOT, steady on a CPU,
// rising with the length on GPUs.  Here y = x + beta y, which CG has in its place and which reads
// and writes as much, and the dot product, in single; rates over that of plain memory movement in
// the same run.
//
// Rates depend on the machine and are shown; compared are the results, which are exact here, and
// what bytes say of the paper's numbers: 6 bytes an operation for SAXPY, 4 for SDOT.

#include "gpu/operations/vector_operations.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpu/backend/vector.hpp"

#include "solvers/with_backend.hpp"

#include "experiments/paper/sparse_papers.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 14};
constexpr LevelRange usual{5, 12}, full{5, 13};

constexpr double values_of_saxpy = xpby_traffic.values(), values_of_sdot = dot_traffic.values();
constexpr double bytes_of_saxpy = sizeof(float) * values_of_saxpy / 2;  // for each operation
constexpr double bytes_of_sdot = sizeof(float) * values_of_sdot / 2;

/// Both operations on vectors of one length.
struct Timed {
  int level, n;
  double saxpy_seconds, sdot_seconds;
  int wrong;  ///< values of y that are not what they shall be
  double sum;

  double saxpy_operations() const { return 2.0 * n / saxpy_seconds; }
  double sdot_operations() const { return (2.0 * n - 1) / sdot_seconds; }
};

/// One x in so many is 1, all others are 0: sums are exact, whatever their order.
constexpr int stride = 64;

/// (x, 2 x)
int exact_sum(int n) {
  return 2 * ((n + stride - 1) / stride);
}

template <Backend B>
Timed time_operations(const B& on, int level) {
  const int n = 1 << (2 * level);
  std::vector<float> given(static_cast<std::size_t>(n), 0.0F), doubled(given);
  for (std::size_t k = 0; k < given.size(); k += stride) {
    given[k] = 1;
    doubled[k] = 2;
  }
  // 2 x = x + (2 x) / 2, as often as it is repeated.
  const Array<B, float> x(on, given), y(on, doubled), beta(on, std::vector<float>{0.5F}),
      sum(on, 1);
  const Extent all(Box{0, n, 0, 1});
  const auto field = [&](const Array<B, float>& v) { return Field<float>{v.data(), n, 1}; };
  Timed timed{level, n, 0, 0, 0, 0};
  timed.saxpy_seconds =
      shortest_seconds(on, [&] { xpby(on, all, beta.data(), field(x), field(y)); });
  timed.sdot_seconds =
      shortest_seconds(on, [&] { dot<B, float>(on, all, field(x), field(y), sum.data()); });
  std::vector<float> result(given.size());
  on.read(result.data(), y.data(), result.size() * sizeof(float));
  for (std::size_t k = 0; k < result.size(); ++k) timed.wrong += result[k] != doubled[k];
  timed.sum = static_cast<double>(read_value(on, sum.data()));
  return timed;
}

struct Found {
  std::vector<Timed> lengths;
  double plain_rate = 0;  ///< bytes per second
};

Found find_all(BackendKind where, const LevelRange& levels) {
  Found found;
  with_backend(where, [&](const auto& on) {
    for (int level = levels.first; level <= levels.last; ++level) {
      found.lengths.push_back(time_operations(on, level));
    }
    found.plain_rate = plain_rate(on, 3, plain_bytes);
  });
  return found;
}

void report_lengths(ExperimentReport& report, const Found& found) {
  Table table({level_column(), count_column("n", "n"), time_column("saxpy_us", "SAXPY\nus"),
               decimal_column("saxpy_rate", "SAXPY\nGFlops", 2),
               decimal_column("saxpy_of_copy", "SAXPY,\nover copy", 2),
               time_column("sdot_us", "SDOT\nus"), decimal_column("sdot_rate", "SDOT\nGFlops", 2),
               decimal_column("sdot_of_copy", "SDOT,\nover copy", 2),
               text_column("agreement", "agrees")});
  Comparison comparison("vector_operations, exact results");
  for (const Timed& one : found.lengths) {
    comparison.begin_row(fmt::format("n = {}", one.n), one.level);
    comparison.count("wrong values of SAXPY", Source::theory, 0, one.wrong);
    comparison.count("SDOT", Source::theory, exact_sum(one.n), static_cast<int>(one.sum));
    table.add_row({std::int64_t{one.level}, std::int64_t{one.n}, 1e6 * one.saxpy_seconds,
                   1e-9 * one.saxpy_operations(),
                   bytes_of_saxpy * one.saxpy_operations() / found.plain_rate,
                   1e6 * one.sdot_seconds, 1e-9 * one.sdot_operations(),
                   bytes_of_sdot * one.sdot_operations() / found.plain_rate, comparison.verdict()});
  }
  report.table("Figure 8: operations on vectors in single, by length", "lengths", table);
  report.paragraph(fmt::format(
      "n = 4^level.  SAXPY: y = x + beta y.  Operations: 2 n and 2 n - 1, as the paper counts "
      "them.  Over copy: bytes over\nthose of plain memory movement of arrays of 256 MiB, {:.1f} "
      "GB/s here; above 1 in caches.  Rates, of the shortest of\nseveral times, are shown, not "
      "compared.",
      1e-9 * found.plain_rate));
  report.add(std::move(comparison));
}

void report_paper(ExperimentReport& report, const Found& found) {
  Table table({text_column("device", "device"), decimal_column("saxpy", "SAXPY\nGFlops", 2),
               decimal_column("sdot", "SDOT\nGFlops", 2),
               decimal_column("ratio", "SDOT over\nSAXPY", 2),
               decimal_column("by_bytes", "by bytes", 2),
               decimal_column("of_bandwidth", "SAXPY of\nbandwidth", 2),
               decimal_column("of_operations", "SAXPY of\noperations", 3),
               text_column("agreement", "agrees")});
  Comparison comparison("vector_operations, the paper by bytes");
  constexpr double by_bytes = bytes_of_saxpy / bytes_of_sdot;
  for (const cnc::VectorRow& row : cnc::figure_8) {
    comparison.begin_row(std::string(row.device), 0);
    const double ratio = row.sdot / row.saxpy;
    const double of_bandwidth = bytes_of_saxpy * row.saxpy / row.peak_bandwidth;
    const double of_operations = row.saxpy / row.peak_operations;
    if (&row == &cnc::figure_8.front()) {
      // Steady, for it is bound by memory.
      comparison.relative("SDOT over SAXPY", Source::paper, ratio, by_bytes, 0.02);
    } else {
      comparison.statement("SAXPY of bandwidth", Source::paper,
                           fmt::format("at least {}", cnc::saxpy_of_bandwidth), of_bandwidth,
                           cnc::saxpy_of_bandwidth <= of_bandwidth && of_bandwidth < 1);
      comparison.relative("SAXPY of operations", Source::paper, cnc::saxpy_of_operations,
                          of_operations, 0.1);
    }
    table.add_row({std::string(row.device), row.saxpy, row.sdot, ratio, by_bytes, of_bandwidth,
                   of_operations, comparison.verdict()});
  }
  const Timed& longest = found.lengths.back();
  const double saxpy = longest.saxpy_operations(), sdot = longest.sdot_operations();
  table.add_row({fmt::format("here, n = {}", longest.n),
                 1e-9 * saxpy,
                 1e-9 * sdot,
                 sdot / saxpy,
                 by_bytes,
                 bytes_of_saxpy * saxpy / found.plain_rate,
                 {},
                 std::string()});
  report.table("Figure 8 and section 3.4, by bytes", "paper", table);
  report.paragraph(
      "The paper's best rates and the peaks of its table 2: what section 3.4 says of SAXPY follows "
      "from its bytes.  Here\nbandwidth is that of plain movement, not a peak.");
  report.add(std::move(comparison));
}

bool run(const ExperimentOptions& options) {
  const LevelRange levels = options.levels.value_or(options.full ? full : usual);
  const BackendKind where = begin_measuring(options.backend, options.output);
  const Results none{make_meta({where}), {}};
  const Found found = find_all(where, levels);
  ExperimentReport report("Operations on vectors", none, options.output);
  report_lengths(report, found);
  report_paper(report, found);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(argc, argv,
                        {.name = "vector_operations",
                         .question = "How fast are operations on vectors, by their length?",
                         .possible = possible,
                         .defaults = "5 12: 4^5 to 4^12 values",
                         .full = "to 4^13"},
                        run);
}
