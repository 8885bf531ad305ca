// Tridiagonal systems by partitioned elimination, against 50 digits with a derived componentwise
// bound; which memory they use; and that no bit depends on what is solved beside, or by how many.
//
// The bound is derived in support/line_pattern.hpp.
#include "gpu/operations/line_systems.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "gpu/launch/team.hpp"

#include "tests/support/exact.hpp"
#include "tests/support/line_pattern.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/thread_team.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Range;
using testing::ThreadTeam;
using testing::to_exact;

/// One system: coupling[k] x_k-1 + diagonal[k] x_k + coupling[k + 1] x_k+1 = right[k].
template <class D>
struct Line {
  std::vector<D> coupling, diagonal, right;
  int n() const { return static_cast<int>(diagonal.size()); }
};

/// dominant: |diagonal| exceeds both couplings by a random part.  barely: couplings of
/// (1 - e) / 2 of the geometric mean of the diagonals, so that the smallest eigenvalue of the
/// scaled matrix is as small as e; c u << e.  Both also with rows and columns scaled by 2^-25 to
/// 2^25, at random or rising along the line (by powers of two): entries over thirty orders of
/// magnitude.
enum class Kind { dominant, dominant_wild, barely, barely_wild, barely_graded };
constexpr Kind all_kinds[] = {Kind::dominant, Kind::dominant_wild, Kind::barely, Kind::barely_wild,
                              Kind::barely_graded};

template <class D>
Line<D> random_line(int n, Kind kind, std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(n);
  const auto values = testing::random_values<double>(4 * size, seed);
  const auto right = testing::random_values<D>(size, seed + 1, Range::hurtful);
  const bool dominant = kind == Kind::dominant || kind == Kind::dominant_wild;
  const double gap = unit_roundoff<D>() > 1e-10 ? 2e-3 : 1e-11;
  std::vector<double> scale(size, 1.0);
  for (std::size_t k = 0; k < size; ++k) {
    if (kind == Kind::dominant_wild || kind == Kind::barely_wild) {
      scale[k] =
          std::ldexp(1 + std::abs(values[size + k]), static_cast<int>(std::lround(25 * values[k])));
    } else if (kind == Kind::barely_graded) {
      scale[k] = std::ldexp(1.0, static_cast<int>(std::lround(50.0 * double(k) / n)) - 25);
    }
  }
  Line<D> line{std::vector<D>(size, D(0)), std::vector<D>(size), std::vector<D>(size)};
  std::vector<double> coupling(size, 0.0), diagonal(size);
  for (std::size_t k = 0; k < size; ++k) {
    diagonal[k] = 1.5 + 0.5 * values[size + k];
    const double c = values[2 * size + k];
    if (k == 0) continue;
    coupling[k] = dominant ? c
                           : std::copysign((1 - gap) / 2, c) * std::sqrt(diagonal[k])
                                 * std::sqrt(diagonal[k - 1]);
  }
  for (std::size_t k = 0; k < size; ++k) {
    if (dominant) {
      diagonal[k] = std::abs(coupling[k]) + (k + 1 < size ? std::abs(coupling[k + 1]) : 0)
                    + 0.1 * std::abs(values[3 * size + k]) + 1e-3;
    }
    line.diagonal[k] = static_cast<D>(diagonal[k] * scale[k] * scale[k]);
    if (k > 0) line.coupling[k] = static_cast<D>(coupling[k] * scale[k] * scale[k - 1]);
    line.right[k] = right[k] * static_cast<D>(scale[k]);
  }
  return line;
}

/// Memory that shows what is read before it is written.
template <class D>
std::vector<D> unset_memory(std::size_t values) {
  return std::vector<D>(values, static_cast<D>(std::numeric_limits<double>::quiet_NaN()));
}

