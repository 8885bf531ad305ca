#pragma once
// All values of a vector of which each rank has some rows.

#include <cstddef>
#include <vector>

#include "gpu/backend/ranks.hpp"

#include "solvers/system/system.hpp"

namespace ninefold::testing {

/// Every rank gets all of them.
template <Backend B, Number T>
std::vector<Assembly<T>> whole_vector(const B& on, const Field<const T>& x) {
  const auto nx = static_cast<std::size_t>(x.nx);
  std::vector<Assembly<T>> values(nx * static_cast<std::size_t>(x.ny));
  const RowRange own = own_rows(on, x.ny);
  read_rows<B, T>(on, x, 0, own, values.data() + static_cast<std::size_t>(own.first) * nx);
  const Ranks* const ranks = on.ranks();
  if (ranks == nullptr || !ranks->slabs().divide(x.ny)) return values;
  std::vector<std::size_t> begin;
  for (int r = 0; r < ranks->size(); ++r) {
    const auto first = static_cast<std::size_t>(ranks->slabs().rows(x.ny, r).first);
    begin.push_back(first * nx * sizeof(Assembly<T>));
  }
  begin.push_back(values.size() * sizeof(Assembly<T>));
  ranks->gather(values.data(), begin);
  return values;
}

}  // namespace ninefold::testing
