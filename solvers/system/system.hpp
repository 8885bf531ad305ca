#pragma once
// The discrete system in one number format on one backend: matrices of a hierarchy, and vectors in
// and out.
//
// Rounding.  Everything is computed in Assembly<T> and rounded once to T.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "precision/require.hpp"

#include "grids/tensor_grid.hpp"
#include "grids/transfer.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/load.hpp"
#include "fem/discrete/zeros.hpp"
#include "fem/matrix/operator.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/product_operations.hpp"

#include "solvers/system/rows_of_ranks.hpp"

namespace ninefold {

/// Owns the nine bands of one grid, of fewer than 2^31 nodes (fem/matrix/nine_band.hpp).
template <Backend B, Number T>
class StoredMatrix {
 public:
  StoredMatrix(const B& on, const TensorGrid& grid, const Box& unknowns,
               const Coefficients<Assembly<T>>& coefficients, OperatorForm form)
      : view_{{},
              grid.nx(),
              grid.ny(),
              form,
              unknowns,
              unknowns == Box{0, grid.nx(), 0, grid.ny()} && coefficients.c == Assembly<T>(0)} {
    // Of several ranks also the row above, where lines may end.
    RowRange rows = own_rows(on, view_.ny);
    rows.last = std::min(rows.last + 1, view_.ny);
    const std::size_t n =
        static_cast<std::size_t>(view_.nx) * static_cast<std::size_t>(rows.count());
    for (std::size_t s = 0; s < 9; ++s) {
      // One by one: each band is then spread over a machine's memory as the vectors are.
      bands_[s] = Array<B, T>(on, n);
      view_.band[s] = bands_[s].data() - std::ptrdiff_t{rows.first} * view_.nx;
    }
    const Array<B, Couplings> x(on, node_couplings<Assembly<T>>(grid.x));
    const Array<B, Couplings> y(on, node_couplings<Assembly<T>>(grid.y));
    assemble_bands(on, coefficients, x.data(), y.data(), view_);
    on.wait();  // the couplings must outlive their use
  }

  NineBand<const T> view() const { return view_; }

 private:
  using Couplings = NodeCouplings<Assembly<T>>;

  Array<B, T> bands_[9];
  NineBand<T> view_;
};

/// Owns what the entries of a matrix are computed from.
template <Backend B, Number T>
class ComputedMatrix {
 public:
  ComputedMatrix(const B& on, const TensorGrid& grid, const Box& unknowns,
                 const Coefficients<Assembly<T>>& coefficients, OperatorForm form)
      : x_(on, line_couplings<Assembly<T>>(grid.x)),
        y_(on, line_couplings<Assembly<T>>(grid.y)),
        view_{coefficients,
              {x_.data(), grid.nx()},
              {y_.data(), grid.ny()},
              grid.nx(),
              grid.ny(),
              form,
              unknowns} {}

  const ComputedBands<T>& view() const { return view_; }

 private:
  Array<B, Assembly<T>> x_, y_;
  ComputedBands<T> view_;
};

/// Owns the factors of a matrix.
template <Backend B, Number T>
class FactoredMatrix {
 public:
  FactoredMatrix(const B& on, const TensorGrid& grid, const Box& unknowns,
                 const Coefficients<Assembly<T>>& coefficients)
      : FactoredMatrix(on, grid, unknowns, coefficients, factors(grid.x, grid.y, coefficients.gx),
                       factors(grid.y, grid.x, coefficients.gy)) {}

  const FactoredRows<T>& view() const { return view_; }

 private:
  using C = Arithmetic<T>;

  FactoredMatrix(const B& on, const TensorGrid& grid, const Box& unknowns,
                 const Coefficients<Assembly<T>>& coefficients, const std::vector<C>& x,
                 const std::vector<C>& y)
      : x_(on, x),
        y_(on, y),
        view_{view_of(x_, grid.nx()),
              view_of(y_, grid.ny()),
              static_cast<C>(
                  coefficients.c
                  * Assembly<T>(std::ldexp(1.0, mass_exponent(grid.x) + mass_exponent(grid.y)))),
              grid.nx(),
              grid.ny(),
              unknowns} {}

