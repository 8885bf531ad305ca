#pragma once
// Several numbers that go through one text side by side: what a processor does with one vector
// instruction.
//
// Rounding.  Each lane is what the number alone would be.

#include "precision/fused.hpp"
#include "precision/host_device.hpp"

namespace ninefold {

template <class T, int count>
struct alignas(count * sizeof(T)) Lanes {
  T lane[count];

  Lanes() = default;
  explicit Lanes(T value) {
    for (T& of_lane : lane) of_lane = value;
  }

  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return each([&](int k) { return a.lane[k] + b.lane[k]; });
  }
  friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return each([&](int k) { return a.lane[k] - b.lane[k]; });
  }
  friend Lanes operator-(const Lanes& a) {
    return each([&](int k) { return -a.lane[k]; });
  }
  friend Lanes operator*(T a, const Lanes& b) {
    return each([&](int k) { return a * b.lane[k]; });
  }
  friend Lanes fused(T a, const Lanes& b, const Lanes& c) {
    return each([&](int k) { return ninefold::fused(a, b.lane[k], c.lane[k]); });
  }

 private:
  template <class F>
  static Lanes each(const F& f) {
    Lanes result;
    for (int k = 0; k < count; ++k) result.lane[k] = f(k);
    return result;
  }
};

namespace detail {
template <class V>
struct NumberOfLanes {
  using Type = V;
};
template <class T, int count>
struct NumberOfLanes<Lanes<T, count>> {
  using Type = T;
};
}  // namespace detail

/// T of Lanes<T, count>, any other type itself.
template <class V>
using NumberOf = typename detail::NumberOfLanes<V>::Type;

}  // namespace ninefold
