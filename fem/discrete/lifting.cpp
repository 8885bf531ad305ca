#include "fem/discrete/lifting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "precision/double_word.hpp"
#include "precision/larger.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/parallel.hpp"
#include "fem/discrete/q1_element.hpp"

namespace ninefold {
namespace {

bool along_x(Side side) {
  return side == Side::left || side == Side::right;
}

template <class W>
double size_of(const W& value) {
  return std::abs(static_cast<double>(value));
}

/// K g with no flux through the ends: -g'' times the share of the cells.
template <class W>
std::vector<W> stiffness_times(const Line& line, const std::vector<W>& g) {
  std::vector<W> result(g.size(), W(0));
  for (std::size_t k = 0; k + 1 < g.size(); ++k) {
    const W flux = (g[k + 1] - g[k]) / line.width[k];
    result[k] = result[k] - flux;
    result[k + 1] = result[k + 1] + flux;
  }
  return result;
}

template <class W>
std::vector<W> mass_times(const Line& line, const std::vector<W>& g) {
  std::vector<W> result(g.size(), W(0));
  for (std::size_t k = 0; k + 1 < g.size(); ++k) {
    const W part = W(line.width[k]) / 6.0;
    result[k] = result[k] + part * (2.0 * g[k] + g[k + 1]);
    result[k + 1] = result[k + 1] + part * (g[k] + 2.0 * g[k + 1]);
  }
  return result;
}

template <class W>
std::vector<W> scaled(double factor, std::vector<W> values) {
  for (W& value : values) value = factor * value;
  return values;
}

/// With a reaction: phi_k from the node before it, starting from the far end.  Pivots are sums of a
/// coupling l and what a row has beside its couplings, e > 0, so that nothing cancels where cells
/// are thin: elimination as Grassmann, Taksar, Heyman 1985 do it.  (Where c h^2 > 6 g a coupling is
/// negative, and phi hardly leaves its side.)
template <class W>
std::vector<W> layer(const std::vector<double>& width, bool far_end_fixed, double g, double c) {
  const std::size_t n = width.size();
  const auto coupling = [&](std::size_t k) { return g / W(width[k]) - c * W(width[k]) / 6.0; };
  const auto excess = [&](std::size_t k) {
    const W behind = k < n ? W(width[k]) : W(0);
    return c * ((W(width[k - 1]) + behind) / 2.0);
  };
  std::vector<W> ratio(n + 1, W(0));
  W e = far_end_fixed ? W(0) : excess(n);
  std::size_t k = n;
  if (far_end_fixed) {
    if (n == 1) return {W(1), W(0)};
    k = n - 1;
    e = excess(k) + coupling(k);
  }
  for (;; --k) {
    const W l = coupling(k - 1);
    ratio[k] = l / (l + e);
    if (k == 1) break;
    e = excess(k - 1) + l * (e / (l + e));
  }
  std::vector<W> phi(n + 1, W(0));
  phi[0] = W(1);
  for (std::size_t i = 1; i <= n; ++i) phi[i] = phi[i - 1] * ratio[i];
  return phi;
}

/// phi of one side.
template <class W>
std::vector<W> profile(const Line& line, bool at_start, bool far_end_fixed, double g, double c) {
  if (c == 0) {
    if (!far_end_fixed) return std::vector<W>(static_cast<std::size_t>(line.nodes()), W(1));
    const Distances<W> distance = distances<W>(line);
    std::vector<W> phi = at_start ? distance.from_end : distance.from_start;
    const W length = at_start ? phi.front() : phi.back();
    for (W& value : phi) value = value / length;
    return phi;
  }
  std::vector<double> width = line.width;
  if (!at_start) std::reverse(width.begin(), width.end());
  std::vector<W> phi = layer<W>(width, far_end_fixed, g, c);
  if (!at_start) std::reverse(phi.begin(), phi.end());
  return phi;
}

}  // namespace

template <class W>
Lifting<W>::Lifting(const Problem& problem, const TensorGrid& grid, SideValues<W> sides,
                    const Load<W>& load)
    : nx_(grid.nx()),
      ny_(grid.ny()),
      unknowns_(unknown_nodes(grid, problem.boundary)),
      side_(std::move(sides)) {
  for (const std::vector<W>& side : side_) {
    largest_boundary_value_ = larger(largest_boundary_value_, largest_size(side));
  }
  if (std::isnan(largest_boundary_value_)) return;  // not to be used
  if (!problem.boundary.any_dirichlet()) {
    balance(problem, grid, load);
  } else if (largest_boundary_value_ > 0) {
    blend(problem, grid);
  }
  measure(grid);
}

template <class W>
void Lifting<W>::blend(const Problem& problem, const TensorGrid& grid) {
  const double gx = problem.gx, gy = problem.gy, c = problem.reaction;
  std::array<std::vector<W>, 4> phi;
  for (const Side side : all_sides) {
    const auto s = static_cast<std::size_t>(side);
    if (side_[s].empty()) continue;
    const bool at_start = side == Side::left || side == Side::bottom;
    const auto opposite = at_start ? s + 1 : s - 1;
    phi[s] = profile<W>(along_x(side) ? grid.x : grid.y, at_start, !side_[opposite].empty(),
                        along_x(side) ? gx : gy, c);
    if (largest_size(side_[s]) == 0) continue;
    if (along_x(side)) {
      value_.push_back({phi[s], side_[s]});
      image_.push_back({scaled(gy, mass_times(grid.x, phi[s])), stiffness_times(grid.y, side_[s])});
    } else {
      value_.push_back({side_[s], phi[s]});
      image_.push_back({scaled(gx, stiffness_times(grid.x, side_[s])), mass_times(grid.y, phi[s])});
    }
  }
  for (const Side s : {Side::left, Side::right}) {
    for (const Side t : {Side::bottom, Side::top}) {
      const auto m = static_cast<std::size_t>(s), n = static_cast<std::size_t>(t);
      if (side_[m].empty() || side_[n].empty()) continue;
      const W corner = t == Side::bottom ? side_[m].front() : side_[m].back();
      if (size_of(corner) == 0) continue;
      std::vector<W> x = phi[m];
      for (W& value : x) value = -(corner * value);
      if (c > 0) {
        image_.push_back({scaled(-c, mass_times(grid.x, x)), mass_times(grid.y, phi[n])});
      }
      value_.push_back({std::move(x), phi[n]});
    }
  }
}

template <class W>
void Lifting<W>::balance(const Problem& problem, const TensorGrid& grid, const Load<W>& load) {
  const W sum = load.sum();
  if (size_of(sum) == 0) return;
  const W density =
      sum / (distances<W>(grid.x).from_start.back() * distances<W>(grid.y).from_start.back());
  std::vector<W> x = lumped_masses<W>(grid.x);
  for (W& value : x) value = density * value;
  image_.push_back({std::move(x), lumped_masses<W>(grid.y)});
  if (problem.reaction > 0) {
    value_.push_back({std::vector<W>(static_cast<std::size_t>(nx_), density / problem.reaction),
                      std::vector<W>(static_cast<std::size_t>(ny_), W(1))});
  }
}

/// The norm of a sum of products follows from those of its factors.
template <class W>
void Lifting<W>::measure(const TensorGrid& grid) {
  const std::vector<double> mx = lumped_masses<double>(grid.x), my = lumped_masses<double>(grid.y);
  const auto inner = [](const std::vector<double>& mass, const std::vector<W>& p,
                        const std::vector<W>& q, double scale) {
    double sum = 0;
    for (std::size_t k = 0; k < mass.size(); ++k) {
      sum += mass[k] * (static_cast<double>(p[k]) / scale) * static_cast<double>(q[k]);
    }
    return sum;
  };
  for (const Product& term : value_) largest_ += largest_size(term.x) * largest_size(term.y);
  if (largest_ == 0) return;
  double square = 0;
  for (const Product& p : value_) {
    for (const Product& q : value_) {
      // Scaled, so that no size of the data leaves the range of the sums.
      const double px = std::max(largest_size(p.x), 1e-300),
                   py = std::max(largest_size(p.y), 1e-300);
      const double qx = std::max(largest_size(q.x), 1e-300),
                   qy = std::max(largest_size(q.y), 1e-300);
      square += (px * py / largest_) * (qx * qy / largest_) * (inner(mx, p.x, q.x, px) / qx)
                * (inner(my, p.y, q.y, py) / qy);
    }
  }
  l2_ = largest_ * std::sqrt(std::max(square, 0.0));
}

template <class W>
void Lifting<W>::subtract_image(Load<W>& load) const {
  std::vector<Product> negative = image_;
  for (Product& term : negative) {
    for (W& value : term.x) value = -value;
  }
  load.add(negative);
}

template <class W>
void Lifting<W>::add_mass_image(double factor, const TensorGrid& grid, Load<W>& load) const {
  std::vector<Product> image;
  for (const Product& term : value_) {
    image.push_back({scaled(factor, mass_times(grid.x, term.x)), mass_times(grid.y, term.y)});
  }
  if (image.empty()) return;
  if (load.products().size() + image.size() > max_load_products) load.to_nodes(nx_, ny_);
  load.add(image);
}

template <class W>
W Lifting<W>::value(int i, int j) const {
  W sum(0);
  for (const Product& term : value_) {
    sum = sum + term.x[static_cast<std::size_t>(i)] * term.y[static_cast<std::size_t>(j)];
  }
  return sum;
}

template <class W>
void Lifting<W>::add_value(std::vector<W>& values, const RowRange& rows) const {
  if (value_.empty()) return;
  const auto row = [&](int j) {
    return values.data() + static_cast<std::size_t>(j - rows.first) * static_cast<std::size_t>(nx_);
  };
  for_rows(rows.count(), [&](int k) {
    const int j = rows.first + k;
    W* const line = row(j);
    for (int i = 0; i < nx_; ++i) {
      if (unknowns_.contains(i, j)) line[i] = line[i] + value(i, j);
    }
  });
  const auto put = [&](Side side, int i, int j, int k) {
    const std::vector<W>& g = side_[static_cast<std::size_t>(side)];
    if (!g.empty()) row(j)[i] = g[static_cast<std::size_t>(k)];
  };
  for (int j = rows.first; j < rows.last; ++j) {
    put(Side::left, 0, j, j);
    put(Side::right, nx_ - 1, j, j);
  }
  for (int i = 0; i < nx_; ++i) {
    if (rows.first == 0) put(Side::bottom, i, 0, i);
    if (rows.last == ny_) put(Side::top, i, ny_ - 1, i);
  }
}

template class Lifting<double>;
template class Lifting<DoubleDouble>;

}  // namespace ninefold
