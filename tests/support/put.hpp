#pragma once
// Values of tests in the fields of a backend.

#include <cstddef>
#include <vector>

#include "grids/field.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold::testing {

/// The nx ny values of a field, row by row.
template <Backend B, class T>
void put(const B& on, const T* values, const Field<T>& x) {
  for (int j = 0; j < x.ny; ++j) {
    on.copy_in(x.row(j), values + static_cast<std::size_t>(j) * x.nx, x.nx * sizeof(T));
  }
}
template <Backend B, class T>
void put(const B& on, const std::vector<T>& values, const Field<T>& x) {
  put(on, values.data(), x);
}

/// Back again.
template <Backend B, class T>
std::vector<T> take(const B& on, const Field<T>& x) {
  std::vector<T> values(static_cast<std::size_t>(x.nx) * x.ny);
  for (int j = 0; j < x.ny; ++j) {
    on.read(values.data() + static_cast<std::size_t>(j) * x.nx, x.row(j), x.nx * sizeof(T));
  }
  return values;
}

}  // namespace ninefold::testing
