#pragma once
// The time of recorded work, and the rate of plain memory movement that it is compared with.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"

#include "experiments/support/median.hpp"

namespace ninefold {

/// Seconds of one call of `work`, which is recorded `calls` times at once, so that replaying costs
/// little, and replayed for stretches of `stretch_seconds`, long against a launch and the clock;
/// the median of `stretches` of them.
template <Backend B, class Work>
double seconds_of(const B& on, int stretches, int calls, const Work& work,
                  double stretch_seconds = 0.02) {
  using Steady = std::chrono::steady_clock;
  const Recording<B> recording(on, [&] {
    for (int k = 0; k < calls; ++k) work();
  });
  const auto run = [&](int replays) {
    const auto start = Steady::now();
    for (int k = 0; k < replays; ++k) recording.replay();
    on.wait();
    return std::chrono::duration<double>(Steady::now() - start).count();
  };
  run(1);
  const int replays = std::clamp(static_cast<int>(stretch_seconds / run(1)), 1, 1000);
  std::vector<double> times(static_cast<std::size_t>(stretches));
  for (double& time : times) time = run(replays) / (calls * replays);
  return median_of(std::move(times));
}

/// The shortest of several short stretches: where other work shares the cores a median is that of
/// waiting.
template <Backend B, class Work>
double shortest_seconds(const B& on, const Work& work) {
  constexpr int tries = 15;
  constexpr double stretch_seconds = 0.004;
  double shortest = seconds_of(on, 1, 1, work, stretch_seconds);
  for (int k = 1; k < tries; ++k) {
    shortest = std::min(shortest, seconds_of(on, 1, 1, work, stretch_seconds));
  }
  return shortest;
}

inline constexpr std::size_t plain_bytes = std::size_t{1} << 28;
// A copy of an odd size may be far slower, and on some machines one of half a gigabyte and more: it
// is made in pieces of `plain_bytes`.
inline constexpr std::size_t plain_unit = std::size_t{1} << 21;

/// The rate in bytes per second of plain memory movement: on a device its own copy, counted as one
/// read and one write; on the host a triad a = b + s c, counted as two reads and one write.  At
/// least 256 MiB per array, so that no cache flatters it.
inline double plain_rate(const Cuda& on, int stretches, std::size_t bytes,
                         double stretch_seconds = 0.02) {
  bytes = (std::max(bytes, plain_bytes) + plain_unit - 1) / plain_unit * plain_unit;
  const Array<Cuda, char> a(on, bytes), b(on, bytes);
  constexpr int calls = 4;
  return 2.0 * static_cast<double>(bytes)
         / seconds_of(
             on, stretches, calls,
             [&] {
               for (std::size_t from = 0; from < bytes; from += plain_bytes) {
                 const std::size_t piece = std::min(bytes - from, plain_bytes);
                 on.copy_within(a.data() + from, b.data() + from, piece);
               }
             },
             stretch_seconds);
}

/// The same on the host, where nothing is gained by recording several calls at once.
inline double plain_rate(const Host& on, int stretches, std::size_t bytes,
                         double stretch_seconds = 0.02) {
  bytes = std::max(bytes, plain_bytes);
  const std::size_t n = bytes / sizeof(double);
  const Array<Host, double> a(on, n), b(on, n), c(on, n);
  double* const to = a.data();
  const double* const x = b.data();
  const double* const y = c.data();
  const auto triad = [=] {
    const long count = static_cast<long>(n);
#pragma omp parallel for simd
    for (long k = 0; k < count; ++k) to[k] = x[k] + 3.0 * y[k];
  };
  return 3.0 * static_cast<double>(bytes) / seconds_of(on, stretches, 1, triad, stretch_seconds);
}

}  // namespace ninefold
