// How accurate and how fast are the operations of pairs, as they are compiled here?
//
// Errors: each operation on --samples random and adversarial operands, judged on the device itself;
// the worst observed error beside the proven bound (docs/precision.md).  Throughput: each operation
// again and again in registers, beside the native operations of float and double.
//
// Status 1: an error exceeds its bound, or a result is wrong in another way.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <ninefold/version.hpp>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/vector.hpp"

#include "solvers/solve.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/measure/probe/number_probe.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

constexpr std::uint64_t samples_at_once = 100'000'000;  // between two dots

struct Settings {
  std::uint64_t samples = 0;  ///< 0: 10^7 on the host, 10^9 on a device
  std::uint64_t seed = 1;
  int stretches = 15;  ///< of which the median counts
  std::string backend = "auto";
  std::string output = "results/pair_operations";
};

// --- errors -----------------------------------------------------------------------------------

Table errors_table() {
  std::vector<Column> columns{
      {.key = "precision", .header = "precision", .align = Align::left},
      {.key = "operation", .header = "operation", .align = Align::left},
      {.key = "word_operations", .header = "word\noperations"},
      {.key = "samples", .header = "samples"},
      {.key = "worst", .header = "worst\nerror", .unit = "u^2", .style = significant(6)},
      {.key = "bound", .header = "bound", .unit = "u^2", .style = significant(6)},
      {.key = "failures", .header = "failures"},
      {.key = "source", .header = "bound from", .align = Align::left}};
  for (const char* key : {"judged", "outside_range", "not_finite", "seed", "worst_index", "a_high",
                          "a_low", "b_high", "b_low", "c_high", "c_low"}) {
    columns.push_back({.key = key, .header = key, .data_only = true});
  }
  return Table(with_context(std::move(columns)));
}

std::int64_t as_count(std::uint64_t n) {
  return static_cast<std::int64_t>(n);
}

/// One row; false if the operation broke its promise.
template <Backend B, Word F>
bool add_errors(const B& on, const PairOperationFacts& facts, const Settings& settings,
                Table& table, const Context& context) {
  Survey found;
  for (std::uint64_t first = 0; first < settings.samples; first += samples_at_once) {
    merge(found, survey<B, F>(on, facts.operation, settings.seed, first,
                              std::min(samples_at_once, settings.samples - first)));
    std::cerr << "." << std::flush;
  }
  const double bound = error_bound<F>(facts.operation);
  const bool broken = found.failures() != 0 || !(found.worst <= bound * observation_margin);
  std::vector<Cell> cells{std::string(Format<DoubleWord<F>>::name),
                          std::string(facts.name),
                          std::int64_t{facts.cost},
                          as_count(settings.samples),
                          found.worst,
                          bound < no_bound ? Cell(bound) : Cell(),
                          as_count(found.failures()),
                          std::string(facts.source),
                          as_count(found.judged),
                          as_count(found.outside),
                          as_count(found.not_finite),
                          as_count(settings.seed)};
  const std::uint64_t index = found.failures() != 0 ? found.failure_index : found.worst_index;
  if (index == Survey::none) {
    cells.resize(cells.size() + 7);
  } else {
    const auto x = survey_operands<F>(facts.operation, settings.seed, index);
    cells.emplace_back(as_count(index));
    for (const F word : {x.a.high, x.a.low, x.b.high, x.b.low, x.c.high, x.c.low}) {
      cells.emplace_back(fmt::format("{:a}", word));
    }
  }
  table.add_row(with_context(std::move(cells), context));
  return !broken;
}

template <Backend B>
int count_broken(const B& on, const Settings& settings, Table& table, const Context& context) {
  int broken = 0;
  for (const PairOperationFacts& facts : pair_operations) {
    if (!facts.surveyed) continue;
    if (!add_errors<B, float>(on, facts, settings, table, context)) ++broken;
    if (!add_errors<B, double>(on, facts, settings, table, context)) ++broken;
  }
  std::cerr << "\n";
  return broken;
}

// --- throughput -------------------------------------------------------------------------------

struct Timed {
  TimedOperation operation;
  const char* name;
  int cost;               ///< operations on words of one operation on pairs
  TimedOperation native;  ///< what words do instead
};

constexpr Timed timed_operations[]{
    {TimedOperation::add, "a + b", 20, TimedOperation::add},
    {TimedOperation::sloppy_add, "sloppy_sum", 11, TimedOperation::add},
    {TimedOperation::add_word, "a + word", 10, TimedOperation::add},
    {TimedOperation::multiply, "a * b", 9, TimedOperation::multiply},
    {TimedOperation::multiply_by_splitting, "product_by_splitting", 24, TimedOperation::multiply},
    {TimedOperation::multiply_by_word, "a * word", 6, TimedOperation::multiply},
    {TimedOperation::fused, "fused", 29, TimedOperation::fused},
    {TimedOperation::fused_with_words, "fused (word, word, pair)", 22, TimedOperation::fused},
    {TimedOperation::divide, "a / b", 18, TimedOperation::divide},
    {TimedOperation::divide_by_word, "a / word", 10, TimedOperation::divide},
    {TimedOperation::square_root, "sqrt", 8, TimedOperation::square_root},
};

