#pragma once
// Rows that follow each other along y, and share what they have in common.
//
// A row of factors (fem/matrix/factored_rows.hpp) needs q of three rows and two flows between them,
// of which the next row needs two and one again.  Who goes up a column computes each once: half of
// the operations, and a third of the reads.  The bits are those of rows by themselves.

#include <concepts>

#include "fem/matrix/factored_rows.hpp"

#include "gpu/meaning/visited_row.hpp"

namespace ninefold {

/// A functor as in gpu/meaning/visited_row.hpp whose rows may be climbed.
template <class F>
concept Climbing = std::same_as<typename F::RowForm, FactoredForm>;

/// The nodes of one column from a row upwards: its factors, and what its rows share.
template <class T>
class Climb {
 public:
  using C = Arithmetic<T>;

  HOST_DEVICE Climb(const FactoredRows<T>& A, const Field<const T>& x, int i, int j)
      : row_(A.row(i, j)), here_(ThreeNodes<C>::around(x.row(j) + i)) {
    column_ = FactoredForm::column(row_, ThreeNodes<C>::around(x.row(j - 1) + i), here_);
  }

  /// What row j of the matrix needs beside the rows below it.
  struct Step {
    C stiffness, mass;
    ThreeNodes<C> north;
  };
  HOST_DEVICE static Step read(const FactoredRows<T>& A, const Field<const T>& x, int i, int j) {
    return {A.y.stiffness[j + 1], A.y.mass[j + 1], ThreeNodes<C>::around(x.row(j + 1) + i)};
  }

  /// Row j, then the next one.
  HOST_DEVICE VisitedRow<T> climb(const Step& step) {
    row_.y.after = step.stiffness;
    row_.y.mass_after = step.mass;
    const VisitedRow<T> value{FactoredForm::climb(row_, here_, step.north, column_),
                              FactoredForm::diagonal_in<Leading<T>>(row_), here_.middle};
    row_.y.before = step.stiffness;
    row_.y.mass_before = step.mass;
    here_ = step.north;
    return value;
  }

 private:
  FactoredEntries<T> row_;
  ThreeNodes<C> here_;
  FactoredColumn<C> column_;
};

}  // namespace ninefold
