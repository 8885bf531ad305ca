#pragma once
// Fields as users of the library may have them: their rows need not begin where those of a
// NodeVector do.

#include <cstddef>

#include "grids/field.hpp"

#include "gpu/backend/vector.hpp"

namespace ninefold::testing {

/// One value per node, zero at first, with a NodeVector's margin at least; it begins `shift` values
/// behind one, and its rows are longer by as many.
template <Backend B, class T>
class Shifted {
 public:
  Shifted(const B& on, int nx, int ny, int shift)
      : nx_(nx),
        ny_(ny),
        pitch_(NodeVector<B, T>::pitch_of(nx) + shift),
        start_(2 * NodeVector<B, T>::pitch_of(nx) + shift),
        values_(on, 2 * std::size_t(start_) + std::size_t(pitch_) * std::size_t(ny + 1)) {}

  Field<T> view() const { return {values_.data() + start_, nx_, ny_, pitch_}; }

 private:
  int nx_, ny_, pitch_, start_;
  Array<B, T> values_;
};

}  // namespace ninefold::testing
