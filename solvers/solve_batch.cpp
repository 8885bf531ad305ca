#include "solvers/solve_batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <omp.h>

#include "precision/require.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/solver.hpp"

namespace ninefold {
namespace {

/// Solvers that take right-hand sides in turns.
class Batch {
 public:
  /// Makes the solvers, of which the k-th has the k-th data: as many as there is memory for.
  Batch(const PreparedSolve& prepared, const std::vector<Problem>& data, std::size_t most)
      : data_(data), solved_(data.size()), failures_(data.size()) {
    for (std::size_t k = 0; k < std::min(data.size(), most); ++k) {
      try {
        solvers_.emplace_back(prepare(data[k], prepared.grids, prepared.options, prepared.where,
                                      prepared.keeps_solution));
      } catch (const OutOfMemory&) {
        if (k == 0) throw;
        break;
      } catch (const std::bad_alloc&) {
        if (k == 0) throw;
        break;
      }
    }
    next_ = solvers_.size();
  }

  std::vector<Solved> solve() {
    const int threads = omp_get_max_threads();
    const int of_each = std::max(1, threads / std::max(1, static_cast<int>(solvers_.size())));
    {
      std::vector<std::jthread> others;  // which are waited for at its end
      std::size_t k = 1;
      try {
        for (; k < solvers_.size(); ++k) {
          others.emplace_back([this, k, of_each] {
            omp_set_num_threads(of_each);
            work(k);
          });
        }
      } catch (const std::system_error&) {  // no more threads: this one does what is left
      }
      omp_set_num_threads(of_each);
      for (std::size_t own = k; own < solvers_.size(); ++own) work(own);
      if (!solvers_.empty()) work(0);
      omp_set_num_threads(threads);
    }
    for (const std::exception_ptr& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
    return std::move(solved_);
  }

 private:
  /// The k-th solver, for the k-th right-hand side and then for those that nobody has taken.
  void work(std::size_t k) noexcept {
    Solver& solver = solvers_[k];
    for (bool has_data = true; k < data_.size(); k = next_++, has_data = false) {
      try {
        if (!has_data) solver.set_data(data_[k]);
        solved_[k] = solver.solve();
      } catch (...) {
        failures_[k] = std::current_exception();
        next_ = data_.size();  // the others end when they have solved theirs
      }
    }
  }

  const std::vector<Problem>& data_;
  std::vector<Solver> solvers_;
  std::vector<Solved> solved_;
  std::vector<std::exception_ptr> failures_;
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace

std::vector<Solved> solve_batch(const PreparedSolve& prepared, const std::vector<Problem>& data,
                                int solvers) {
  require(solvers > 0,
          [&] { return fmt::format("{} solvers at once: 1 or more are possible", solvers); });
  for (const Problem& problem : data) require_same_matrix(problem, prepared.problem);
  const bool is_one = prepared.options.ranks || software_format(prepared.options);
  return Batch(prepared, data, is_one ? 1 : static_cast<std::size_t>(solvers)).solve();
}

std::vector<Solved> solve_batch(const PreparedSolve& prepared, const std::vector<Problem>& data) {
  return solve_batch(prepared, data, is_device(prepared.where) ? 4 : 1);
}

}  // namespace ninefold
