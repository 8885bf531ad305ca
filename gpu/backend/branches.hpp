#pragma once
// Work that runs beside other work: backends that share memory, each with an order and scratch of
// its own.
//
// Recording.  What is given to branches between a fork, follow(branch, stem), and a join,
// follow(stem, branch), while the stem is being recorded, is recorded with it: on CUDA as branches
// of its graph.
//
// Tests.  tests/gpu/device/sparse_systems_test.cpp, tests/gpu/device/matrix_parts_test.cpp

#include <cstddef>

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// A backend where `on` is, of one rank, with so much scratch for sums: a thread of its own may use
/// it.
inline Host branch_of(const Host&, std::size_t scratch_bytes) {
  return Host(scratch_bytes);
}
inline Cuda branch_of(const Cuda& on, std::size_t scratch_bytes) {
  return Cuda(scratch_bytes, on.device());
}

/// One with the ranks of `on`: for what they tell each other beside work of `on`, between a fork
/// and a join, while nothing else is told.  A host has no other order than its own.
inline Host branch_among_ranks(const Host& on) {
  return on;
}
inline Cuda branch_among_ranks(const Cuda& on) {
  return on.urgent_branch();
}

/// What is given to `later` from here on begins after all that was given to `earlier` so far.  A
/// host has done that already, in the same thread.
inline void follow(const Host&, const Host&) {}
void follow(const Cuda& later, const Cuda& earlier);

}  // namespace ninefold
