#pragma once
// Sums with waves in all rows of a plane, on a device, by cuFFT.
//
// Recording.  All but what makes a WaveTransform can be recorded.
//
// Tests.  tests/gpu/device/direct_test.cpp

#include <cstddef>
#include <memory>

#include "gpu/backend/backend.hpp"
#include "gpu/direct/spectral_sums.hpp"
#include "gpu/direct/wave_rows.hpp"

namespace ninefold {

/// cuFFT's plans for the rows of `waves`, in place.
template <class T>
class WaveTransform {
 public:
  WaveTransform() = default;
  /// cuFFT works in the `area_bytes` at `area` meanwhile.  Throws BadValue where cuFFT is missing,
  /// std::runtime_error where it asks for more even for one row.
  WaveTransform(const Cuda& on, const WaveRows<T>& waves, void* area, std::size_t area_bytes);
  void run() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// Values in memory: that of row j and column k at data[j stride + k].
template <class T>
struct Plane {
  T* data;
  std::ptrdiff_t stride;
};

// What the next transforms begin with, and what the last ones leave.  Row j of `to` is made from
template <class T>
void load_rows(const Cuda& on, const Plane<const T>& from, const WaveRows<T>& to);  ///< row j
template <class T>
void load_columns(const Cuda& on, const Plane<const T>& from, const WaveRows<T>& to);  ///< column j
template <class T>
void load_columns(const Cuda& on, const WaveRows<T>& from, const WaveRows<T>& to);  ///< column j
/// the sums of row j, which is that of a wave in x, divided by what its waves in y ask for
template <class T>
void load_divided(const Cuda& on, const WaveRows<T>& from, const SpectralSums<T>& sums,
                  const WaveRows<T>& to);

/// `columns` sums of each row of `from` go to row or column j.
template <class T>
void store_rows(const Cuda& on, const WaveRows<T>& from, int columns, const Plane<T>& to);
template <class T>
void store_columns(const Cuda& on, const WaveRows<T>& from, int columns, const Plane<T>& to);

}  // namespace ninefold
