#pragma once
// How fast memory moves where a run solves, measured while the user waits.

#include <cstddef>
#include <optional>

#include "solvers/devices.hpp"
#include "solvers/options.hpp"

namespace ninefold {

/// From this many bytes on memory, not launches and caches, decides how long an iteration takes.
inline constexpr std::size_t memory_bound = std::size_t{64} << 20;

/// Bytes per second of plain movement (on a device its own copy, on the host a triad), in some
/// milliseconds; nothing where memory is short.
std::optional<double> measure_plain_rate(BackendKind where);

/// That of all devices of a solve; nothing of several processes, which share one host's memory or
/// are of several.
std::optional<double> plain_rate_of(const SolverOptions& options, BackendKind where);

}  // namespace ninefold
