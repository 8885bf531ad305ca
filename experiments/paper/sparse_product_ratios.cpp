// How much faster is a sparse product in one storage than in another, and what do bytes predict?
//
// Buatois, Caumon, Levy 2009 (CNC), figure 9 and section 3.2: blocks of 2 over compressed rows,
// blocks of 4 over blocks of 2; Cevahir, Nukada, Matsuoka 2009 (JDS), figure 4: jagged diagonals
// with a thread a row over plain loops over rows and over diagonals.  In single; ratios of one run
// beside the papers', and the ratios of the bytes that a product moves.
//
// Times, the shortest of several, depend on the machine and are shown; compared are the results,
// which have the same bits in all storages and lie within rounding of the plain loops', and what
// follows from bytes.  The plain loops are the host's: on a device ratios are those among our
// storages, whose peers are measured by experiments/measure/sparse_product.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/sparse/matrix_on_backend.hpp"
#include "solvers/with_backend.hpp"

#include "experiments/paper/plain_rows.hpp"
#include "experiments/paper/sparse_models.hpp"
#include "experiments/paper/sparse_papers.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 10};
constexpr LevelRange usual{8, 8}, full{5, 8};
const std::vector<std::string> models{"parameterisation", "smoothing", "elasticity-2d",
                                      "triangles"};
constexpr SparseStorage storages[] = {SparseStorage::compressed, SparseStorage::sliced,
                                      SparseStorage::jagged, SparseStorage::blocks_2,
                                      SparseStorage::blocks_4};
constexpr NodeOrder orders[] = {NodeOrder::rows, NodeOrder::random, NodeOrder::rcm};

/// A product in a storage, or by a plain loop.
struct Timed {
  std::string model;
  int level;
  NodeOrder order;
  std::string storage;
  std::int64_t rows, entries;
  double seconds, bytes;   ///< bytes: that it moves, x and y once each; none of plain loops
  std::int64_t differing;  ///< values of the result with other bits than in compressed rows
  double rounding;  ///< of plain loops: |difference| over u |A||x| and a row's entries, the largest
};

struct Found {
  std::vector<Timed> products;

  const Timed* at(const std::string& model, int level, const std::string& storage,
                  NodeOrder order = NodeOrder::rows) const {
    const auto found = std::find_if(products.begin(), products.end(), [&](const Timed& one) {
      return one.model == model && one.level == level && one.storage == storage
             && one.order == order;
    });
    return found == products.end() ? nullptr : &*found;
  }
};

const std::string plain_rows = "plain rows", plain_diagonals = "plain diagonals";

/// Figure 2 of JDS: jagged diagonals one after the other, each adding to y.
struct PlainDiagonals {
  explicit PlainDiagonals(const SparseMatrix& A) {
    const int n = A.pattern.n_rows;
    rows.resize(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](int i, int j) { return A.pattern.length(i) > A.pattern.length(j); });
    for (int d = 0; d < A.pattern.length(rows.front()); ++d) {
      for (const int row : rows) {
        if (A.pattern.length(row) <= d) break;
        columns.push_back(A.pattern.row(row)[static_cast<std::size_t>(d)]);
        values.push_back(static_cast<float>(A.row_values(row)[static_cast<std::size_t>(d)]));
      }
      starts.push_back(values.size());
    }
  }

  void product(const float* x, float* y) const {
    std::fill(y, y + rows.size(), 0.0F);
    for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
      const auto length = static_cast<std::int64_t>(starts[d + 1] - starts[d]);
#pragma omp parallel for
      for (std::int64_t r = 0; r < length; ++r) {
        const std::size_t at = starts[d] + static_cast<std::size_t>(r);
        y[rows[static_cast<std::size_t>(r)]] += values[at] * x[columns[at]];
      }
    }
  }

  std::vector<int> rows;
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  std::vector<std::size_t> starts{0};
};

/// The largest difference of two results over what one rounding of |A||x| is, for each entry.
double rounding_between(const SparseMatrix& A, const std::vector<float>& x,
                        const std::vector<float>& y, const std::vector<float>& z) {
  constexpr double u = std::numeric_limits<float>::epsilon() / 2;
  double largest = 0;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    double size = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      size += std::abs(values[k] * static_cast<double>(x[static_cast<std::size_t>(columns[k])]));
    }
    const auto at = static_cast<std::size_t>(i);
    const double difference = std::abs(static_cast<double>(y[at]) - static_cast<double>(z[at]));
    if (size > 0) {
      largest = std::max(largest, difference / (u * size * static_cast<double>(columns.size())));
    }
  }
  return largest;
}

