#pragma once
// What a stretch of work costs by its operations' own declaration.
//
// Units.  `bytes` are those that must move, each value counted once (gpu/operations,
// Traffic); `kernels` are the nodes of replayed recordings on a device, a few copies among them,
// and none on the host.

#include <cstdint>

namespace ninefold {

struct Work {
  std::int64_t kernels = 0, bytes = 0;

  Work& operator+=(const Work& other) {
    kernels += other.kernels;
    bytes += other.bytes;
    return *this;
  }
  friend Work operator-(const Work& a, const Work& b) {
    return {a.kernels - b.kernels, a.bytes - b.bytes};
  }
  friend Work operator*(std::int64_t n, const Work& a) { return {n * a.kernels, n * a.bytes}; }
  friend bool operator==(const Work&, const Work&) = default;
};

}  // namespace ninefold
