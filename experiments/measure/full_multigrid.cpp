// What does full multigrid cost, how near does it come to the discrete solution, and what does it
// take from there to a residual?
//
// Of each level of a config file's runs: the time of the nested iteration alone (the median of many
// that are recorded and replayed; nothing is measured in it), its kernels and the bytes that its
// operations declare, with the rate of these over that of a plain copy (device) or triad (host) in
// the same run; the errors that it leaves over those of the converged solution of the same grid;
// and the corrections and the time until the residual has fallen to the config's tolerance, all
// included.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "precision/precision.hpp"

#include "solvers/drivers/solve_mixed.hpp"
#include "solvers/refinement/steps_needed.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/config/study.hpp"
#include "experiments/measure/energy.hpp"
#include "experiments/program/prepared_run.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

struct Settings {
  std::string file;
  std::vector<std::string> set;
  std::vector<int> part_levels;
  int stretches = 9;
  bool any_vector = false;    ///< right-hand sides are taken as if they were no load
  double energy_seconds = 0;  ///< of repetitions; 0 measures none
  std::string backend = "auto", output = "results/full_multigrid";
};

Table make_table() {
  return Table(with_context(
      {{.key = "run", .header = "run", .align = Align::left},
       {.key = "level", .header = "level"},
       {.key = "milliseconds", .header = "nested", .unit = "ms", .style = significant(4)},
       {.key = "per_unknown", .header = "per\nunknown", .unit = "ns", .style = significant(3)},
       {.key = "kernels", .header = "kernels"},
       {.key = "bytes_per_unknown", .header = "bytes per\nunknown", .style = fixed(1)},
       {.key = "rate_over_plain", .header = "rate over\nplain", .style = fixed(2)},
       {.key = "l2_ratio", .header = "l2 over\nconverged", .style = fixed(4)},
       {.key = "rms_ratio", .header = "rms over\nconverged", .style = fixed(4)},
       {.key = "residual", .header = "residual", .style = significant(3)},
       {.key = "corrections", .header = "corrections\nafter it"},
       {.key = "to_tolerance",
        .header = "to the\ntolerance",
        .unit = "ms",
        .style = significant(4)},
       {.key = "reached", .header = "residual\nreached", .style = significant(3)},
       {.key = "l2_at_tolerance", .header = "its l2 over\nconverged", .style = fixed(5)},
       {.key = "rms_at_tolerance", .header = "its rms over\nconverged", .style = fixed(5)},
       {.key = "rms", .header = "rms error", .style = significant(6)},
       {.key = "memory", .header = "memory", .unit = "GiB", .style = significant(3)},
       {.key = "energy", .header = "energy,\nnested", .unit = "J", .style = significant(3)},
       {.key = "energy_to_tolerance",
        .header = "energy, to\nthe tolerance",
        .unit = "J",
        .style = significant(3)}}));
}

/// Joules of one task, repeated for so many seconds; nothing if none are asked for.
template <class Task>
Cell energy_of(const std::optional<EnergyCounter>& counter, double seconds, const Task& task) {
  if (!counter) return {};
  const auto began = Clock::now();
  const double before = counter->joules();
  int count = 0;
  while (seconds_since(began) < seconds) {
    task();
    ++count;
  }
  return (counter->joules() - before) / count;
}

/// A config's value as text.
std::string name_of(const Plan& plan) {
  std::string name;
  for (const auto& [key, value] : plan.varied) {
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", key, value);
  }
  return name.empty() ? plan.name : name;
}

/// Corrections that may be made.
constexpr int most_corrections = 60;

