#pragma once
// A thread that does what another one waits for.
//
// Why.  A function that CUDA's driver calls must make no call of CUDA; an MPI that knows devices
// asks the driver about every message.  So that function lets this thread send, and waits for it.
//
// Tests.  tests/gpu/backend/messenger_test.cpp

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace ninefold {

/// Serves one thread at a time.
class Messenger {
 public:
  Messenger() : thread_([this] { serve(); }) {}
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;
  ~Messenger() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// task() there; returns when it has ended, and throws what it throws.
  void run(const std::function<void()>& task) {
    std::unique_lock lock(mutex_);
    task_ = &task;
    changed_.notify_all();
    changed_.wait(lock, [this] { return task_ == nullptr; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ends_ || task_ != nullptr; });
      if (task_ == nullptr) return;
      try {
        (*task_)();
      } catch (...) {
        error_ = std::current_exception();
      }
      task_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* task_ = nullptr;
  std::exception_ptr error_;
  bool ends_ = false;
  std::thread thread_;  ///< the last member: what it uses is there before it begins
};

}  // namespace ninefold
