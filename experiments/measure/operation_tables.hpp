#pragma once
// The tables of experiments/measure/operations.cpp.

#include "output/tables/table.hpp"

#include "experiments/support/measuring.hpp"

namespace ninefold {

/// `plain` is what moves memory and does nothing else.
inline Table operation_table(const char* plain) {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "precision", .header = "precision", .align = Align::left},
       {.key = "storage", .header = "storage", .align = Align::left},
       {.key = "form", .header = "form", .align = Align::left},
       {.key = "operation", .header = "operation", .align = Align::left},
       {.key = "values_per_node", .header = "values\nper node"},
       {.key = "seconds", .header = "time", .unit = "ms", .style = significant(4), .scale = 1e-3},
       {.key = "bytes_per_second",
        .header = "rate",
        .unit = "GB/s",
        .style = significant(4),
        .scale = 1e9},
       {.key = "plain_bytes_per_second",
        .header = plain,
        .unit = "GB/s",
        .style = significant(4),
        .scale = 1e9},
       {.key = "ratio", .header = "ratio", .style = fixed(3)}}));
}

inline Table solve_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "method", .header = "method", .align = Align::left},
       {.key = "precision", .header = "precision", .align = Align::left},
       {.key = "tolerance", .header = "tolerance", .style = significant(2)},
       {.key = "iterations", .header = "iterations"},
       {.key = "outcome", .header = "outcome", .align = Align::left},
       {.key = "true_residual_reduction", .header = "true\nresidual", .style = scientific(3)},
       {.key = "setup_seconds",
        .header = "setup",
        .unit = "ms",
        .style = significant(4),
        .scale = 1e-3},
       {.key = "solve_seconds",
        .header = "solve",
        .unit = "ms",
        .style = significant(4),
        .scale = 1e-3},
       {.key = "nanoseconds_per_node", .header = "per node", .unit = "ns", .style = significant(4)},
       {.key = "memory_bytes",
        .header = "memory",
        .unit = "MiB",
        .style = significant(5),
        .scale = 1048576},
       {.key = "memory_ratio", .header = "memory over\n5 vectors + bands", .style = fixed(3)},
       {.key = "ratio", .header = "declared rate\nover plain", .style = fixed(3)}}));
}

}  // namespace ninefold
