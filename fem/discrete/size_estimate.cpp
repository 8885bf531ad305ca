#include "fem/discrete/size_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/larger.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Nodes of a direction, and how many each stands for.
struct Sample {
  std::vector<std::size_t> node;
  std::vector<double> count;

  /// The nodes first <= i < last, all of them.
  Sample(int first, int last) {
    for (int i = first; i < last; ++i) add(i, 1);
  }
  /// Both ends, each for itself, some 256 to 512 between them, and those where a line is largest.
  Sample(int first, int last, const std::vector<int>& peaks) {
    const int stride = std::max(1, (last - first) / 256);
    add(first, 1);
    for (int i = first + 1; i + 1 < last; i += stride) add(i, std::min(stride, last - 1 - i));
    if (last > first + 1) add(last - 1, 1);
    for (const int i : peaks) {
      if (i >= first && i < last) add(i, 0);
    }
  }

 private:
  void add(int i, int stands_for) {
    node.push_back(static_cast<std::size_t>(i));
    count.push_back(stands_for);
  }
};

template <class W>
int peak(const std::vector<W>& line) {
  const auto largest = std::max_element(line.begin(), line.end(), [](const W& a, const W& b) {
    return std::abs(static_cast<double>(a)) < std::abs(static_cast<double>(b));
  });
  return static_cast<int>(largest - line.begin());
}

template <class W>
std::vector<int> peaks(const std::vector<NodeProduct<W>>& products,
                       std::vector<W> NodeProduct<W>::*line) {
  std::vector<int> found;
  for (const NodeProduct<W>& term : products) found.push_back(peak(term.*line));
  return found;
}

/// |b| at the unknowns: at all of them where it is known node by node; where it is a sum of
/// products, at enough of them.
template <class W>
class LoadSizes {
 public:
  Sample x, y;

  explicit LoadSizes(const Load<W>& of)
      : x(sample(of, of.unknowns().i0, of.unknowns().i1, &NodeProduct<W>::x)),
        y(sample(of, of.unknowns().j0, of.unknowns().j1, &NodeProduct<W>::y)),
        load_(of) {
    for (const NodeProduct<W>& term : of.products()) {
      std::vector<W>& at_sample = x_factors_.emplace_back();
      for (const std::size_t i : x.node) at_sample.push_back(term.x[i]);
    }
  }

  /// sizes[k] at the k-th node of x and the l-th of y.
  void row(std::size_t l, std::vector<double>& sizes) const {
    const std::size_t j = y.node[l], n = x.node.size();
    std::vector<W> values(n, W(0));
    if (load_.by_nodes()) {
      for (std::size_t k = 0; k < n; ++k) {
        values[k] = load_.at(static_cast<int>(x.node[k]), static_cast<int>(j));
      }
    }
    for (std::size_t t = 0; t < x_factors_.size(); ++t) {  // in the order of Load::at
      const W* const factors = x_factors_[t].data();
      const W factor = load_.products()[t].y[j];
#pragma omp simd
      for (std::size_t k = 0; k < n; ++k) values[k] = values[k] + factors[k] * factor;
    }
    sizes.resize(n);
    for (std::size_t k = 0; k < n; ++k) sizes[k] = std::abs(static_cast<double>(values[k]));
  }

  /// False where the nodes of that row are another's.
  bool has_row(std::size_t l) const {
    const RowRange own = load_.own_rows();
    const int j = static_cast<int>(y.node[l]);
    return !load_.by_nodes() || (own.first <= j && j < own.last);
  }

  /// A bound that is not finite, of products that are not; 0 if there is none.
  double overflow() const {
    double found = 0;
    for (const NodeProduct<W>& term : load_.products()) {
      const double bound = largest_size(term.x) * largest_size(term.y);
      if (!std::isfinite(bound)) found = larger(found, bound);
    }
    return found;
  }

  /// Rows that are looked at one after the other.
  std::size_t strip_height() const {
    return load_.by_nodes() ? 128 : 16;
  }

 private:
  static Sample sample(const Load<W>& load, int first, int last,
                       std::vector<W> NodeProduct<W>::*line) {
    return load.by_nodes() ? Sample(first, last)
                           : Sample(first, last, peaks(load.products(), line));
  }

  const Load<W>& load_;
  std::vector<std::vector<W>> x_factors_;  ///< of each product, at the sample
};

/// One direction of the estimate.
struct Direction {
  bool fixed_start, fixed_end;  ///< Dirichlet
  double coefficient, length;
  const Line& line;

  bool fixed() const { return fixed_start || fixed_end; }

  /// The largest value of the solution for a load of one at node i.
  double response(std::size_t i) const {
    const double s = line.from_start[i], e = line.from_end[i];
    return (fixed_start && fixed_end ? s * (e / length) : fixed_start ? s : e) / coefficient;
  }

