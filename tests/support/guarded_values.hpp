#pragma once
// Values in memory behind which nothing may be read: whoever does is ended by the system.

#include <cstddef>
#include <new>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace ninefold::testing {

template <class T>
class GuardedValues {
 public:
  explicit GuardedValues(const std::vector<T>& values) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t needed = values.size() * sizeof(T);
    const std::size_t readable = (needed + page - 1) / page * page;
    bytes_ = readable + page;
    start_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start_ == MAP_FAILED) throw std::bad_alloc();
    auto* const end = static_cast<unsigned char*>(start_) + readable;
    mprotect(end, page, PROT_NONE);
    values_ = reinterpret_cast<T*>(end - needed);
    for (std::size_t k = 0; k < values.size(); ++k) values_[k] = values[k];
  }
  GuardedValues(const GuardedValues&) = delete;
  GuardedValues& operator=(const GuardedValues&) = delete;
  ~GuardedValues() { munmap(start_, bytes_); }

  T* data() { return values_; }

 private:
  void* start_ = nullptr;
  std::size_t bytes_ = 0;
  T* values_ = nullptr;
};

}  // namespace ninefold::testing
