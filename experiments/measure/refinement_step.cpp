// What does one step of refinement cost, part by part, against a cycle of the same multigrid in the
// outer format?
//
// Test A, F-cycles, 2+2 Jacobi steps.  For each part: how many kernels it launches (on a device),
// the bytes that its operations declare, its time, and the rate at which it moves those bytes,
// beside that of a plain copy (device) or triad (host) in the same run.  Times are medians of many
// stretches of recorded work.

#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <ninefold/version.hpp>

#include "precision/precision.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/operations/mixed_operations.hpp"

#include "solvers/refinement/inner_solver.hpp"
#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/solve.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/paper/paper_options.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

struct Settings {
  std::vector<int> levels{10, 12};
  int stretches = 9;
  std::string backend = "auto", output = "results/refinement_step";
};

Table make_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "outer", .header = "outer", .align = Align::left},
       {.key = "inner", .header = "inner", .align = Align::left},
       {.key = "part", .header = "part", .align = Align::left},
       {.key = "kernels", .header = "kernels"},
       {.key = "bytes_per_unknown", .header = "bytes per\nunknown", .style = fixed(1)},
       {.key = "milliseconds", .header = "time", .unit = "ms", .style = significant(4)},
       {.key = "rate_over_plain", .header = "rate over\nplain", .style = fixed(2)},
       {.key = "share", .header = "share of\nthe step", .style = fixed(3)},
       {.key = "over_native", .header = "over\nnative", .style = fixed(3)}}));
}

struct Part {
  std::string name;
  Work work;
  double seconds;
};

template <Backend B, class Task>
Part measure(const B& on, int stretches, const std::string& name, const Task& task) {
  const Recording<B> once(on, task);
  once.replay();
  on.wait();
  const double seconds = seconds_of(on, stretches, 1, task);
  return {name, once.work(), seconds};
}

/// Test A's grids and problem (g++ 12 fails to compile these calls within a template).
std::vector<TensorGrid> grids_of(int level) {
  return make_hierarchy(1.0, 1.0, level);
}
Problem polynomial() {
  return make_problem({}, 1.0, 1.0);
}

constexpr OperatorForm form = OperatorForm::difference;

template <class W>
Coefficients<W> laplace() {
  return {W(1), W(1), W(0)};
}

/// What a step is compared with.
template <Backend B, Number High>
Part native_part(const B& on, const std::vector<TensorGrid>& grids, const Problem& problem,
                 const std::vector<double>& load, int stretches) {
  Multigrid<B, High> native(on, grids, problem.boundary, laplace<Assembly<High>>(), form,
                            choose_smoothing({}, grids.back(), 1, 1));
  upload(on, load, 0, native.b());
  const Array<B, Scalar<High>> square(on, 1);
  return measure(on, stretches, "native cycle and norm", [&] {
    native.cycle();
    residual_square<B, High>(on, native.A(), native.b(), native.x(), square.data());
  });
}

/// The parts of a step, and last the step, in a system whose vectors hold numbers of all sizes:
/// test A's load, and c = 0.
template <Backend B, Number High, Number Low>
std::vector<Part> parts_of_step(const B& on, const std::vector<TensorGrid>& grids,
                                const Problem& problem, const std::vector<double>& load,
                                int stretches) {
  const TensorGrid& grid = grids.back();
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  std::vector<Part> parts;
  const ComputedMatrix<B, High> matrix(on, grid, unknowns, laplace<Assembly<High>>(), form);
  const NodeVector<B, High> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  upload(on, load, 0, b.view());
  using State = RefinementState<Scalar<High>>;
  const Array<B, State> state(
      on, std::vector<State>{{Scalar<High>(1), Scalar<High>(1), Scalar<High>(1)}});
  SolverOptions options = paper_options();
  MultigridInner<B, Low> inner(on, grids, problem.boundary, laplace<Assembly<Low>>(), form, options,
                               choose_smoothing(options.multigrid, grid, 1, 1), {1, {}});
  const ComputedBands<High>& A = matrix.view();
  const auto scale = [&] { set_scale(on, RefinementScaling::power_of_two, 0, state.data()); };
  const auto correct = [&] {
    add_correction<B, High, Low>(on, unknowns, state.data(), inner.correction(), x.view());
  };
  const auto store = [&] {
    residual_rounded<B, High, Low>(on, A, b.view(), x.view(), inner.right_hand_side(),
                                   state.data());
  };
  const auto add = [&](const char* name, const auto& task) {
    parts.push_back(measure(on, stretches, name, task));
  };
  add("correction", correct);
  add("residual, norm", [&] {
    scale();
    store();
  });
  add("outer part", [&] {
    correct();
    scale();
    store();
  });
  add("inner cycle", [&] { inner.solve({}); });
  add("step", [&] {
    inner.solve({});
    correct();
    scale();
    store();
  });
  return parts;
}

template <Backend B, Number High, Number Low>
void measure_pair(const B& on, int level, const Settings& settings, Table& table,
                  const Context& context) {
  const std::vector<TensorGrid> grids = grids_of(level);
  const TensorGrid& grid = grids.back();
  const Problem problem = polynomial();
  const std::vector<double> load = assemble_load<double>(problem, grid);
  std::vector<Part> parts{native_part<B, High>(on, grids, problem, load, settings.stretches)};
  for (Part& part : parts_of_step<B, High, Low>(on, grids, problem, load, settings.stretches)) {
    parts.push_back(std::move(part));
  }
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  const std::size_t vector = static_cast<std::size_t>(grid.nx()) * grid.ny() * sizeof(High);
  const double plain = plain_rate(on, settings.stretches, vector);
  const double nodes = static_cast<double>(unknowns.width()) * unknowns.height();
  const double native = parts.front().seconds, step = parts.back().seconds;
  for (const Part& part : parts) {
    const auto bytes = static_cast<double>(part.work.bytes);
    table.add_row(with_context(
        {std::int64_t{level}, std::string(Format<High>::name), std::string(Format<Low>::name),
         part.name, part.work.kernels, bytes / nodes, 1e3 * part.seconds,
         bytes / part.seconds / plain, &part == &parts.front() ? Cell() : Cell(part.seconds / step),
         part.seconds / native},
        context));
  }
}

template <Backend B>
void measure_all(const B& on, const Settings& settings, Table& table) {
  const Context context = context_of(std::is_same_v<B, Cuda>);
  for (const int level : settings.levels) {
    measure_pair<B, double, float>(on, level, settings, table, context);
    measure_pair<B, double, Half>(on, level, settings, table, context);
    measure_pair<B, double, BFloat16>(on, level, settings, table, context);
    measure_pair<B, DoubleSingle, float>(on, level, settings, table, context);
    measure_pair<B, DoubleDouble, double>(on, level, settings, table, context);
  }
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  Table table = make_table();
  with_backend(where, [&](const auto& on) { measure_all(on, settings, table); });
  std::fputs(fmt::format("One step of refinement, part by part\n\n{}", table.to_text()).c_str(),
             stdout);
  write_file_atomically(std::filesystem::path(settings.output) / "refinement_step.csv",
                        table.to_csv());
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("What does one step of refinement cost, part by part?", "refinement_step");
  app.add_option("--levels", settings.levels, "refinement levels")
      ->check(CLI::Range(2, max_level))
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