/// All lines in one memory; reduce(systems) solves the reduced systems.
template <class D, class Reduce>
std::vector<std::vector<D>> solve_by(const std::vector<Line<D>>& lines, const Reduce& reduce) {
  const int count = static_cast<int>(lines.size()), n = lines.front().n();
  auto memory = unset_memory<D>(line_values(n) * lines.size());
  const LineSystems<D> systems{memory.data(), count, n};
  const ReducedSystems<D> reduced = systems.reduced();
  for (int l = 0; l < count; ++l) {
    const Line<D>& line = lines[std::size_t(l)];
    for (int s = 0; s < systems.segments(); ++s) {
      const auto row = [&](int k) {
        const std::size_t node = std::size_t(s * line_segment + k);
        return LineRow<D>{line.coupling[node], line.diagonal[node], line.right[node]};
      };
      const auto keep = [&](int k, const EliminatedRow<D>& kept) {
        systems.keep(l, s * line_segment + k, kept);
      };
      reduced.put(l, s,
                  eliminate_segment<D>(segment_size(n, s * line_segment, line_segment), row, keep));
    }
  }
  reduce(reduced);
  std::vector<std::vector<D>> solutions(lines.size(), std::vector<D>(std::size_t(n)));
  for (int l = 0; l < count; ++l) {
    for (int s = 0; s < systems.segments(); ++s) {
      substitute_segment(
          segment_size(n, s * line_segment, line_segment), reduced.solution(l, s - 1),
          reduced.solution(l, s), [&](int k) { return systems.kept(l, s * line_segment + k); },
          [&](int k, D x) { solutions[std::size_t(l)][std::size_t(s * line_segment + k)] = x; });
    }
  }
  return solutions;
}

template <class D>
std::vector<std::vector<D>> solve(const std::vector<Line<D>>& lines) {
  return solve_by(lines, [](const ReducedSystems<D>& systems) {
    solve_reduced<OneWorker>(systems, 0, systems.lines);
  });
}

/// The largest part of its bound that a component of r - T x reaches; infinite if one exceeds the
/// range.
template <class D>
double part_of_bound(const Line<D>& line, const std::vector<D>& x) {
  const int n = line.n();
  // A result that is subnormal is off by half of the smallest number, wherever it goes from there.
  const double smallest = unit_roundoff<D>() > 1e-10 ? 0x1p-149 : 0x1p-1074;
  std::vector<double> diagonal, size;
  for (int k = 0; k < n; ++k) {
    diagonal.push_back(static_cast<double>(line.diagonal[std::size_t(k)]));
    size.push_back(std::abs(static_cast<double>(x[std::size_t(k)])));
  }
  double worst = 0;
  for (int k = 0; k < n; ++k) {
    const std::size_t node = std::size_t(k);
    Exact residual = to_exact(line.right[node]) - to_exact(line.diagonal[node]) * to_exact(x[node]);
    if (k > 0) residual -= to_exact(line.coupling[node]) * to_exact(x[node - 1]);
    if (k + 1 < n) residual -= to_exact(line.coupling[node + 1]) * to_exact(x[node + 1]);
    double lost = 1 + (1 + diagonal[node]) * (1 + size[node]);
    for (const int j : testing::filled_pattern(n)[node]) {
      lost += (1 + diagonal[node] + diagonal[std::size_t(j)]) * (1 + size[std::size_t(j)]);
    }
    const double bound = unit_roundoff<D>() * testing::elimination_error(n, k, diagonal, size)
                         + 100 * smallest * lost;
    const double part = static_cast<double>(Exact(abs(residual))) / bound;
    worst = std::isfinite(size[node]) && std::isfinite(part) ? std::max(worst, part) : INFINITY;
  }
  return worst;
}

