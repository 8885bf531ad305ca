#include "experiments/program/information.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "precision/precision.hpp"

#include "gpu/backend/mpi_ranks.hpp"
#include "gpu/direct/eigenvectors.hpp"

#include "output/tables/table.hpp"
#include "output/vtk/vtk.hpp"

#include "experiments/config/keys.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/run_words.hpp"
#include "experiments/program/tuning.hpp"

#include "ninefold/version.hpp"

namespace ninefold {
namespace {

std::string built_with() {
  const std::string cuda =
      built_with_cuda() ? fmt::format("yes, compiled by nvcc {}", cuda_compiler) : "no";
  return fmt::format(
      "ninefold {}\n\n"
      "build\n"
      "  commit    {}\n"
      "  compiler  {}, {}\n"
      "  CUDA      {}\n"
      "  LAPACK    {}\n"
      "  VTK       {}\n"
      "  MPI       {}\n",
      version, commit, compiler, build_type, cuda,
      has_lapack() ? fmt::format("yes, {}", lapack_library()) : "no",
      built_with_vtk() ? "yes" : "no", describe_mpi());
}

/// A table under a heading, each line indented by two.
std::string section(const std::string& heading, const Table& table) {
  std::string text = "\n" + heading + "\n  ";
  for (const char c : table.to_text()) {
    text += c;
    if (c == '\n') text += "  ";
  }
  text.resize(text.size() - 2);
  return text;
}

Table device_table() {
  Table table({{.key = "backend", .header = "backend", .align = Align::left},
               {.key = "name", .header = "device", .align = Align::left},
               {.key = "detail", .header = "", .align = Align::left},
               {.key = "total", .header = "memory"},
               {.key = "available", .header = "free"}});
  for (const DeviceInfo& device : devices()) {
    table.add_row({std::string(to_string(device.kind)), device.name, device.detail,
                   readable_bytes(device.memory_total), readable_bytes(device.memory_available)});
  }
  return table;
}

std::string kind_words(Precision precision) {
  switch (precision.kind()) {
    case Precision::Kind::half:
    case Precision::Kind::bfloat16:
      return "stored; computed in single";
    case Precision::Kind::double_single:
      return "pairs of singles";
    case Precision::Kind::double_double:
      return "pairs of doubles";
    case Precision::Kind::single_:
    case Precision::Kind::double_:
      return "of the hardware";
    case Precision::Kind::soft:
      return "rounded by software";
  }
  throw std::logic_error("a format without words");
}

Table format_table() {
  Table table({{.key = "name", .header = "format", .align = Align::left},
               {.key = "bits", .header = "bits"},
               {.key = "roundoff", .header = "unit roundoff"},
               {.key = "smallest", .header = "smallest normal"},
               {.key = "largest", .header = "largest"},
               {.key = "where", .header = "runs on", .align = Align::left},
               {.key = "kind", .header = "arithmetic", .align = Align::left}});
  for (const Precision precision : named_precisions()) {
    const FormatFacts format = facts(precision);
    const double u = format.unit_roundoff;
    table.add_row(
        {to_string(precision), std::int64_t{format.bits},
         fmt::format("2^{} = {:.2e}", std::ilogb(u), u),
         fmt::format("{:.2e}", std::ldexp(1.0, format.min_exponent)),
         fmt::format("{:.2e}", std::ldexp(2.0 - 2.0 * std::max(u, 0x1p-53), format.max_exponent)),
         std::string(format.on_device && built_with_cuda() ? "host and CUDA" : "host"),
         kind_words(precision)});
  }
  return table;
}

std::string problem_list() {
  std::string text = "\nproblems on [0, X] x [0, Y], for problem.solution\n";
  for (const std::string& name : problem_names()) {
    text += fmt::format("  {:<16}{}\n", name, problem_description(name));
  }
  return text + "  or a formula in x, y, width, height and pi\n";
}

/// What made "auto" the host for a run that a device could have done.
std::string fallback_words(const SolverOptions& solver, const std::string& reason) {
  if (reason.empty() || software_format(solver)) return "";
  return fmt::format(" (auto; {})", reason);
}

/// A level's configuration with nothing left to the program.
Configuration decided(const Plan& plan, const PreparedSolve& solve) {
  Configuration c = plan.configuration;
  c.backend = to_string(solve.where);
  c.solver = solve.options;
  c.solver.storage = storage_of(solve.options);
  if (uses_multigrid(solve.options)) {
    MultigridOptions& m = c.solver.multigrid;
    m.smoother = solve.smoothing.smoother;
    if (m.smoother != Smoother::chebyshev) m.damping = solve.smoothing.damping;
    m.cycle = solve.smoothing.cycle;
    m.pre_smoothing = solve.smoothing.pre_steps;
    m.post_smoothing = solve.smoothing.post_steps;
    const bool one_way = m.smoother == Smoother::tridi || m.smoother == Smoother::trigs;
    if (one_way) m.line_direction = solve.smoothing.direction;
  }
  RefinementOptions& refinement = c.solver.refinement;
  if (refinement.used()) refinement.inner_form = inner_form_of(solve.options);
  const bool storage_is_open = refinement.inner_storage.empty(),
             stop_is_open = refinement.stop.empty();
  for (std::size_t stage = 0; stage < refinement.inner.size(); ++stage) {
    if (storage_is_open) refinement.inner_storage.push_back(storage_of_stage(solve.options, stage));
    if (stop_is_open) refinement.stop.push_back(inner_stop(solve.options, stage));
  }
  return c;
}

/// What "auto" stands for in these runs; empty where nobody has left the key open.
std::vector<std::string> choices_of(const Key& key, const std::vector<Plan>& plans,
                                    const std::vector<PreparedRun>& runs) {
  const std::string open = to_toml("auto");
  std::vector<std::string> choices;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    if (key.show(plans[k].configuration) != open) continue;
    for (const PreparedSolve& solve : runs[k].levels) {
      const std::string choice = key.show(decided(plans[k], solve));
      const bool is_new = std::count(choices.begin(), choices.end(), choice) == 0;
      if (choice != open && is_new) choices.push_back(choice);
    }
  }
  return choices;
}

/// Each level of a single run; the finest level of each of several.
Table memory_table(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs,
                   const std::vector<std::vector<MemoryForecast>>& memory) {
  std::vector<Column> columns;
  const bool several = plans.size() > 1;
  if (several) columns.push_back({.key = "run", .header = "run", .align = Align::left});
  for (const auto& [key, value] : plans.front().varied) {
    columns.push_back({.key = key, .header = key, .align = Align::left});
  }
  const Ranks* const ranks = plans.front().configuration.solver.ranks.get();
  const int size = ranks == nullptr ? 1 : ranks->size();
  for (const std::string& name :
       {std::string("level"), std::string("nodes"), std::string("backend"),
        size == 1 ? std::string("on the backend") : fmt::format("on each of {} backends", size),
        std::string(size == 1 ? "on the host" : "on the host, in all")}) {
    columns.push_back({.key = name, .header = name});
  }
  Table table(columns);
  for (std::size_t k = 0; k < plans.size(); ++k) {
    for (std::size_t m = 0; m < runs[k].levels.size(); ++m) {
      const int level = runs[k].levels[m].level();
      if (several && level != runs[k].levels.back().level()) continue;
      std::vector<Cell> cells;
      if (several) cells.emplace_back(plans[k].name);
      for (const auto& [key, value] : plans[k].varied) cells.emplace_back(value);
      const std::int64_t n = (std::int64_t{1} << level) + 1;
      cells.emplace_back(std::int64_t{level});
      cells.emplace_back(n * n);
      cells.emplace_back(std::string(to_string(runs[k].where)));
      cells.emplace_back(readable_bytes(memory[k][m].backend));
      cells.emplace_back(readable_bytes(memory[k][m].host));
      table.add_row(std::move(cells));
    }
  }
  return table;
}

}  // namespace

