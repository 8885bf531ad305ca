#pragma once
// The energy that a graphics card has used, as its driver counts it (NVML, Volta and later).
//
// The driver's library is opened when it is asked for: programs need no toolkit and no driver to
// run without it.

#include <functional>

namespace ninefold {

class EnergyCounter {
 public:
  /// Of the only NVIDIA device of this machine; throws std::runtime_error, saying why, where that
  /// cannot be read or there are several.
  EnergyCounter();

  /// Since the driver was loaded, in joules; renewed by the card some ten times a second.
  double joules() const;

 private:
  std::function<double()> read_;
};

}  // namespace ninefold
