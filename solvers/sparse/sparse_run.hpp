#pragma once
// A solve by conjugate gradients with a sparse matrix, in its steps, alone or beside those of other
// matrices; included by solvers/sparse/make_sparse.hpp.
//
// Tests.  tests/solvers/sparse/several_test.cpp, tests/solvers/sparse/systems_test.cpp

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/drivers/outer_solvers.hpp"
#include "solvers/krylov/cg_branches.hpp"
#include "solvers/sparse/solve_sparse_on.hpp"
#include "solvers/sparse/sparse_cg.hpp"
#include "solvers/sparse/wide_on_backend.hpp"
#include "solvers/timeline.hpp"

namespace ninefold {

/// What several solves have taken together.
struct SpentTogether {
  double setup_seconds = 0, solve_seconds = 0;
  Work work{};
  std::size_t memory_bytes = 0;
};

template <Backend B, Number T>
class SparseRun {
  using C = Arithmetic<T>;

 public:
  /// With all memory; beside others the scalars of its right-hand sides are at `places`.
  SparseRun(const B& on, const SparseStages<B>& stages, CgState<C>* places = nullptr)
      : on_(on),
        options_(stages.options.solver),
        divergence_(stages.divergence()),
        solver_(on, stages, options_.form.value(), stages.system.rights.size(), places),
        square_(on, 1) {
    const std::vector<ScaledRight>& rights = stages.system.rights;
    for (std::size_t k = 0; k < rights.size(); ++k) put<T>(on, rights[k].b, solver_.b(k));
    on.wait();
  }

  const B& on() const { return on_; }

  void start() {
    solver_.with_all([&](const auto& all) {
      for (const auto& one : all) r0_.push_back(one->start());
      monitors_.assign(all.size(),
                       ResidualMonitor(options_.max_iterations, cg_patience, divergence_));
    });
  }

  void iterate_to_end() {
    solver_.with_all([&](const auto& all) {
      outcomes_ = iterate_all<B, T>(on_, solver_.A(), all, options_, monitors_,
                                    [this](std::size_t k) { return attainable(k); });
    });
    on_.wait();
  }

  /// The same beside others, of which it is one; `scalars` are those at its places, as they are
  /// read after each block.
  CgBranch<B> begin_beside(const CgState<C>* scalars) {
    return solver_.with_all([&](const auto& all) {
      using One = typename std::remove_cvref_t<decltype(all)>::value_type::element_type;
      std::vector<One*> systems;
      for (const auto& one : all) systems.push_back(one.get());
      const auto cg =
          std::make_shared<CgTogether<B, T, One>>(on_, solver_.A(), std::move(systems), true);
      const auto estimate = [this](std::size_t k) { return attainable(k); };
      cg->begin(options_.tolerance, options_.max_iterations, monitors_, estimate);
      const auto take_end = [this, cg] {
        if (!cg->is_open()) outcomes_ = cg->ended();
      };
      take_end();
      return CgBranch<B>{on_, [cg] { cg->iterate(); },
                         [this, cg, estimate, scalars, take_end] {
                           cg->look(monitors_, estimate, scalars);
                           take_end();
                         },
                         [cg] { return cg->is_open(); }};
    });
  }

  /// Of all right-hand sides.
  std::vector<SparseFound> found(const SpentTogether& spent) {
    return solver_.with_all([&](const auto& all) {
      std::vector<SparseFound> found(all.size());
      for (std::size_t k = 0; k < all.size(); ++k) {
        Report& report = found[k].report;
        report.outcome = outcomes_[k];
        report.setup_seconds = spent.setup_seconds;
        report.solve_seconds = spent.solve_seconds;
        report.work = spent.work;
        report.memory_bytes = spent.memory_bytes;
        report.iterations = monitors_[k].iterations();
        report.history = monitors_[k].history();
        report.residual_reduction = r0_[k] == 0 ? 0 : report.history.back();
        report.attainable_reduction = r0_[k] == 0 ? 0 : attainable(k);
        found[k].coefficients = all[k]->coefficients();
        found[k].y = taken<T>(on_, solver_.x(k));
        solver_.A().visit([&](const auto& rows) { found[k].matrix_bytes = rows.moved_bytes; });
      }
      return found;
    });
  }

 private:
  double attainable(std::size_t k) {
    return attainable_reduction<B, T, SparseOperator<T>>(on_, solver_.A(), solver_.b(k),
                                                         solver_.x(k), square_.data(), r0_[k]);
  }

