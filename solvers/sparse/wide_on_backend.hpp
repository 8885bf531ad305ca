#pragma once
// Values of a solve, in and out of vectors on a backend.
//
// Rounding.  Rounded once to T on the way in; none on the way out.
//
// Tests.  tests/solvers/sparse/sparse_solve_test.cpp

#include <cstddef>
#include <type_traits>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/number.hpp"

#include "fem/sparse/sparse_residual.hpp"

#include "gpu/backend/vector.hpp"

namespace ninefold {

/// Values in and out of a vector on a backend.  Of one that is divided each rank puts its own, and
/// all are given all.
template <Number T, Backend B>
void put(const B& on, const WideVector& values, const Field<T>& x) {
  std::vector<T> rounded;
  rounded.reserve(static_cast<std::size_t>(x.nx));
  const std::size_t first = on.part() == nullptr ? 0 : static_cast<std::size_t>(on.part()->first());
  for (std::size_t k = first; k < first + static_cast<std::size_t>(x.nx); ++k) {
    rounded.push_back(static_cast<T>(static_cast<Assembly<T>>(values[k])));
  }
  on.copy_in(x.data, rounded.data(), rounded.size() * sizeof(T));
}
template <Number T, Backend B>
WideVector taken(const B& on, const Field<T>& x) {
  const VectorPart* const part = on.part();
  std::vector<T> values(static_cast<std::size_t>(part == nullptr ? x.nx : part->total()));
  T* const own = values.data() + (part == nullptr ? 0 : part->first());
  on.read(own, x.data, static_cast<std::size_t>(x.nx) * sizeof(T));
  if (part != nullptr) {
    std::vector<std::size_t> begin;
    for (const int first : part->begins()) {
      begin.push_back(static_cast<std::size_t>(first) * sizeof(T));
    }
    on.ranks()->gather(values.data(), begin);
  }
  WideVector wide;
  wide.high.reserve(values.size());
  constexpr bool is_pair = std::is_same_v<Assembly<T>, DoubleDouble>;
  for (const T& value : values) {
    const auto number = static_cast<Arithmetic<T>>(value);
    wide.high.push_back(static_cast<double>(number));
    if constexpr (is_pair)
      wide.low.push_back(static_cast<double>(number - Arithmetic<T>(wide.high.back())));
  }
  return wide;
}

}  // namespace ninefold
