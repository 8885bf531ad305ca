#pragma once
// Conjugate gradients for several right-hand sides of one matrix, side by side.
//
// Mathematics.  Each system has its own scalars, history and end: nothing of one enters another,
// unlike in block methods.
//
// Cost.  As many iterations as the longest solve.  The product reads the matrix once for all of
// them (products()); all else is that of each alone, unless steps are whole iterations, which then
// share kernels, too.  A system that has ended
// takes its part of an iteration's time on a device, which changes nothing of it, and none on a
// host.
//
// Rounding.  The bits of each are those of a solve alone: products() and dot() have those of
// product_dot(), and blocks end with the same iterations.
//
// Tests.  tests/solvers/sparse/several_test.cpp, tests/gpu/device/sparse_same_bits_test.cpp

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/backend/graph.hpp"
#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"

namespace ninefold {

/// `Cg` are ConjugateGradients of one matrix, with vectors of their own and without a block.
template <Backend B, Number T, class Cg>
class CgTogether {
 public:
  /// Of systems that outlive it; those that are `beside` ones of other matrices
  /// (solvers/krylov/cg_branches.hpp) have no block, and no run().
  CgTogether(const B& on, const SparseOperator<T>& A, std::vector<Cg*> systems, bool beside = false)
      : on_(on), A_(A), systems_(std::move(systems)) {
    if (beside) return;
    block_.emplace(on, [this] {
      for (int k = 0; k < cg_block; ++k) iterate();
    });
  }
  CgTogether(const CgTogether&) = delete;
  CgTogether& operator=(const CgTogether&) = delete;

  /// Iterates until the last has ended; call after start() of each.
  /// `attainable(k)` as in ConjugateGradients::run(), of system k, and so is references[k], if
  /// there are any.
  template <class Attainable>
  std::vector<Outcome> run(double tolerance, int max_iterations,
                           std::vector<ResidualMonitor>& monitors, const Attainable& attainable,
                           const std::vector<double>& references = {}) {
    begin(tolerance, max_iterations, monitors, attainable, references);
    while (is_open()) {
      block_->replay();
      look(monitors, attainable);
    }
    return ended();
  }

  // --- the parts of run() ---

  template <class Attainable>
  void begin(double tolerance, int max_iterations, std::vector<ResidualMonitor>& monitors,
             const Attainable& attainable, const std::vector<double>& references = {}) {
    outcomes_.assign(systems_.size(), {});
    for (std::size_t k = 0; k < systems_.size(); ++k) {
      const auto reference = references.empty() ? std::nullopt : std::optional(references[k]);
      outcomes_[k] = systems_[k]->begin(tolerance, max_iterations, reference, monitors[k],
                                        [&] { return attainable(k); });
    }
  }

  /// An iteration of all.
  void iterate() const {
    std::vector<const Cg*> active;
    for (const Cg* system : systems_) {
      if (system->may_be_active()) active.push_back(system);
    }
    if constexpr (Cg::whole) {
      Cg::iterate_whole(active);
    } else if (active.size() == 1) {
      active.front()->iterate();  // a pass less
    } else {
      iterate_by_products(active);
    }
  }

  /// Takes what a block of iterations has left: the scalars of all, where they were read.
  template <class Attainable>
  void look(std::vector<ResidualMonitor>& monitors, const Attainable& attainable,
            const CgState<Arithmetic<T>>* scalars = nullptr) {
    for (std::size_t k = 0; k < systems_.size(); ++k) {
      if (outcomes_[k]) continue;
      const auto of = [&] { return attainable(k); };
      outcomes_[k] = scalars == nullptr ? systems_[k]->look(monitors[k], of)
                                        : systems_[k]->look(scalars[k], monitors[k], of);
      if (outcomes_[k]) systems_[k]->end();
    }
  }

  /// True until all have ended.
  bool is_open() const {
    return std::any_of(outcomes_.begin(), outcomes_.end(), [](const auto& o) { return !o; });
  }
  std::vector<Outcome> ended() const {
    std::vector<Outcome> all;
    for (const auto& outcome : outcomes_) all.push_back(outcome.value());
    return all;
  }

  /// Of a block of cg_block iterations of all.
  Work work_of_block() const { return block_->work(); }

 private:
  void iterate_by_products(const std::vector<const Cg*>& active) const {
    for (std::size_t first = 0; first < active.size(); first += most_columns) {
      const std::size_t end = std::min<std::size_t>(first + most_columns, active.size());
      Columns<T> columns{};
      for (std::size_t k = first; k < end; ++k) {
        const CgVectors<T>& v = active[k]->vectors();
        columns.x[columns.count] = v.p.data;
        columns.y[columns.count++] = v.q.data;
      }
      products<B, T>(on_, A_, columns);
    }
    for (const Cg* system : active) {
      const CgVectors<T>& v = system->vectors();
      dot<B, T>(on_, A_.unknowns, v.p, v.q, system->product_with_direction());
      system->iterate_with_product();
    }
  }

  B on_;
  SparseOperator<T> A_;
  std::vector<Cg*> systems_;
  std::vector<std::optional<Outcome>> outcomes_;
  std::optional<Recording<B>> block_;
};

}  // namespace ninefold
