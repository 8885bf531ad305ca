#include "experiments/program/derived_output.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "fem/discrete/point_values.hpp"
#include "fem/discrete/quantities.hpp"

#include "experiments/program/interrupt.hpp"

namespace ninefold {
namespace {

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// All digits of a double-double solution.
std::vector<PointValue> values_at(std::span<const Position> places, const PreparedSolve& prepared,
                                  const Solved& solved, const NodalValues<double>& coarser) {
  const Problem& problem = prepared.problem;
  const TensorGrid& grid = prepared.finest();
  if (solved.solution_low.empty()) {
    return point_values(problem, grid, nodal_values(solved), coarser, places);
  }
  const std::vector<DoubleDouble> wide = wide_solution(solved);
  return point_values(problem, grid, NodalValues<DoubleDouble>(wide, solved.share.get()), coarser,
                      places);
}

}  // namespace

DerivedOutput::DerivedOutput(const OutputOptions& wanted, const std::filesystem::path& stem,
                             bool writes)
    : wanted_(wanted),
      writes_(writes),
      points_(stem.string() + "-points.csv"),
      lines_(stem.string() + "-lines.csv") {}

void DerivedOutput::measure(const PreparedSolve& prepared, const Solved& solved,
                            const NodalValues<double>& coarser, LevelResult& row) const {
  if (!wanted_.quantities || row.outcome == refused
      || row.outcome == to_string(Outcome::not_finite))
    return;
  const Problem& problem = prepared.problem;
  const TensorGrid& grid = prepared.finest();
  const NodalValues<double> u = nodal_values(solved);
  const Quantities quantities = measure_quantities(problem, grid, u);
  row.integral = if_finite(quantities.integral);
  row.l2_norm = if_finite(quantities.l2_norm);
  row.energy = if_finite(quantities.energy);
  if (!coarser.empty()) {
    row.estimated_energy_error = if_finite(estimate_energy_error(problem, grid, u, coarser));
  }
  if (!problem.solution) return;
  row.energy_error = if_finite(measure_energy_error(problem, grid, u));
  if (!row.energy_error) {
    row.data_remarks.emplace_back(
        "the energy norm of the error is not measured: it, or the solution at a point, is not "
        "finite");
  }
}

void DerivedOutput::write(const PreparedSolve& prepared, const Solved& solved,
                          const NodalValues<double>& coarser) {
  const int level = prepared.level();
  const auto heading = [](const GrowingFile& file, std::string_view text) {
    return std::string(file.is_empty() ? text : "");
  };
  if (!wanted_.points.empty()) {
    const auto values = values_at(wanted_.points, prepared, solved, coarser);
    if (writes_) {
      const Uninterrupted whole_file;
      points_.add(heading(points_, point_heading) + point_rows(level, wanted_.points, values));
    }
  }
  if (wanted_.lines.empty()) return;
  std::vector<Position> places;  // of all lines
  for (const SampledLine& line : wanted_.lines) {
    const std::vector<Position> samples = samples_of(line);
    places.insert(places.end(), samples.begin(), samples.end());
  }
  const std::vector<PointValue> values = values_at(places, prepared, solved, coarser);
  if (!writes_) return;
  std::span<const PointValue> left = values;
  std::string rows = heading(lines_, line_heading);
  for (std::size_t k = 0; k < wanted_.lines.size(); ++k) {
    const auto samples = static_cast<std::size_t>(wanted_.lines[k].samples);
    rows += line_rows(level, k + 1, wanted_.lines[k], left.first(samples));
    left = left.subspan(samples);
  }
  const Uninterrupted whole_file;
  lines_.add(rows);
}

}  // namespace ninefold