std::string readable_bytes(std::size_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, units[unit]);
}

std::size_t process_bytes() {
  std::ifstream pages("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  if (pages >> all >> resident && resident > 0) {
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  }
  return std::size_t{20} << 20;
}

std::string program_information() {
  const std::string no_cuda = why_no_cuda();
  return built_with() + section("devices", device_table())
         + (no_cuda.empty() ? "" : fmt::format("  cuda     {}\n", no_cuda)) + tuning_words()
         + section("number formats, for solver.precision", format_table())
         + "  or sMeE, such as s28e11, on the host only: M = 10 to 52 mantissa bits, unit roundoff\n"
           "  2^-(M+1), rounded by software; E = 8 exponent bits, with the range of single, or 11, "
           "with\n"
           "  that of double; s23e8 is single and s52e11 is double, bit for bit\n"
         + problem_list();
}

std::string run_summary(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  const auto line = [&](const std::string& heading, const auto& words) {
    const std::string text = words(0);
    for (std::size_t k = 1; k < plans.size(); ++k) {
      if (words(k) != text) return std::string();
    }
    return fmt::format("{:<9}{}\n", heading, text);
  };
  // A device is asked only where a plan leaves it a chance: that takes a while, and memory on it.
  std::string reason;
  for (const Plan& plan : plans) {
    if (reason.empty() && plan.configuration.backend == "auto") reason = why_no_cuda();
  }
  return line("problem", [&](std::size_t k) { return problem_words(plans[k].configuration); })
         + line("solver", [&](std::size_t k) { return method_words(plans[k].configuration); })
         + line("backend",
                [&](std::size_t k) {
                  const Configuration& c = plans[k].configuration;
                  return fmt::format("{}: {}{}", to_string(runs[k].where),
                                     times_words(c.solver.ranks.get()), device_name(runs[k].where))
                         + (c.backend == "auto" ? fallback_words(c.solver, reason) : "");
                })
         + line("results", [&](std::size_t k) { return plans[k].configuration.output.directory; });
}