template <Backend B, Number High>
void measure(const B& on, const std::string& name, const PreparedSolve& prepared,
             const Settings& settings, double plain, Table& table, const Context& context) {
  using W = Assembly<High>;
  System<W> system = assemble<W>(prepared);
  Stages stages{prepared, system.scaling, {}};
  const OuterSystem<B, High> outer(on, system);
  const DataOnBackend<B, High> data(on, prepared);
  const Array<B, Arithmetic<High>> square(on, 1);
  data.upload_load(system.load, system.scaling, outer.b());
  const double r0 = residual_norm<B, High>(on, outer.A(), outer.b(), outer.x(), square.data());
  stages.exponents =
      stage_exponents(r0, system.scaling, {scaling_of_stage<W>(prepared, system.size, 0).load});
  const auto correction = make_correction<B, High>(on, stages, 0);
  IterativeRefinement<B, High> solver(on, outer.A(), outer.b(), outer.x(), *correction);
  NestedIteration<B, High> nested(
      on, prepared.grids, prepared.problem.boundary, system.coefficients,
      {prepared.form(), storage_of(prepared.options), correction->storage(),
       prepared.options.multigrid.cycles_per_level},
      {outer.A(), outer.b(), outer.x()}, *correction->on_levels());
  nested.scale();
  if (!settings.any_vector) nested.take_load({system.load.products(), -system.scaling.load});
  solver.begin();
  const Recording<B> once(on, [&] { nested.run(); });
  once.replay();
  on.wait();
  const auto errors = [&] {
    return data.errors(system, outer.x()).value_or(Errors{NAN, NAN, NAN});
  };
  const Errors left = errors();
  const Recording<B> begun(on, [&] {
    nested.run();
    solver.begin_again();
  });
  begun.replay();
  const double residual = solver.judge_begun(r0) / r0;
  const double seconds = seconds_of(on, settings.stretches, 1, [&] { nested.run(); });

  // All of it until the tolerance is met, as a solve does it.
  const double tolerance = prepared.options.tolerance;
  int corrections = 0;
  double norm = 0;
  const auto solve = [&] {
    const auto began = Clock::now();
    begun.replay();
    norm = solver.judge_begun(r0);
    for (corrections = 0; norm > tolerance * r0 && corrections < most_corrections;) {
      const int count = steps_needed(norm / r0, tolerance, correction->storage().most_gain,
                                     std::min(solver.most_steps(), most_corrections - corrections));
      norm = count == 1 ? solver.step(norm, {}).norm : solver.steps(count, norm).back().norm;
      corrections += count;
    }
    return std::chrono::duration<double>(Clock::now() - began).count();
  };
  solve();
  std::vector<double> times;
  for (int k = 0; k < settings.stretches; ++k) times.push_back(solve());
  const double reached = norm / r0, all = median_of(times);
  std::optional<EnergyCounter> counter;
  if (settings.energy_seconds > 0) counter.emplace();
  const Cell energy_to_tolerance = energy_of(counter, settings.energy_seconds, solve);
  const Cell energy = energy_of(counter, settings.energy_seconds, [&] {
    once.replay();
    on.wait();
  });
  (void)solve();
  const Errors at_tolerance = errors();
  // The converged solution: until rounding ends it.
  for (int k = 0; k < most_corrections; ++k) {
    const double before = norm;
    norm = solver.step(norm, {}).norm;
    if (norm > 0.9 * before && k > 3) break;
  }
  const Errors converged = errors();
  const Box unknowns = system.unknowns();
  const double n = static_cast<double>(unknowns.width()) * unknowns.height();
  const auto bytes = static_cast<double>(once.work().bytes);
  const bool met = reached <= tolerance;
  table.add_row(with_context(
      {name, std::int64_t{prepared.level()}, 1e3 * seconds, 1e9 * seconds / n, once.work().kernels,
       bytes / n, bytes / seconds / plain, left.l2 / converged.l2, left.rms / converged.rms,
       residual, met ? Cell(std::int64_t{corrections}) : Cell(), met ? Cell(1e3 * all) : Cell(),
       reached, met ? Cell(at_tolerance.l2 / converged.l2) : Cell(),
       met ? Cell(at_tolerance.rms / converged.rms) : Cell(), left.rms,
       static_cast<double>(prepared.memory.backend) / (1 << 30), energy,
       met ? energy_to_tolerance : Cell()},
      context));
}

Table make_parts_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "part", .header = "part", .align = Align::left},
       {.key = "microseconds", .header = "time", .unit = "us", .style = significant(4)},
       {.key = "bytes_per_unknown", .header = "bytes per\nunknown", .style = fixed(2)},
       {.key = "rate_over_plain", .header = "rate over\nplain", .style = fixed(2)}}));
}

/// The paper's problem and its grids (g++ 12 fails to compile these calls within a template).
Problem polynomial() {
  return make_problem({}, 1.0, 1.0);
}
std::vector<TensorGrid> grids_of(int level) {
  return make_hierarchy(1.0, 1.0, level);
}

