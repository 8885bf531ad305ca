#include "fem/discrete/line_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "precision/larger.hpp"

#include "fem/discrete/q1_element.hpp"

#include "gpu/direct/eigenvectors.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

using Vector = std::vector<long double>;

std::vector<HeldEnds> all_ends() {
  return {{true, true}, {true, false}, {false, true}, {false, false}};
}

/// K v and 2^-e M v by cells, in long double.
struct Images {
  Vector stiff, mass;
};
Images images(const Line& line, const HeldEnds& held, const double* v) {
  const int n = line.cells(), first = held.first ? 1 : 0, unknowns = count_unknowns(line, held);
  Images result{Vector(unknowns), Vector(unknowns)};
  const auto slot = [&](int node) { return node - first; };
  const auto is_unknown = [&](int node) { return slot(node) >= 0 && slot(node) < unknowns; };
  const auto value = [&](int node) { return is_unknown(node) ? (long double)v[slot(node)] : 0.0L; };
  const long double by = std::ldexp(1.0L, -mass_exponent(line));
  for (int cell = 0; cell < n; ++cell) {
    const long double h = line.width[cell], a = value(cell), b = value(cell + 1);
    const auto add = [&](int node, long double here, long double there) {
      if (!is_unknown(node)) return;
      result.stiff[slot(node)] += (here - there) / h;
      result.mass[slot(node)] += by * h * (2 * here + there) / 6;
    };
    add(cell, a, b);
    add(cell + 1, b, a);
  }
  return result;
}

long double product(const Vector& image, const double* v) {
  long double sum = 0;
  for (std::size_t i = 0; i < image.size(); ++i) sum += image[i] * v[i];
  return sum;
}

/// Orthonormal, and each an eigenvector: to `bound` of what is lost at most.
void check(const Line& line, const HeldEnds& held, const std::vector<double>& values,
           const std::vector<double>& vectors, double bound) {
  const std::size_t n = values.size();
  REQUIRE(vectors.size() == n * n);
  CHECK(std::is_sorted(values.begin(), values.end()));
  const double largest = values.back();
  double worst_angle = 0, worst_energy = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Images image = images(line, held, &vectors[k * n]);
    for (std::size_t l = 0; l < n; ++l) {
      const double same = k == l ? 1 : 0;
      worst_angle = larger(
          worst_angle, std::abs(static_cast<double>(product(image.mass, &vectors[l * n])) - same));
      worst_energy = larger(
          worst_energy,
          std::abs(static_cast<double>(product(image.stiff, &vectors[l * n])) - same * values[k]));
    }
  }
  CHECK(worst_angle <= bound);
  CHECK(worst_energy <= bound * largest);
}

TEST_CASE("equal cells have waves for eigenvectors, whatever the ends", "[direct]") {
  for (const HeldEnds& held : all_ends()) {
    for (const int cells : {2, 4, 32, 128}) {
      const Line line = make_line(std::vector<double>(cells, 0.7 / cells));
      const Wave wave = wave_of(line, held);
      REQUIRE(wave != Wave::computed);
      const LineSpectrum spectrum = wave_spectrum(line, wave);
      const std::size_t n = spectrum.value.size();
      REQUIRE(n == static_cast<std::size_t>(count_unknowns(line, held)));
      std::vector<double> vectors(n * n);
      wave_vectors(line, wave, vectors.data());
      CAPTURE(held.first, held.last, cells);
      check(line, held, spectrum.value, vectors, 16 * 0x1p-53 * cells);
      if (!held.first && !held.last) CHECK(spectrum.value.front() == 0);
    }
  }
}

TEST_CASE("any other cells have computed eigenvectors, and the first between natural ends is one",
          "[direct]") {
  if (!has_lapack()) return;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(-3, 0);
  for (const HeldEnds& held : all_ends()) {
    for (const int cells : {2, 8, 64}) {
      std::vector<double> widths(cells);
      for (double& width : widths) width = std::pow(10.0, draw(random));
      const Line line = make_line(widths);
      REQUIRE(wave_of(line, held) == Wave::computed);
      const int n = count_unknowns(line, held);
      std::vector<double> vectors(static_cast<std::size_t>(n) * n);
      standard_matrix(line, held, vectors.data());
      diagonalise(Host(std::size_t{0}), n, vectors.data());
      const std::vector<double> values = line_eigenvectors(line, held, vectors.data());
      CAPTURE(held.first, held.last, cells);
      check(line, held, values, vectors, 64 * 0x1p-53 * cells);
      if (!held.first && !held.last) {
        CHECK(values.front() == 0);
        CHECK(std::all_of(vectors.begin(), vectors.begin() + n,
                          [&](double v) { return v == vectors.front(); }));
      }
    }
  }
}

TEST_CASE("the span of computed eigenvalues goes by the thinnest cell and the lowest frequency",
          "[direct]") {
  Problem problem;
  TensorGrid grid{make_line({0.5, 0.5}), make_line({0.5, 0.5})};
  CHECK(computed_span(problem, grid) == 0);
  grid.x = make_line({0.75, 0.25});
  const double pi_square = std::acos(-1.0) * std::acos(-1.0);
  CHECK(computed_span(problem, grid) == Approx(12 * 16 / (2 * pi_square)));
  for (BoundaryKind& kind : problem.boundary.kind) kind = BoundaryKind::neumann;
  CHECK(computed_span(problem, grid) == Approx(12 * 16 / pi_square));
  problem.gy = 0.25;
  CHECK(computed_span(problem, grid) == Approx(12 * 16 / (0.25 * pi_square)));
  problem.reaction = 3;
  CHECK(computed_span(problem, grid) == Approx(12 * 16 / 3.0));
}

}  // namespace
}  // namespace ninefold
