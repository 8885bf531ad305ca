#pragma once
// The matrix of one grid, whichever kind yields its rows: what solvers hold.
//
// Shape.  A view, as the kinds are; nx, ny, form and unknowns are theirs.  A kind is chosen once,
// where memory for it is allocated (solvers/system/system.hpp); which one it is decides at each
// launch which functor runs, and in a replayed recording nothing.
//
// The kinds are a closed list: each launch then runs a functor that knows its rows.  A matrix of
// another origin is no kind of this one, it takes its place
// (solvers/krylov/conjugate_gradients.hpp).
//
// Rounding.  Stored and computed entries have the same bits (fem/matrix/row_source.hpp); factored
// rows round in their own way (fem/matrix/factored_rows.hpp).
//
// Tests.  tests/solvers/system/operator_test.cpp

#include <utility>
#include <variant>

#include "fem/matrix/computed_bands.hpp"
#include "fem/matrix/factored_rows.hpp"
#include "fem/matrix/nine_band.hpp"
#include "fem/matrix/row_source.hpp"

namespace ninefold {

template <Number T>
class Operator {
 public:
  using Stored = NineBand<const T>;
  using Computed = ComputedBands<T>;
  using Factored = FactoredRows<T>;

  Operator(const Stored& rows) : Operator(rows, rows.has_free_constant) {}
  Operator(const Computed& rows)
      : Operator(rows, rows.unknowns == Box{0, rows.nx, 0, rows.ny} && !rows.has_reaction()) {}
  Operator(const Factored& rows)
      : Operator(rows, rows.unknowns == Box{0, rows.nx, 0, rows.ny} && !rows.has_reaction()) {}

  int nx, ny;
  OperatorForm form;
  Box unknowns;
  bool has_free_constant;  ///< A x = 0 for constants: no Dirichlet side, no reaction

  /// Calls run with the rows as what they are.
  template <class Run>
  decltype(auto) visit(Run&& run) const {
    return std::visit(std::forward<Run>(run), rows_);
  }

  /// Null if the rows are of another kind.
  template <class Rows>
  const Rows* as() const {
    return std::get_if<Rows>(&rows_);
  }

 private:
  template <RowSource Rows>
  Operator(const Rows& rows, bool free)
      : nx(rows.nx),
        ny(rows.ny),
        form(rows.form),
        unknowns(rows.unknowns),
        has_free_constant(free),
        rows_(rows) {}

  std::variant<Stored, Computed, Factored> rows_;
};

}  // namespace ninefold
