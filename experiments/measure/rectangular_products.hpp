#pragma once
// Products with a matrix of any shape, in single, timed: in each of our storages and, on a device,
// by cuSPARSE and a naive kernel, on the host by plain loops.

#include <cstdint>
#include <string>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

#include "solvers/devices.hpp"

namespace ninefold {

struct TimedProduct {
  std::string whose, storage;
  bool is_ours = false;
  double seconds = 0;
  double bytes = 0;            ///< of ours: that it moves, x and y once each
  std::int64_t differing = 0;  ///< of ours: values with other bits than the first one's
  double difference = 0;       ///< from the first one's, the largest, over u times |A||x|
};

/// The first is ours, sliced; `peers`: others, too.
std::vector<TimedProduct> timed_products(BackendKind where, const SparseMatrix& A, bool peers);

}  // namespace ninefold
