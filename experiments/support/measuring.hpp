#pragma once
// What programs that measure share: the time of recorded work, and rows that say where they were
// measured.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ninefold/version.hpp>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"

#include "solvers/solve.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/config/settings.hpp"
#include "experiments/support/median.hpp"

namespace ninefold {

/// Seconds of one call of `work`, which is recorded `calls` times at once, so that replaying costs
/// little, and replayed for stretches of 0.02 s, long against a launch and the clock; the median
/// of `stretches` of them.
template <Backend B, class Work>
double seconds_of(const B& on, int stretches, int calls, const Work& work) {
  using Clock = std::chrono::steady_clock;
  constexpr double stretch_seconds = 0.02;
  const Recording<B> recording(on, [&] {
    for (int k = 0; k < calls; ++k) work();
  });
  const auto run = [&](int replays) {
    const auto start = Clock::now();
    for (int k = 0; k < replays; ++k) recording.replay();
    on.wait();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  run(1);
  const int replays = std::clamp(static_cast<int>(stretch_seconds / run(1)), 1, 1000);
  std::vector<double> times(static_cast<std::size_t>(stretches));
  for (double& time : times) time = run(replays) / (calls * replays);
  return median_of(std::move(times));
}

inline constexpr int plain_calls = 4;  // in one recording
inline constexpr std::size_t plain_bytes = std::size_t{1} << 28;
// A copy of an odd size may be far slower.
inline constexpr std::size_t plain_unit = std::size_t{1} << 21;

/// The rate in bytes per second of plain memory movement: on a device its own copy, counted as one
/// read and one write; on the host a triad a = b + s c, counted as two reads and one write.  At
/// least 256 MiB per array, so that no cache flatters it.
inline double plain_rate(const Cuda& on, int stretches, std::size_t bytes) {
  bytes = (std::max(bytes, plain_bytes) + plain_unit - 1) / plain_unit * plain_unit;
  const Array<Cuda, char> a(on, bytes), b(on, bytes);
  return 2.0 * static_cast<double>(bytes) / seconds_of(on, stretches, plain_calls, [&] {
           on.copy_within(a.data(), b.data(), bytes);
         });
}

inline double plain_rate(const Host& on, int stretches, std::size_t bytes) {
  bytes = std::max(bytes, plain_bytes);
  const std::size_t n = bytes / sizeof(double);
  const Array<Host, double> a(on, n), b(on, n), c(on, n);
  double* const to = a.data();
  const double* const x = b.data();
  const double* const y = c.data();
  return 3.0 * static_cast<double>(bytes) / seconds_of(on, stretches, plain_calls, [=] {
           const long count = static_cast<long>(n);
#pragma omp parallel for simd
           for (long k = 0; k < count; ++k) to[k] = x[k] + 3.0 * y[k];
         });
}

/// Where to measure; throws std::invalid_argument if that is not here, and ConfigurationError if no
/// table can be written to the folder.
inline BackendKind begin_measuring(const std::string& backend,
                                   const std::filesystem::path& output) {
  const BackendKind where = choose_backend(backend);
  try {
    ensure_writable_directory(output);
  } catch (const std::runtime_error& error) {
    throw ConfigurationError(error.what());
  }
  return where;
}

/// The formats of --precisions; throws ConfigurationError for one that only software has.
inline std::vector<Precision> measured_formats(const std::vector<std::string>& names) {
  std::vector<Precision> formats;
  for (const std::string& name : names) {
    formats.push_back(precision_from_name(name));
    if (formats.back().kind() == Precision::Kind::soft) {
      throw ConfigurationError(
          fmt::format("--precisions {} is not possible: software formats are not measured", name));
    }
  }
  return formats;
}

/// Where and when something was measured; the commit is the program's own.
struct Context {
  std::string device, driver, date;
};

inline Context context_of(bool on_device) {
  const std::string date = fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
  if (on_device) {
    const CudaDescription cuda = describe_cuda();
    return {cuda.name, cuda.driver, date};
  }
  const HostDescription host = describe_host();
  return {fmt::format("{}, {} threads", host.name, host.threads), "", date};
}

/// The cells of a row and those of its context.
inline std::vector<Cell> with_context(std::vector<Cell> cells, const Context& context) {
  cells.emplace_back(context.device);
  cells.emplace_back(context.driver);
  cells.emplace_back(std::string(commit));
  cells.emplace_back(context.date);
  return cells;
}

/// The columns of a table and those of its rows' contexts, for data files only.
inline std::vector<Column> with_context(std::vector<Column> columns) {
  for (const char* key : {"device", "driver", "commit", "date"}) {
    columns.push_back({.key = key, .header = key, .data_only = true});
  }
  return columns;
}

}  // namespace ninefold