template <Backend B>
void time_products(const B& on, const SparseModel& model, int level, NodeOrder order,
                   Found& found) {
  const SparsePattern& pattern = model.A.pattern;
  const auto n = static_cast<std::size_t>(pattern.n_rows);
  std::vector<float> given(n + 4, 0.0F);  // blocks read on behind the last row
  for (std::size_t k = 0; k < n; ++k) given[k] = std::sin(static_cast<float>(k));
  const Array<B, float> x(on, given), y(on, n + 4);
  const auto field = [&](const Array<B, float>& v) {
    return Field<float>{v.data(), pattern.n_rows, 1};
  };
  std::vector<float> first, result(n);
  const auto add = [&](const std::string& storage, double seconds, double bytes, double rounding) {
    std::int64_t differing = 0;
    for (std::size_t k = 0; k < n; ++k) differing += result[k] != first[k];
    found.products.push_back({model.name, level, order, storage, pattern.n_rows, pattern.entries(),
                              seconds, bytes, differing, rounding});
  };
  for (const SparseStorage storage : storages) {
    // In other orders one storage is enough.
    if (order != NodeOrder::rows && storage != SparseStorage::compressed) break;
    const SparseMatrixOn<B, float> matrix(
        on, std::make_shared<const LayoutOnBackend<B>>(on, row_layout(pattern, storage)), pattern,
        model.A.values, OperatorForm::plain);
    const double seconds =
        shortest_seconds(on, [&] { product(on, matrix.view(), field(x), field(y)); });
    on.read(result.data(), y.data(), n * sizeof(float));
    if (first.empty()) first = result;
    std::int64_t bytes = 0;
    matrix.view().visit([&](const auto& rows) { bytes = rows.moved_bytes; });
    add(std::string(to_string(storage)), seconds,
        static_cast<double>(bytes) + 2.0 * sizeof(float) * static_cast<double>(n), 0);
  }
  if constexpr (std::is_same_v<B, Host>) {
    if (order != NodeOrder::rows) return;
    const auto time_plain = [&](const std::string& name, const auto& plain) {
      const double seconds = shortest_seconds(on, [&] { plain.product(x.data(), y.data()); });
      on.read(result.data(), y.data(), n * sizeof(float));
      add(name, seconds, 0, rounding_between(model.A, given, first, result));
    };
    time_plain(plain_rows, PlainRows(model.A));
    time_plain(plain_diagonals, PlainDiagonals(model.A));
  }
}

Found find_all(BackendKind where, const LevelRange& levels) {
  Found found;
  with_backend(where, [&](const auto& on) {
    for (const std::string& name : models) {
      for (int level = levels.first; level <= levels.last; ++level) {
        const SparseModel by_rows = sparse_model(name, level);
        for (const NodeOrder order : orders) {
          if (order != NodeOrder::rows && name != models.front()) continue;
          time_products(on, reordered(by_rows, order), level, order, found);
        }
      }
    }
  });
  return found;
}

void report_products(ExperimentReport& report, const Found& found) {
  Table table(
      {text_column("matrix", "matrix"), level_column(), text_column("storage", "storage"),
       count_column("entries", "entries"), decimal_column("bytes_per_entry", "bytes per\nentry", 2),
       time_column("microseconds", "us"), decimal_column("predicted", "over crs,\nby bytes", 2),
       decimal_column("over_crs", "over crs,\nby time", 2),
       decimal_column("over_plain", "over plain\nrows", 2), text_column("agreement", "agrees")});
  Comparison comparison("sparse_product_ratios, results");
  for (const Timed& one : found.products) {
    if (one.order != NodeOrder::rows) continue;
    const Timed& crs = *found.at(one.model, one.level, "crs");
    const Timed* const plain = found.at(one.model, one.level, plain_rows);
    comparison.begin_row(fmt::format("{} {}", one.model, one.storage), one.level);
    if (one.bytes > 0) {
      comparison.count("values that differ", Source::theory, 0, static_cast<int>(one.differing));
    } else {
      // Two sums of n terms: each is off by at most (n - 1) + 1 roundings, about.
      comparison.statement("rounding", Source::theory, "at most 2 for each entry", one.rounding,
                           one.rounding <= 2);
    }
    table.add_row({one.model, std::int64_t{one.level}, one.storage, one.entries,
                   one.bytes > 0 ? Cell(one.bytes / static_cast<double>(one.entries)) : Cell(),
                   1e6 * one.seconds, one.bytes > 0 ? Cell(crs.bytes / one.bytes) : Cell(),
                   crs.seconds / one.seconds,
                   plain != nullptr ? Cell(plain->seconds / one.seconds) : Cell(),
                   comparison.verdict()});
  }
  report.table("Products in single, by rows", "products", table);
  report.paragraph(
      "Bytes: the matrix with all indices, x and y once each; values of slices are held in half "
      "where that has them exactly.\nThe result has the same bits in every storage.  plain: loops "
      "over rows, and over jagged diagonals that add to y\n(figures 1 and 2 of JDS), on all cores. "
      " "
      "Times, the shortest of several, are shown, not compared.");
  report.add(std::move(comparison));
}

