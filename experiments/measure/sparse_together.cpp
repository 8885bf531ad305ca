#include "experiments/measure/sparse_together.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "solvers/sparse/sparse_systems.hpp"
#include "solvers/timeline.hpp"

#include "experiments/support/median.hpp"

namespace ninefold {
namespace {

struct Systems {
  std::vector<SparseMatrix> matrices{};
  std::vector<std::vector<SparseRight>> rights{};
};

/// Of sizes that differ a little, so that they end after different iterations.
Systems made_systems(std::size_t count) {
  Systems all;
  for (std::size_t k = 0; k < count; ++k) {
    SparseProblem one =
        with_ones(generate_sparse({.name = "triangles", .size = 28 + static_cast<int>(k % 8)}));
    all.matrices.push_back(std::move(one.A));
    all.rights.push_back({{std::move(one.b), std::move(one.solution)}});
  }
  return all;
}

/// Of iterations, and of all.
struct Seconds {
  std::vector<double> iterations{}, calls{};
};

}  // namespace

Table systems_together(BackendKind where, int stretches, const Context& context) {
  Table table(
      with_context({{.key = "systems", .header = "systems"},
                    {.key = "precision", .header = "precision", .align = Align::left},
                    {.key = "unknowns", .header = "unknowns\nof all"},
                    {.key = "iterations", .header = "iterations\nof the longest"},
                    {.key = "apart",
                     .header = "one by one",
                     .unit = "ms",
                     .style = significant(4),
                     .scale = 1e-3},
                    {.key = "together",
                     .header = "together",
                     .unit = "ms",
                     .style = significant(4),
                     .scale = 1e-3},
                    {.key = "ratio", .header = "times as fast", .style = fixed(2)},
                    {.key = "apart_calls",
                     .header = "with set-up,\none by one",
                     .unit = "ms",
                     .style = significant(4),
                     .scale = 1e-3},
                    {.key = "together_calls",
                     .header = "with set-up,\ntogether",
                     .unit = "ms",
                     .style = significant(4),
                     .scale = 1e-3},
                    {.key = "ratio_of_calls", .header = "times as fast", .style = fixed(2)}}));
  for (const std::size_t count : {1, 4, 16, 64}) {
    const Systems systems = made_systems(count);
    std::vector<GivenSystem> given;
    std::int64_t unknowns = 0;
    for (std::size_t k = 0; k < count; ++k) {
      given.push_back({&systems.matrices[k], systems.rights[k]});
      unknowns += systems.matrices[k].pattern.n_rows;
    }
    for (const Precision precision : {Precision::double_, Precision::single_}) {
      SparseOptions options;
      options.solver.precision = precision;
      options.solver.tolerance = 1e-6;
      Seconds apart, together;
      int iterations = 0;
      for (int stretch = -1; stretch < stretches; ++stretch) {  // kernels are loaded in the first
        std::vector<SparseSolved> alone;
        double sum = 0;
        auto began = Clock::now();
        for (const GivenSystem& one : given) {
          alone.push_back(std::move(solve_sparse(*one.A, one.rights, options, where).front()));
          sum += alone.back().report.solve_seconds;
          iterations = std::max(iterations, alone.back().report.iterations);
        }
        const double alone_seconds = seconds_since(began);
        began = Clock::now();
        const auto solved = solve_systems(given, options, where);
        const double together_seconds = seconds_since(began);
        for (std::size_t k = 0; k < count; ++k) {
          if (solved[k].refusal) std::rethrow_exception(solved[k].refusal);
          if (solved[k].rights.front().solution.high != alone[k].solution.high) {
            throw std::runtime_error("systems that are solved together have other bits");
          }
        }
        if (stretch < 0) continue;
        apart.iterations.push_back(sum);
        apart.calls.push_back(alone_seconds);
        together.iterations.push_back(solved.front().rights.front().report.solve_seconds);
        together.calls.push_back(together_seconds);
      }
      const double one_by_one = median_of(apart.iterations),
                   beside = median_of(together.iterations);
      const double calls = median_of(apart.calls), call = median_of(together.calls);
      table.add_row(with_context({static_cast<std::int64_t>(count), to_string(precision), unknowns,
                                  std::int64_t{iterations}, one_by_one, beside, one_by_one / beside,
                                  calls, call, calls / call},
                                 context));
    }
  }
  return table;
}

}  // namespace ninefold
