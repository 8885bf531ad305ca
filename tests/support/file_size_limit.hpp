#pragma once
// A stand-in for a full disk: writing beyond a size fails, for this process, while it lives.

#include <csignal>
#include <stdexcept>

#include <sys/resource.h>

namespace ninefold {

class FileSizeLimit {
 public:
  explicit FileSizeLimit(::rlim_t bytes) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) throw std::runtime_error("no resource limits");
    ::rlimit limit = before_;
    limit.rlim_cur = bytes;
    // Without the signal, write() returns EFBIG.
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("no resource limits");
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  ::rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace ninefold
