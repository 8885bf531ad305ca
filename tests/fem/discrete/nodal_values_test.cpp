// Several who share the rows of a grid find, by what they tell each other, the bits of one who has
// all of them.

#include "fem/discrete/nodal_values.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "precision/double_word.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/error_distribution.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/discrete/load.hpp"
#include "fem/discrete/point_values.hpp"
#include "fem/discrete/quantities.hpp"
#include "fem/discrete/size_estimate.hpp"
#include "fem/problem/problems.hpp"

#include "gpu/backend/ranks.hpp"

#include "solvers/system/rows_of_ranks.hpp"

#include "output/document/field_image.hpp"
#include "output/plots/sampling.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold {
namespace {

const std::vector<int> counts{2, 3, 4, 7};
constexpr int finest_level = 8;  ///< the next coarser one is divided, too

struct Levels {
  TensorGrid fine, coarse;
};

/// Of uneven cells, so that each row has sums of its own; not square.
Levels levels() {
  const std::vector<TensorGrid> grids =
      make_hierarchy(1.0, 0.7, finest_level, {.nu = 0.75, .sides = {Side::right, Side::top}});
  return {grids.back(), grids[grids.size() - 2]};
}

template <class W>
std::vector<W> cut(const std::vector<W>& all, const TensorGrid& grid, const RowRange& rows) {
  const auto nx = static_cast<std::ptrdiff_t>(grid.nx());
  return {all.begin() + nx * rows.first, all.begin() + nx * rows.last};
}

template <class W>
std::vector<W> all_values(const TensorGrid& grid, unsigned seed) {
  const std::size_t nodes =
      static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(grid.ny());
  return testing::random_values<W>(nodes, seed);
}

/// Runs member(share of the finer grid, of the coarser one, which is null where that is not
/// divided) as each of so many.
template <class Member>
void run_members(int count, const Levels& grids, const Member& member) {
  std::vector<char> were_shared(static_cast<std::size_t>(count), 0);
  run_on_ranks(Slabs(count, Slabs::fewest_cells), [&](const std::shared_ptr<const Ranks>& ranks) {
    const auto fine = rows_of_ranks(ranks, grids.fine.ny());
    were_shared[static_cast<std::size_t>(ranks->rank())] = fine != nullptr ? 1 : 0;
    if (fine != nullptr) member(*fine, rows_of_ranks(ranks, grids.coarse.ny()).get());
  });
  for (const char was_shared : were_shared) REQUIRE(was_shared == 1);
}

/// of(values, coarser values) finds numbers, the same for all.
template <class W = double, class Of>
void check_numbers(const Of& of) {
  const Levels grids = levels();
  const std::vector<W> fine = all_values<W>(grids.fine, 1);
  const std::vector<double> coarse = all_values<double>(grids.coarse, 2);
  const std::vector<double> expected = of(grids.fine, NodalValues<W>(fine), coarse);
  for (const int count : counts) {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(count));
    run_members(count, grids, [&](const RowShare& share, const RowShare* of_coarse) {
      const std::vector<W> here = cut(fine, grids.fine, share.here());
      const std::vector<double> coarse_here =
          of_coarse == nullptr ? coarse : cut(coarse, grids.coarse, of_coarse->here());
      found[static_cast<std::size_t>(share.member())] =
          of(grids.fine, NodalValues<W>(here, &share), NodalValues<double>(coarse_here, of_coarse));
    });
    for (const std::vector<double>& one : found) {
      CAPTURE(count);
      REQUIRE(one.size() == expected.size());
      CHECK(testing::n_differing_values(one, expected) == 0);
    }
  }
}

Problem problem_of(const std::string& solution, const std::string& source = "") {
  ProblemOptions options;
  options.solution = solution;
  options.source = source;
  options.reaction = 2;
  return make_problem(options, 1.0, 0.7);
}

}  // namespace

TEST_CASE("rows are told to all members, and the largest of all values", "[discrete][ranks]") {
  const Levels grids = levels();
  for (const int count : counts) {
    run_members(count, grids, [&](const RowShare& share, const RowShare*) {
      std::vector<int> rows(static_cast<std::size_t>(share.rows()), -1);
      for (int j = share.own().first; j < share.own().last; ++j) {
        rows[static_cast<std::size_t>(j)] = j;
      }
      share.tell(rows);
      for (int j = 0; j < share.rows(); ++j) {
        require(rows[static_cast<std::size_t>(j)] == j, "a row that was not told");
      }
      // Entries of some rows, several of one and none of others.
      const std::vector<int> of_rows{0, 5, 5, 64, 100, 127};
      std::vector<int> entries(of_rows.size(), -1);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        const bool is_own = share.own().first <= of_rows[k] && of_rows[k] < share.own().last;
        if (is_own) entries[k] = static_cast<int>(k);
      }
      share.tell(entries, of_rows);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        require(entries[k] == static_cast<int>(k), "an entry that was not told");
      }
      std::vector<double> values{static_cast<double>(share.member()),
                                 -static_cast<double>(share.member())};
      share.take_largest(values);
      require(values == std::vector<double>{share.members() - 1.0, 0.0}, "not the largest");
      require(share.any(share.member() == 1) && !share.any(false), "not what one of them says");
      require(
          share.here().first == std::max(0, share.own().first - RowShare::border)
              && share.here().last == std::min(share.rows(), share.own().last + RowShare::border),
          "rows that are not those beside the own ones");
    });
  }
}

TEST_CASE("errors are those of one who has all rows", "[discrete][ranks]") {
  const auto errors = [](const TensorGrid& grid, const auto& u, const auto&) {
    const Errors found = measure_errors(problem_of("sin(x*y)", "1"), grid, u);
    return std::vector<double>{found.l2, found.rms, found.max};
  };
  check_numbers<double>(errors);
  check_numbers<DoubleDouble>(errors);
}