void report_ratios(ExperimentReport& report, const Found& found) {
  Table table({text_column("ratio", "faster"), text_column("matrix", "matrix"), level_column(),
               decimal_column("paper_cpu", "paper,\nCPU", 2),
               decimal_column("paper_gpu", "paper,\nGPU", 2),
               decimal_column("predicted", "by bytes", 2), decimal_column("ours", "ours", 2),
               text_column("agreement", "agrees")});
  Comparison comparison("sparse_product_ratios, what bytes say");
  for (const Timed& crs : found.products) {
    if (crs.storage != "crs" || crs.order != NodeOrder::rows) continue;
    const auto add = [&](const std::string& ratio, const Timed* fast, const Timed* slow, Cell cpu,
                         Cell gpu) {
      if (fast == nullptr || slow == nullptr) return;
      comparison.begin_row(fmt::format("{} {}", crs.model, ratio), crs.level);
      const bool by_bytes = slow->bytes > 0;
      const double predicted = slow->bytes / fast->bytes;
      const bool in_pairs = crs.model == "parameterisation" || crs.model == "elasticity-2d";
      if (by_bytes && in_pairs && fast->storage == "blocks-2") {
        comparison.statement("bytes", Source::paper, "blocks of 2 move less", predicted,
                             predicted > 1);
      }
      table.add_row({ratio, crs.model, std::int64_t{crs.level}, std::move(cpu), std::move(gpu),
                     by_bytes ? Cell(predicted) : Cell(), slow->seconds / fast->seconds,
                     comparison.verdict()});
    };
    const auto find = [&](const std::string& storage) {
      return found.at(crs.model, crs.level, storage);
    };
    add("2 x 2 over crs", find("blocks-2"), &crs, cnc::products_on_cpu.blocks_2_over_crs,
        cnc::products_on_gpu.blocks_2_over_crs);
    add("4 x 4 over 2 x 2", find("blocks-4"), find("blocks-2"),
        cnc::products_on_cpu.blocks_4_over_blocks_2, cnc::products_on_gpu.blocks_4_over_blocks_2);
    add("sliced over plain rows", find("sliced"), find(plain_rows), {},
        jds::proposed_rate / jds::crs_rate);
    add("sliced over plain diagonals", find("sliced"), find(plain_diagonals), {},
        jds::proposed_rate / jds::jds_rate);
  }
  comparison.begin_row("JDS, section 4.1", 0);
  const double bandwidth = jds::bytes_per_entry * jds::proposed_rate / 2;
  comparison.relative("GB/s of 12 bytes an entry", Source::paper, jds::proposed_bandwidth,
                      bandwidth, 0.01);
  report.table("Ratios beside the papers'", "ratios", table);
  report.paragraph(fmt::format(
      "CNC, section 3.2: on average 18 % and 300 % for blocks of 2, 33 % and 50 % for blocks of 4, "
      "of its matrices; JDS,\nfigure 4: {} over {} and {} GFlops, of 42 matrices that are not to "
      "be had.  Bytes predict that blocks of 4 pay only where\nthey are full: in the papers' days "
      "loads of four values at once did.  JDS's effective rate, {} GB/s, is 12 bytes for\neach "
      "entry: {:.1f}.",
      jds::proposed_rate, jds::crs_rate, jds::jds_rate, jds::proposed_bandwidth, bandwidth));
  report.add(std::move(comparison));
}

void report_orders(ExperimentReport& report, const Found& found) {
  Table table({text_column("matrix", "matrix"), level_column(), text_column("order", "order"),
               time_column("microseconds", "us"), decimal_column("paper", "over rcm,\npaper", 1),
               decimal_column("over_rcm", "over rcm,\nours", 2)});
  for (const Timed& one : found.products) {
    if (one.model != models.front() || one.storage != "crs") continue;
    const Timed& rcm = *found.at(one.model, one.level, "crs", NodeOrder::rcm);
    table.add_row({one.model, std::int64_t{one.level}, std::string(to_string(one.order)),
                   1e6 * one.seconds, 1.0, one.seconds / rcm.seconds});
  }
  report.table("Section 2.2.4 of CNC: a product in compressed rows, in three orders", "orders",
               table);
  report.paragraph("CNC has seen no influence of reverse Cuthill-McKee.  Shown, not compared.");
}

bool run(const ExperimentOptions& options) {
  const LevelRange levels = options.levels.value_or(options.full ? full : usual);
  const BackendKind where = begin_measuring(options.backend, options.output);
  const Results none{make_meta({where}), {}};
  const Found found = find_all(where, levels);
  ExperimentReport report("Sparse products, storage over storage", none, options.output);
  report_products(report, found);
  report_ratios(report, found);
  report_orders(report, found);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "sparse_product_ratios",
       .question =
           "How much faster is a sparse product in one storage than in another, and what do "
           "bytes predict?",
       .possible = possible,
       .defaults = "8 8",
       .full = "from level 5"},
      run);
}
