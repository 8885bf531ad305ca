#include "solvers/multigrid/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "precision/require.hpp"

namespace ninefold {

CouplingRatios coupling_ratios(const TensorGrid& grid, double gx, double gy) {
  const auto [x_min, x_max] = std::minmax_element(grid.x.width.begin(), grid.x.width.end());
  const auto [y_min, y_max] = std::minmax_element(grid.y.width.begin(), grid.y.width.end());
  const auto ratio = [&](double hx, double hy) { return gx / gy * (hy / hx) * (hy / hx); };
  return {ratio(*x_max, *y_min), ratio(*x_min, *y_max)};
}

namespace {

Smoother by_points(const MultigridOptions& options, OperatorStorage storage) {
  const auto [pre, post] = smoothing_steps(options, false);
  const bool dampens_each =
      storage == OperatorStorage::factored && !options.damping && pre + post <= most_relaxations;
  return dampens_each ? Smoother::chebyshev : Smoother::jacobi;
}

}  // namespace

Smoothing choose_smoothing(const MultigridOptions& options, const TensorGrid& finest, double gx,
                           double gy, OperatorStorage storage) {
  const auto [smallest, largest] = coupling_ratios(finest, gx, gy);
  const double coupling = std::max(largest, 1 / smallest);
  const bool dampens_each = by_points(options, storage) == Smoother::chebyshev;
  const double of_chebyshev = options.point_coupling.value_or(isotropic_ratio);
  const bool by_lines = coupling > (dampens_each ? of_chebyshev : isotropic_ratio);
  const bool strong_x = by_lines && largest > isotropic_ratio;
  const bool strong_y = by_lines && smallest < 1 / isotropic_ratio;
  // Of two directions the one whose coupling is further above the other one.
  const bool rather_x = largest * smallest >= 1;
  Smoothing chosen;
  chosen.smoother = options.smoother;
  chosen.order = options.line_order;
  chosen.direction =
      options.line_direction.value_or(rather_x ? LineDirection::x : LineDirection::y);
  if (chosen.smoother == Smoother::automatic) {
    chosen.smoother = strong_x && strong_y   ? Smoother::adi_trigs
                      : strong_x || strong_y ? Smoother::trigs
                                             : by_points(options, storage);
  }
  chosen.suits_points =
      coupling <= (chosen.smoother == Smoother::chebyshev ? of_chebyshev : isotropic_ratio);
  if (coupling <= most_nested_coupling && neighbour_ratio(finest) <= most_jump_of_points) {
    chosen.coupling = coupling;
  }
  if (chosen.smoother == Smoother::adi_tridi || chosen.smoother == Smoother::adi_trigs) {
    chosen.direction = LineDirection::x;
  }
  const bool simultaneous = !chosen.by_lines() || chosen.smoother == Smoother::tridi
                            || chosen.smoother == Smoother::adi_tridi;
  chosen.damping = options.damping.value_or(simultaneous ? 0.8 : 1.0);
  chosen.cycle =
      options.cycle.value_or(chosen.smoother == Smoother::chebyshev ? Cycle::v : Cycle::f);
  const auto [pre, post] = smoothing_steps(options, false);
  chosen.pre_steps = pre;
  chosen.post_steps = post;
  return chosen;
}

double neighbour_ratio(const TensorGrid& grid) {
  double largest = 1;
  for (const Line* line : {&grid.x, &grid.y}) {
    for (std::size_t cell = 1; cell < line->width.size(); ++cell) {
      const double ratio = line->width[cell] / line->width[cell - 1];
      largest = std::max({largest, ratio, 1 / ratio});
    }
  }
  return largest;
}

MultigridOptions with_nested_cycle(MultigridOptions options, const TensorGrid& finest, double gx,
                                   double gy, OperatorStorage storage, double point_coupling) {
  const bool leaves_steps = !options.pre_smoothing && !options.post_smoothing;
  if (leaves_steps && options.cycle.value_or(Cycle::v) == Cycle::v
      && neighbour_ratio(finest) <= most_jump_of_points) {
    options.point_coupling = point_coupling;
    const Smoothing chosen = choose_smoothing(options, finest, gx, gy, storage);
    if (chosen.smoother == Smoother::chebyshev && chosen.coupling > most_coupling_of_two_steps) {
      options.post_smoothing = 4;
    }
  }
  const bool by_lines = choose_smoothing(options, finest, gx, gy, storage).by_lines();
  const double ratio = by_lines ? neighbour_ratio(finest) : 1;
  if (!options.cycle) options.cycle = ratio > most_uneven_neighbours ? Cycle::f : Cycle::v;
  if (ratio > most_even_neighbours && !options.pre_smoothing && !options.post_smoothing) {
    options.pre_smoothing = options.post_smoothing = 1;
  }
  const auto [pre, post] = smoothing_steps(options, true);
  options.pre_smoothing = pre;
  options.post_smoothing = post;
  return options;
}

namespace {

double least_rough(int steps) {
  return 3.0 / (steps + 3);
}

std::vector<double> dampings_between(double least, double most, int n) {
  std::vector<double> dampings;
  for (int k = 0; k < n; ++k) {
    const double root = (most + least) / 2
                        + (most - least) / 2 * std::cos(std::numbers::pi * (2 * k + 1) / (2 * n));
    dampings.push_back(1 / root);
  }
  return dampings;
}

}  // namespace

std::vector<double> chebyshev_dampings(int n, double coupling) {
  return dampings_between(least_rough(n) / coupling, largest_rough, n);
}

std::vector<double> correction_dampings(int n, double coupling) {
  return dampings_between(0.85 / coupling, largest_rough, n);
}

std::vector<double> interpolation_dampings(int n) {
  if (n < 2) return chebyshev_dampings(n);
  const double least = least_rough(n), first = std::cos(std::numbers::pi / (2 * n));
  return dampings_between(least, least + 2 * (largest_rough - least) / (1 + first), n);
}

std::vector<double> cycle_dampings(const Smoothing& smoothing) {
  const double coupling = smoothing.solves_base ? smoothing.coupling : 1;
  std::vector<double> all = chebyshev_dampings(smoothing.pre_steps, coupling);
  const auto append = [&](const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(chebyshev_dampings(smoothing.post_steps, coupling));
  append(interpolation_dampings(smoothing.post_steps));
  if (smoothing.has_own_corrections()) {
    append(correction_dampings(smoothing.post_steps, coupling));
  }
  require(all.size() <= static_cast<std::size_t>(cycle_relaxations), "steps without a place");
  return all;
}

LineSweep Smoothing::sweep() const {
  const bool alternates = smoother == Smoother::adi_tridi || smoother == Smoother::adi_trigs;
  const bool simultaneous = smoother == Smoother::tridi || smoother == Smoother::adi_tridi;
  const int stride = simultaneous ? 1 : order == LineOrder::zebra ? 2 : 0;
  return {direction, alternates, stride};
}

Smoothing suitable_smoothing(MultigridOptions options, const TensorGrid& finest, double gx,
                             double gy, OperatorStorage storage) {
  options.smoother = Smoother::automatic;
  options.line_direction = {};
  options.damping = {};
  options.point_coupling = {};
  return choose_smoothing(options, finest, gx, gy, storage);
}

bool suits(const Smoothing& chosen, const Smoothing& suitable) {
  if (chosen.smoother == Smoother::adi_trigs || chosen.smoother == Smoother::adi_tridi) return true;
  if (!chosen.by_lines() && suitable.by_lines()) return chosen.suits_points;
  if (!chosen.by_lines() || !suitable.by_lines()) return chosen.by_lines() == suitable.by_lines();
  return suitable.smoother == chosen.smoother
         && (suitable.smoother != Smoother::trigs || suitable.direction == chosen.direction);
}

std::string to_words(const Smoothing& smoothing) {
  std::string words(to_string(smoothing.smoother));
  if (smoothing.smoother == Smoother::tridi || smoothing.smoother == Smoother::trigs) {
    words += " along " + std::string(to_string(smoothing.direction));
  }
  if (smoothing.smoother == Smoother::trigs || smoothing.smoother == Smoother::adi_trigs) {
    words += ", " + std::string(to_string(smoothing.order));
  }
  return words;
}

}  // namespace ninefold
