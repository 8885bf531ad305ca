// What does an iteration of conjugate gradients with Jacobi's preconditioner cost, and does mixed
// precision pay?
//
// Of matrices that are made here: the time of an iteration, the median of many that are recorded
// and replayed (the first ones from zero), beside cuSPARSE's product with cuBLAS's vectors,
// recorded in the same way, by CSR and by SELL; and whole solves to 1e-10 for b = A 1 in double, in
// double corrected by single in the variants of refinement, also to double's error, and in single,
// with their errors (Cevahir, Nukada, Matsuoka 2009, fig. 5; Buatois, Caumon, Levy 2009, fig. 9).
// With --together: small systems in one solve beside one after the other.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "precision/precision.hpp"

#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/sparse/by_diagonal.hpp"
#include "solvers/sparse/matrix_on_backend.hpp"
#include "solvers/sparse/sparse_solve.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/measure/sparse_matrices.hpp"
#include "experiments/measure/sparse_together.hpp"
#include "experiments/support/geometric_mean.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

#ifdef NINEFOLD_HAS_SPARSE_PEERS
#include "experiments/measure/peers/cusparse_cg.hpp"
#endif

namespace {

using namespace ninefold;

struct Settings {
  double scale = 1;
  std::vector<std::string> only{};
  int stretches = 5;
  bool iterations_only = false, together = false;
  std::string backend = "auto", output = "results/sparse_cg";
};

Table make_iteration_table() {
  return Table(with_context(
      {{.key = "matrix", .header = "matrix", .align = Align::left},
       {.key = "rows", .header = "rows"},
       {.key = "entries", .header = "entries"},
       {.key = "precision", .header = "precision", .align = Align::left},
       {.key = "microseconds", .header = "iteration", .unit = "us", .style = significant(4)},
       {.key = "of_copy", .header = "of copy", .style = significant(3)},
       {.key = "peer_microseconds",
        .header = "cuSPARSE\nand cuBLAS",
        .unit = "us",
        .style = significant(4)},
       {.key = "times_as_fast", .header = "times as fast", .style = fixed(2)},
       {.key = "sell_microseconds", .header = "by SELL", .unit = "us", .style = significant(4)},
       {.key = "times_as_fast_as_sell", .header = "times as fast", .style = fixed(2)}}));
}

Table make_solve_table() {
  return Table(with_context(
      {{.key = "matrix", .header = "matrix", .align = Align::left},
       {.key = "rows", .header = "rows"},
       {.key = "formats", .header = "formats", .align = Align::left},
       {.key = "variant", .header = "variant", .align = Align::left},
       {.key = "outcome", .header = "outcome", .align = Align::left},
       {.key = "iterations", .header = "iterations"},
       {.key = "seconds", .header = "time", .unit = "ms", .style = significant(4), .scale = 1e-3},
       {.key = "of_double", .header = "of double's", .style = fixed(2)},
       {.key = "true_residual", .header = "true residual", .style = scientific(2)},
       {.key = "error", .header = "error", .style = scientific(2)}}));
}

struct Tables {
  Table iterations = make_iteration_table(), solves = make_solve_table();
  GeometricMean of_csr, of_sell, of_mixed;
};

/// An iteration with all that it needs.
template <Backend B, Number T>
class Iteration {
 public:
  Iteration(const B& on, const SparseMatrix& A, const std::vector<double>& b)
      : on_(on),
        matrix_(on,
                std::make_shared<const LayoutOnBackend<B>>(
                    on, row_layout(A.pattern, SparseStorage::sliced)),
                A.pattern, A.values, OperatorForm::plain),
        b_(on, std::vector<T>(b.begin(), b.end())),
        x_(on, b.size()),
        r_(on, b.size()),
        p_(on, b.size()),
        q_(on, b.size()),
        other_(on, b.size()),
        by_(on, matrix_.view().diagonal()),
        state_(on, 1) {
    CgState<T> scalars{};
    scalars.active = 1;
    scalars.max_iterations = 1 << 30;
    scalars.target = T(-1);
    on.copy_in(state_.data(), &scalars, sizeof scalars);
    on.wait();
  }

  /// r = b, as for x = 0.
  void start() const {
    copy(on_, field(b_), field(r_));
    by_.start(vectors(), state_.data());
  }

  void iterate_twice() const {
    const CgVectors<T> first = vectors(), second = first.turned();
    iterate(first);
    by_.direct_first(first, state_.data());
    iterate(second);
    by_.direct_second(second, state_.data());
  }
  double residual_norm() const {
    return std::sqrt(static_cast<double>(read_value(on_, &state_.data()->rr)));
  }
  double moved_bytes() const {
    std::int64_t bytes = 0;
    matrix_.view().visit([&](const auto& rows) { bytes = rows.moved_bytes; });
    constexpr double values = product_dot_traffic.values() + values_by_diagonal;
    return static_cast<double>(bytes) + values * sizeof(T) * static_cast<double>(x_.size());
  }