  /// The length over which the load of each node spreads: its share of the cells, but for a flux on
  /// a Neumann side as far as the `reach` of the data.
  std::vector<double> spread(double reach) const {
    std::vector<double> lengths;
    for (const auto& node : node_couplings<double>(line)) lengths.push_back(node.lumped_mass);
    const double far = std::min(length, reach);
    if (!fixed_start) lengths.front() = std::max(lengths.front(), far);
    if (!fixed_end) lengths.back() = std::max(lengths.back(), far);
    return lengths;
  }

  /// Infinite if the direction holds the solution at no end.
  double estimate(const Sample& sample, const std::vector<double>& loads) const {
    if (!fixed()) return infinity;
    double sum = 0;
    for (std::size_t k = 0; k < loads.size(); ++k) {
      sum += sample.count[k] * loads[k] * response(sample.node[k]);
    }
    return sum;
  }
};

}  // namespace

template <class W>
LoadSize size_of_load(const Problem& problem, const TensorGrid& grid, const Load<W>& values) {
  const LoadSizes<W> load(values);
  const auto fixed = [&](Side side) { return problem.boundary[side] == BoundaryKind::dirichlet; };
  // Without a Dirichlet side loads have no sum, and the solution's size is that of one held at a
  // side.
  const bool floats = std::none_of(all_sides.begin(), all_sides.end(), fixed);
  const Direction x{floats || fixed(Side::left), fixed(Side::right), problem.gx,
                    grid.x.from_start.back(), grid.x};
  const Direction y{floats || fixed(Side::bottom), fixed(Side::top), problem.gy,
                    grid.y.from_start.back(), grid.y};
  // How far a flux is felt: as far as the other direction's ends are away, or the reaction allows.
  const auto reach = [&](const Direction& along, const Direction& other) {
    const double by_ends =
        other.fixed() ? other.length * std::sqrt(along.coefficient / other.coefficient) : infinity;
    return std::min(by_ends, std::sqrt(along.coefficient / problem.reaction));
  };
  const std::size_t n_columns = load.x.node.size(), n_rows = load.y.node.size();
  const std::vector<double> all_across = x.spread(reach(x, y)), up = y.spread(reach(y, x));
  std::vector<double> across;
  for (const std::size_t i : load.x.node) across.push_back(all_across[i]);
  // Strips of rows, each with its own largest values: those of all do not depend on the order.
  const std::size_t height = load.strip_height();
  std::vector<double> rows(n_rows, 0.0), columns(n_columns, 0.0), most(n_rows, 0.0);
  std::vector<std::vector<double>> of_strip((n_rows + height - 1) / height);
  for_rows(
      static_cast<int>(of_strip.size()),
      [&](int strip) {
        std::vector<double>& largest = of_strip[static_cast<std::size_t>(strip)];
        largest.assign(n_columns, 0.0);
        std::vector<double> sizes;
        const std::size_t first = static_cast<std::size_t>(strip) * height;
        for (std::size_t l = first; l < std::min(n_rows, first + height); ++l) {
          if (!load.has_row(l)) continue;
          load.row(l, sizes);
          const double share = up[load.y.node[l]];
          double largest_of_row = 0;
          const double *const size = sizes.data(), *const width = across.data();
          double* const of_column = largest.data();
#pragma omp simd reduction(max : largest_of_row)
          for (std::size_t k = 0; k < n_columns; ++k) {
            of_column[k] = std::max(of_column[k], size[k] / share);
            largest_of_row = std::max(largest_of_row, size[k] / width[k]);
          }
          rows[l] = largest_of_row;
          most[l] = largest_size(sizes);
        }
      },
      1);
  for (const std::vector<double>& largest : of_strip) {
    for (std::size_t k = 0; k < n_columns; ++k) columns[k] = std::max(columns[k], largest[k]);
  }
  if (values.by_nodes() && values.share() != nullptr) {
    const std::vector<int> nodes(load.y.node.begin(), load.y.node.end());
    values.share()->tell(rows, nodes);
    values.share()->tell(most, nodes);
    values.share()->take_largest(columns);
  }
  LoadSize found{larger(largest_size(most), load.overflow()), 0};
  if (!std::isfinite(found.largest)) return found;
  double source = 0;
  for (std::size_t l = 0; l < n_rows; ++l) {
    source = std::max(source, rows[l] / up[load.y.node[l]]);
  }
  const double by_reaction = problem.reaction > 0 ? source / problem.reaction : infinity;
  found.solution = std::min({x.estimate(load.x, columns), y.estimate(load.y, rows), by_reaction});
  return found;
}

template LoadSize size_of_load(const Problem&, const TensorGrid&, const Load<double>&);
template LoadSize size_of_load(const Problem&, const TensorGrid&, const Load<DoubleDouble>&);

}  // namespace ninefold
