#pragma once
// Several that solve one problem together, each with its part of the rows of every large grid
// (grids/slabs.hpp), or of vectors without a grid (gpu/backend/vector_part.hpp), and what they tell
// each other.
//
// All ranks run the same program: each makes the same calls in the same order, and finds the same
// scalars, hence takes the same decisions.  Sums keep the one order (gpu/backend/summation.hpp): a
// rank sums the chunks of its rows, all get the sums of all chunks, and each finishes them.
//
// Failure.  A rank that cannot go on calls fail(); what others wait for then throws RankFailure, so
// that none of them waits for ever.
//
// Tests.  tests/gpu/backend/ranks_test.cpp; whole solves in tests/solvers/ranks_test.cpp

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "grids/slabs.hpp"

namespace ninefold {

/// Another rank has failed: said where this one would have waited for it.
struct RankFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Rows of a vector beside a border: the lowest and the highest of a rank's own, which others read,
/// and where those of the ranks below and above go.  All of `bytes` bytes.
struct BorderRows {
  const void* lowest;
  const void* highest;
  void* below;
  void* above;
  std::size_t bytes;
};

/// What one rank gives to another, and where what that gives belongs.
struct Message {
  int other;
  const void* from;
  std::size_t sent;  ///< bytes
  void* to;
  std::size_t received;
};

/// One rank's view of all of them.  Serves one thread at a time.
class Ranks {
 public:
  virtual ~Ranks() = default;

  int rank() const { return rank_; }
  int size() const { return slabs_.ranks(); }
  const Slabs& slabs() const { return slabs_; }
  RowRange own_rows(int ny) const { return slabs_.rows(ny, rank_); }
  RowRange own_coarse_rows(int ny) const { return slabs_.coarse_rows(ny, rank_); }

  /// In the host's memory: gives the border rows, of several vectors, to the neighbours and takes
  /// theirs.  What has no neighbour stays as it is.  All ranks call it with as many vectors, of
  /// rows of as many bytes.  Throws RankFailure, or std::runtime_error where messages fail.
  virtual void exchange(const std::vector<BorderRows>& vectors) const = 0;
  /// In the host's memory: values[begin[r]] to values[begin[r + 1]], in bytes, are rank r's own at
  /// first, and everybody's in the end; `begin` has size() + 1 ascending entries, the same on all
  /// ranks.  Throws as exchange().
  virtual void gather(void* values, const std::vector<std::size_t>& begin) const = 0;
  /// In the host's memory: gives and takes, by at most one message to each other rank.  If a rank
  /// has a message to another, that has one to it, which expects as many bytes as are sent.  All
  /// ranks call it.  Throws as exchange(), and std::logic_error between threads that expect
  /// otherwise.
  virtual void trade(const std::vector<Message>& messages) const = 0;

  /// What each rank states, in their order.
  template <class T>
  std::vector<T> statements(const T& own) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    std::vector<std::size_t> begin;
    for (std::size_t r = 0; r <= all.size(); ++r) begin.push_back(r * sizeof(T));
    all[static_cast<std::size_t>(rank())] = own;
    gather(all.data(), begin);
    return all;
  }
  /// True on all ranks if it is said on one.
  bool any(bool said) const {
    const std::vector<char> all = statements<char>(said ? 1 : 0);
    return std::find(all.begin(), all.end(), 1) != all.end();
  }
  /// Tells the others that this rank gives up, and why.
  virtual void fail(const std::string& why) const noexcept = 0;
  /// act(), on any thread, when one of them does, or at once if one has; kept as long as the ranks
  /// are.
  virtual void when_failed(std::function<void()> act) const = 0;

 protected:
  Ranks(int rank, const Slabs& slabs) : rank_(rank), slabs_(slabs) {}

 private:
  int rank_;
  Slabs slabs_;
};

/// The ranks that are threads of this process, all of them.
std::vector<std::shared_ptr<const Ranks>> thread_ranks(const Slabs& slabs);

/// task(ranks) in as many threads of this process as there are ranks, the first of them the one
/// that calls, each with its share of the threads of the host's operations (OpenMP's number divided
/// by that of ranks, at least one).  If tasks throw, the exception of the first that did is thrown.
void run_on_ranks(const Slabs& slabs,
                  const std::function<void(const std::shared_ptr<const Ranks>&)>& task);

}  // namespace ninefold