Table throughput_table() {
  return Table(with_context(
      {{.key = "precision", .header = "precision", .align = Align::left},
       {.key = "operation", .header = "operation", .align = Align::left},
       {.key = "word_operations", .header = "word\noperations"},
       {.key = "operations_per_second",
        .header = "rate",
        .unit = "10^9/s",
        .style = significant(4),
        .scale = 1e9},
       {.key = "word_additions", .header = "additions of\na word", .style = significant(3)},
       {.key = "native_operations", .header = "same of\na word", .style = significant(3)},
       {.key = "double_operations", .header = "same of\ndouble", .style = significant(3)}}));
}

template <Computable T, Backend B>
double rate_of(const B& on, const Settings& settings, const Repetition& repetition,
               TimedOperation operation) {
  const Array<B, T> result(on, repetition.workers);
  const double seconds = seconds_of(on, settings.stretches, 1,
                                    [&] { repeat(on, operation, repetition, result.data()); });
  std::cerr << "." << std::flush;
  return repetition.operations() / seconds;
}

/// Rates of a word's operations, by TimedOperation.
using Rates = std::vector<double>;

template <Word F, Backend B>
Rates add_words(const B& on, const Settings& settings, const Repetition& repetition,
                const Rates& of_double, Table& table, const Context& context) {
  Rates rates(static_cast<std::size_t>(TimedOperation::square_root) + 1);
  for (const Timed& timed : timed_operations) {
    const auto index = static_cast<std::size_t>(timed.operation);
    if (timed.operation == timed.native) {
      rates[index] = rate_of<F>(on, settings, repetition, timed.operation);
    }
  }
  for (const Timed& timed : timed_operations) {
    if (timed.operation != timed.native) continue;
    const auto index = static_cast<std::size_t>(timed.operation);
    table.add_row(with_context({std::string(Format<F>::name), std::string(timed.name),
                                std::int64_t{1}, rates[index], rates[0] / rates[index], 1.0,
                                (of_double.empty() ? rates : of_double)[index] / rates[index]},
                               context));
  }
  return rates;
}

template <Word F, Backend B>
void add_pairs(const B& on, const Settings& settings, const Repetition& repetition,
               const Rates& of_word, const Rates& of_double, Table& table, const Context& context) {
  using Pair = DoubleWord<F>;
  for (const Timed& timed : timed_operations) {
    const double rate = rate_of<Pair>(on, settings, repetition, timed.operation);
    const auto native = static_cast<std::size_t>(timed.native);
    table.add_row(with_context(
        {std::string(Format<Pair>::name), std::string(timed.name), std::int64_t{timed.cost}, rate,
         of_word[0] / rate, of_word[native] / rate, of_double[native] / rate},
        context));
  }
}

template <Backend B>
void measure_throughput(const B& on, const Settings& settings, const Repetition& repetition,
                        Table& table, const Context& context) {
  const Rates of_double = add_words<double>(on, settings, repetition, {}, table, context);
  const Rates of_float = add_words<float>(on, settings, repetition, of_double, table, context);
  add_pairs<float>(on, settings, repetition, of_float, of_double, table, context);
  add_pairs<double>(on, settings, repetition, of_double, of_double, table, context);
  std::cerr << "\n";
}

bool run(Settings settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  const bool on_device = where == BackendKind::cuda;
  if (settings.samples == 0) settings.samples = on_device ? 1'000'000'000 : 10'000'000;
  const Context context = context_of(on_device);
  Table errors = errors_table(), throughput = throughput_table();
  int broken = 0;
  // Several blocks for each multiprocessor, a tenth of a millisecond of the fastest operation.
  const int workers = on_device ? 1 << 19 : 64 * describe_host().threads;
  with_backend(where, [&](const auto& on) {
    broken = count_broken(on, settings, errors, context);
    measure_throughput(on, settings, {workers, 2048}, throughput, context);
  });
  std::cout << context.device << ", commit " << commit << ", " << context.date << "\n\n"
            << errors.to_text() << "\n"
            << throughput.to_text();
  const std::filesystem::path directory = settings.output;
  write_file_atomically(directory / "errors.csv", errors.to_csv());
  write_file_atomically(directory / "errors.md", errors.to_markdown());
  write_file_atomically(directory / "throughput.csv", throughput.to_csv());
  write_file_atomically(directory / "throughput.md", throughput.to_markdown());
  std::cout << "\nwritten to " << settings.output << "\n";
  const auto rows = static_cast<int>(errors.rows().size());
  std::cout << "\n" << rows - broken << " of " << rows << " operations keep their promises\n";
  return broken == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app(
      "Observed errors and throughput of the operations of double-single and double-double",
      "pair_operations");
  app.add_option("--samples", settings.samples,
                 "per operation and format; otherwise 10^7 on the host, 10^9 on a device")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 48));
  app.add_option("--seed", settings.seed, "of the samples")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 48));
  app.add_option("--stretches", settings.stretches, "measurements per rate, the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--backend", settings.backend, "auto, host or cuda");
  app.add_option("--output", settings.output, "directory for the tables");
  return run_program(app, argc, argv, [&] { return run(settings); });
}