TEMPLATE_TEST_CASE("solutions of lines satisfy a nearby system, row by row", "[gpu][lines]", float,
                   double, testing::S23e8, testing::S36e11) {
  const testing::InFormat<TestType> format;
  using D = typename testing::InFormat<TestType>::T;
  const bool machine = std::is_floating_point_v<D>;
  std::map<Kind, double> worst;
  std::vector<int> sizes{1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255, 256, 257, 273};
  if (machine) sizes.insert(sizes.end(), {1023, 1025, 4095, 4097, 8193, 32767, 65536});
  for (const int n : sizes) {
    for (const Kind kind : all_kinds) {
      for (std::uint64_t seed = 1; seed <= (n < 1000 ? 5 : 1); ++seed) {
        CAPTURE(n, int(kind), seed);
        const Line<D> line = random_line<D>(n, kind, seed);
        const double part = part_of_bound(line, solve<D>({line}).front());
        REQUIRE(part <= 1);
        worst[kind] = std::max(worst[kind], part);
      }
    }
  }
  for (const auto& [kind, part] : worst) {
    std::printf("%d bits, lines of kind %d: %7.5f of the bound\n",
                static_cast<int>(-std::log2(unit_roundoff<D>())), int(kind), part);
    CHECK(part > 1e-3);  // a bound that means something
  }
}

TEMPLATE_TEST_CASE("scaling by powers of two moves no digit", "[gpu][lines]", float, double) {
  using D = TestType;
  for (const int n : {17, 300, 4097}) {
    const Line<D> plain = random_line<D>(n, Kind::barely, 3);
    const Line<D> scaled = random_line<D>(n, Kind::barely_graded, 3);
    const auto x = solve<D>({plain}).front(), y = solve<D>({scaled}).front();
    for (int k = 0; k < n; ++k) {
      const std::size_t node = std::size_t(k);
      CAPTURE(n, k);
      REQUIRE(y[node] * scaled.right[node] == x[node] * plain.right[node]);
    }
  }
}

TEST_CASE("lines of a stretched grid satisfy a nearby system", "[gpu][lines]") {
  // Widths that shrink by a factor of 0.55 to 0.9 towards one end: 1 / h over up to 20 digits.
  double worst = 0;
  for (const double factor : {0.55, 0.7, 0.9}) {
    for (const int n : {15, 33, 75}) {
      Line<double> line;
      double before = 1;
      for (int k = 0; k < n; ++k) {
        const double width = before * factor;
        line.coupling.push_back(k == 0 ? 0 : -1 / before);
        line.diagonal.push_back(1 / before + 1 / width);
        line.right.push_back((before + width) / 2);
        before = width;
      }
      CAPTURE(factor, n);
      const double part = part_of_bound(line, solve<double>({line}).front());
      REQUIRE(part <= 1);
      worst = std::max(worst, part);
    }
  }
  std::printf("53 bits, lines of a stretched grid: %7.5f of the bound\n", worst);
}

TEMPLATE_TEST_CASE("a line's bits do not depend on the lines beside it", "[gpu][lines]", float,
                   double) {
  using D = TestType;
  for (const int n : {1, 2, 15, 16, 17, 129, 257, 4097}) {
    std::vector<Line<D>> lines;
    for (std::uint64_t l = 0; l < 7; ++l) {
      lines.push_back(random_line<D>(n, all_kinds[l % 5], 10 + l));
    }
    const auto together = solve(lines);
    for (std::size_t l = 0; l < lines.size(); ++l) {
      CAPTURE(n, l);
      REQUIRE(testing::same_bits(solve<D>({lines[l]}).front(), together[l]));
      REQUIRE(
          testing::same_bits(solve<D>({lines[(l + 3) % 7], lines[l], lines[l]})[2], together[l]));
    }
  }
}

TEMPLATE_TEST_CASE("a team solves the reduced systems to the bits of one worker", "[gpu][lines]",
                   float, double) {
  using D = TestType;
  for (const int n : {1, 16, 17, 129, 1025, 5000}) {
    std::vector<Line<D>> lines;
    for (std::uint64_t l = 0; l < 5; ++l) lines.push_back(random_line<D>(n, all_kinds[l], 20 + l));
    const auto expected = solve(lines);
    const auto check = [&](const auto& reduce) {
      const auto solutions = solve_by(lines, reduce);
      for (std::size_t l = 0; l < lines.size(); ++l) {
        REQUIRE(testing::same_bits(solutions[l], expected[l]));
      }
    };
    CAPTURE(n);
    for (const int members : {1, 2, 3, 32}) {
      CAPTURE(members);
      check([&](const ReducedSystems<D>& systems) {
        ThreadTeam::run(members, [&] { solve_reduced<ThreadTeam>(systems, 0, systems.lines); });
      });
    }
    // Some of the lines, then the others.
    check([](const ReducedSystems<D>& systems) {
      solve_reduced<OneWorker>(systems, 2, 5);
      solve_reduced<OneWorker>(systems, 0, 2);
    });
  }
}

