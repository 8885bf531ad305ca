// How fast is each operation, against the plain movement of memory on the same device?
//
// For each level, format, kind of matrix and form: the rate at which an operation moves its
// declared bytes (between grids: for each coarse node), beside the rate of a plain copy (device) or
// a STREAM-like triad (host) of vectors of the same size, measured in the same run.  Then whole
// solves: conjugate gradients per iteration against the bytes its operations declare, multigrid
// against the memory that five vectors and all bands need.
//
// Each time is the median of many stretches; the work of one stretch is recorded and replayed.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <ninefold/version.hpp>

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/fused_operations.hpp"
#include "gpu/operations/row_operations.hpp"

#include "solvers/solve.hpp"
#include "solvers/system/system.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/measure/operation_tables.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

constexpr int calls = 4;  // of an operation in one recording

struct Settings {
  std::vector<int> levels{12};
  int stretches = 15;  ///< of which the median counts
  std::vector<Precision> precisions = named_precisions();
  bool matrices = true;  ///< or only what knows no matrix
  std::vector<int> cg_levels{8, 10, 12}, multigrid_levels{8, 10, 12, 13};
  std::string backend = "auto";
  std::string output = "results/operations";
};

/// Times operations on one grid and one backend, in T, and adds their rates to a table.
template <Backend B, Number T>
class OperationTimes {
 public:
  OperationTimes(const B& on, int level, const Settings& settings, Table& table,
                 const Context& context)
      : on_(on),
        level_(level),
        settings_(settings),
        table_(table),
        context_(context),
        grids_(make_hierarchy(1.0, 1.0, level)),
        nx_(grids_.back().nx()),
        ny_(grids_.back().ny()),
        box_(unknown_nodes(grids_.back(), {})),
        x_(on, nx_, ny_),
        y_(on, nx_, ny_),
        b_(on, nx_, ny_),
        r_(on, nx_, ny_),
        result_(on, 1) {
    // Zeros could be moved or computed faster than what a solver sees.
    std::vector<double> values(static_cast<std::size_t>(nx_) * ny_);
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = std::sin(0.001 * static_cast<double>(k));
    for (const auto* v : {&x_, &y_, &b_, &r_}) upload(on, values, 0, v->view());
    rate_of_plain_ =
        plain_rate(on, settings.stretches, static_cast<std::size_t>(nx_) * ny_ * sizeof(T));
  }

  void with_matrix(OperatorStorage storage, OperatorForm form) {
    const Coefficients<Assembly<T>> one{1.0, 1.0, 0.0};
    const TensorGrid& grid = grids_.back();
    if (storage == OperatorStorage::stored) {
      with_rows_of(StoredMatrix<B, T>(on_, grid, box_, one, form), storage, form);
    } else if (storage == OperatorStorage::computed) {
      with_rows_of(ComputedMatrix<B, T>(on_, grid, box_, one, form), storage, form);
    } else {
      with_rows_of(FactoredMatrix<B, T>(on_, grid, box_, one), storage, form);
    }
  }

  void with_vectors() {
    using C = Arithmetic<T>;
    const Array<B, C> beta(on_, 1);
    const C half(0.5);
    on_.copy_in(beta.data(), &half, sizeof half);  // repeated steps must neither grow nor vanish
    const Array<B, CgState<C>> state(on_, 1);
    CgState<C> scalars{};
    scalars.active = 1;  // or cg_update would spare itself the reading of p and q
    on_.copy_in(state.data(), &scalars, sizeof scalars);
    add("cg update", cg_update_traffic,
        [&] { cg_update(on_, box_, x_.view(), y_.view(), b_.view(), r_.view(), state.data()); });
    add("xpby", xpby_traffic, [&] { xpby(on_, box_, beta.data(), x_.view(), y_.view()); });
    const Coarser coarse(on_, grids_);
    add(
        "restrict residual", restrict_traffic,
        [&] {
          restrict_residual(on_, coarse.box, box_, coarse.transfer(), r_.view(), coarse.c.view());
        },
        coarse.box);
    add(
        "add prolongated", prolong_traffic_of_coarse_node,
        [&] { add_prolongated(on_, box_, coarse.transfer(), coarse.c.view(), x_.view()); },
        coarse.box);
    add("dot", dot_traffic, [&] { dot<B, T>(on_, box_, x_.view(), y_.view(), result_.data()); });
  }

