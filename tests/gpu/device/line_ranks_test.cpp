// Steps of line relaxation by several devices, or by one for several ranks: the bits of the host.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/graph.hpp"
#include "gpu/backend/ranks.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"

#include "solvers/devices.hpp"
#include "solvers/multigrid/kept_lines.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/backend_among.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/each_rank.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/row_kinds.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/turns.hpp"
#include "tests/support/types.hpp"
#include "tests/support/whole_vector.hpp"

namespace ninefold {
namespace {

using testing::backend_among;
using testing::Device;
using testing::RowKind;
using testing::small;
using testing::takes_turn;

constexpr std::size_t no_sums = 64;  ///< bytes of scratch
constexpr int cells_each = 24;       ///< or more, of grids that ranks divide

constexpr RowKind kinds[] = {testing::row_kinds[0],
                             testing::row_kinds[1],
                             testing::row_kinds[2],
                             {OperatorForm::plain, OperatorStorage::computed}};

struct System {
  int columns, rows;  ///< of cells
  Boundary boundary;
  RowKind kind;
  double reaction = 0;

  /// Cells of seven widths in turns.
  static Line line(int cells) {
    std::vector<double> widths(static_cast<std::size_t>(cells));
    for (std::size_t k = 0; k < widths.size(); ++k) {
      widths[k] = 1.0 / static_cast<double>((k % 7 + 1) * widths.size());
    }
    return make_line(widths);
  }
  TensorGrid grid() const { return {line(columns), line(rows)}; }
};

/// How steps are done.
struct Way {
  int lines_at_once = 0;  ///< that there is memory for; 0 for what line_scratch_values says
  bool keeps = false;     ///< with what was kept of lines
  bool records = false;
};

/// A system on a backend, of several ranks or alone.
template <Backend B, Number T>
class Steps {
 public:
  using W = Assembly<T>;

  Steps(const B& on, const System& system, const Way& way)
      : on_(on),
        grid_(system.grid()),
        matrix_(on, grid_, unknown_nodes(grid_, system.boundary),
                Coefficients<W>{W(1), W(0.75), W(system.reaction)}, system.kind.form,
                system.kind.storage),
        x_(on, grid_.nx(), grid_.ny()),
        y_(on, grid_.nx(), grid_.ny()),
        b_(on, grid_.nx(), grid_.ny()),
        memory_(on, values(way)),
        records_(way.records) {
    if (way.keeps) kept_ = KeptLines<B, T>(on, A(), {LineDirection::x, true, 2});
    fill(b_, 2);
  }

  /// What steps with these sets write, in another vector and in place.
  std::vector<std::vector<W>> after(const std::vector<Lines>& sets) const {
    std::vector<std::vector<W>> results;
    for (const Lines& lines : sets) {
      fill(x_, 1);
      fill(y_, 3);
      step(lines, y_);
      results.push_back(testing::whole_vector<B, T>(on_, y_.view()));
      if (lines.stride == 1 && lines.count(A().unknowns) > 1) continue;
      step(lines, x_);
      results.push_back(testing::whole_vector<B, T>(on_, x_.view()));
    }
    return results;
  }
  /// Steps along x and y in zebra order, three times.
  std::vector<W> after_sweeps() const {
    fill(x_, 1);
    const auto sweep = [&] {
      for (const auto direction : {LineDirection::x, LineDirection::y}) {
        for (const int first : {0, 1}) step({direction, first, 2}, x_);
      }
    };
    constexpr int sweeps = 3;
    if (records_) {
      const Recording<B> recording(on_, sweep);
      for (int k = 0; k < sweeps; ++k) recording.replay();
      on_.wait();
    } else {
      for (int k = 0; k < sweeps; ++k) sweep();
    }
    return testing::whole_vector<B, T>(on_, x_.view());
  }

 private:
  const Operator<T>& A() const { return matrix_.view(); }
  std::size_t values(const Way& way) const {
    const int n = std::max(grid_.nx(), grid_.ny());
    // As line_scratch_values counts a line.
    return way.lines_at_once == 0 ? line_scratch_values<T>(n)
                                  : static_cast<std::size_t>(way.lines_at_once)
                                        * (4 * static_cast<std::size_t>(n) + 2048);
  }
  void fill(const NodeVector<B, T>& v, std::uint64_t seed) const {
    const auto nodes = static_cast<std::size_t>(grid_.nx()) * static_cast<std::size_t>(grid_.ny());
    upload(on_, testing::random_values<double>(nodes, seed), 0, v.view());
  }
  void step(const Lines& lines, const NodeVector<B, T>& to) const {
    line_step<T>(on_, A(), b_.view(), Leading<T>(0.8), lines, x_.view(),
                 {memory_.data(), memory_.size(), kept_.along(lines.direction)}, to.view());
  }

