// One step of line relaxation on Host: every row of its result against 50 digits, with a derived
// bound; that it writes on its lines only; what it refuses and counts.
//
// Bound.  z = (y - x) / omega solves (T + E) z = r + f.  E has three parts: what elimination adds
// (tests/support/line_pattern.hpp), entries of pairs cut to a word, and the roundoffs of a
// computed diagonal.  f is the residual's error, cut to a word, too.  z is known from y up to the
// rounding of y, which T carries into the row.
#include "gpu/operations/line_operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <omp.h>

#include "gpu/operations/line_systems.hpp"

#include "solvers/options.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/line_pattern.hpp"
#include "tests/support/line_sets.hpp"
#include "tests/support/operation_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::InFormat;
using testing::loss;
using testing::Node;
using testing::nodes_of;
using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;
using testing::Sample;
using testing::sets_of_lines;
using testing::Signs;
using testing::to_exact;
using testing::Worst;

/// y after one step, everything else in it being kept.
template <class T>
NodeValues<T> after_step(const Sample<T>& s, Leading<T> omega, const Lines& lines) {
  NodeValues<T> y = s.y;
  line_step<T>(Host(), s.A.view(), s.b.read(), omega, lines, s.x.read(), {}, y.view());
  return y;
}

/// Entries of A's lines and b - A x at all unknowns, with the error bound of the latter in
/// Leading<T>.  Bounds are doubles here: a few roundoffs of them do not matter.
struct Rows {
  struct Row {
    Exact west, south, diagonal, residual;
    double wrong = 0;
  };
  int nx;
  std::vector<Row> rows;

  template <class T>
  explicit Rows(const Sample<T>& s) : nx(s.c.nx), rows(std::size_t(s.c.nx * s.c.ny)) {
    s.for_box([&](int i, int j) {
      Row& row = rows[std::size_t(j * nx + i)];
      row = {s.A.entry(i, j, -1, 0), s.A.entry(i, j, 0, -1), s.A.entry(i, j, 0, 0),
             s.residual(i, j), static_cast<double>(s.residual_error(i, j))};
      const double size = std::abs(static_cast<double>(row.residual)) + row.wrong;
      row.wrong += s.cut * s.leading_u * size;
    });
  }
  const Row& at(const Node& node) const { return rows[std::size_t(node.j * nx + node.i)]; }
};

/// Adds T (y - x) - omega (b - A x) on one line to the worst of all comparisons.
template <class T>
void check_line(const Sample<T>& s, const Rows& rows, double omega, LineDirection direction,
                const std::vector<Node>& line, const NodeValues<T>& y, Worst& worst) {
  const int n = static_cast<int>(line.size());
  const double word = s.leading_u;
  // The row's sum within its line, of which it is a part, takes two additions.
  const double diagonal_error = (s.leading_diagonal_roundoffs() + 4) * word;
  std::vector<Exact> change;
  std::vector<double> unknown, diagonal, size;  // unknown: what rounding y has taken
  for (const Node& node : line) {
    const Exact after = y.exact(node.i, node.j);
    change.push_back(after - s.x.exact(node.i, node.j));
    const Exact rounding = Exact((loss<T>.sum + 1) * s.u) * abs(after);
    unknown.push_back(static_cast<double>(testing::stored<T>(after, rounding)));
    diagonal.push_back(static_cast<double>(rows.at(node).diagonal));
    size.push_back(std::abs(static_cast<double>(change.back())) + unknown.back());
  }
  for (int k = 0; k < n; ++k) {
    const Node& node = line[std::size_t(k)];
    const Rows::Row& row = rows.at(node);
    Exact product = row.diagonal * change[std::size_t(k)] - Exact(omega) * row.residual;
    double bound = omega * row.wrong + word * testing::elimination_error(n, k, diagonal, size)
                   + diagonal[std::size_t(k)]
                         * (unknown[std::size_t(k)] + diagonal_error * size[std::size_t(k)]);
    for (const int m : {k - 1, k + 1}) {
      if (m < 0 || m >= n) continue;
      const Rows::Row& upper = rows.at(line[std::size_t(std::max(k, m))]);
      const Exact& coupling = direction == LineDirection::x ? upper.west : upper.south;
      product += coupling * change[std::size_t(m)];
      bound += std::abs(static_cast<double>(coupling))
               * (unknown[std::size_t(m)] + 2 * s.cut * word * size[std::size_t(m)]);
    }
    worst.add(testing::within_error(product, Exact(0), Exact(bound)), node.i, node.j);
  }
}

