#pragma once
// What programs that measure share: the time of recorded work, and rows that say where they were
// measured.

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ninefold/version.hpp>

#include "gpu/backend.hpp"
#include "gpu/graph.hpp"

#include "output/table.hpp"

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
  const auto median = times.begin() + stretches / 2;
  std::nth_element(times.begin(), median, times.end());
  return *median;
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
