#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <omp.h>

#include "gpu/backend/ranks.hpp"

namespace ninefold {

namespace {

/// Where threads meet, and leave notes for each other.
class MeetingPlace {
 public:
  explicit MeetingPlace(int size)
      : size_(size),
        borders_(static_cast<std::size_t>(size)),
        messages_(static_cast<std::size_t>(size)),
        values_(static_cast<std::size_t>(size)) {}

  /// Returns when all have come.  Throws RankFailure if one has failed.
  void meet() {
    std::unique_lock lock(mutex_);
    if (!why_.empty()) throw RankFailure(why_);
    const long now = meetings_.load();
    if (++here_ == size_) {
      here_ = 0;
      ++meetings_;
      lock.unlock();
      all_are_here_.notify_all();
      return;
    }
    if (waits_awake_) {  // most have not far to come
      lock.unlock();
      for (int tries = 0; tries < awake_tries; ++tries) {
        if (meetings_.load() != now) return;
      }
      lock.lock();
    }
    all_are_here_.wait(lock, [&] { return meetings_.load() != now || !why_.empty(); });
    if (meetings_.load() == now) throw RankFailure(why_);  // else all had come before
  }
  void fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (why_.empty()) why_ = why;
    for (const auto& act : when_failed_) act();
    all_are_here_.notify_all();
  }
  void when_failed(std::function<void()> act) {
    const std::lock_guard lock(mutex_);
    if (!why_.empty()) act();
    when_failed_.push_back(std::move(act));
  }

  const std::vector<BorderRows>*& borders(int rank) {
    return borders_[static_cast<std::size_t>(rank)];
  }
  const std::vector<Message>*& messages(int rank) {
    return messages_[static_cast<std::size_t>(rank)];
  }
  const char*& values(int rank) { return values_[static_cast<std::size_t>(rank)]; }

 private:
  std::mutex mutex_;
  std::condition_variable all_are_here_;
  static constexpr int awake_tries = 20000;
  int size_, here_ = 0;
  std::atomic<long> meetings_ = 0;
  const bool waits_awake_ = std::thread::hardware_concurrency() > static_cast<unsigned>(2 * size_);
  std::string why_;
  std::vector<const std::vector<BorderRows>*> borders_;
  std::vector<const std::vector<Message>*> messages_;
  std::vector<const char*> values_;
  std::vector<std::function<void()>> when_failed_;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(int rank, const Slabs& slabs, std::shared_ptr<MeetingPlace> place)
      : Ranks(rank, slabs), place_(std::move(place)) {}

  void exchange(const std::vector<BorderRows>& vectors) const override {
    place_->borders(rank()) = &vectors;
    place_->meet();
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      const BorderRows& rows = vectors[v];
      if (rank() > 0) {
        std::memcpy(rows.below, (*place_->borders(rank() - 1))[v].highest, rows.bytes);
      }
      if (rank() + 1 < size()) {
        std::memcpy(rows.above, (*place_->borders(rank() + 1))[v].lowest, rows.bytes);
      }
    }
    place_->meet();  // before anybody changes its rows
  }

  void gather(void* values, const std::vector<std::size_t>& begin) const override {
    place_->values(rank()) = static_cast<const char*>(values);
    place_->meet();
    for (int r = 0; r < size(); ++r) {
      const std::size_t from = begin[static_cast<std::size_t>(r)];
      const std::size_t bytes = begin[static_cast<std::size_t>(r) + 1] - from;
      if (r != rank())
        std::memcpy(static_cast<char*>(values) + from, place_->values(r) + from, bytes);
    }
    place_->meet();
  }

  void trade(const std::vector<Message>& messages) const override {
    place_->messages(rank()) = &messages;
    place_->meet();
    std::string wrong;
    for (const Message& own : messages) {
      const std::vector<Message>& theirs = *place_->messages(own.other);
      const auto gift = std::find_if(theirs.begin(), theirs.end(),
                                     [&](const Message& one) { return one.other == rank(); });
      const std::size_t given = gift == theirs.end() ? 0 : gift->sent;
      if (given != own.received) {
        wrong = "rank " + std::to_string(rank()) + " expects " + std::to_string(own.received)
                + " bytes of rank " + std::to_string(own.other) + ", which gives "
                + std::to_string(given);
      } else if (given > 0) {
        std::memcpy(own.to, gift->from, given);
      }
    }
    place_->meet();
    if (!wrong.empty()) throw std::logic_error(wrong);
  }

  void fail(const std::string& why) const noexcept override {
    place_->fail("rank " + std::to_string(rank()) + " has failed: " + why);
  }
  void when_failed(std::function<void()> act) const override {
    place_->when_failed(std::move(act));
  }

 private:
  std::shared_ptr<MeetingPlace> place_;
};

}  // namespace

std::vector<std::shared_ptr<const Ranks>> thread_ranks(const Slabs& slabs) {
  const auto place = std::make_shared<MeetingPlace>(slabs.ranks());
  std::vector<std::shared_ptr<const Ranks>> all;
  for (int r = 0; r < slabs.ranks(); ++r) {
    all.push_back(std::make_shared<ThreadRanks>(r, slabs, place));
  }
  return all;
}

void run_on_ranks(const Slabs& slabs,
                  const std::function<void(const std::shared_ptr<const Ranks>&)>& task) {
  const int all_threads = omp_get_max_threads();
  const int threads = std::max(1, all_threads / slabs.ranks());
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](const std::shared_ptr<const Ranks>& ranks) {
    omp_set_num_threads(threads);
    try {
      task(ranks);
    } catch (const std::exception& error) {
      {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
      ranks->fail(error.what());
    }
  };
  const auto all = thread_ranks(slabs);
  std::vector<std::thread> others;
  for (auto ranks = all.begin() + 1; ranks != all.end(); ++ranks) {
    try {
      others.emplace_back(run, *ranks);
    } catch (const std::exception& error) {  // there is no thread left: others would wait for it
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      (*ranks)->fail(error.what());
    }
  }
  run(all.front());
  omp_set_num_threads(all_threads);
  for (std::thread& other : others) other.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace ninefold
