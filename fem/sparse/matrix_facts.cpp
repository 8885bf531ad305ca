#include "fem/sparse/matrix_facts.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace ninefold {
namespace {

/// "row 3, column 4", as files count.
std::string place(int row, int column) {
  return fmt::format("row {}, column {}", row + 1, column + 1);
}

std::string asymmetry(const SymmetryFacts& facts) {
  if (facts.one_triangle()) {
    return fmt::format(
        "no entry is {} the diagonal: if the other triangle is meant, too, the file's header "
        "should "
        "say symmetric, not general",
        facts.above == 0 ? "above" : "below");
  }
  if (facts.values()) {
    return fmt::format("entries without a counterpart across the diagonal: {}", facts.unmatched);
  }
  return fmt::format(
      "it is not symmetric: {} entries differ from their counterparts, that of {} by {:.3g}, "
      "{:.1e} "
      "of the largest entry",
      facts.unequal, place(facts.row, facts.column), facts.largest_difference,
      facts.relative_difference());
}

}  // namespace

MatrixFacts matrix_facts(const SparseMatrix& A, int parts) {
  const SparsePattern& pattern = A.pattern;
  MatrixFacts facts;
  facts.n_rows = pattern.n_rows;
  facts.n_columns = pattern.n_columns;
  facts.entries = pattern.entries();
  facts.lengths = row_lengths(pattern);
  facts.values = value_range(A.values);
  facts.storages = storage_sizes(pattern);
  if (!pattern.is_square()) {
    if (parts > 0) (void)row_parts(pattern, parts);  // which says why not
    return facts;
  }
  MatrixFacts::Square& square = facts.square.emplace();
  if (parts > 0) square.parts = row_parts(pattern, parts);
  square.symmetry = symmetry_facts(A);
  square.diagonal = diagonal_facts(A);
  if (square.symmetry.values()) square.definiteness = definiteness_facts(A);
  square.given = band_facts(pattern);
  square.order = reverse_cuthill_mckee(pattern);
  if (square.definiteness && square.definiteness->definite == Definite::unknown) {
    square.pivots = envelope_pivots(A, square.order);
  }
  square.reduced = band_facts(pattern, square.order);
  square.reduced_storages = storage_sizes(reordered(pattern, square.order));
  return facts;
}

std::vector<std::string> spd_refusals(const MatrixFacts& facts) {
  if (!facts.square) return {fmt::format("it is {} x {}", facts.n_rows, facts.n_columns)};
  std::vector<std::string> refusals;
  const auto& [symmetry, diagonal, definiteness, given, reduced, order, pivots, storages, parts] =
      *facts.square;
  if (!symmetry.values()) refusals.push_back(asymmetry(symmetry));
  if (diagonal.missing > 0) {
    refusals.push_back(
        fmt::format("of {} rows {} without a diagonal entry; the first is row {}", facts.n_rows,
                    diagonal.missing == 1 ? "one is" : fmt::format("{} are", diagonal.missing),
                    diagonal.first_missing + 1));
  }
  if (diagonal.not_positive > 0) {
    refusals.push_back(fmt::format(
        "{} not positive; the first is that of row {}",
        diagonal.not_positive == 1 ? "one diagonal entry is"
                                   : fmt::format("{} diagonal entries are", diagonal.not_positive),
        diagonal.first_not_positive + 1));
  }
  if (refusals.empty() && definiteness && definiteness->definite == Definite::no) {
    refusals.push_back(fmt::format(
        "it is not positive definite: the entry of {} is larger than the diagonal allows",
        place(definiteness->row, definiteness->column)));
  }
  if (refusals.empty() && pivots && pivots->definite == Definite::no) {
    refusals.push_back(fmt::format(
        "it is not positive definite: elimination leaves {:.2g} times the diagonal entry in row {}",
        pivots->smallest, pivots->row + 1));
  }
  return refusals;
}

std::string definiteness_words(const MatrixFacts::Square& facts) {
  const DefinitenessFacts& rows = *facts.definiteness;
  if (rows.definite == Definite::yes) {
    return rows.equal_rows == 0
               ? "positive definite: the diagonal is larger than the rest of each row"
               : "positive definite: no row's rest is larger than its diagonal, and in each "
                 "connected part one is smaller";
  }
  if (rows.definite == Definite::no) {
    return fmt::format("not positive definite: see {}", place(rows.row, rows.column));
  }
  if (!facts.pivots) {
    return rows.lowest == 0
               ? "semidefinite at least; whether it is definite is not known from its rows"
               : "whether it is positive definite is not known from its rows";
  }
  switch (facts.pivots->definite) {
    case Definite::yes:
      return fmt::format(
          "positive definite: elimination in double leaves {:.2g} of a diagonal entry "
          "or more",
          facts.pivots->smallest);
    case Definite::no:
      return fmt::format("not positive definite: elimination ends in row {}",
                         facts.pivots->row + 1);
    case Definite::unknown:
      return fmt::format(
          "singular, as far as double can tell: elimination leaves nothing but rounding in row {}",
          facts.pivots->row + 1);
  }
  throw std::logic_error("a definiteness without words");
}

}  // namespace ninefold
