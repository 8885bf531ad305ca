// What does a direct solve cost, and what residual does it leave?
//
// Fast diagonalisation of test A's matrix on uniform cells (waves) and on graded ones (computed
// eigenvectors): the time of its preparation, once, and of one application, the median of many that
// are recorded and replayed; what it holds; and |b - A x| / |b| of what it finds, alone and after
// one refinement.

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "precision/precision.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/direct/dense_product.hpp"
#include "gpu/direct/eigenvectors.hpp"
#include "gpu/direct/wave_lines.hpp"
#include "gpu/operations/any_rows.hpp"

#include "solvers/direct/fast_diagonalisation.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

struct Settings {
  std::vector<int> levels{8, 10};
  int most_graded = 10;
  int stretches = 9;
  std::string backend = "auto", output = "results/direct_solver";
};

Table make_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "cells", .header = "cells", .align = Align::left},
       {.key = "precision", .header = "precision", .align = Align::left},
       {.key = "preparation", .header = "preparation", .unit = "ms", .style = significant(4)},
       {.key = "milliseconds", .header = "solve", .unit = "ms", .style = significant(4)},
       {.key = "products", .header = "of them\nproducts", .unit = "ms", .style = significant(4)},
       {.key = "per_unknown", .header = "per\nunknown", .unit = "ns", .style = significant(4)},
       {.key = "kernels", .header = "kernels"},
       {.key = "memory", .header = "values per\nunknown", .style = fixed(2)},
       {.key = "residual", .header = "residual", .style = significant(3)},
       {.key = "refined", .header = "refined", .style = significant(3)}}));
}

/// Test A's problem, on uniform cells or on ones graded by `nu` towards two sides.
Problem polynomial() {
  return make_problem({}, 1.0, 1.0);
}
TensorGrid grid_of(int level, double nu) {
  return make_hierarchy(1.0, 1.0, level, {nu, {Side::right, Side::bottom}}).back();
}

/// Of four products of matrices as large as a plane of so many unknowns in each direction.
template <Backend B, Number T>
double seconds_of_products(const B& on, int unknowns, const Settings& settings) {
  const int n = plane_pitch(unknowns);
  const auto values = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  // Values as those of a solve: a device's clock depends on them.
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<T> some(values);
  for (T& value : some) value = static_cast<T>(draw(random));
  const Array<B, T> V(on, some), plane(on, some), result(on, values);
  const DenseProducts<B, T> products(on);
  const Dense<const T> matrix{V.data(), n}, transpose{V.data(), n, Turned::yes},
      from{plane.data(), n};
  const Dense<T> to{result.data(), n};
  const auto work = [&] {
    products.multiply(n, n, n, transpose, from, to);
    products.multiply(n, n, n, from, matrix, to);
    products.multiply(n, n, n, from, transpose, to);
    products.multiply(n, n, n, matrix, from, to);
  };
  work();  // a library loads its code outside of a recording
  on.wait();
  return seconds_of(on, settings.stretches, 1, work);
}

template <Backend B, Number T>
void measure(const B& on, int level, double nu, const Settings& settings, Table& table,
             const Context& context) {
  using Clock = std::chrono::steady_clock;
  const Problem problem = polynomial();
  const TensorGrid grid = grid_of(level, nu);
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  const Coefficients<double> laplace{1, 1, 0};
  const ComputedMatrix<B, T> matrix(on, grid, unknowns, laplace, OperatorForm::difference);
  const NodeVector<B, T> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny()),
      r(on, grid.nx(), grid.ny());
  upload(on, assemble_load<double>(problem, grid), 0, b.view());
  const Array<B, Scalar<T>> square(on, 1), one(on, std::vector<Scalar<T>>{Scalar<T>(1)});
  const Operator<T> A(matrix.view());
  on.wait();

  const std::size_t before = on.allocated();
  const auto began = Clock::now();
  const FastDiagonalisation<B, T> inverse(on, grid, problem.boundary, laplace);
  inverse.prepare(r.view());
  const double preparation = std::chrono::duration<double>(Clock::now() - began).count();
  const double held = static_cast<double>(on.allocated() - before);

  const auto solve = [&] { inverse.apply(b.view(), x.view()); };
  const Recording<B> once(on, solve);
  once.replay();
  on.wait();
  const auto norm = [&] { return residual_norm<B, T>(on, A, b.view(), x.view(), square.data()); };
  const double left = norm();
  residual(on, A, b.view(), x.view(), r.view());
  inverse.apply(r.view(), r.view());
  xpby(on, unknowns, one.data(), r.view(), x.view());
  const double refined = norm();
  set_zero(on, x.view());
  const double all = norm();

  const double seconds = seconds_of(on, settings.stretches, 1, solve);
  std::optional<double> products;
  if (nu != 1) products = 1e3 * seconds_of_products<B, T>(on, unknowns.width(), settings);
  const double n = static_cast<double>(unknowns.width()) * unknowns.height();
  table.add_row(with_context(
      {std::int64_t{level}, std::string(nu == 1 ? "uniform" : "graded"),
       std::string(Format<T>::name), 1e3 * preparation, 1e3 * seconds, to_cell(products),
       1e9 * seconds / n, once.work().kernels, held / sizeof(T) / n, left / all, refined / all},
      context));
}

template <Backend B>
void measure_all(const B& on, const Settings& settings, Table& table) {
  const Context context = context_of(std::is_same_v<B, Cuda>);
  for (const int level : settings.levels) {
    for (const double nu : {1.0, 0.7}) {
      const bool has_vectors = nu == 1 || has_lapack() || std::is_same_v<B, Cuda>;
      if (!has_vectors || (nu != 1 && level > settings.most_graded)) continue;
      measure<B, double>(on, level, nu, settings, table, context);
      measure<B, float>(on, level, nu, settings, table, context);
    }
  }
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  Table table = make_table();
  with_backend(where, [&](const auto& on) { measure_all(on, settings, table); });
  std::fputs(fmt::format("Direct solves\n\n{}", table.to_text()).c_str(), stdout);
  write_file_atomically(std::filesystem::path(settings.output) / "direct_solver.csv",
                        table.to_csv());
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("What does a direct solve cost, and what residual does it leave?", "direct_solver");
  app.add_option("--levels", settings.levels, "refinement levels")
      ->check(CLI::Range(2, max_level))
      ->capture_default_str();
  app.add_option("--most-graded", settings.most_graded,
                 "the finest of them with graded cells, whose eigenvectors are computed")
      ->check(CLI::Range(1, max_level))
      ->capture_default_str();
  app.add_option("--stretches", settings.stretches, "of measurements; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--backend", settings.backend, "auto, host or cuda")->capture_default_str();
  app.add_option("--output", settings.output, "folder of the table")->capture_default_str();
  return run_program(app, argc, argv, [&] {
    run(settings);
    return true;
  });
}