std::vector<std::vector<MemoryForecast>> memory_of_levels(const std::vector<Plan>& plans,
                                                          const std::vector<PreparedRun>& runs) {
  std::vector<std::vector<MemoryForecast>> memory;
  const std::size_t process = process_bytes();
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const Configuration& c = plans[k].configuration;
    const Ranks* const ranks = c.solver.ranks.get();
    memory.emplace_back();
    for (const PreparedSolve& solve : runs[k].levels) {
      MemoryForecast own = solve.memory;
      if (c.output.estimates) own.backend = bytes_with_estimate(solve);
      // Ranks that are threads are of one process.
      own.host += ranks == nullptr || ranks->rank() == 0 || is_started_by_mpi() ? process : 0;
      MemoryForecast all = own;
      if (ranks != nullptr && ranks->size() > 1) {
        all = {};
        if (!is_device(runs[k].where)) own.host += own.backend;
        for (const MemoryForecast& one : ranks->statements(own)) {
          all = {std::max(all.backend, one.backend), all.host + one.host};
        }
      }
      memory.back().push_back(all);
    }
  }
  return memory;
}

std::string check_report(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs,
                         const std::vector<std::vector<MemoryForecast>>& memory) {
  Options options = all_options(plans);
  for (auto& [name, value] : options) {
    const std::vector<std::string> choices = choices_of(*find_key(name), plans, runs);
    if (!choices.empty()) value += fmt::format("  # here {}", fmt::join(choices, " and "));
  }
  return "# options in force\n" + to_toml(options)
         + section("memory needed", memory_table(plans, runs, memory));
}

}  // namespace ninefold
