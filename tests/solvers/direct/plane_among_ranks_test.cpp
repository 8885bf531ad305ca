// Rows of a plane that become columns, and columns that become rows again, among ranks.
#include "solvers/direct/plane_among_ranks.hpp"

#include <limits>
#include <memory>
#include <vector>

#include "gpu/backend/ranks.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double value_at(int i, int j) {
  return i + 1000.0 * j;
}

TEST_CASE("a plane's rows and columns change hands among ranks", "[ranks][direct]") {
  struct Case {
    std::vector<RowRange> rows;
    int columns;
  };
  // Even, uneven, one without rows, and fewer columns than ranks.
  const Case one = GENERATE(Case{{{0, 8}, {8, 16}}, 20}, Case{{{0, 3}, {3, 4}, {4, 17}}, 7},
                            Case{{{0, 5}, {5, 5}, {5, 9}}, 11}, Case{{{0, 2}, {2, 4}, {4, 6}}, 2});
  constexpr int pitch = 32;
  const int ranks = static_cast<int>(one.rows.size()), ny = one.rows.back().last;
  std::vector<std::vector<double>> of_columns(one.rows.size()), of_rows(one.rows.size());
  std::vector<RowRange> own_columns(one.rows.size());
  run_on_ranks(Slabs(ranks, 16), [&](const std::shared_ptr<const Ranks>& all) {
    const Host on = Host().among(all);
    const auto rank = static_cast<std::size_t>(all->rank());
    const PlaneAmongRanks<Host, double> plane(on, one.rows, one.columns);
    own_columns[rank] = plane.own_columns();
    const RowRange rows = plane.own_rows();
    std::vector<double> values(static_cast<std::size_t>(pitch * ny), nothing);
    const Field<double> field{values.data(), one.columns, ny, pitch};
    for (int j = rows.first; j < rows.last; ++j) {
      for (int i = 0; i < one.columns; ++i) field(i, j) = value_at(i, j);
    }
    plane.to_columns(field);
    of_columns[rank] = values;
    // Own columns alone are what the others are told.
    const RowRange columns = plane.own_columns();
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < one.columns; ++i) {
        const bool is_own = i >= columns.first && i < columns.last;
        field(i, j) = is_own ? -field(i, j) : nothing;
      }
    }
    plane.to_rows(field);
    of_rows[rank] = values;
  });
  int next = 0;
  for (std::size_t r = 0; r < one.rows.size(); ++r) {
    CAPTURE(r, ny, one.columns);
    CHECK(own_columns[r].first == next);
    next = own_columns[r].last;
    int wrong = 0;
    const auto at = [](const std::vector<double>& values, int i, int j) {
      return values[static_cast<std::size_t>(j * pitch + i)];
    };
    for (int j = 0; j < ny; ++j) {
      for (int i = own_columns[r].first; i < own_columns[r].last; ++i) {
        wrong += at(of_columns[r], i, j) != value_at(i, j);
      }
    }
    for (int j = one.rows[r].first; j < one.rows[r].last; ++j) {
      for (int i = 0; i < one.columns; ++i) wrong += at(of_rows[r], i, j) != -value_at(i, j);
    }
    CHECK(wrong == 0);
  }
  CHECK(next == one.columns);
}

}  // namespace
}  // namespace ninefold