TEMPLATE_TEST_CASE("line_step solves the rows of its lines, each to its roundoffs",
                   "[gpu][operations][lines]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s(Signs::symmetric);
  CAPTURE_SAMPLE(s);
  Worst worst;
  const Rows rows(s);
  for (const Lines& lines : sets_of_lines(s.box)) {
    const Leading<T> omega = static_cast<Leading<T>>(lines.stride == 1 ? 0.8 : 1.0);
    const NodeValues<T> y = after_step(s, omega, lines);
    for (const auto& line : nodes_of(lines, s.box)) {
      check_line(s, rows, static_cast<double>(omega), lines.direction, line, y, worst);
    }
  }
  REQUIRE(worst.count() > 0);
  REQUIRE(worst.value());
}

TEMPLATE_TEST_CASE("line_step writes on its lines only, also in place", "[gpu][operations][lines]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s(Signs::symmetric);
  CAPTURE_SAMPLE(s);
  for (const Lines& lines : sets_of_lines(s.box)) {
    CAPTURE(to_string(lines.direction), lines.first, lines.stride);
    const NodeValues<T> y = after_step(s, Leading<T>(1), lines);
    NodeValues<T> expected = s.y, in_place = s.x, expected_in_place = s.x;
    for (const auto& line : nodes_of(lines, s.box)) {
      for (const auto& [i, j] : line) {
        expected.view()(i, j) = expected_in_place.view()(i, j) = y(i, j);
      }
    }
    REQUIRE(y.equals(expected));
    if (lines.stride == 1 && lines.count(s.box) > 1) continue;
    line_step<T>(Host(), s.A.view(), s.b.read(), Leading<T>(1), lines, in_place.read(), {},
                 in_place.view());
    REQUIRE(in_place.equals(expected_in_place));
  }
}

TEMPLATE_TEST_CASE("line_start is the step from zero", "[gpu][operations][lines]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s(Signs::symmetric);
  CAPTURE_SAMPLE(s);
  for (const Lines& lines : sets_of_lines(s.box)) {
    if (lines.stride == 1 && lines.count(s.box) > 1) continue;
    CAPTURE(to_string(lines.direction), lines.first, lines.stride);
    NodeValues<T> zero(s.c.nx, s.c.ny), y = s.y;
    line_step<T>(Host(), s.A.view(), s.b.read(), Leading<T>(0.8), lines, zero.read(), {},
                 zero.view());
    line_start<T>(Host(), s.A.view(), s.b.read(), Leading<T>(0.8), lines, {}, y.view());
    REQUIRE(y.equals(zero));
  }
}

TEMPLATE_TEST_CASE("line_step gives the same bits on one thread and on seven",
                   "[gpu][operations][lines][threads]", Half, BFloat16, float, double, DoubleSingle,
                   DoubleDouble) {
  using T = TestType;
  const int threads = omp_get_max_threads();
  const int nx = 200, ny = 141;
  const Box box{1, nx, 0, ny - 1};
  for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
    const RandomMatrix<T> A(nx, ny, form, box, 5, Range::tame, Signs::symmetric);
    const NodeValues<T> x(nx, ny, 6, Range::tame), b(nx, ny, 7, Range::tame);
    for (const Lines& lines : sets_of_lines(box)) {
      CAPTURE(to_string(form), to_string(lines.direction), lines.first, lines.stride);
      const auto run = [&](int n) {
        omp_set_num_threads(n);
        NodeValues<T> y(nx, ny);
        line_step<T>(Host(), A.view(), b.read(), Leading<T>(1), lines, x.read(), {}, y.view());
        return y;
      };
      CHECK(run(1).equals(run(7)));
    }
  }
  omp_set_num_threads(threads);
}