 private:
  /// The next coarser grid, and the way from there.
  struct Coarser {
    using C = Arithmetic<T>;
    NodeVector<B, T> c;
    Array<B, TransferWeights<C>> wx, wy;
    Box box;

    Coarser(const B& on, const std::vector<TensorGrid>& grids)
        : c(on, grids[grids.size() - 2].nx(), grids[grids.size() - 2].ny()),
          wx(on, transfer_weights<C>(grids.back().x)),
          wy(on, transfer_weights<C>(grids.back().y)),
          box(unknown_nodes(grids[grids.size() - 2], {})) {}
    Transfer<C> transfer() const { return {wx.data(), wy.data()}; }
  };

  /// Of the passes between two grids the traffic is that of a coarse node.
  void with_fused_passes(const FactoredRows<T>& A, const std::string& kind,
                         const std::string& form) {
    const Coarser coarse(on_, grids_);
    const auto omega = Leading<T>(0.8);
    const auto pass = [&](const char* name, Traffic traffic, const Box& box, const auto& work) {
      add(name, traffic, work, box, kind, form);
    };
    pass("two steps", jacobi_step_traffic, box_,
         [&] { jacobi_steps<T>(on_, A, b_.view(), omega, x_.view(), 2, y_.view()); });
    pass("two steps from zero", jacobi_start_traffic, box_,
         [&] { jacobi_steps_from_zero<T>(on_, A, b_.view(), omega, 2, y_.view()); });
    pass("prolongation and two steps", Traffic{9, 4}, coarse.box, [&] {
      jacobi_steps_on_sum<T>(on_, coarse.transfer(), coarse.c.view(), A, b_.view(), omega,
                             x_.view(), 2, y_.view());
    });
    const Relaxations<Leading<T>, most_fused_steps> by_bound(omega, Divisor::bound);
    pass("two Chebyshev steps", jacobi_step_traffic, box_,
         [&] { jacobi_steps<T>(on_, A, b_.view(), by_bound, x_.view(), 2, y_.view()); });
    pass("prolongation from zero and two Chebyshev steps", Traffic{5, 4}, coarse.box, [&] {
      jacobi_steps_on_prolongation<T>(on_, coarse.transfer(), coarse.c.view(), A, b_.view(),
                                      by_bound, 2, y_.view());
    });
    pass("residual and restriction", Traffic{8, 1}, coarse.box, [&] {
      restrict_residual_of<T>(on_, coarse.box, coarse.transfer(), A, b_.view(), x_.view(),
                              coarse.c.view());
    });
  }

  template <class Matrix>
  void with_rows_of(const Matrix& matrix, OperatorStorage storage, OperatorForm form) {
    const auto A = matrix.view();
    using Rows = std::remove_const_t<decltype(A)>;
    const std::string kind(to_string(storage)), of(to_string(form));
    add(
        "product", with_rows<Rows>(product_traffic), [&] { product(on_, A, x_.view(), y_.view()); },
        box_, kind, of);
    add(
        "residual", with_rows<Rows>(residual_traffic),
        [&] { residual(on_, A, b_.view(), x_.view(), r_.view()); }, box_, kind, of);
    add(
        "jacobi step", with_rows<Rows>(jacobi_step_traffic),
        [&] { jacobi_step(on_, A, b_.view(), Leading<T>(0.8), x_.view(), y_.view()); }, box_, kind,
        of);
    add(
        "residual square", with_rows<Rows>(residual_square_traffic),
        [&] { residual_square<B, T>(on_, A, b_.view(), x_.view(), result_.data()); }, box_, kind,
        of);
    add(
        "product and dot", with_rows<Rows>(product_dot_traffic),
        [&] { product_dot(on_, A, x_.view(), y_.view(), result_.data()); }, box_, kind, of);
    if constexpr (std::is_same_v<
                      B,
                      Cuda> && std::is_same_v<Rows, FactoredRows<T>> && has_fused_operations<T>) {
      with_fused_passes(A, kind, of);
    }
  }

