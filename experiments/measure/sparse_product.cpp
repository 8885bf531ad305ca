// How fast is a sparse product, beside those of other libraries and a plain copy?
//
// Of matrices that are made here, y = A x in each of our storages (Buatois, Caumon, Levy 2009, fig.
// 9; Cevahir, Nukada, Matsuoka 2009, fig. 4) and, on a device, in each format and algorithm of
// cuSPARSE, on the host by Eigen, PETSc and MKL, where these were found; the median time of many
// that are recorded and replayed, and what moves over what a plain copy would move in that time:
// our own bytes by declaration, 2 values of a vector included, those of others by CSR's size.  The
// best of ours over the best of theirs is the next table. Results of others are compared with ours.
//
// Threads.  Eigen and MKL may use as many as we do, PETSc's matrix has one.  The best of theirs is
// the best of those with as many as ours: PETSc counts where OMP_NUM_THREADS is 1.
//
// Naive kernels on a device, which the latter paper compares with, are no peers: the last table is
// the best of ours over each of them, in the geometric mean, and the paper's ratios of means.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "precision/precision.hpp"

#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/sparse/matrix_on_backend.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/measure/sparse_matrices.hpp"
#include "experiments/measure/sparse_peers.hpp"
#include "experiments/paper/sparse_papers.hpp"
#include "experiments/support/geometric_mean.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

constexpr double stretch_seconds = 0.01;

constexpr std::array all_storages{SparseStorage::sliced,   SparseStorage::compressed,
                                  SparseStorage::jagged,   SparseStorage::blocks_2,
                                  SparseStorage::blocks_3, SparseStorage::blocks_4};

struct Settings {
  double scale = 1;
  std::vector<std::string> only{}, storages{}, peers{};  ///< by name; all if there is none
  int stretches = 5;
  std::string backend = "auto", output = "results/sparse_product";
};

