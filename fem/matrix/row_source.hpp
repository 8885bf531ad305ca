#pragma once
// What the operations ask of a matrix on one grid, however its rows come about.
//
// A kind of matrix is a view: small, copied to where it is used, owning nothing.  Its rows are
// visited at the nodes of `unknowns`; row(i, j) yields
//
//     [m], m = 0 ... 8 but 4    the entries in band order (fem/matrix/nine_band.hpp)
//     diagonal()                entry 4, in plain form
//     row_sum()                 in difference form
//
// as values of Value, rounded once.  Stored and computed entries for one problem have the same
// bits, and so have all operations on them.  A kind may bring its own way to apply a row, `Form`
// (fem/matrix/factored_rows.hpp), in the place of Row<form>; its entries then serve estimates.
//
// Cost.  `stored_values` is what a row reads from memory: 9, or 0 where entries are computed.  From
// that, and from what its vectors move, follows the traffic of an operation.
//
// Tests.  tests/fem/matrix/computed_bands_test.cpp, tests/fem/matrix/factored_rows_test.cpp

#include <concepts>
#include <string_view>
#include <type_traits>

#include "precision/number.hpp"

#include "grids/field.hpp"

#include "fem/matrix/nine_band.hpp"

namespace ninefold {

/// Where the rows of a matrix come from: entries in memory, entries computed from one-dimensional
/// couplings, or these couplings in the format itself, without entries.
enum class OperatorStorage { stored, computed, factored };

/// "stored", "computed" or "factored".
constexpr std::string_view to_string(OperatorStorage storage) {
  return storage == OperatorStorage::stored     ? "stored"
         : storage == OperatorStorage::computed ? "computed"
                                                : "factored";
}

template <class Rows>
concept RowSource = requires(const Rows& A, int i, int j) {
  requires Number<typename Rows::Value>;
  requires Rows::is_read_only;  // NineBand<const T>, not NineBand<T>
  { Rows::stored_values } -> std::convertible_to<int>;
  { A.nx } -> std::convertible_to<int>;
  { A.ny } -> std::convertible_to<int>;
  { A.unknowns } -> std::convertible_to<Box>;
  { A.form } -> std::convertible_to<OperatorForm>;
  { A.row(i, j)[0] } -> std::convertible_to<typename Rows::Value>;
  { A.row(i, j).diagonal() } -> std::convertible_to<typename Rows::Value>;
  { A.row(i, j).row_sum() } -> std::convertible_to<typename Rows::Value>;
};

/// The rows of a matrix whose entries are of T.
template <class Rows, class T>
concept RowsOf = RowSource<Rows> && std::same_as<typename Rows::Value, T>;

/// What a diagonal entry reads: in difference form it is the row sum minus all others.
template <RowSource Rows>
constexpr int stored_values_of_diagonal(OperatorForm form) {
  return Rows::stored_values == 0 || form == OperatorForm::difference ? Rows::stored_values : 1;
}

}  // namespace ninefold
