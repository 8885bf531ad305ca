#include "fem/discrete/line_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fem/discrete/q1_element.hpp"

namespace ninefold {

namespace {

constexpr double pi = std::numbers::pi;

/// sin(pi j / (2 n)) for 0 <= j < 4n, exactly symmetric.
std::vector<double> sine_table(int n) {
  std::vector<double> table(4 * static_cast<std::size_t>(n));
  for (int j = 0; j < 4 * n; ++j) {
    const int half = j % (2 * n), quarter = half <= n ? half : 2 * n - half;
    // Of the two functions the one whose angle is below pi / 4.
    const double size = 2 * quarter <= n ? std::sin(pi * quarter / (2.0 * n))
                                         : std::cos(pi * (n - quarter) / (2.0 * n));
    table[static_cast<std::size_t>(j)] = j < 2 * n ? size : -size;
  }
  return table;
}

int unknowns_of(Wave wave, int n) {
  return wave == Wave::sine ? n - 1 : wave == Wave::cosine ? n + 1 : n;
}

/// theta of wave k is pi / (2 n) times this.
int double_angle(Wave wave, int k) {
  return wave == Wave::sine ? 2 * (k + 1) : wave == Wave::cosine ? 2 * k : 2 * k + 1;
}

/// K and 2^-e M of the unknowns: diagonals, and the entries below them.
struct Tridiagonal {
  std::vector<double> stiffness, mass, stiffness_below, mass_below;

  Tridiagonal(const Line& line, const HeldEnds& held) {
    const double by = std::ldexp(1.0, -mass_exponent(line));
    const auto nodes = node_couplings<double>(line);
    const std::size_t first = held.first ? 1 : 0, end = nodes.size() - (held.last ? 1 : 0);
    for (std::size_t i = first; i < end; ++i) {
      stiffness.push_back(nodes[i].stiffness[1]);
      mass.push_back(by * nodes[i].mass[1]);
      stiffness_below.push_back(i == first ? 0 : nodes[i].stiffness[0]);
      mass_below.push_back(i == first ? 0 : by * nodes[i].mass[0]);
    }
  }
  std::size_t size() const { return mass.size(); }
};

/// The Cholesky factor of a mass matrix: its diagonal, and the entries below.
struct Factor {
  std::vector<double> diagonal, below;

  explicit Factor(const Tridiagonal& line) : diagonal(line.size()), below(line.size()) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      below[i] = i == 0 ? 0 : line.mass_below[i] / diagonal[i - 1];
      diagonal[i] = std::sqrt(line.mass[i] - below[i] * below[i]);
    }
  }
};

/// (v, 2^-e M w)
double mass_product(const Tridiagonal& line, const double* v, const double* w) {
  double sum = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    double image = line.mass[i] * w[i];
    if (i > 0) image += line.mass_below[i] * w[i - 1];
    if (i + 1 < line.size()) image += line.mass_below[i + 1] * w[i + 1];
    sum += v[i] * image;
  }
  return sum;
}

/// (v, K v), by the differences of neighbours.
double energy(const Line& line, const HeldEnds& held, const double* v) {
  const int n = line.cells(), first = held.first ? 1 : 0;
  const auto value = [&](int node) {
    const bool is_held = (node == 0 && held.first) || (node == n && held.last);
    return is_held ? 0.0 : v[node - first];
  };
  double sum = 0;
  for (int cell = 0; cell < n; ++cell) {
    const double difference = value(cell + 1) - value(cell);
    sum += difference * (difference / line.width[static_cast<std::size_t>(cell)]);
  }
  return sum;
}

/// The smallest eigenvalue of -u'' that is not zero, and whether zero is one.
struct Lowest {
  double value;
  bool has_zero;
};
Lowest lowest_of(const Line& line, const HeldEnds& held) {
  const double length = line.from_start.back();
  const double whole = pi / length, part = held.first != held.last ? whole / 2 : whole;
  return {part * part, !held.first && !held.last};
}

}  // namespace

HeldEnds held_ends_x(const Boundary& boundary) {
  return {boundary[Side::left] == BoundaryKind::dirichlet,
          boundary[Side::right] == BoundaryKind::dirichlet};
}

HeldEnds held_ends_y(const Boundary& boundary) {
  return {boundary[Side::bottom] == BoundaryKind::dirichlet,
          boundary[Side::top] == BoundaryKind::dirichlet};
}

bool has_equal_cells(const Line& line) {
  return std::all_of(line.width.begin(), line.width.end(),
                     [&](double width) { return width == line.width.front(); });
}

Wave wave_of(const Line& line, const HeldEnds& held) {
  if (!has_equal_cells(line)) return Wave::computed;
  if (held.first) return held.last ? Wave::sine : Wave::reversed_quarter;
  return held.last ? Wave::quarter : Wave::cosine;
}

LineSpectrum wave_spectrum(const Line& line, Wave wave) {
  const int n = line.cells();
  const double h = line.width.front();
  const double mass = std::ldexp(h, -mass_exponent(line));
  LineSpectrum spectrum;
  for (int k = 0; k < unknowns_of(wave, n); ++k) {
    const double sine = std::sin(pi * double_angle(wave, k) / (4.0 * n)), square = sine * sine;
    const double mass_of_wave = mass * (1 - 2 * square / 3);
    const bool at_end = wave == Wave::cosine && (k == 0 || k == n);
    spectrum.value.push_back(4 * square / h / mass_of_wave);
    spectrum.weight.push_back(1 / (mass_of_wave * (at_end ? n : 0.5 * n)));
  }
  return spectrum;
}