  template <class Work>
  void add(const char* name, Traffic traffic, const Work& work) {
    add(name, traffic, work, box_);
  }
  /// The traffic is for each node of the box.
  template <class Work>
  void add(const char* name, Traffic traffic, const Work& work, const Box& box,
           const std::string& storage = "", const std::string& form = "") {
    const double seconds = seconds_of(on_, settings_.stretches, calls, work);
    const double nodes = static_cast<double>(box.width()) * box.height();
    const double rate = nodes * traffic.values() * static_cast<double>(sizeof(T)) / seconds;
    table_.add_row(with_context(
        {std::int64_t{level_}, std::string(Format<T>::name), storage, form, std::string(name),
         std::int64_t{traffic.values()}, seconds, rate, rate_of_plain_, rate / rate_of_plain_},
        context_));
  }

  const B& on_;
  int level_;
  const Settings& settings_;
  Table& table_;
  const Context& context_;
  std::vector<TensorGrid> grids_;
  int nx_, ny_;
  Box box_;
  NodeVector<B, T> x_, y_, b_, r_;
  Array<B, Scalar<T>> result_;
  double rate_of_plain_ = 0;
};

/// The median of five solves, by time.
Solved typical_solve(const Problem& problem, const std::vector<TensorGrid>& grids,
                     const SolverOptions& options, BackendKind where) {
  std::vector<Solved> runs;
  for (int k = 0; k < 5; ++k) {
    runs.push_back(solve(problem, grids, options, where));
    runs.back().solution = {};
  }
  return median_of(std::move(runs), [](const Solved& a, const Solved& b) {
    return a.report.solve_seconds < b.report.solve_seconds;
  });
}

void measure_solves(const Settings& settings, BackendKind where, double rate_of_plain, Table& table,
                    const Context& context) {
  const Problem problem = make_problem({}, 1.0, 1.0);
  const auto measure = [&](int level, Method method, Precision precision) {
    SolverOptions options = paper_options();
    options.method = method;
    options.precision = precision;
    // Tolerances that the formats attain: double in truth, single up to level 10.
    const bool wide = facts(precision).unit_roundoff < 0x1p-40;
    options.tolerance = wide ? 1e-8 : 1e-2;
    if (method == Method::cg) {
      options.tolerance = 1e-10;
      options.max_iterations = 320;  // enough to time: ten blocks
    }
    const std::vector<TensorGrid> grids = make_hierarchy(1.0, 1.0, level);
    const Report report = typical_solve(problem, grids, options, where).report;
    const double n = std::ldexp(1.0, level) + 1, nodes = n * n;
    const double bytes =
        with_type(precision, []<class T>() { return static_cast<double>(sizeof(T)); });
    Cell ratio, memory_ratio;
    if (method == Method::cg) {
      const int values = with_rows<NineBand<const double>>(product_dot_traffic).values()
                         + cg_update_traffic.values() + xpby_traffic.values();
      ratio = nodes * values * bytes * report.iterations / report.solve_seconds / rate_of_plain;
    } else {
      double all_levels = 0;
      for (int l = 1; l <= level; ++l) all_levels += std::pow(std::ldexp(1.0, l) + 1, 2);
      memory_ratio =
          static_cast<double>(report.memory_bytes) / (bytes * (5 * nodes + 9 * all_levels));
    }
    table.add_row(with_context(
        {std::int64_t{level}, std::string(to_string(method)), std::string(to_string(precision)),
         options.tolerance, std::int64_t{report.iterations}, std::string(to_string(report.outcome)),
         report.true_residual_reduction, report.setup_seconds, report.solve_seconds,
         1e9 * report.solve_seconds / nodes, static_cast<double>(report.memory_bytes), memory_ratio,
         ratio},
        context));
    std::cerr << "." << std::flush;
  };
  for (const Precision precision : settings.precisions) {
    for (const int level : settings.cg_levels) measure(level, Method::cg, precision);
    for (const int level : settings.multigrid_levels) measure(level, Method::multigrid, precision);
  }
}