TEST_CASE("errors beyond the range of squares are", "[discrete][ranks]") {
  check_numbers([](const TensorGrid& grid, const NodalValues<double>& u, const auto&) {
    const auto here = u.all_here();
    std::vector<double> large(here.begin(), here.end());
    for (double& value : large) value *= 1e200;
    const NodalValues<double> of_size(large, u.share());
    const Errors found = measure_errors(problem_of("polynomial"), grid, of_size);
    const Quantities of = measure_quantities(problem_of("polynomial"), grid, of_size);
    return std::vector<double>{found.l2, found.rms, found.max, of.l2_norm};
  });
}

TEST_CASE("integrals and energy norms are", "[discrete][ranks]") {
  check_numbers(
      [](const TensorGrid& grid, const NodalValues<double>& u, const NodalValues<double>& coarser) {
        const Problem problem = problem_of("polynomial");
        const Quantities of = measure_quantities(problem, grid, u);
        return std::vector<double>{of.integral,
                                   of.l2_norm,
                                   of.energy,
                                   measure_energy_norm(problem, grid, u),
                                   measure_energy_error(problem, grid, u),
                                   estimate_energy_error(problem, grid, u, coarser)};
      });
}

TEST_CASE("values at places are, in any order of the places", "[discrete][ranks]") {
  const auto values = [](const TensorGrid& grid, const auto& u,
                         const NodalValues<double>& coarser) {
    const std::vector<Position> places{{0.3, 0.69}, {1, 0.7},    {0, 0},
                                       {0.5, 0.31}, {0.2, 0.31}, {0.9, 0.01},
                                       {0.7, 0.35}, {0.7, 0.2},  {0.1, 0.5}};
    std::vector<double> found;
    for (const PointValue& value :
         point_values(problem_of("polynomial"), grid, u, coarser, places)) {
      found.insert(found.end(), {value.u, *value.exact, *value.error, *value.change});
    }
    return found;
  };
  check_numbers<double>(values);
  check_numbers<DoubleDouble>(values);
}

TEST_CASE("samples and images are", "[discrete][ranks]") {
  check_numbers([](const TensorGrid& grid, const NodalValues<double>& u, const auto&) {
    return sample(grid, u, 97, 17).value;
  });
  check_numbers([](const TensorGrid& grid, const NodalValues<double>& u, const auto&) {
    const Image image = field_image(grid, u, "u");
    const std::string text =
        image.png + image.least + image.largest + image.description + image.place;
    return std::vector<double>(text.begin(), text.end());
  });
}

TEST_CASE("where the error lies is, at the own rows and the next one", "[discrete][ranks]") {
  const Levels grids = levels();
  const auto fine = all_values<double>(grids.fine, 1), coarse = all_values<double>(grids.coarse, 2);
  const std::vector<double> expected = error_distribution(grids.fine, fine, coarse);
  for (const int count : counts) {
    std::vector<std::size_t> different(static_cast<std::size_t>(count), 1);
    run_members(count, grids, [&](const RowShare& share, const RowShare* of_coarse) {
      const auto here = cut(fine, grids.fine, share.here());
      const auto coarse_here =
          of_coarse == nullptr ? coarse : cut(coarse, grids.coarse, of_coarse->here());
      const std::vector<double> found =
          error_distribution(grids.fine, NodalValues<double>(here, &share),
                             NodalValues<double>(coarse_here, of_coarse));
      const RowRange rows{share.own().first, std::min(share.own().last + 1, share.rows())};
      const int first = share.here().first;
      different[static_cast<std::size_t>(share.member())] = testing::n_differing_values(
          cut(found, grids.fine, {rows.first - first, rows.last - first}),
          cut(expected, grids.fine, rows));
    });
    for (const std::size_t of_one : different) CHECK(of_one == 0);
  }
}

TEST_CASE("loads of formulas are, in parts", "[discrete][ranks]") {
  const Levels grids = levels();
  ProblemOptions options;
  options.solution = "";
  options.source = "exp(x*y) - 1.2";
  for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  options.reaction = 1;
  const Problem problem = make_problem(options, 1.0, 0.7);
  REQUIRE_FALSE(has_load_products(problem));
  const Load<double> whole = load_of<double>(problem, grids.fine);
  const LoadSize size = size_of_load(problem, grids.fine, whole);
  for (const int count : counts) {
    std::vector<std::array<double, 5>> found(static_cast<std::size_t>(count));
    run_on_ranks(Slabs(count, Slabs::fewest_cells), [&](const std::shared_ptr<const Ranks>& ranks) {
      const auto share = rows_of_ranks(ranks, grids.fine.ny());
      const Load<double> part = load_of<double>(problem, grids.fine, share);
      const LoadSize own = size_of_load(problem, grids.fine, part);
      const auto different =
          testing::n_differing_values(part.nodes(), cut(whole.nodes(), grids.fine, share->own()));
      found[static_cast<std::size_t>(ranks->rank())] = {part.sum(), own.largest, own.solution,
                                                        static_cast<double>(different),
                                                        part.is_zero() ? 1.0 : 0.0};
    });
    for (const auto& one : found) {
      CHECK(one == std::array<double, 5>{whole.sum(), size.largest, size.solution, 0, 0});
    }
  }
}

TEST_CASE("values of other rows are refused", "[discrete][ranks]") {
  const Levels grids = levels();
  const std::vector<double> few(10);
  CHECK_THROWS_AS(measure_energy_norm(problem_of("polynomial"), grids.fine, few),
                  std::invalid_argument);
  CHECK_THROWS_AS(sample(grids.fine, few, 97, 17), std::invalid_argument);
}

}  // namespace ninefold