  /// The largest mass of each direction is made about one, and the other direction's stiffness what
  /// their products ask for: all then lie in the range of the matrix.
  static std::vector<C> factors(const Line& line, const Line& other,
                                const Assembly<T>& coefficient) {
    return line_factors<C>(line, coefficient, mass_exponent(other), mass_exponent(line));
  }
  template <class Values>
  static LineFactors<C> view_of(const Values& values, int nodes) {
    return {values.data(), values.data() + line_factor_pitch(static_cast<std::size_t>(nodes))};
  }

  Array<B, C> x_, y_;
  FactoredRows<T> view_;
};

/// Owns the matrix of one grid, held as `storage` says.
template <Backend B, Number T>
class Matrix {
 public:
  using VectorOfRows = NodeVector<B, T>;

  Matrix(const B& on, const TensorGrid& grid, const Box& unknowns,
         const Coefficients<Assembly<T>>& coefficients, OperatorForm form, OperatorStorage storage)
      : owner_(make(on, grid, unknowns, coefficients, form, storage)),
        view_(std::visit([](const auto& owner) { return Operator<T>(owner.view()); }, owner_)) {}

  const Operator<T>& view() const { return view_; }

 private:
  using Owner = std::variant<StoredMatrix<B, T>, ComputedMatrix<B, T>, FactoredMatrix<B, T>>;

  static Owner make(const B& on, const TensorGrid& grid, const Box& unknowns,
                    const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
                    OperatorStorage storage) {
    switch (storage) {
      case OperatorStorage::stored:
        return StoredMatrix<B, T>(on, grid, unknowns, coefficients, form);
      case OperatorStorage::computed:
        return ComputedMatrix<B, T>(on, grid, unknowns, coefficients, form);
      case OperatorStorage::factored:
        break;
    }
    return FactoredMatrix<B, T>(on, grid, unknowns, coefficients);
  }

  Owner owner_;
  Operator<T> view_;
};

/// The rows that are converted at a time between the host's vectors and a field: about 2^18 values.
class RowPieces {
 public:
  template <class T>
  RowPieces(const Field<T>& x, const RowRange& rows)
      : pitch_(x.pitch), rows_(std::clamp((1 << 18) / x.pitch, 1, rows.count())), all_(rows) {}

  std::size_t values() const { return static_cast<std::size_t>(rows_) * pitch_; }
  int begin() const { return all_.first; }
  int end() const { return all_.last; }
  int step() const { return rows_; }
  /// Of the piece that begins with row j.
  int rows(int j) const { return std::min(rows_, all_.last - j); }
  /// From the first value of its first row to the last of its last row, whose length is nx.
  std::size_t extent(int j, int nx) const {
    return static_cast<std::size_t>(rows(j) - 1) * pitch_ + nx;
  }

