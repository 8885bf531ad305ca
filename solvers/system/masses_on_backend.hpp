#pragma once
// The lumped masses of a grid where a solve runs, and room for a sum with them.

#include "fem/discrete/q1_element.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/measure_operations.hpp"

namespace ninefold {

template <Backend B>
class MassesOnBackend {
 public:
  MassesOnBackend(const B& on, const TensorGrid& grid)
      : x_(on, lumped_masses<double>(grid.x)), y_(on, lumped_masses<double>(grid.y)), sum_(on, 1) {}

  NodeWeights weights() const { return {x_.data(), x_.data(), y_.data(), y_.data()}; }
  double* sum() const { return sum_.data(); }

 private:
  Array<B, double> x_, y_, sum_;
};

}  // namespace ninefold