 private:
  void iterate(const CgVectors<T>& v) const {
    product_dot(on_, matrix_.view(), v.p, v.q, &state_.data()->pq);
    by_.update(v, true, state_.data());
  }
  Field<T> field(const Array<B, T>& v) const { return {v.data(), static_cast<int>(v.size()), 1}; }
  CgVectors<T> vectors() const {
    return {field(x_), field(r_), field(p_), field(q_), field(r_), field(other_)};
  }

  B on_;
  SparseMatrixOn<B, T> matrix_;
  Array<B, T> b_, x_, r_, p_, q_, other_;
  ByDiagonal<B, T> by_;
  Array<B, CgState<T>> state_;
};

constexpr int iterations = 8;  // two at a time

template <class Cg>
void begin(const Cg& cg) {
  cg.start();
  for (int k = 0; k < iterations; k += 2) {
    if constexpr (requires { cg.iterate_twice(); }) {
      cg.iterate_twice();
    } else {
      cg.iterate();
      cg.iterate();
    }
  }
}

template <class Cg>
double first_norm(const Cg& cg) {
  begin(cg);
  return cg.residual_norm();
}

/// Of the first few: what has converged, and numbers that are none, take other times.
template <Backend B, class Cg>
double seconds_of_iteration(const B& on, const Settings& settings, const Cg& cg) {
  constexpr double stretch_seconds = 0.01;
  const double start = seconds_of(
      on, settings.stretches, 1, [&] { cg.start(); }, stretch_seconds);
  const double all = seconds_of(
      on, settings.stretches, 1, [&] { begin(cg); }, stretch_seconds);
  return (all - start) / iterations;
}

template <Backend B, Number T>
void measure_iteration(const B& on, const ListedMatrix& one, const SparseProblem& problem,
                       const Settings& settings, double rate, const Context& context,
                       Tables& tables) {
  const SparseMatrix& A = problem.A;
  double seconds = 0, bytes = 0;
  [[maybe_unused]] double norm = 0;  // for the peers of a device
  {
    const Iteration<B, T> ours(on, A, problem.b.high);
    norm = first_norm(ours);
    seconds = seconds_of_iteration(on, settings, ours);
    bytes = ours.moved_bytes();
  }
  std::vector<Cell> peers(4);
#ifdef NINEFOLD_HAS_SPARSE_PEERS
  if constexpr (std::is_same_v<B, Cuda>) {
    const auto measure_peer = [&](CusparseFormat format, GeometricMean& mean, Cell& time,
                                  Cell& ratio) {
      const CusparseCg<T> peer(on, A, problem.b.high, format);
      const double other = first_norm(peer);
      if (!(std::abs(other - norm) <= 1e-2 * norm)) {
        std::fputs(fmt::format("note: {}: residuals after some iterations are {} and {}\n",
                               one.name, norm, other)
                       .c_str(),
                   stderr);
      }
      const double its = seconds_of_iteration(on, settings, peer);
      time = 1e6 * its;
      ratio = its / seconds;
      mean.take(its / seconds);
    };
    measure_peer(CusparseFormat::csr, tables.of_csr, peers[0], peers[1]);
    measure_peer(CusparseFormat::sell, tables.of_sell, peers[2], peers[3]);
  }
#endif
  tables.iterations.add_row(with_context(
      {one.name, std::int64_t{A.pattern.n_rows}, A.pattern.entries(), std::string(Format<T>::name),
       1e6 * seconds, bytes / seconds / rate, peers[0], peers[1], peers[2], peers[3]},
      context));
}

/// Formats and variant of a solve.
struct Way {
  Precision precision;
  std::vector<Precision> inner{};
  RefinementVariant variant = RefinementVariant::refinement;
  bool to_double_error = false;  ///< its tolerance is lowered until it has double's error

