#pragma once
// A sparse matrix whichever way it is stored: what solvers hold, in the place of a grid's Operator.
//
// Tests.  tests/gpu/operations/sparse_operations_test.cpp

#include <utility>
#include <variant>

#include "fem/sparse/sparse_rows.hpp"

namespace ninefold {

template <Number T>
class SparseOperator {
 public:
  template <class Rows>
  SparseOperator(const Rows& rows)
      : nx(rows.nx), ny(rows.ny), form(rows.form), unknowns(rows.unknowns), rows_(rows) {}

  int nx, ny;  ///< n and 1
  OperatorForm form;
  Box unknowns;  ///< all
  static constexpr bool has_free_constant = false;

  /// Calls run with the rows as what they are.
  template <class Run>
  decltype(auto) visit(Run&& run) const {
    return std::visit(std::forward<Run>(run), rows_);
  }
  const T* diagonal() const {
    return visit([](const auto& rows) { return rows.diagonal; });
  }
  /// The same for vectors beside which others' values are there already: products exchange none.
  SparseOperator of_met_vectors() const {
    SparseOperator one = *this;
    std::visit([](auto& rows) { rows.halo = nullptr; }, one.rows_);
    return one;
  }
  /// What all storages have.
  const SparseRows<T>& rows() const {
    return visit([](const auto& rows) -> const SparseRows<T>& { return rows; });
  }
  /// Null if it is stored otherwise.
  const SlicedRows<T>* sliced() const { return std::get_if<SlicedRows<T>>(&rows_); }

 private:
  std::variant<SlicedRows<T>, CompressedRows<T>, JaggedRows<T>, BlockRows<T, 2>, BlockRows<T, 3>,
               BlockRows<T, 4>>
      rows_;
};

}  // namespace ninefold
