#pragma once
// The values of sliced rows on a backend, in the narrowest native format that holds them all; on a
// host in single or double, since it takes longer to decode a half than to read a wider value
// (1.5 to 1.9 times as long as from single, in and out of cache).
//
// Rounding.  None: a format holds them if each, read from it, has the value that it has in T.
//
// Tests.  tests/gpu/operations/sparse_operations_test.cpp

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <variant>
#include <vector>

#include "precision/half.hpp"
#include "precision/number.hpp"

#include "fem/sparse/sparse_rows.hpp"

#include "gpu/backend/vector.hpp"

namespace ninefold {

template <Backend B, Number T>
class HeldArray {
  using C = Arithmetic<T>;

 public:
  HeldArray() = default;
  HeldArray(const B& on, const std::vector<T>& values) {
    if constexpr (!std::is_same_v<B, Host>) {
      if (hold<1, Half>(on, values, HeldAs::half)) return;
    }
    if (hold<2, float>(on, values, HeldAs::single_)) return;
    if (hold<3, double>(on, values, HeldAs::double_)) return;
    values_.template emplace<0>(on, values);
  }

  HeldValues<T> view() const {
    const auto data = [](const auto& held) -> const void* { return held.data(); };
    return {std::visit(data, values_), as_};
  }
  std::int64_t bytes_of_value() const { return bytes_; }

 private:
  template <class V>
  static V narrowed_to(const T& value) {
    return V(static_cast<Arithmetic<V>>(static_cast<double>(C(value))));
  }
  template <class V>
  static bool is_held(const T& value) {
    return held_value<C>(narrowed_to<V>(value)) == C(value);
  }

  /// False if V does not hold them.
  template <std::size_t place, class V>
  bool hold(const B& on, const std::vector<T>& values, HeldAs as) {
    if constexpr (holds_in<T, V>) {
      constexpr std::ptrdiff_t some = 1000;  // most matrices are found out by these
      const auto end = values.begin() + std::min<std::ptrdiff_t>(some, std::ssize(values));
      if (!std::all_of(values.begin(), end, is_held<V>)) return false;
      const auto n = static_cast<std::int64_t>(values.size());
      std::vector<V> narrow(values.size());
      bool all = true;
#pragma omp parallel for reduction(&& : all) if (n > 4096)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        narrow[at] = narrowed_to<V>(values[at]);
        all = all && is_held<V>(values[at]);
      }
      if (!all) return false;
      values_.template emplace<place>(on, narrow);
      as_ = as;
      bytes_ = sizeof(V);
      return true;
    } else {
      return false;
    }
  }

  std::variant<Array<B, T>, Array<B, Half>, Array<B, float>, Array<B, double>> values_;
  HeldAs as_ = HeldAs::themselves;
  std::int64_t bytes_ = sizeof(T);
};

}  // namespace ninefold