TEST_CASE("segments make up a line", "[gpu][lines]") {
  for (int n = 1; n <= 5000; ++n) {
    for (const auto& [segments, most] :
         {std::pair{line_segments(n), line_segment}, {reduced_segments(n), reduced_segment}}) {
      int sum = 0;
      for (int s = 0; s < segments; ++s) {
        const int size = segment_size(n, s * most, most);
        if (size < 1 || size > most) FAIL("segment " << s << " of " << n << ": " << size);
        sum += size;
      }
      REQUIRE(sum == n);
    }
  }
}

TEST_CASE("reduced systems end in one unknown", "[gpu][lines]") {
  const std::vector<std::vector<int>> all{{1, 1},
                                          {16, 1},
                                          {17, 2, 1},
                                          {128, 8, 1},
                                          {129, 9, 2, 1},
                                          {1025, 65, 9, 2, 1},
                                          {32769, 2049, 257, 33, 5, 1},
                                          {65536, 4096, 512, 64, 8, 1}};
  for (const std::vector<int>& sizes : all) {
    const int n = sizes.front();
    CAPTURE(n);
    REQUIRE(static_cast<int>(sizes.size()) - 1 <= max_reductions);
    ReducedSystems<double> reduced = LineSystems<double>{nullptr, 1, n}.reduced();
    std::size_t values = 0;
    for (std::size_t l = 1; l < sizes.size(); ++l) {
      REQUIRE(reduced.n == sizes[l]);
      values += 5 * std::size_t(reduced.n);
      reduced = reduced.next();
    }
    CHECK(reduced_values(sizes[1]) == values);
    CHECK(line_values(n) == 3 * std::size_t(n) + values);
    if (n > 5000) CHECK(double(line_values(n)) < 3.36 * n);
  }
}

TEST_CASE("the numbers of a line lie where the header says", "[gpu][lines]") {
  const int n = 273, lines = 3;  // 18 segments, then 3, then 1
  const std::size_t values = line_values(n);
  REQUIRE(values == 3 * 273 + 5 * (18 + 3 + 1));
  std::vector<double> memory(values * lines, -1);
  const LineSystems<double> systems{memory.data(), lines, n};
  int writes = 0;
  const auto expect = [&](std::size_t place, int line, double value) {
    REQUIRE(memory[place * lines + std::size_t(line)] == value);
    ++writes;
  };
  double next = 0;
  for (int line = 0; line < lines; ++line) {
    for (int k = 0; k < n; ++k) {
      systems.keep(line, k, {next, next + 1, next + 2});
      for (std::size_t m = 0; m < 3; ++m) expect(m * n + std::size_t(k), line, next + double(m));
      const auto kept = systems.kept(line, k);
      REQUIRE((kept.next == next && kept.separator == next + 1 && kept.value == next + 2));
      next += 3;
    }
    std::size_t begin = 3 * n;
    for (ReducedSystems<double> reduced = systems.reduced();; reduced = reduced.next()) {
      const auto size = std::size_t(reduced.n);
      for (int s = 0; s < reduced.n; ++s) {
        reduced.put(line, s, {{next, next + 1, next + 2}, next + 3, next + 4});
        for (std::size_t m = 0; m < 5; ++m) {
          expect(begin + m * size + std::size_t(s), line, next + double(m));
        }
        next += 5;
      }
      begin += 5 * size;
      if (reduced.n == 1) break;
    }
    REQUIRE(begin == values);
  }
  // No two share a place, and nothing else was written.
  CHECK(writes == int(values) * lines);
  CHECK(std::set<double>(memory.begin(), memory.end()).size() == memory.size());
  CHECK(systems.reduced().solution(0, -1) == 0);
}

}  // namespace
}  // namespace ninefold
