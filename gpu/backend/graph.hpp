#pragma once
// Work that is recorded once and replayed many times.
//
// On a CUDA device a recording is a CUDA graph, replayed by one launch; on the host it is the work
// itself.  Work to be recorded must not allocate, wait, or read from the backend, and is recorded
// for the memory that it is given: that must live as long as the recording.
//
// Tests.  tests/gpu/device/same_bits_test.cpp (recorded == not recorded)

#include <functional>
#include <memory>
#include <utility>

#include "gpu/backend/backend.hpp"

namespace ninefold {

template <Backend B>
class Recording;

template <>
class Recording<Host> {
 public:
  template <class Task>
  Recording(const Host& on, Task&& task) : on_(on), task_(std::forward<Task>(task)) {}
  void replay() const {
    const Work before = on_.work();
    task_();
    work_ = on_.work() - before;
  }
  /// Of one replay; on the host known after the first.
  Work work() const { return work_; }

 private:
  Host on_;
  std::function<void()> task_;
  mutable Work work_;
};

template <>
class Recording<Cuda> {
 public:
  template <class Task>
  Recording(const Cuda& on, Task&& task) : on_(on) {
    const Work before = on.work();
    on.begin_recording();
    try {
      task();
    } catch (...) {
      on.abort_recording();  // a stream left in recording would refuse all later work
      throw;
    }
    std::int64_t kernels = 0;
    graph_ = on.end_recording(&kernels);
    // What the operations have counted is not done yet, but at each replay.
    const Work recorded = on.work() - before;
    on.count(Work{} - recorded);
    work_ = {kernels, recorded.bytes};
  }
  void replay() const {
    on_.replay(graph_);
    on_.count(work_);
  }
  Work work() const { return work_; }

 private:
  Cuda on_;
  std::shared_ptr<void> graph_;
  Work work_;
};

}  // namespace ninefold