  bool is_mixed() const { return !inner.empty(); }
};

SparseOptions options_of(const Way& way) {
  SparseOptions options;
  options.order = RowOrder::given;
  options.solver.precision = way.precision;
  options.solver.refinement.inner = way.inner;
  options.solver.refinement.variant = way.variant;
  return options;
}

/// Solved twice, as kernels are loaded in the first.
SparseSolved solve_again(const SparseProblem& problem, const SparseOptions& options,
                         BackendKind where) {
  (void)solve_sparse(problem, options, where);
  return solve_sparse(problem, options, where);
}

/// The first of tolerances, each a third of the one before, that leaves no more than this error; or
/// the last of them.
SparseSolved solve_to_error(const SparseProblem& problem, SparseOptions options, BackendKind where,
                            double error) {
  constexpr int most = 6;
  SparseSolved solved = solve_again(problem, options, where);
  for (int k = 0; k < most && solved.errors.l2.value_or(0) > error; ++k) {
    options.solver.tolerance /= 3;
    solved = solve_again(problem, options, where);
  }
  return solved;
}

void measure_solves(BackendKind where, const ListedMatrix& one, const SparseProblem& problem,
                    const Context& context, Tables& tables) {
  const std::vector<Precision> single{Precision::single_};
  constexpr auto guided = RefinementVariant::residual_guided_cg;
  double of_double = 0, error_of_double = 0;
  for (const Way& way : {Way{Precision::double_}, Way{Precision::double_, single, guided},
                         Way{Precision::double_, single, guided, true},
                         Way{Precision::double_, single, RefinementVariant::flexible_cg},
                         Way{Precision::double_, single}, Way{Precision::single_}}) {
    const SparseOptions options = options_of(way);
    const SparseSolved solved = way.to_double_error
                                    ? solve_to_error(problem, options, where, error_of_double)
                                    : solve_again(problem, options, where);
    const Report& report = solved.report;
    if (of_double == 0) {
      of_double = report.solve_seconds;
      error_of_double = solved.errors.l2.value_or(0);
    }
    const double share = report.solve_seconds / of_double;
    if (way.to_double_error && report.outcome == Outcome::converged
        && solved.errors.l2.value_or(INFINITY) <= error_of_double) {
      tables.of_mixed.take(share);
    }
    std::string formats = to_string(way.precision), variant;
    if (way.is_mixed()) {
      formats += ":" + to_string(way.inner[0]);
      variant = to_string(way.variant);
      if (way.to_double_error) variant += ", to double's error";
    }
    tables.solves.add_row(with_context(
        {one.name, std::int64_t{problem.A.pattern.n_rows}, formats,
         variant.empty() ? Cell() : Cell(variant), std::string(to_string(report.outcome)),
         std::int64_t{way.is_mixed() ? report.inner_iterations : report.iterations},
         report.solve_seconds, share, report.true_residual_reduction, to_cell(solved.errors.l2)},
        context));
  }
}

void write(const Settings& settings, const Tables& tables) {
  const std::filesystem::path folder = settings.output;
  write_file_atomically(folder / "sparse_iterations.csv", tables.iterations.to_csv());
  if (!settings.iterations_only) {
    write_file_atomically(folder / "sparse_solves.csv", tables.solves.to_csv());
  }
}

template <Backend B>
void measure_all(const B& on, BackendKind where, const Settings& settings, Tables& tables) {
  const Context context = context_of(std::is_same_v<B, Cuda>);
  const double rate = plain_rate(on, settings.stretches, std::size_t{1} << 30);
  for (const ListedMatrix& one : listed_matrices(settings.only)) {
    const SparseProblem problem = with_ones(made(one, settings.scale));
    measure_iteration<B, double>(on, one, problem, settings, rate, context, tables);
    measure_iteration<B, float>(on, one, problem, settings, rate, context, tables);
    if (!settings.iterations_only) measure_solves(where, one, problem, context, tables);
    write(settings, tables);
    std::fputs(fmt::format("{}\n", one.name).c_str(), stderr);
  }
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  if (settings.together) {
    const Table table =
        systems_together(where, settings.stretches, context_of(where == BackendKind::cuda));
    write_file_atomically(std::filesystem::path(settings.output) / "sparse_together.csv",
                          table.to_csv());
    std::fputs(fmt::format("Small systems, each alone and all in one solve\n\n{}", table.to_text())
                   .c_str(),
               stdout);
    return;
  }
  Tables tables;
  with_backend(where, [&](const auto& on) { measure_all(on, where, settings, tables); });
  std::string text = fmt::format("An iteration\n\n{}\nSolves to 1e-10\n\n{}",
                                 tables.iterations.to_text(), tables.solves.to_text());
  for (const auto& [mean, format] :
       {std::pair(&tables.of_csr, "CSR"), std::pair(&tables.of_sell, "SELL")}) {
    if (mean->count() == 0) continue;
    text += fmt::format(
        "\nsummary: an iteration is {:.2f} times as fast as with cuSPARSE's {} and cuBLAS, in the "
        "geometric mean of {}",
        mean->value(), format, mean->count());
  }
  if (tables.of_mixed.count() > 0) {
    text += fmt::format(
        "\nsummary: double corrected by single takes {:.2f} of double's time to its error, in the "
        "geometric mean of {}\n",
        tables.of_mixed.value(), tables.of_mixed.count());
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app(
      "What does an iteration of CG cost with a sparse matrix, and does mixed precision pay?",
      "sparse_cg");
  app.add_option("--scale", settings.scale, "rows of each matrix, times this")
      ->check(CLI::Range(1e-5, 10.0))
      ->capture_default_str();
  app.add_option("--only", settings.only, "matrices of the list, by name");
  app.add_flag("--iterations-only", settings.iterations_only, "no whole solves");
  app.add_flag("--together", settings.together,
               "in place of all else: 1 to 64 small systems in one solve");
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