/// Of those that are asked for, or of all.
bool is_named(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

Table make_table() {
  return Table(with_context(
      {{.key = "matrix", .header = "matrix", .align = Align::left},
       {.key = "rows", .header = "rows"},
       {.key = "entries", .header = "entries"},
       {.key = "precision", .header = "precision", .align = Align::left},
       {.key = "whose", .header = "whose", .align = Align::left},
       {.key = "storage", .header = "storage", .align = Align::left},
       {.key = "threads", .header = "threads"},
       {.key = "microseconds", .header = "time", .unit = "us", .style = significant(4)},
       {.key = "nanoseconds_per_entry",
        .header = "per entry",
        .unit = "ns",
        .style = significant(3)},
       {.key = "bytes_per_entry", .header = "bytes per\nentry", .style = significant(4)},
       {.key = "of_copy", .header = "of copy", .style = significant(3)},
       {.key = "difference", .header = "difference", .style = scientific(2)}}));
}

Table make_best_table() {
  return Table(
      with_context({{.key = "matrix", .header = "matrix", .align = Align::left},
                    {.key = "precision", .header = "precision", .align = Align::left},
                    {.key = "ours", .header = "ours", .align = Align::left},
                    {.key = "ours_us", .header = "time", .unit = "us", .style = significant(4)},
                    {.key = "peer", .header = "best of the peers", .align = Align::left},
                    {.key = "peer_us", .header = "time", .unit = "us", .style = significant(4)},
                    {.key = "ratio", .header = "times as fast", .style = fixed(2)}}));
}

struct Best {
  std::string name = "none";
  double seconds = std::numeric_limits<double>::infinity();
  void take(const std::string& other, double time) {
    if (time < seconds) *this = {other, time};
  }
};

/// All that is written.
struct Tables {
  Table all = make_table(), best = make_best_table();
  GeometricMean ratio{};
  int wins = 0;
  std::map<std::string, std::map<std::string, GeometricMean>> over_naive{};  ///< by precision
};

/// Our best over each naive kernel.
Table naive_table(const Tables& tables, const Context& context) {
  std::vector<Column> columns{
      {.key = "precision", .header = "precision", .align = Align::left},
      {.key = "matrices", .header = "matrices"},
      {.key = "over_compressed", .header = "over crs,\nnaive", .style = fixed(2)},
      {.key = "over_jagged", .header = "over jagged,\nnaive", .style = fixed(2)},
      {.key = "over_jagged_16", .header = "over jagged\nby 16, naive", .style = fixed(2)}};
  Table table(with_context(std::move(columns)));
  for (const auto& [precision, means] : tables.over_naive) {
    std::vector<Cell> cells{precision, means.begin()->second.count()};
    for (const std::string& name : naive_names()) {
      const auto mean = means.find(name);
      cells.push_back(mean == means.end() ? Cell{} : Cell{mean->second.value()});
    }
    table.add_row(with_context(std::move(cells), context));
  }
  table.add_row({std::string("single, paper"), std::int64_t{42}, jds::proposed_rate / jds::crs_rate,
                 jds::proposed_rate / jds::jds_rate, Cell{}, Cell{}, Cell{}, Cell{}, Cell{}});
  return table;
}

template <Backend B, Number T>
class Measurement {
 public:
  Measurement(const B& on, const std::string& name, const SparseMatrix& A,
              const std::vector<RowLayout>& layouts, const Settings& settings, double rate,
              const Context& context, Tables& tables)
      : on_(on),
        name_(name),
        A_(A),
        layouts_(layouts),
        settings_(settings),
        rate_(rate),
        context_(context),
        tables_(tables),
        x_(on, random_vector()),
        y_(on, padded()) {}

  void run() {
    for (const RowLayout& layout : layouts_) measure_ours(layout);
    for (const SparsePeer<T>& peer : sparse_peers<T>(on_, A_)) {
      if (is_named(settings_.peers, peer.name)) measure(peer);
    }
    for (const auto& [name, seconds] : naive_) {
      tables_.over_naive[std::string(Format<T>::name)][name].take(seconds / ours_.seconds);
    }
    if (!std::isfinite(theirs_.seconds)) return;
    const double ratio = theirs_.seconds / ours_.seconds;
    tables_.ratio.take(ratio);
    tables_.wins += ratio >= 1;
    tables_.best.add_row(
        with_context({name_, std::string(Format<T>::name), ours_.name, 1e6 * ours_.seconds,
                      theirs_.name, 1e6 * theirs_.seconds, ratio},
                     context_));
  }

 private:
  std::size_t padded() const { return static_cast<std::size_t>(A_.pattern.n_rows) + 4; }
  std::vector<T> random_vector() const {
    std::vector<T> x(padded(), T(0));
    for (std::size_t k = 0; k + 4 < x.size(); ++k) x[k] = T(std::sin(static_cast<double>(k)));
    return x;
  }
  Field<T> field(const Array<B, T>& v) const { return {v.data(), A_.pattern.n_rows, 1}; }

  void measure_ours(const RowLayout& layout) {
    const SparseMatrixOn<B, T> matrix(on_, std::make_shared<const LayoutOnBackend<B>>(on_, layout),
                                      A_.pattern, A_.values, OperatorForm::plain);
    const auto work = [&] { product(on_, matrix.view(), field(x_), field(y_)); };
    const double seconds = seconds_of(on_, settings_.stretches, 1, work, stretch_seconds);
    if (reference_.empty()) reference_ = read();
    std::int64_t bytes = 0;
    matrix.view().visit([&](const auto& rows) { bytes = rows.moved_bytes; });
    const std::string name(to_string(layout.storage));
    add_row("ninefold", name, threads_, seconds, static_cast<double>(bytes));
    ours_.take(name, seconds);
  }

  double csr_bytes() const {
    return static_cast<double>(A_.pattern.entries()) * (sizeof(T) + 4) + 4.0 * A_.pattern.n_rows;
  }

  void measure(const SparsePeer<T>& peer) {
    try {
      const auto multiply = peer.prepare();
      const double seconds = seconds_of(
          on_, settings_.stretches, 1, [&] { multiply(x_.data(), y_.data()); }, stretch_seconds);
      add_row(peer.whose, peer.storage, peer.threads, seconds, csr_bytes());
      if (peer.is_naive) {
        naive_.emplace_back(peer.name, seconds);
      } else if (peer.threads == threads_) {
        theirs_.take(peer.name, seconds);
      }
    } catch (const std::runtime_error& error) {
      std::fputs(fmt::format("note: {}, {}: {}\n", name_, peer.name, error.what()).c_str(), stderr);
    }
  }

  std::vector<T> read() const {
    std::vector<T> y(static_cast<std::size_t>(A_.pattern.n_rows));
    on_.read(y.data(), y_.data(), y.size() * sizeof(T));
    return y;
  }

  /// The largest difference from the first result, over its largest value.
  double difference() const {
    double largest = 0, size = 0;
    const std::vector<T> y = read();
    for (std::size_t k = 0; k < y.size(); ++k) {
      largest = std::max(largest, std::abs(static_cast<double>(y[k] - reference_[k])));
      size = std::max(size, std::abs(static_cast<double>(reference_[k])));
    }
    return largest / size;
  }

  void add_row(const std::string& whose, const std::string& storage, int threads, double seconds,
               double bytes) {
    const auto entries = static_cast<double>(A_.pattern.entries());
    const double all = bytes + 2.0 * sizeof(T) * A_.pattern.n_rows;
    tables_.all.add_row(with_context(
        {name_, std::int64_t{A_.pattern.n_rows}, A_.pattern.entries(), std::string(Format<T>::name),
         whose, storage, threads > 0 ? Cell{std::int64_t{threads}} : Cell{}, 1e6 * seconds,
         1e9 * seconds / entries, bytes / entries, all / seconds / rate_, difference()},
        context_));
  }

  B on_;
  std::string name_;
  const SparseMatrix& A_;
  const std::vector<RowLayout>& layouts_;
  const Settings& settings_;
  double rate_;
  const Context& context_;
  Tables& tables_;
  Array<B, T> x_, y_;
  std::vector<T> reference_;
  int threads_ = std::is_same_v<B, Cuda> ? 0 : describe_host().threads;
  Best ours_, theirs_;
  std::vector<std::pair<std::string, double>> naive_;
};

/// Those of our storages that are not mostly filled up.
std::vector<RowLayout> layouts_of(const SparsePattern& pattern,
                                  const std::vector<std::string>& names) {
  constexpr int most_fill = 8;
  std::vector<RowLayout> layouts;
  for (const SparseStorage storage : all_storages) {
    if (!is_named(names, to_string(storage))) continue;
    layouts.push_back(row_layout(pattern, storage));
    if (layouts.back().stored_values() > most_fill * pattern.entries()) layouts.pop_back();
  }
  return layouts;
}

void write(const Settings& settings, const Tables& tables, const Context& context) {
  const std::filesystem::path folder = settings.output;
  write_file_atomically(folder / "sparse_product.csv", tables.all.to_csv());
  if (tables.ratio.count() > 0) {
    write_file_atomically(folder / "sparse_best.csv", tables.best.to_csv());
  }
  if (!tables.over_naive.empty()) {
    write_file_atomically(folder / "sparse_over_naive.csv", naive_table(tables, context).to_csv());
  }
}

template <Backend B>
void measure_all(const B& on, const Settings& settings, const Context& context, Tables& tables) {
  const double rate = plain_rate(on, settings.stretches, std::size_t{1} << 30);
  for (const ListedMatrix& one : listed_matrices(settings.only)) {
    const SparseMatrix A = made(one, settings.scale);
    const std::vector<RowLayout> layouts = layouts_of(A.pattern, settings.storages);
    if (layouts.empty()) {
      std::fputs(
          fmt::format("note: {}: the storages are mostly filled up: not tried\n", one.name).c_str(),
          stderr);
      continue;
    }
    Measurement<B, double>(on, one.name, A, layouts, settings, rate, context, tables).run();
    Measurement<B, float>(on, one.name, A, layouts, settings, rate, context, tables).run();
    write(settings, tables, context);
    std::fputs(fmt::format("{}\n", one.name).c_str(), stderr);
  }
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  const Context context = context_of(where == BackendKind::cuda);
  Tables tables;
  with_backend(where, [&](const auto& on) { measure_all(on, settings, context, tables); });
  std::string text = fmt::format("Sparse products\n\n{}", tables.all.to_text());
  if (tables.ratio.count() > 0) {
    text += fmt::format(
        "\n{}\nsummary: at least as fast as the best peer in {} of {}, {:.2f} times in the "
        "geometric mean\n",
        tables.best.to_text(), tables.wins, tables.ratio.count(), tables.ratio.value());
  }
  if (!tables.over_naive.empty()) {
    text += fmt::format("\nThe best of ours over naive kernels, geometric means\n\n{}",
                        naive_table(tables, context).to_text());
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("How fast is a sparse product, beside those of other libraries and a plain copy?",
               "sparse_product");
  app.add_option("--scale", settings.scale, "rows of each matrix, times this")
      ->check(CLI::Range(1e-5, 10.0))
      ->capture_default_str();
  app.add_option("--only", settings.only, "matrices of the list, by name");
  std::vector<std::string> storages;
  for (const SparseStorage storage : all_storages) storages.emplace_back(to_string(storage));
  app.add_option("--storages", settings.storages, "ours, by name; all if there is none")
      ->check(CLI::IsMember(storages));
  app.add_option("--peers", settings.peers, "others, by name; all if there is none")
      ->check(CLI::IsMember(sparse_peer_names()));
  app.add_option("--stretches", settings.stretches, "of measurements; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--backend", settings.backend, "auto, host or cuda")->capture_default_str();
  app.add_option("--output", settings.output, "folder of the tables")->capture_default_str();
  return run_program(app, argc, argv, [&] {
    run(settings);
    return true;
  });
}