  B on_;
  const SolverOptions& options_;
  double divergence_;
  SparseCg<B, T> solver_;
  Array<B, C> square_;
  std::vector<double> r0_{};
  std::vector<ResidualMonitor> monitors_{};
  std::vector<Outcome> outcomes_{};
};

/// task(k) for each system that has no failure yet; what it throws is that one's failure.  A host's
/// threads take one each where its operations are too small to be divided among them; others have
/// all threads, one after the other.
template <Backend B, class Task>
void for_systems(const std::vector<SparseSystemOn<B>>& systems,
                 std::vector<std::exception_ptr>& failures, const Task& task) {
  const auto run = [&](std::size_t k) {
    if (failures[k]) return;
    try {
      task(k);
    } catch (...) {
      failures[k] = std::current_exception();
    }
  };
  std::vector<std::size_t> small;
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const bool is_small = systems[k].system->A.pattern.n_rows <= few_rows;
    if (std::is_same_v<B, Host> && is_small) {
      small.push_back(k);
    } else {
      run(k);
    }
  }
  const auto count = static_cast<std::int64_t>(small.size());
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
  for (std::int64_t k = 0; k < count; ++k) run(small[static_cast<std::size_t>(k)]);
}

/// On a device all are branches of one graph; what is wrong with it is wrong with all.
template <Backend B, Number T>
void iterate_in_one_graph(const B& stem, const std::vector<std::unique_ptr<SparseRun<B, T>>>& runs,
                          const Array<B, CgState<Arithmetic<T>>>& states,
                          const std::vector<std::size_t>& places,
                          const std::vector<std::exception_ptr>& failures) {
  std::vector<CgState<Arithmetic<T>>> scalars(states.size());
  std::vector<CgBranch<B>> branches;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!failures[k]) branches.push_back(runs[k]->begin_beside(scalars.data() + places[k]));
  }
  iterate_branches(stem, branches, [&] {
    stem.read(scalars.data(), states.data(), states.size() * sizeof scalars.front());
  });
}

/// As sparse_cg_systems(), where it is said whether iterations are branches of a recording.
template <Backend B, Number T>
std::vector<SystemFound> solve_systems_on(const B& stem,
                                          const std::vector<SparseSystemOn<B>>& systems,
                                          bool in_one_graph) {
  const auto began = Clock::now();
  const std::size_t n = systems.size();
  std::vector<std::size_t> places;
  std::size_t n_states = 0;
  for (const SparseSystemOn<B>& one : systems) {
    places.push_back(n_states);
    n_states += one.system->rights.size();
  }
  const Array<B, CgState<Arithmetic<T>>> states(stem, in_one_graph ? n_states : 0);
  stem.wait();  // it is zero before others write
  std::vector<std::exception_ptr> failures(n);
  std::vector<std::unique_ptr<SparseRun<B, T>>> runs(n);
  std::vector<SystemFound> found(n);
  for_systems(systems, failures, [&](std::size_t k) {
    const SparseSystemOn<B>& one = systems[k];
    const SparseStages<B> stages{
        *one.system, *one.options,
        std::make_shared<const LayoutOnBackend<B>>(
            one.on, row_layout(one.system->A.pattern, one.options->storage.value()))};
    runs[k] = std::make_unique<SparseRun<B, T>>(one.on, stages,
                                                in_one_graph ? states.data() + places[k] : nullptr);
  });
  const auto work_of_all = [&] {
    Work work = stem.work();
    for (std::size_t k = 0; k < n; ++k) {
      if (systems[k].is_first) work += systems[k].on.work();
    }
    return work;
  };
  const Work before = work_of_all();
  for_systems(systems, failures, [&](std::size_t k) { runs[k]->start(); });
  SpentTogether spent;
  spent.setup_seconds = seconds_since(began);
  const auto solve_began = Clock::now();
  if (in_one_graph) {
    iterate_in_one_graph(stem, runs, states, places, failures);
  } else {
    for_systems(systems, failures, [&](std::size_t k) { runs[k]->iterate_to_end(); });
  }
  spent.solve_seconds = seconds_since(solve_began);
  spent.work = work_of_all() - before;
  spent.memory_bytes = stem.peak();
  for (std::size_t k = 0; k < n; ++k) {
    if (systems[k].is_first) spent.memory_bytes += systems[k].on.peak();
  }
  for_systems(systems, failures, [&](std::size_t k) { found[k].rights = runs[k]->found(spent); });
  for (std::size_t k = 0; k < n; ++k) found[k].failure = failures[k];
  return found;
}

}  // namespace ninefold
