#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <omp.h>

#include "gpu/backend/backend.hpp"

namespace ninefold {

namespace {

constexpr std::align_val_t alignment{128};  // two cache lines: rows of node vectors are as long

/// piece(start, length) for all pages of a stretch of memory, divided among threads as later loops
/// divide it, so that on a machine with several memory nodes each page lies near its core.
template <class Piece>
void for_pieces(std::size_t bytes, const Piece& piece) {
  constexpr std::size_t page = 4096;
  const long pages = static_cast<long>((bytes + page - 1) / page);
#pragma omp parallel for if (bytes > (std::size_t{1} << 20))
  for (long i = 0; i < pages; ++i) {
    const std::size_t start = static_cast<std::size_t>(i) * page;
    piece(start, std::min(page, bytes - start));
  }
}

}  // namespace

struct Host::State {
  State(std::size_t bytes, bool only_counts)
      : scratch_bytes(bytes), scratch(only_counts ? nullptr : new double[bytes / sizeof(double)]) {
    memory.add(bytes);
  }
  MemoryCounter memory;
  Work work;
  std::size_t scratch_bytes;
  std::unique_ptr<double[]> scratch;  // doubles, so that it is aligned for every format
};

Host::Host(std::size_t scratch_bytes) : state_(std::make_shared<State>(scratch_bytes, false)) {}

Host::Host(CountedMemory whose, std::size_t scratch_bytes)
    : state_(std::make_shared<State>(scratch_bytes, true)),
      only_counts_(true),
      has_device_memory_(whose == CountedMemory::device) {}

void* Host::allocate(std::size_t bytes) const {
  if (only_counts_) {
    state_->memory.add(bytes);
    return reinterpret_cast<void*>(alignment);  // in the first page, which no process has
  }
  void* p = ::operator new(bytes, alignment, std::nothrow);
  if (p == nullptr) {
    throw std::runtime_error("the host has no " + std::to_string(bytes) + " bytes of memory left");
  }
  for_pieces(bytes, [p](std::size_t start, std::size_t length) {
    std::memset(static_cast<char*>(p) + start, 0, length);
  });
  state_->memory.add(bytes);
  return p;
}

void Host::release(void* p, std::size_t bytes) const noexcept {
  if (!only_counts_) ::operator delete(p, alignment);
  state_->memory.remove(bytes);
}

void Host::copy_in(void* to, const void* from, std::size_t bytes) const {
  if (only_counts_) return;
  std::memcpy(to, from, bytes);
}

void Host::copy_within(void* to, const void* from, std::size_t bytes) const {
  if (only_counts_) return;
  for_pieces(bytes, [to, from](std::size_t start, std::size_t length) {
    std::memcpy(static_cast<char*>(to) + start, static_cast<const char*>(from) + start, length);
  });
}

void Host::exchange(const std::vector<BorderRows>& vectors) const {
  if (!only_counts_) ranks_->exchange(vectors);
}

void Host::gather(void* values, const std::vector<std::size_t>& begin, int arrays,
                  std::size_t apart) const {
  if (only_counts_) return;
  for (int k = 0; k < arrays; ++k) {
    ranks_->gather(static_cast<char*>(values) + static_cast<std::size_t>(k) * apart, begin);
  }
}

void Host::trade(const std::vector<Message>& messages) const {
  if (!only_counts_) ranks_->trade(messages);
}

void Host::read(void* to, const void* from, std::size_t bytes) const {
  if (only_counts_) {
    std::memset(to, 0, bytes);
    return;
  }
  std::memcpy(to, from, bytes);
}

std::size_t Host::allocated() const {
  return state_->memory.held();
}
std::size_t Host::peak() const {
  return state_->memory.peak();
}
Work Host::work() const {
  return state_->work;
}
void Host::count(const Work& work) const {
  state_->work += work;
}
void* Host::scratch() const {
  return state_->scratch.get();
}
std::size_t Host::scratch_bytes() const {
  return state_->scratch_bytes;
}

HostDescription describe_host() {
  HostDescription host;
  host.threads = omp_get_max_threads();
  host.detail = std::to_string(host.threads) + (host.threads == 1 ? " thread" : " threads");
  if (!host_instructions().empty()) host.detail += ", " + std::string(host_instructions());
  std::string line;
  for (std::ifstream file("/proc/cpuinfo"); std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      host.name = line.substr(line.find(':') + 2);
      break;
    }
  }
  if (host.name.empty()) host.name = "unknown processor";
  for (std::ifstream file("/proc/meminfo"); std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::size_t kibibytes = 0;
    words >> key >> kibibytes;
    if (key == "MemTotal:") host.memory_total = kibibytes * 1024;
    if (key == "MemAvailable:") host.memory_available = kibibytes * 1024;
  }
  // In a container the limit may be lower than what the machine has.
  const auto number_in = [](const char* path) -> std::optional<std::size_t> {
    std::size_t value = 0;
    if (std::ifstream file(path); file >> value) return value;
    return std::nullopt;
  };
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) {
    host.memory_total = std::min(host.memory_total, *limit);
    host.memory_available = std::min(host.memory_available, *limit > *used ? *limit - *used : 0);
  }
  return host;
}

}  // namespace ninefold
