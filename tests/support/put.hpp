#pragma once
// Values of tests in the fields of a backend.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "grids/field.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold::testing {

/// From the first node of a field to its last one, what lies between rows included.
template <class T>
std::size_t values_of(const Field<T>& x) {
  return static_cast<std::size_t>(x.pitch) * (static_cast<std::size_t>(x.ny) - 1)
         + static_cast<std::size_t>(x.nx);
}

/// The nx ny values of a field, row by row.
template <Backend B, class T>
void put(const B& on, const T* values, const Field<T>& x) {
  std::vector<T> rows(values_of(x), T(0));
  for (int j = 0; j < x.ny; ++j) {
    std::copy_n(values + std::size_t(j) * std::size_t(x.nx), x.nx,
                rows.begin() + std::ptrdiff_t{j} * x.pitch);
  }
  on.copy_in(x.data, rows.data(), rows.size() * sizeof(T));
}
template <Backend B, class T>
void put(const B& on, const std::vector<T>& values, const Field<T>& x) {
  put(on, values.data(), x);
}

/// Back again.
template <Backend B, class T>
std::vector<T> take(const B& on, const Field<T>& x) {
  std::vector<T> rows(values_of(x)), values;
  on.read(rows.data(), x.data, rows.size() * sizeof(T));
  for (int j = 0; j < x.ny; ++j) {
    const auto row = rows.begin() + std::ptrdiff_t{j} * x.pitch;
    values.insert(values.end(), row, row + x.nx);
  }
  return values;
}

}  // namespace ninefold::testing