  B on_;
  TensorGrid grid_;
  Matrix<B, T> matrix_;
  NodeVector<B, T> x_, y_, b_;
  Array<B, Leading<T>> memory_;
  KeptLines<B, T> kept_;
  bool records_;
};

/// All lines, every other one, and one by itself, which one rank alone has along x.
std::vector<Lines> sets_along(LineDirection direction) {
  return {{direction, 0, 1}, {direction, 0, 2}, {direction, 1, 2}, {direction, 7, 100'000}};
}

/// run(Steps) on the host alone, and by so many ranks on devices.
template <Number T, class Run>
void compare(const System& system, const std::vector<Way>& ways, const std::vector<int>& counts,
             const Run& run) {
  const auto expected = run(Steps<Host, T>(Host(no_sums), system, {}));
  for (const Way& way : ways) {
    for (const int count : counts) {
      CAPTURE(system.columns, system.rows, to_string(system.kind.storage),
              to_string(system.kind.form), way.lines_at_once, way.keeps, way.records, count);
      const auto found = testing::found_by_ranks(
          count, cells_each, [&](const std::shared_ptr<const Ranks>& ranks) {
            return run(Steps<Device, T>(backend_among<Device>(ranks), system, way));
          });
      for (const auto& of_rank : found) {
        REQUIRE(of_rank.size() == expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
          CAPTURE(k);
          CHECK(testing::n_differing(of_rank[k], expected[k]) == 0);
        }
      }
    }
  }
}
template <Number T>
void compare_steps(const System& system, const std::vector<LineDirection>& directions,
                   const std::vector<Way>& ways, const std::vector<int>& counts) {
  compare<T>(system, ways, counts, [&](const auto& steps) {
    auto results = steps.after(sets_along(directions.front()));
    for (std::size_t k = 1; k < directions.size(); ++k) {
      for (auto& one : steps.after(sets_along(directions[k]))) results.push_back(std::move(one));
    }
    return results;
  });
}

const std::vector<LineDirection> both{LineDirection::x, LineDirection::y};
const std::vector<int> all_counts{1, 2, 3, 4};

std::vector<Boundary> boundaries() {
  Boundary dirichlet, lower, upper;
  lower[Side::left] = lower[Side::bottom] = BoundaryKind::neumann;
  upper[Side::right] = upper[Side::top] = BoundaryKind::neumann;
  return {dirichlet, lower, upper};
}

// Cells above each other: not divided, among two, three or all four; slabs that are alike or not,
// ends of lines that lack nodes of a segment.
TEMPLATE_TEST_CASE("ranks on devices step along lines with the bits of the host",
                   "[gpu][ranks][lines]", NINEFOLD_DEVICE_FORMATS) {
  const std::vector<Boundary> all = boundaries();
  for (const int rows : {64, 66, 81, 97, 130}) {
    for (const int columns : {9, 37}) {
      for (const Boundary& boundary : all) {
        for (const RowKind& kind : kinds) {
          if (!takes_turn(3, rows / 3, columns, testing::place(boundary, all),
                          testing::place(kind, kinds))) {
            continue;
          }
          const System system{columns, rows, boundary, kind, columns == 9 ? 0.5 : 0.0};
          // In batches of one column, and of so many that others are left.
          compare_steps<TestType>(system, both, {{}, {0, true}}, all_counts);
          compare_steps<TestType>(system, {LineDirection::y}, {{1}, {3}}, {2, 4});
        }
      }
    }
  }
}

// Columns whose ends need five reductions, rows of segments that threads work off by themselves, in
// several tiles of shared memory, and those that are kept no more.
TEMPLATE_TEST_CASE("ranks on devices step along long lines with the bits of the host",
                   "[gpu][ranks][lines]", float, double, DoubleSingle) {
  const std::vector<Boundary> all = boundaries();
  for (const RowKind& kind : kinds) {
    const int which = testing::place(kind, kinds);
    const System high{21, small ? 1042 : 2050, all[static_cast<std::size_t>(which % 3)], kind};
    compare_steps<TestType>(high, {LineDirection::y}, {{}, {5}}, {2, 3, 4});
    for (const int columns : {510, 1040, small ? 1090 : 9400}) {
      const System wide{columns, 75, all[static_cast<std::size_t>((which + columns) % 3)], kind};
      compare_steps<TestType>(wide, {LineDirection::x}, {{0, columns < 600}, {2}}, {2, 3});
    }
  }
}

TEMPLATE_TEST_CASE("recorded steps of ranks on devices have the bits of those that are not",
                   "[gpu][ranks][lines][graph]", float, double, DoubleSingle) {
  for (const int rows : {64, 66, 97}) {
    for (const RowKind& kind : kinds) {
      const System system{70, rows, {}, kind};
      compare<TestType>(system, {{0, true, true}, {33, false, true}, {0, true, false}}, all_counts,
                        [](const auto& steps) { return std::vector(1, steps.after_sweeps()); });
    }
  }
}

}  // namespace
}  // namespace ninefold