void wave_vectors(const Line& line, Wave wave, double* vectors) {
  const int n = line.cells(), unknowns = unknowns_of(wave, n);
  const std::vector<double> table = sine_table(n), weight = wave_spectrum(line, wave).weight;
#pragma omp parallel for
  for (int k = 0; k < unknowns; ++k) {
    const double factor = std::sqrt(weight[static_cast<std::size_t>(k)]);
    double* const v = vectors + static_cast<std::size_t>(k) * weight.size();
    for (int p = 0; p < unknowns; ++p) {
      const int i = wave == Wave::sine ? p + 1 : wave == Wave::reversed_quarter ? n - 1 - p : p;
      const long quarters = wave == Wave::sine ? 0 : n;  // sin(angle + pi / 2) = cos(angle)
      const long angle = (static_cast<long>(double_angle(wave, k)) * i + quarters) % (4L * n);
      v[p] = factor * table[static_cast<std::size_t>(angle)];
    }
  }
}

void standard_matrix(const Line& line, const HeldEnds& held, double* C) {
  const Tridiagonal matrix(line, held);
  const Factor L(matrix);
  const std::size_t n = matrix.size();
#pragma omp parallel for
  for (std::size_t k = 0; k < n; ++k) {  // X = L^-1 K
    double* const x = C + k * n;
    for (std::size_t i = 0; i < n; ++i) {
      double value = i == k       ? matrix.stiffness[k]
                     : i + 1 == k ? matrix.stiffness_below[k]
                     : i == k + 1 ? matrix.stiffness_below[i]
                                  : 0.0;
      if (i > 0) value -= L.below[i] * x[i - 1];
      x[i] = value / L.diagonal[i];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {  // C L^T = X
    for (std::size_t i = 0; i < n; ++i) {
      const double before = k == 0 ? 0.0 : C[(k - 1) * n + i];
      C[k * n + i] = (C[k * n + i] - L.below[k] * before) / L.diagonal[k];
    }
  }
}

void standard_factor(const Line& line, const HeldEnds& held, double* F) {
  const Factor L((Tridiagonal(line, held)));
  const std::size_t n = L.diagonal.size(), first = held.first ? 1 : 0;
  const auto cells = static_cast<std::size_t>(line.cells());
  for (std::size_t cell = 0; cell < cells; ++cell) {  // L f = the difference of this cell's nodes
    const double weight = 1 / std::sqrt(line.width[cell]);
    double before = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t node = i + first;
      const double here = node == cell ? -weight : node == cell + 1 ? weight : 0.0;
      const double value = i == 0 ? here : here - L.below[i] * before;
      before = value / L.diagonal[i];
      F[i * cells + cell] = before;
    }
  }
}

std::vector<double> standard_constant(const Line& line) {
  const Factor L(Tridiagonal(line, {false, false}));
  const std::size_t n = L.diagonal.size();
  std::vector<double> w(n);
  double square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    w[i] = L.diagonal[i] + (i + 1 < n ? L.below[i + 1] : 0.0);
    square += w[i] * w[i];
  }
  for (double& value : w) value /= std::sqrt(square);
  return w;
}

std::vector<double> line_eigenvectors(const Line& line, const HeldEnds& held, double* vectors) {
  const Tridiagonal matrix(line, held);
  const Factor L(matrix);
  const std::size_t n = matrix.size();
  const bool has_constant = !held.first && !held.last;
  std::vector<double> values(n), constant(n, 1.0);
  const double size = std::sqrt(mass_product(matrix, constant.data(), constant.data()));
  for (double& value : constant) value = 1 / size;
#pragma omp parallel for
  for (std::size_t k = 0; k < n; ++k) {
    double* const v = vectors + k * n;
    if (has_constant && k == 0) {
      std::copy(constant.begin(), constant.end(), v);
      continue;
    }
    for (std::size_t i = n; i-- > 0;) {  // L^T v = y
      const double above = i + 1 < n ? L.below[i + 1] * v[i + 1] : 0.0;
      v[i] = (v[i] - above) / L.diagonal[i];
    }
    if (has_constant) {
      const double part = mass_product(matrix, constant.data(), v);
      for (std::size_t i = 0; i < n; ++i) v[i] -= part * constant[i];
    }
    const double norm = std::sqrt(mass_product(matrix, v, v));
    for (std::size_t i = 0; i < n; ++i) v[i] /= norm;
    values[k] = energy(line, held, v);
  }
  return values;
}

double computed_span(const Problem& problem, const TensorGrid& grid) {
  const HeldEnds held_x = held_ends_x(problem.boundary), held_y = held_ends_y(problem.boundary);
  const auto largest = [](const Line& line) {
    if (has_equal_cells(line)) return 0.0;
    const double h = *std::min_element(line.width.begin(), line.width.end());
    return 12 / h / h;
  };
  const Lowest x = lowest_of(grid.x, held_x), y = lowest_of(grid.y, held_y);
  const double gx = problem.gx, gy = problem.gy, c = problem.reaction;
  double smallest = (x.has_zero ? 0 : gx * x.value) + (y.has_zero ? 0 : gy * y.value) + c;
  if (smallest == 0) smallest = std::min(gx * x.value, gy * y.value);  // a constant is free
  const double computed = gx * largest(grid.x) + gy * largest(grid.y);
  return computed == 0 ? 0 : computed / smallest;
}

}  // namespace ninefold