/// What a level of the paper's problem takes by itself, double over single.
template <Backend B>
void measure_parts(const B& on, int level, int stretches, double plain, Table& table,
                   const Context& context) {
  using High = double;
  using Low = float;
  const Problem problem = polynomial();
  const std::vector<TensorGrid> grids = grids_of(level);
  const TensorGrid& grid = grids.back();
  const TensorGrid& coarse = grids[grids.size() - 2];
  const Coefficients<double> laplace{1, 1, 0};
  SolverOptions options;
  options.method = Method::full_multigrid;
  options = settled(options, problem, grid);
  Smoothing smoothing = choose_smoothing(options.multigrid, grid, 1, 1, OperatorStorage::factored);
  smoothing.solves_base = true;
  Multigrid<B, Low> multigrid(on, grids, problem.boundary, laplace, OperatorForm::difference,
                              smoothing, OperatorStorage::factored);
  multigrid.prepare_visits();
  const Matrix<B, High> matrix(on, grid, unknown_nodes(grid, problem.boundary), laplace,
                               OperatorForm::difference, OperatorStorage::factored);
  const NodeVector<B, High> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny()),
      c(on, coarse.nx(), coarse.ny());
  upload(on, assemble_load<double>(problem, grid), 0, b.view());
  upload(on, assemble_load<double>(problem, coarse), 0, c.view());
  const Array<B, TransferWeights<High>> wx(on, transfer_weights<High>(grid.x)),
      wy(on, transfer_weights<High>(grid.y));
  const Array<B, CubicWeights<High>> cx(on, cubic_weights<High>(grid.x)),
      cy(on, cubic_weights<High>(grid.y));
  const CubicTransfer<High> cubic{cx.data(), cy.data()};
  using State = RefinementState<High>;
  const Array<B, State> state(on, std::vector<State>{{1, 1, 1}});
  const Operator<High>& A = matrix.view();
  const FactoredRows<High>& rows = *A.template as<FactoredRows<High>>();
  const Box& box = A.unknowns;
  const int last = multigrid.levels() - 1;
  const double n = static_cast<double>(box.width()) * box.height();
  const auto add = [&](const std::string& name, const auto& task) {
    const Recording<B> once(on, task);
    once.replay();
    on.wait();
    const double seconds = seconds_of(on, stretches, 1, task);
    const auto bytes = static_cast<double>(once.work().bytes);
    table.add_row(with_context(
        {std::int64_t{level}, name, 1e6 * seconds, bytes / n, bytes / seconds / plain}, context));
  };
  add("b of the next coarser level", [&] {
    restrict_residual<B, High>(on, multigrid.unknowns(last - 1), box, {wx.data(), wy.data()},
                               b.view(), c.view());
  });
  add("I c", [&] { interpolate<B, High>(on, box, cubic, c.view(), x.view()); });
  add("b - A x, rounded", [&] {
    residual_narrowed<B, High, Low>(on, A, b.view(), x.view(), state.data(), multigrid.b(last));
  });
  add("its restriction", [&] {
    restrict_residual<B, Low>(on, multigrid.unknowns(last - 1), box, multigrid.transfer(last),
                              multigrid.b(last), multigrid.b(last - 1));
  });
  if constexpr (std::is_same_v<B, Cuda>) {
    const auto by_name = [](const char* name, FusedBy by) {
      return fmt::format("{}, {}", name, by == FusedBy::strips ? "strips" : "tiles");
    };
    for (const FusedBy by : {FusedBy::strips, FusedBy::tiles}) {
      add(by_name("b - A I c, rounded and restricted", by), [&] {
        nested_residual<High, Low>(on, rows, b.view(), cubic, c.view(), state.data(),
                                   multigrid.b(last), multigrid.unknowns(last - 1),
                                   multigrid.transfer(last), multigrid.b(last - 1), by);
      });
    }
    const Matrix<B, Low> low(on, grid, box, laplace, OperatorForm::difference,
                             OperatorStorage::factored);
    const auto relaxations = relaxations_of<Low>(smoothing);
    for (const FusedBy by : {FusedBy::strips, FusedBy::tiles}) {
      add(by_name("I c + P e and 2 steps", by), [&] {
        nested_correction<High, Low>(on, multigrid.transfer(last), multigrid.x(last - 1),
                                     *low.view().template as<FactoredRows<Low>>(),
                                     multigrid.b(last), relaxations.template from<2>(0), cubic,
                                     c.view(), state.data(), x.view(), by);
      });
      add(by_name("P e and 2 steps", by), [&] {
        jacobi_steps_on_prolongation<Low>(on, multigrid.transfer(last), multigrid.x(last - 1),
                                          *low.view().template as<FactoredRows<Low>>(),
                                          multigrid.b(last), relaxations.template from<2>(0), 2,
                                          multigrid.x(last), by);
      });
    }
  }
  using Visit = typename Multigrid<B, Low>::Visit;
  add("visit", [&] { multigrid.visit(last, Visit::interpolated); });
  if (multigrid.takes_restricted(last)) {
    add("visit without its restriction", [&] { multigrid.visit(last, Visit::restricted); });
    add("visit of the next coarser level", [&] { multigrid.visit(last - 1, Visit::interpolated); });
  }
  add("I c + e", [&] {
    add_interpolated<B, High, Low>(on, box, cubic, c.view(), state.data(), multigrid.x(last),
                                   x.view());
  });
}

