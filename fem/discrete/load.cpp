#include "fem/discrete/load.hpp"

#include <algorithm>
#include <utility>

#include "precision/double_word.hpp"
#include "precision/larger.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/gauss_rule.hpp"
#include "fem/discrete/line_points.hpp"
#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

/// The integrals of a function of one direction with the shape functions of its nodes; the points
/// are those of a Gauss rule in so many cells.
template <class W>
std::vector<W> line_integrals(const LineFunction& f, double factor,
                              const std::vector<LinePoint<W>>& points, int cells) {
  std::vector<W> values(points.size());
  for_points(points.size(), [&](std::size_t k) {
    const LinePoint<W>& p = points[k];
    values[k] = factor * f.at(p.from_start, p.from_end) * p.weight;
  });
  std::vector<W> integrals(static_cast<std::size_t>(cells) + 1, W(0));
  const std::size_t per_cell = points.size() / static_cast<std::size_t>(cells);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::size_t cell = k / per_cell;
    integrals[cell] += values[k] * points[k].shape[0];
    integrals[cell + 1] += values[k] * points[k].shape[1];
  }
  return integrals;
}

template <class W>
W sum_of_values(const std::vector<W>& values, int first, int last) {
  W sum(0);
  for (int k = first; k < last; ++k) sum = sum + values[static_cast<std::size_t>(k)];
  return sum;
}

}  // namespace

template <class W>
bool Load<W>::is_zero() const {
  const bool are_zero =
      std::all_of(nodes_.begin(), nodes_.end(), [](const W& value) { return value == W(0); });
  return !(share_ != nullptr && by_nodes() ? share_->any(!are_zero) : !are_zero)
         && std::all_of(products_.begin(), products_.end(), [](const NodeProduct<W>& term) {
              return largest_size(term.x) == 0 || largest_size(term.y) == 0;
            });
}

template <class W>
W Load<W>::sum() const {
  W sum(0);
  if (!by_nodes()) {
    for (const NodeProduct<W>& term : products_) {
      sum = sum
            + sum_of_values(term.x, unknowns_.i0, unknowns_.i1)
                  * sum_of_values(term.y, unknowns_.j0, unknowns_.j1);
    }
    return sum;
  }
  std::vector<W> rows(static_cast<std::size_t>(unknowns_.j1), W(0));
  const RowRange own = own_rows();
  for_rows(own.count(), [&](int k) {
    W sum_of_row(0);
    for (int i = unknowns_.i0; i < unknowns_.i1; ++i) {
      sum_of_row = sum_of_row + at(i, own.first + k);
    }
    rows[static_cast<std::size_t>(own.first + k)] = sum_of_row;
  });
  if (share_ != nullptr) share_->tell(rows);
  for (const W& row : rows) sum = sum + row;
  return sum;
}

template <class W>
void Load<W>::to_nodes(int nx, int ny) {
  if (by_nodes()) return;
  const int rows = share_ == nullptr ? ny : share_->own().count();
  std::vector<W> nodes(static_cast<std::size_t>(nx) * static_cast<std::size_t>(rows), W(0));
  const RowRange own = own_rows();
  for_rows(own.count(), [&](int k) {
    const int j = own.first + k;
    W* const line =
        nodes.data() + static_cast<std::size_t>(j - first_row_) * static_cast<std::size_t>(nx);
    for (int i = unknowns_.i0; i < unknowns_.i1; ++i) line[i] = at(i, j);
  });
  nx_ = nx;
  nodes_ = std::move(nodes);
  products_.clear();
}

template <class W>
void Load<W>::add(const std::vector<NodeProduct<W>>& products) {
  if (!by_nodes()) {
    products_.insert(products_.end(), products.begin(), products.end());
    return;
  }
  const RowRange own = own_rows();
  for_rows(own.count(), [&](int k) {
    const int j = own.first + k;
    W* const line =
        nodes_.data() + static_cast<std::size_t>(j - first_row_) * static_cast<std::size_t>(nx_);
    for (const NodeProduct<W>& term : products) {
      const W factor = term.y[static_cast<std::size_t>(j)];
      for (int i = unknowns_.i0; i < unknowns_.i1; ++i) {
        line[i] = line[i] + term.x[static_cast<std::size_t>(i)] * factor;
      }
    }
  });
}

template <class W>
Load<W> load_of(const Problem& problem, const TensorGrid& grid,
                std::shared_ptr<const RowShare> share) {
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  if (!has_load_products(problem)) {
    const RowRange rows = share == nullptr ? RowRange{0, grid.ny()} : share->own();
    return {unknowns, grid.nx(), assemble_load<W>(problem, grid, rows), std::move(share)};
  }
  const GaussRule<W> rule = gauss_rule<W>(problem.quadrature);
  const std::vector<LinePoint<W>> x = line_points(grid.x, rule), y = line_points(grid.y, rule);
  std::vector<NodeProduct<W>> products;
  for (const ProductFunction& term : problem.source.products()) {
    products.push_back({line_integrals(term.x, term.factor, x, grid.x.cells()),
                        line_integrals(term.y, 1.0, y, grid.y.cells())});
  }
  for (const Side side : {Side::bottom, Side::top, Side::left, Side::right}) {
    std::vector<W> along = flux_integrals<W>(problem, grid, side);
    if (along.empty()) continue;
    const bool upright = side == Side::left || side == Side::right;
    std::vector<W> across(static_cast<std::size_t>(upright ? grid.nx() : grid.ny()), W(0));
    (side == Side::left || side == Side::bottom ? across.front() : across.back()) = W(1);
    products.push_back(upright ? NodeProduct<W>{std::move(across), std::move(along)}
                               : NodeProduct<W>{std::move(along), std::move(across)});
  }
  return {unknowns, std::move(products), std::move(share)};
}

template class Load<double>;
template class Load<DoubleDouble>;
template Load<double> load_of(const Problem&, const TensorGrid&, std::shared_ptr<const RowShare>);
template Load<DoubleDouble> load_of(const Problem&, const TensorGrid&,
                                    std::shared_ptr<const RowShare>);

}  // namespace ninefold
