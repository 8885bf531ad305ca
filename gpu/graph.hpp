#pragma once
// Work that is recorded once and replayed many times.
//
// On a CUDA device a recording is a CUDA graph, replayed by one launch; on the host it is the work
// itself.  Work to be recorded must not allocate, wait, or read from the backend, and is recorded
// for the memory that it is given: that must live as long as the recording.
//
// Tests.  tests/gpu/same_bits_test.cpp (recorded == not recorded)

#include <functional>
#include <memory>
#include <utility>

#include "gpu/backend.hpp"

namespace ninefold {

template <Backend B>
class Recording;

template <>
class Recording<Host> {
 public:
  template <class Work>
  Recording(const Host&, Work&& work) : work_(std::forward<Work>(work)) {}
  void replay() const { work_(); }

 private:
  std::function<void()> work_;
};

template <>
class Recording<Cuda> {
 public:
  template <class Work>
  Recording(const Cuda& on, Work&& work) : on_(std::make_shared<Cuda>(on)) {
    on.begin_recording();
    try {
      work();
    } catch (...) {
      on.abort_recording();  // a stream left in recording would refuse all later work
      throw;
    }
    graph_ = on.end_recording();
  }
  void replay() const { on_->replay(graph_); }

 private:
  std::shared_ptr<Cuda> on_;
  std::shared_ptr<void> graph_;
};

}  // namespace ninefold