/// What keep_lines keeps along both directions.
template <class T>
std::array<std::vector<Leading<T>>, 2> kept_lines(const NineBand<const T>& A) {
  std::array<std::vector<Leading<T>>, 2> kept;
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    auto& values = kept[direction == LineDirection::y];
    values.resize(kept_values(A.unknowns, direction));
    keep_lines<T>(Host(), A, direction, values.data());
  }
  return kept;
}

TEMPLATE_TEST_CASE("a step with what was kept of lines gives the bits of one without",
                   "[gpu][operations][lines]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s(Signs::symmetric);
  CAPTURE_SAMPLE(s);
  const auto kept = kept_lines<T>(s.A.view());
  for (const Lines& lines : sets_of_lines(s.box)) {
    CAPTURE(to_string(lines.direction), lines.first, lines.stride);
    NodeValues<T> y = s.y;
    line_step<T>(Host(), s.A.view(), s.b.read(), Leading<T>(0.8), lines, s.x.read(),
                 {nullptr, 0, kept[lines.direction == LineDirection::y].data()}, y.view());
    REQUIRE(y.equals(after_step(s, Leading<T>(0.8), lines)));
  }
}

TEST_CASE("lines that are too long to be kept are refused", "[gpu][operations][lines]") {
  const Box box{0, max_kept_line + 1, 0, 3};
  CHECK_FALSE(keeps_lines<float>(box, LineDirection::x));
  CHECK(keeps_lines<float>(box, LineDirection::y));
  const RandomMatrix<float> A(max_kept_line + 1, 3, OperatorForm::plain, box, 5, Range::tame,
                              Signs::symmetric);
  std::vector<float> kept(kept_values(box, LineDirection::x));
  CHECK_THROWS_WITH(keep_lines<float>(Host(), A.view(), LineDirection::x, kept.data()),
                    ContainsSubstring("keep_lines") && ContainsSubstring("1025"));
  CHECK(keeps_lines<double>({0, 512, 0, 3}, LineDirection::x));
  CHECK_FALSE(keeps_lines<double>({0, 513, 0, 3}, LineDirection::x));
}

TEST_CASE("a set of lines knows its lines", "[gpu][lines]") {
  const Box box{1, 8, 0, 4};  // 7 x 4 nodes
  CHECK(Lines{LineDirection::x}.length(box) == 7);
  CHECK(Lines{LineDirection::y}.length(box) == 4);
  CHECK(Lines{LineDirection::x}.count(box) == 4);
  CHECK(Lines{LineDirection::y, 0, 2}.count(box) == 4);
  CHECK(Lines{LineDirection::y, 1, 2}.count(box) == 3);
  CHECK(Lines{LineDirection::x, 3, 4}.count(box) == 1);
  CHECK(Lines{LineDirection::x, 4, 1}.count(box) == 0);
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    for (int stride = 1; stride < 9; ++stride) {
      for (int first = 0; first < 9; ++first) {
        const Lines lines{direction, first, stride};
        CHECK(lines.count(box) == static_cast<int>(nodes_of(lines, box).size()));
      }
    }
  }
}

