#pragma once
// The exchange of a vector's values among ranks that have parts of a matrix, beside the work that
// makes it: those that others need are made first, and go their way while the rest is made.
//
// Cost.  Of an exchange only what takes longer than the rest is waited for; all of it on a host,
// which has one order of work, and where nearly all values are needed.
//
// Tests.  tests/solvers/sparse/halo_beside_test.cpp, tests/gpu/device/matrix_parts_test.cpp

#include <type_traits>

#include "gpu/backend/branches.hpp"
#include "gpu/operations/halo.hpp"

namespace ninefold {

template <Backend B, Number T>
class HaloBeside {
 public:
  /// Of rows that outlive it and are a part.
  HaloBeside(const B& on, const SparseRows<T>& A)
      : on_(on), branch_(branch_among_ranks(on)), A_(&A), kept_(A.halo->kept) {
    constexpr int fewest = 4;  // of so many one
    if (kept_.last - kept_.first < A.nx / fewest) kept_ = {};
  }

  /// make(on, first, n) for all values of x, some at a time; then others' are beside it.
  template <class Make>
  void fill(In<Field, T> x, const Make& make) const {
    if (kept_.first == kept_.last) {
      make(on_, 0, A_->nx);
      return exchange(x);
    }
    follow(branch_, on_);
    const Work before = branch_.work();
    const auto make_some = [&](const B& on, int first, int last) {
      if (first < last) make(on, first, last - first);
    };
    make_some(branch_, 0, kept_.first);
    make_some(branch_, kept_.last, A_->nx);
    exchange_halo<B, T>(branch_, *A_, x);
    if constexpr (!std::is_same_v<B, Host>) {  // whose branch counts what it counts itself
      const Work given = branch_.work() - before;
      branch_.count(Work{} - given);
      on_.count(given);
    }
    make_some(on_, kept_.first, kept_.last);
    follow(on_, branch_);
  }

  /// Of x as it is.
  void exchange(In<Field, T> x) const { exchange_halo<B, T>(on_, *A_, x); }

 private:
  B on_, branch_;
  const SparseRows<T>* A_;
  OwnRange kept_;
};

}  // namespace ninefold
