#include "experiments/program/plain_rate.hpp"

#include "solvers/with_backend.hpp"

#include "experiments/support/rates.hpp"

namespace ninefold {

std::optional<double> measure_plain_rate(BackendKind where) {
  constexpr int stretches = 3;
  constexpr double stretch_seconds = 0.002;
  constexpr std::size_t enough = std::size_t{2} << 30;
  const std::size_t available =
      is_device(where) ? describe_cuda().memory_available : describe_host().memory_available;
  if (available < enough) return {};
  return with_backend(where,
                      [](const auto& on) { return plain_rate(on, stretches, 0, stretch_seconds); });
}

std::optional<double> plain_rate_of(const SolverOptions& options, BackendKind where) {
  const int ranks = has_several_ranks(options) ? options.ranks->size() : 1;
  if (ranks > 1 && !is_device(where)) return {};
  const std::optional<double> rate = measure_plain_rate(where);
  if (!rate) return {};
  return ranks * *rate;
}

}  // namespace ninefold