template <Backend B>
void measure_all(const B& on, const std::vector<Plan>& plans, const Settings& settings,
                 Table& table, Table& parts) {
  const Context context = context_of(std::is_same_v<B, Cuda>);
  const double plain = plain_rate(on, settings.stretches, std::size_t{1} << 28);
  for (const int level : settings.part_levels) {
    measure_parts(on, level, settings.stretches, plain, parts, context);
  }
  for (const Plan& plan : plans) {
    const PreparedRun run = prepare_run(plan);
    for (const PreparedSolve& prepared : run.levels) {
      if (prepared.options.method != Method::full_multigrid) {
        throw ConfigurationError("solver.method is not \"full-multigrid\"");
      }
      const Precision precision = prepared.options.precision;
      const auto in = [&]<class High>() {
        measure<B, High>(on, name_of(plan), prepared, settings, plain, table, context);
      };
      if (precision == Precision::double_) {
        in.template operator()<double>();
      } else if (precision == Precision::single_) {
        in.template operator()<float>();
      } else if (precision == Precision::double_single) {
        in.template operator()<DoubleSingle>();
      } else {
        throw ConfigurationError(fmt::format(
            "solver.precision = \"{}\" is not measured; \"single\", \"double-single\" and "
            "\"double\" are",
            to_string(precision)));
      }
    }
  }
}

std::vector<Plan> plans_of(const Settings& settings, BackendKind where) {
  std::vector<Override> overrides;
  for (const std::string& text : settings.set) overrides.push_back({text, "--set " + text});
  overrides.push_back({fmt::format("backend.name={}", to_string(where)), "--backend", true});
  constexpr const char* text =
      "[grid]\nlevels = [8, 10]\n[solver]\nmethod = \"full-multigrid\"\n"
      "[refinement]\ninner_precision = \"single\"\n";
  const Document document = settings.file.empty()
                                ? parse_document(text, "full_multigrid", overrides)
                                : read_document(settings.file, overrides);
  return document.study_origin ? plan_study(document) : plan_run(document);
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  if (settings.energy_seconds > 0 && !is_device(where)) {
    throw ConfigurationError("--energy is not possible on the host: it is a card's counter");
  }
  const std::vector<Plan> plans = plans_of(settings, where);
  Table table = make_table(), parts = make_parts_table();
  with_backend(where, [&](const auto& on) { measure_all(on, plans, settings, table, parts); });
  std::fputs(fmt::format("Full multigrid\n\n{}", table.to_text()).c_str(), stdout);
  write_file_atomically(std::filesystem::path(settings.output) / "full_multigrid.csv",
                        table.to_csv());
  if (settings.part_levels.empty()) return;
  std::fputs(fmt::format("\nA level's parts\n\n{}", parts.to_text()).c_str(), stdout);
  write_file_atomically(std::filesystem::path(settings.output) / "parts.csv", parts.to_csv());
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("What does full multigrid cost, and how near does it come?", "full_multigrid");
  app.add_option("FILE", settings.file,
                 "a config file with solver.method = \"full-multigrid\"; without one the paper's "
                 "problem, double over single");
  app.add_option("--set", settings.set, "a setting of the file, such as grid.levels=[8,12]")
      ->allow_extra_args(false);
  app.add_option("--parts", settings.part_levels,
                 "levels of the paper's problem whose parts are measured, double over single")
      ->check(CLI::Range(2, max_level));
  app.add_option("--stretches", settings.stretches, "of measurements; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag(
      "--any-vector", settings.any_vector,
      "restrict right-hand sides as if they were no sums of products, whose coarser levels "
      "are evaluated");
  app.add_option("--energy", settings.energy_seconds,
                 "seconds, 1 to 60, for which each is repeated to read the card's energy counter")
      ->check(CLI::Range(1.0, 60.0));
  app.add_option("--backend", settings.backend, "auto, host or cuda")->capture_default_str();
  app.add_option("--output", settings.output, "folder of the table")->capture_default_str();
  return run_program(app, argc, argv, [&] {
    run(settings);
    return true;
  });
}
