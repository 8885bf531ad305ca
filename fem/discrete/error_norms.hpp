#pragma once
// The norms of an error, wherever they are measured; see fem/discrete/errors.hpp.

namespace ninefold {

/// Gauss points per direction and cell.
inline constexpr int error_points = 3;

struct Errors {
  double l2 = 0, rms = 0, max = 0;
};

}  // namespace ninefold
