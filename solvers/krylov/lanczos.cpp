#include "solvers/krylov/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace ninefold {
namespace {

struct Tridiagonal {
  std::vector<double> diagonal, square;  ///< of what is beside the diagonal

  /// The eigenvalues below a number (Sturm).
  std::size_t count_below(double lambda) const {
    std::size_t count = 0;
    double pivot = 1;
    for (std::size_t k = 0; k < diagonal.size(); ++k) {
      pivot = diagonal[k] - lambda - (k == 0 ? 0 : square[k - 1] / pivot);
      if (pivot == 0) pivot = std::numeric_limits<double>::min();
      count += pivot < 0;
    }
    return count;
  }

  /// The one that has `below` others below it; `high` is above all of them.  Relative accuracy is
  /// needed at both ends: the interval is halved in logarithms.
  double eigenvalue(std::size_t below, double high) const {
    double low = high * 0x1p-200;
    while (high > low * (1 + 1e-9)) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (count_below(middle) > below ? high : low) = middle;
    }
    return std::sqrt(low) * std::sqrt(high);
  }
};

}  // namespace

SpectrumEnds lanczos_spectrum(std::span<const double> steps, std::span<const double> ratios) {
  Tridiagonal t;
  const auto is_good = [](double v) { return v > 0 && std::isfinite(v); };
  double highest = 0, beside = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!is_good(steps[k])) break;
    const double from_before = k == 0 ? 0 : ratios[k - 1] / steps[k - 1];
    t.diagonal.push_back(1 / steps[k] + from_before);
    const bool goes_on = k + 1 < steps.size() && k < ratios.size() && is_good(ratios[k]);
    const double next = goes_on ? std::sqrt(ratios[k]) / steps[k] : 0;
    highest = std::max(highest, t.diagonal.back() + beside + next);  // Gershgorin
    beside = next;
    if (!goes_on) break;
    t.square.push_back(next * next);
  }
  if (t.diagonal.empty() || !std::isfinite(highest)) return {};
  highest *= 1 + 1e-12;
  return {t.eigenvalue(0, highest), t.eigenvalue(t.diagonal.size() - 1, highest)};
}

}  // namespace ninefold
