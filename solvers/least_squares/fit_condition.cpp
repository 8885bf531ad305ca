#include "solvers/least_squares/fit_condition.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "solvers/krylov/lanczos.hpp"

namespace ninefold {
namespace {

struct Range {
  std::size_t first, last;
};

/// The iterations in which the gradient has fallen: what CGLS finds when rounding holds it tells of
/// eigenvalues that are not there.
std::size_t falling_iterations(const Report& report, std::size_t iterations) {
  constexpr double near = 4;
  const std::vector<double>& history = report.history;
  const double least =
      std::max(*std::min_element(history.begin(), history.end()), report.attainable_reduction);
  const auto first = std::find_if(history.begin(), history.end(),
                                  [&](double value) { return value <= near * least; });
  return std::min(iterations, static_cast<std::size_t>(first - history.begin()));
}

/// Of those, what follows the last new beginning.
Range telling_iterations(const CgCoefficients& found, const Report& report) {
  Range range{0, falling_iterations(report, found.steps.size())};
  for (std::size_t k = 0; k + 1 < range.last; ++k) {
    if (found.ratios[k] == 0) range.first = k + 1;
  }
  constexpr double fallen = 1e-2;
  const std::vector<double>& history = report.history;
  return history[range.last] > fallen * history[range.first] ? Range{0, 0} : range;
}

}  // namespace

double largest_seen_condition(Precision works) {
  return std::sqrt(0.1 / facts(works).unit_roundoff);
}

FitCondition fit_condition(const CgCoefficients& found, const Report& report, Precision works,
                           const LeftOfFit& left) {
  if (report.history.size() != found.steps.size() + 1) return {};  // of refinement
  const auto [first, last] = telling_iterations(found, report);
  const auto told_by = [&, first = first, last = last](const std::vector<double>& values) {
    return std::span(values).subspan(first, last - first);
  };
  FitCondition result;
  result.has_fallen = last > first;
  const SpectrumEnds ends = lanczos_spectrum(told_by(found.steps), told_by(found.ratios));
  if (!(ends.lowest > 0)) return result;
  const double condition = std::sqrt(ends.highest / ends.lowest);
  if (!(condition < largest_seen_condition(works))) return result;
  const double largest = std::sqrt(ends.highest);
  const double of_data = std::min(largest, left.largest_of_A) / largest;
  const double part = (of_data * left.data + left.rest) / (largest * left.solution);
  const double unfinished = left.gradient / ends.lowest / left.solution;
  result.of_matrix = condition;
  if (std::isfinite(part) && std::isfinite(unfinished)) {
    result.of_fit = condition + condition * condition * part;
    result.unfinished = unfinished;
  }
  return result;
}

double two_norm_bound(const SparseMatrix& K, int rows) {
  std::vector<double> columns(static_cast<std::size_t>(K.pattern.n_columns));
  double largest_row = 0;
  for (int i = 0; i < rows; ++i) {
    const auto places = K.pattern.row(i);
    const auto values = K.row_values(i);
    double row = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      row += std::abs(values[k]);
      columns[static_cast<std::size_t>(places[k])] += std::abs(values[k]);
    }
    largest_row = std::max(largest_row, row);
  }
  return std::sqrt(largest_row * *std::max_element(columns.begin(), columns.end()));
}

}  // namespace ninefold