TEST_CASE("line_step refuses what it cannot do, and says what", "[gpu][operations][lines]") {
  const Host on;
  const RandomMatrix<double> A(5, 7, OperatorForm::plain, {1, 4, 1, 6}, 1, Range::tame,
                               Signs::symmetric);
  NodeValues<double> x(5, 7), b(5, 7), y(5, 7), other(5, 6);
  const auto step = [&](const Lines& lines, const Field<double>& from, const Field<double>& right,
                        const Field<double>& to) {
    line_step<double>(on, A.view(), right, 1.0, lines, from, {}, to);
  };
  const Lines even{LineDirection::x, 0, 2};
  for (const auto& wrong : {0, 1, 2}) {
    CAPTURE(wrong);
    const auto refused = [&] {
      step(even, (wrong == 0 ? other : x).view(), (wrong == 1 ? other : b).view(),
           (wrong == 2 ? other : y).view());
    };
    CHECK_THROWS_AS(refused(), std::invalid_argument);
    CHECK_THROWS_WITH(refused(), ContainsSubstring("line_step") && ContainsSubstring("5 x 6"));
  }
  struct Wrong {
    Lines lines;
    std::string message;
  };
  for (const Wrong& wrong :
       {Wrong{{LineDirection::x, 5, 1}, "line 5"},  // of 5
        Wrong{{LineDirection::y, 3, 2}, "line 3"},  // of 3
        Wrong{{LineDirection::x, -1, 2}, "line -1"}, Wrong{{LineDirection::x, 0, 0}, "stride is 0"},
        Wrong{{LineDirection::y, 0, -2}, "stride is -2"}}) {
    CAPTURE(wrong.message);
    CHECK_THROWS_AS(step(wrong.lines, x.view(), b.view(), y.view()), std::invalid_argument);
    CHECK_THROWS_WITH(step(wrong.lines, x.view(), b.view(), y.view()),
                      ContainsSubstring("line_step") && ContainsSubstring(wrong.message));
  }
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    CHECK_THROWS_AS(step({direction, 0, 1}, x.view(), b.view(), x.view()), std::invalid_argument);
    CHECK_THROWS_WITH(step({direction, 1, 1}, x.view(), b.view(), x.view()),
                      ContainsSubstring("line_step") && ContainsSubstring("in place"));
    // The last line has no neighbour in the set.
    const int last = (direction == LineDirection::x ? 5 : 3) - 1;
    CHECK_NOTHROW(step({direction, last, 1}, x.view(), b.view(), x.view()));
  }
  NineBand<const double> outside = A.view();
  outside.unknowns.j1 = 8;
  CHECK_THROWS_WITH(line_step<double>(on, outside, b.read(), 1.0, even, x.read(), {}, y.view()),
                    ContainsSubstring("line_step") && ContainsSubstring("5 x 7"));
}

TEMPLATE_TEST_CASE("line_step counts the bytes that it declares", "[gpu][operations][lines][work]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  const Box box{1, 8, 0, 4};
  const RandomMatrix<T> A(9, 5, OperatorForm::plain, box, 1, Range::tame, Signs::symmetric);
  NodeValues<T> x(9, 5), b(9, 5), y(9, 5);
  const auto bytes = [&](const Lines& lines) {
    const Work before = on.work();
    line_step<T>(on, A.view(), b.read(), Leading<T>(1), lines, x.read(), {}, y.view());
    return on.work() - before;
  };
  const auto of = [](int values, int nodes) {
    return Work{0, values * nodes * std::int64_t{sizeof(T)}};
  };
  CHECK(bytes({LineDirection::x, 0, 1}) == of(12, 7 * 4));
  CHECK(bytes({LineDirection::x, 1, 2}) == of(13, 7 * 2));
  CHECK(bytes({LineDirection::y, 0, 2}) == of(13, 4 * 4));
  CHECK(bytes({LineDirection::y, 1, 2}) == of(13, 3 * 4));
}

TEST_CASE("a device's memory for lines suffices for one line at least", "[gpu][lines][memory]") {
  const auto check = []<class T>(T) {
    for (int n = 1; n <= 32769; n = n < 40 ? n + 1 : n + n / 3) {
      const std::size_t values = line_scratch_values<T>(n);
      CAPTURE(n);
      CHECK(values >= line_values(n));
      // No more than for all lines, and than is of use to busy_lines of them or in bytes.
      const std::size_t line = 4 * static_cast<std::size_t>(n) + 2048;
      CHECK(values <= line * static_cast<std::size_t>(n));
      CHECK(values * sizeof(Leading<T>)
            <= std::max(useful_line_bytes, busy_lines * line * sizeof(Leading<T>)));
    }
  };
  check(float());
  check(double());
}

}  // namespace
}  // namespace ninefold