 private:
  int pitch_, rows_;
  RowRange all_;
};

/// x = values * 2^exponent, each rounded once to T; x is zero between its rows.  `values` begin
/// with row `first_row`; of several ranks each takes its own rows.
template <Backend B, Number T, class W>
void upload(const B& on, const std::vector<W>& values, int exponent, const Field<T>& x,
            int first_row = 0) {
  const PowerOfTwo scale(exponent);
  const RowPieces pieces(x, own_rows(on, x.ny));
  std::vector<T> piece(pieces.values(), T(0));
  for (int first = pieces.begin(); first < pieces.end(); first += pieces.step()) {
    const int rows = pieces.rows(first);
#pragma omp parallel for
    for (int j = 0; j < rows; ++j) {
      const W* const from = values.data() + static_cast<std::size_t>(first - first_row + j) * x.nx;
      T* const to = piece.data() + static_cast<std::size_t>(j) * x.pitch;
#pragma omp simd
      for (int i = 0; i < x.nx; ++i) to[i] = static_cast<T>(scale.times(from[i]));
    }
    on.copy_in(x.row(first), piece.data(), pieces.extent(first, x.nx) * sizeof(T));
  }
}

/// The values of these rows of x times 2^exponent, one row after the other, exact unless they leave
/// the range of Assembly<T>.
template <Backend B, Number T>
void read_rows(const B& on, const Field<const T>& x, int exponent, const RowRange& range,
               Assembly<T>* values) {
  using W = Assembly<T>;
  const PowerOfTwo scale(exponent);
  const RowPieces pieces(x, range);
  std::vector<T> piece(pieces.values());
  for (int first = pieces.begin(); first < pieces.end(); first += pieces.step()) {
    const int rows = pieces.rows(first);
    on.read(piece.data(), x.row(first), pieces.extent(first, x.nx) * sizeof(T));
#pragma omp parallel for
    for (int j = 0; j < rows; ++j) {
      const T* const from = piece.data() + static_cast<std::size_t>(j) * x.pitch;
      W* const to = values + static_cast<std::size_t>(first - range.first + j) * x.nx;
#pragma omp simd
      for (int i = 0; i < x.nx; ++i) to[i] = scale.times(static_cast<W>(from[i]));
    }
  }
}

/// The values of x times 2^exponent at the nodes of the rows share->here(), at all if that is null,
/// as it is where no ranks share the grid.
template <Backend B, Number T>
std::vector<Assembly<T>> download(const B& on, const Field<const T>& x, int exponent,
                                  const RowsOfRanks* share = nullptr) {
  using W = Assembly<T>;
  require(share != nullptr || own_rows(on, x.ny) == RowRange{0, x.ny},
          "all rows of a vector of which each rank has some");
  const auto nx = static_cast<std::size_t>(x.nx);
  if (share == nullptr) {
    std::vector<W> values = zeros<W>(nx * static_cast<std::size_t>(x.ny));
    read_rows<B, T>(on, x, exponent, {0, x.ny}, values.data());
    return values;
  }
  const RowRange here = share->here(), own = share->own();
  std::vector<W> values = zeros<W>(nx * static_cast<std::size_t>(here.count()));
  read_rows<B, T>(on, x, exponent, own,
                  values.data() + static_cast<std::size_t>(own.first - here.first) * nx);
  share->exchange_border(values.data(), nx * sizeof(W));
  return values;
}

/// Memory for up to `most` sums of products on a grid: as much for every problem, so that a solve
/// without data holds the same.
template <Backend B, class W>
class ProductTables {
 public:
  ProductTables() = default;
  ProductTables(const B& on, int most, int columns, int rows)
      : most_(most),
        columns_(columns),
        rows_(rows),
        x_(on, static_cast<std::size_t>(most) * static_cast<std::size_t>(columns)),
        y_(on, static_cast<std::size_t>(most) * static_cast<std::size_t>(rows)) {}

  /// Of at most as many products as there is room for.
  Products<W> fill(const B& on, const std::vector<NodeProduct<W>>& products) const {
    require(products.size() <= static_cast<std::size_t>(most_),
            "too many products for their tables");
    for (const NodeProduct<W>& term : products) {
      require(term.x.size() == static_cast<std::size_t>(columns_)
                  && term.y.size() == static_cast<std::size_t>(rows_),
              "products of another grid");
    }
    for (std::size_t k = 0; k < products.size(); ++k) {
      const NodeProduct<W>& term = products[k];
      on.copy_in(x_.data() + k * term.x.size(), term.x.data(), term.x.size() * sizeof(W));
      on.copy_in(y_.data() + k * term.y.size(), term.y.data(), term.y.size() * sizeof(W));
    }
    return {x_.data(), y_.data(), static_cast<int>(products.size()), columns_, rows_};
  }

 private:
  int most_ = 0, columns_ = 0, rows_ = 0;
  Array<B, W> x_, y_;
};

}  // namespace ninefold
