#include "solvers/sparse/sparse_systems.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/require.hpp"
#include "precision/soft_float.hpp"

#include "gpu/backend/branches.hpp"

#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/sparse/judged.hpp"
#include "solvers/sparse/solve_sparse_on.hpp"
#include "solvers/timeline.hpp"
#include "solvers/with_backend.hpp"

namespace ninefold {
namespace {

/// Streams of a device: more chains of kernels at once than it takes up side by side.
constexpr std::size_t most_branches = 16;

/// A system, scaled, with its options settled.
struct Prepared {
  std::size_t given = 0;  ///< its number
  SparseOptions options{};
  ScaledSystem system{};
};

/// run(k) of each system that is not refused; what it throws is its refusal.  Small ones have a
/// thread each, others all threads, one after the other.
template <class Run>
void for_each_of(std::span<const GivenSystem> systems, std::vector<SystemSolved>& solved,
                 const Run& run) {
  const auto try_one = [&](std::size_t k) {
    if (solved[k].refusal) return;
    try {
      run(k);
    } catch (...) {
      solved[k].refusal = std::current_exception();
    }
  };
  std::vector<std::size_t> small;
  for (std::size_t k = 0; k < systems.size(); ++k) {
    if (systems[k].A->pattern.n_rows <= few_rows) {
      small.push_back(k);
    } else {
      try_one(k);
    }
  }
  const auto count = static_cast<std::int64_t>(small.size());
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
  for (std::int64_t i = 0; i < count; ++i) try_one(small[static_cast<std::size_t>(i)]);
}

/// On a host each has a backend, on a device they share a few.
template <Backend B>
std::vector<SparseSystemOn<B>> placed(const B& stem, const std::vector<Prepared>& all) {
  const std::size_t branches =
      std::is_same_v<B, Host> ? all.size() : std::min(all.size(), most_branches);
  std::vector<std::size_t> scratch(branches, 0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::size_t& bytes = scratch[k % branches];
    bytes = std::max(bytes, sum_scratch_bytes(all[k].system.A.pattern.n_rows, 1));
  }
  std::vector<SparseSystemOn<B>> systems;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool is_first = k < branches;
    const B on = is_first ? branch_of(stem, scratch[k]) : systems[k % branches].on;
    systems.push_back({on, &all[k].system, &all[k].options, is_first});
  }
  return systems;
}

template <Backend B>
std::vector<SystemFound> find_on(const B& stem, const SparseOptions& options,
                                 const std::vector<Prepared>& all) {
  return with_type(options.solver.precision, [&]<class T>() -> std::vector<SystemFound> {
    if constexpr (std::is_same_v<B, Host> || (has_cuda && !is_software<T>)) {
      return sparse_cg_systems<B, T>(stem, placed(stem, all));
    } else {
      throw std::logic_error("there are no operations on a device for this format");
    }
  });
}

std::vector<SystemSolved> one_by_one(std::span<const GivenSystem> systems,
                                     const SparseOptions& options, BackendKind where) {
  std::vector<SystemSolved> solved;
  for (const GivenSystem& given : systems) {
    SystemSolved& one = solved.emplace_back();
    try {
      one.rights = solve_sparse(*given.A, given.rights, options, where);
    } catch (const std::invalid_argument&) {  // all ranks alike; they hear of what is thrown else
      one.refusal = std::current_exception();
    }
  }
  return solved;
}

}  // namespace

bool are_side_by_side(const SparseOptions& options) {
  return !options.solver.refinement.used() && !has_several_ranks(options.solver);
}

std::vector<SystemSolved> solve_systems(std::span<const GivenSystem> systems,
                                        const SparseOptions& options, BackendKind where) {
  validate(options, where);
  if (!are_side_by_side(options)) return one_by_one(systems, options, where);
  const auto began = Clock::now();
  std::vector<SystemSolved> solved(systems.size());
  std::vector<Prepared> each(systems.size());
  for_each_of(systems, solved, [&](std::size_t k) {
    const auto& [A, rights] = systems[k];
    require_components(options, A->pattern.n_rows);
    require(!rights.empty(), "there is no right-hand side");
    std::vector<const WideVector*> given;
    for (const SparseRight& right : rights) given.push_back(&right.b);
    const SparseOptions settled_options = settled(options, *A);
    each[k] = {k, settled_options, scaled_system(*A, given, settled_options)};
  });
  std::vector<Prepared> prepared;
  for (std::size_t k = 0; k < each.size(); ++k) {
    if (!solved[k].refusal) prepared.push_back(std::move(each[k]));
  }
  if (prepared.empty()) return solved;
  const double ordered = seconds_since(began);
  std::optional<SoftFloat::Scope> scope;
  if (const auto soft = software_format(options.solver)) {
    scope.emplace(soft->mantissa(), soft->exponent());
  }
  std::vector<SystemFound> found = with_backend(
      where, [&](const auto& stem) { return find_on(stem, options, prepared); },
      sum_scratch_bytes(1, 1));  // the stem makes no sums
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    solved[prepared[i].given].refusal = found[i].failure;
    for (SparseFound& one : found[i].rights) one.report.setup_seconds += ordered;
  }
  scope.reset();
  std::vector<std::size_t> place(systems.size(), 0);
  for (std::size_t i = 0; i < prepared.size(); ++i) place[prepared[i].given] = i;
  for_each_of(systems, solved, [&](std::size_t k) {
    const auto& [A, rights] = systems[k];
    const Prepared& own = prepared[place[k]];
    std::vector<SparseFound>& of = found[place[k]].rights;
    for (std::size_t r = 0; r < rights.size(); ++r) {
      solved[k].rights.push_back(judged(*A, {&rights[r].b, &rights[r].solution}, own.options,
                                        own.system, r, std::move(of[r])));
    }
  });
  for (SystemSolved& one : solved) {
    if (one.refusal) one.rights.clear();
  }
  return solved;
}

}  // namespace ninefold
