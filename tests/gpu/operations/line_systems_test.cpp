// Tridiagonal systems by partitioned elimination, against 50 digits with a derived componentwise
// bound; and that no bit depends on what is solved beside, or by how many.
//
// The bound is derived in support/line_pattern.hpp.
#include "gpu/operations/line_systems.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/launch/team.hpp"

#include "tests/support/catch.hpp"
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

/// One system: coupling[k] x_k-1 + diagonal x_k + coupling[k + 1] x_k+1 = right[k], the diagonal
/// being sum[k] - coupling[k] - coupling[k + 1].
template <class D>
struct Line {
  std::vector<D> coupling, sum, right;
  int n() const { return static_cast<int>(sum.size()); }

  Exact diagonal(int k) const {
    const std::size_t node = std::size_t(k);
    Exact value = to_exact(sum[node]) - to_exact(coupling[node]);
    if (k + 1 < n()) value -= to_exact(coupling[node + 1]);
    return value;
  }
};

/// any_signs: couplings of both signs, the diagonal exceeding them by a random part; held: negative
/// ones, and no sum but at the last node.  Both also with couplings over thirty orders of
/// magnitude, at random or rising along the line.
enum class Kind { any_signs, any_signs_wild, held, held_wild, held_graded };
constexpr Kind all_kinds[] = {Kind::any_signs, Kind::any_signs_wild, Kind::held, Kind::held_wild,
                              Kind::held_graded};

template <class D>
Line<D> random_line(int n, Kind kind, std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(n);
  const auto values = testing::random_values<double>(3 * size, seed);
  Line<D> line{std::vector<D>(size, D(0)), std::vector<D>(size),
               testing::random_values<D>(size, seed + 1, Range::hurtful)};
  const bool any_signs = kind == Kind::any_signs || kind == Kind::any_signs_wild;
  const bool wild = kind == Kind::any_signs_wild || kind == Kind::held_wild;
  std::vector<double> coupling(size + 1, 0.0);
  for (std::size_t k = 1; k < size; ++k) {
    const int power = wild                        ? static_cast<int>(std::lround(50 * values[k]))
                      : kind == Kind::held_graded ? static_cast<int>(100 * k / size) - 50
                                                  : 0;
    const double c = values[size + k];
    coupling[k] = std::ldexp(any_signs ? c : -0.5 - std::abs(c), power);
    line.coupling[k] = static_cast<D>(coupling[k]);
    coupling[k] = static_cast<double>(line.coupling[k]);
  }
  for (std::size_t k = 0; k < size; ++k) {
    const auto twice = [](double c) { return c > 0 ? 2 * c : 0.0; };
    const double extra = std::abs(values[2 * size + k]) + 1e-3;
    // Rounded up, so that the diagonal dominates all the same.
    const double sum =
        any_signs
            ? (twice(coupling[k]) + twice(coupling[k + 1])) * (1 + 4 * unit_roundoff<D>()) + extra
        : k + 1 == size ? extra
                        : 0;
    line.sum[k] = static_cast<D>(sum);
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
        return LineRow<D>{line.coupling[node], line.sum[node], line.right[node]};
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
    diagonal.push_back(static_cast<double>(line.diagonal(k)));
    size.push_back(std::abs(static_cast<double>(x[std::size_t(k)])));
  }
  double worst = 0;
  for (int k = 0; k < n; ++k) {
    const std::size_t node = std::size_t(k);
    Exact residual = to_exact(line.right[node]) - line.diagonal(k) * to_exact(x[node]);
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
  if (machine) sizes.insert(sizes.end(), {1023, 1025, 4095, 4097, 8193, 32767, 65536, 65537});
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

/// By the same steps one node after the other, in 50 digits.
template <class D>
std::vector<Exact> exact_solution(const Line<D>& line) {
  const std::size_t n = line.sum.size();
  std::vector<Exact> pivot(n), right(n), x(n);
  Exact sum = to_exact(line.sum[0]);
  right[0] = to_exact(line.right[0]);
  for (std::size_t k = 0; k < n; ++k) {
    const Exact next = k + 1 < n ? to_exact(line.coupling[k + 1]) : Exact(0);
    pivot[k] = sum - next;
    if (k + 1 == n) break;
    sum = to_exact(line.sum[k + 1]) - next / pivot[k] * sum;
    right[k + 1] = to_exact(line.right[k + 1]) - next / pivot[k] * right[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    const Exact beside = k + 1 < n ? Exact(to_exact(line.coupling[k + 1]) * x[k + 1]) : Exact(0);
    x[k] = (right[k] - beside) / pivot[k];
  }
  return x;
}

// Relative errors of e in couplings, sums and right-hand sides change a positive solution by (2n -
// 1) e (Alfa, Xue, Ye); a step makes a few of them.
TEMPLATE_TEST_CASE("what holds a line at one end is not lost beside thin cells", "[gpu][lines]",
                   float, double) {
  using D = TestType;
  double worst = 0;
  for (const int n : {2, 15, 17, 33, 129, 300, 4097}) {
    for (const Kind kind : {Kind::held, Kind::held_wild, Kind::held_graded}) {
      Line<D> line = random_line<D>(n, kind, 7);
      for (D& right : line.right) right = right < 0 ? -right : right;
      const auto exact = exact_solution(line);
      const auto x = solve<D>({line}).front();
      for (std::size_t k = 0; k < x.size(); ++k) {
        const Exact error = abs(Exact(to_exact(x[k]) - exact[k])) / exact[k];
        worst = std::max(worst, static_cast<double>(error) / (n * unit_roundoff<D>()));
      }
      CAPTURE(n, int(kind), worst);
      REQUIRE(worst <= 20);
    }
  }
  std::printf("%d bits, lines held at one end: relative error of %7.5f n u\n",
              std::is_same_v<D, float> ? 24 : 53, worst);
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

}  // namespace
}  // namespace ninefold