template <Backend B, Number T>
void measure_format(const B& on, int level, const Settings& settings, Table& operations,
                    const Context& context) {
  OperationTimes<B, T> times(on, level, settings, operations, context);
  times.with_vectors();
  if (settings.matrices) {
    times.with_matrix(OperatorStorage::stored, OperatorForm::plain);
    for (const auto storage :
         {OperatorStorage::stored, OperatorStorage::computed, OperatorStorage::factored}) {
      times.with_matrix(storage, OperatorForm::difference);
    }
  }
  std::cerr << "." << std::flush;
}

template <Backend B>
void measure_all(const B& on, const Settings& settings, Table& operations, const Context& context) {
  for (const int level : settings.levels) {
    for (const Precision precision : settings.precisions) {
      with_format(precision, [&]<class T>() {
        if constexpr (!std::is_same_v<T, SoftFloat>) {
          measure_format<B, T>(on, level, settings, operations, context);
        }
      });
    }
  }
}

void write(const Table& table, const std::filesystem::path& directory, const std::string& name) {
  write_file_atomically(directory / (name + ".csv"), table.to_csv());
  write_file_atomically(directory / (name + ".md"), table.to_markdown());
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  const bool on_device = where == BackendKind::cuda;
  const Context context = context_of(on_device);
  Table operations = operation_table(on_device ? "copy" : "triad");
  Table solves = solve_table();
  double rate_of_plain = 0;
  const int largest = *std::max_element(settings.levels.begin(), settings.levels.end());
  const std::size_t bytes = static_cast<std::size_t>(std::pow(std::ldexp(1.0, largest) + 1, 2)) * 8;
  with_backend(where, [&](const auto& on) {
    measure_all(on, settings, operations, context);
    rate_of_plain = plain_rate(on, settings.stretches, bytes);
  });
  if (settings.matrices) measure_solves(settings, where, rate_of_plain, solves, context);
  std::cerr << "\n";
  std::cout << context.device << ", commit " << commit << ", " << context.date << "\n\n"
            << operations.to_text() << "\n";
  write(operations, settings.output, "operations");
  if (settings.matrices) {
    std::cout << solves.to_text();
    write(solves, settings.output, "solves");
  }
  std::cout << "\nwritten to " << settings.output << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Rates of all operations against plain memory movement on the same device",
               "operations");
  app.add_option("--level,--levels", settings.levels, "of the operations")
      ->check(CLI::Range(1, 14));
  app.add_flag("!--vectors-only", settings.matrices,
               "operations without a matrix, those between grids among them, and no solves");
  app.add_option("--cg-levels", settings.cg_levels, "of the CG solves")->check(CLI::Range(1, 15));
  app.add_option("--multigrid-levels", settings.multigrid_levels, "of the multigrid solves")
      ->check(CLI::Range(1, 15));
  std::vector<std::string> precisions;
  app.add_option("--precisions", precisions, "formats, such as single double-single; default: all");
  app.add_option("--stretches", settings.stretches, "measurements per figure, the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--backend", settings.backend, "auto, host or cuda");
  app.add_option("--output", settings.output, "directory for the tables");
  return run_program(app, argc, argv, [&] {
    if (!precisions.empty()) settings.precisions = measured_formats(precisions);
    run(settings);
    return true;
  });
}
