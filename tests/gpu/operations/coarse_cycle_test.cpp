// The steps of coarse levels, as a device runs them in one kernel, on the host: one worker, and a
// team of threads in place of a block.

#include "tests/support/catch.hpp"
#include "tests/support/coarse_levels.hpp"
#include "tests/support/coarse_team.hpp"
#include "tests/support/thread_team.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::ThreadTeam;
using testing::used_memory;
using testing::work_through;

TEST_CASE("the row of a node follows without a division", "[coarse]") {
  for (int width = 1; width <= max_coarse_width; ++width) {
    const unsigned reciprocal = coarse_reciprocal(width);
    for (int k = 0; k < width * max_coarse_width; ++k) {
      REQUIRE(coarse_row(k, reciprocal) == k / width);
    }
  }
}

TEST_CASE("the longest schedule fits, and a longer one is refused", "[coarse]") {
  const auto check = [&](Smoother smoother, int size) {
    CycleSchedule schedule(Smoothing{.smoother = smoother, .damping = 1});
    schedule.add_correction(max_coarse_levels - 1, Cycle::w);
    CHECK(coarse_schedule(schedule, schedule.spans().front()).size == size);
    schedule.add_correction(max_coarse_levels - 1, Cycle::w);
    CHECK_THROWS_AS(coarse_schedule(schedule, {0, schedule.steps().size(), max_coarse_levels - 1}),
                    std::logic_error);
  };
  check(Smoother::jacobi, 181);
  check(Smoother::adi_tridi, 181);
  check(Smoother::adi_trigs, 181);
}

TEST_CASE("a level that is too fine for one block is refused", "[coarse]") {
  CoarseProblem<float> problem;
  NineBand<const float> A{};
  A.nx = A.ny = max_coarse_width + 32;
  A.unknowns = {1, A.nx - 1, 1, A.ny - 1};
  CHECK_FALSE(CoarseProblem<float>::can_take(A.nx, A.ny));
  CHECK_THROWS_AS(problem.add(A, {}), std::logic_error);
}

TEMPLATE_TEST_CASE("the steps of coarse levels give the bits of whole operations", "[coarse]",
                   NINEFOLD_DEVICE_FORMATS) {
  const Host host(1 << 16);
  for (int level = 1; level <= max_coarse_levels; ++level) {
    const auto grids = testing::coarse_grids(level);
    for (const Boundary& boundary : testing::coarse_boundaries()) {
      for (const testing::RowKind& kind : testing::row_kinds) {
        for (const MultigridOptions& options : testing::coarse_options()) {
          if (!testing::can_smooth(kind, options)) continue;
          for (const bool zero_start : {false, true}) {
            CAPTURE(level, boundary[Side::left], to_string(kind.form), to_string(kind.storage),
                    to_string(options.cycle), options.pre_smoothing, options.post_smoothing,
                    zero_start);
            const auto expected = testing::after_cycles<Host, TestType>(host, grids, boundary, kind,
                                                                        options, zero_start);
            REQUIRE(testing::n_not_finite(expected) == 0);
            testing::with_coarse_rows<TestType>(kind, [&]<class Rows>() {
              testing::CoarseLevels<Host, TestType, Rows> levels(host, grids, boundary, kind);
              for (const bool keeps : {false, true}) {
                levels.smooth_by(host, options, keeps);
                if (keeps && !levels.smoothing.by_lines()) continue;
                CAPTURE(to_words(levels.smoothing), keeps);
                levels.restart(host, zero_start);
                auto memory = used_memory(levels.problem);
                for (const bool from_zero : {false, zero_start}) {
                  work_through<OneWorker>(levels.problem, levels.cycle(from_zero),
                                          levels.relaxations(), memory.data());
                }
                CHECK(testing::n_differing(levels.x(host), expected) == 0);
              }
            });
          }
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("a team gives the bits of one worker", "[coarse]", Half, double, DoubleSingle) {
  const Host host(1 << 16);
  MultigridOptions options;
  options.pre_smoothing = 3;
  options.post_smoothing = 1;
  for (const Smoother smoother : {Smoother::jacobi, Smoother::adi_tridi, Smoother::adi_trigs}) {
    options.smoother = smoother;
    for (const int members : {2, 3, 32}) {
      for (const int level : {1, 3, 4, 5}) {
        if (level == 5 && (members != 2 || smoother != Smoother::adi_trigs)) continue;
        if (members > 3 && level > 3 && smoother != Smoother::adi_trigs) continue;  // many waits
        for (const Boundary& boundary : testing::coarse_boundaries()) {
          for (const testing::RowKind& kind : {testing::row_kinds[1], testing::row_kinds[2]}) {
            CAPTURE(to_string(smoother), members, level, boundary[Side::left],
                    to_string(kind.storage));
            const auto grids = testing::coarse_grids(level);
            const auto expected =
                testing::after_cycles<Host, TestType>(host, grids, boundary, kind, options, false);
            REQUIRE(testing::n_not_finite(expected) == 0);
            testing::with_coarse_rows<TestType>(kind, [&]<class Rows>() {
              testing::CoarseLevels<Host, TestType, Rows> levels(host, grids, boundary, kind);
              levels.smooth_by(host, options, level >= 4);
              levels.restart(host, false);
              auto memory = used_memory(levels.problem);
              const CoarseSchedule schedule = levels.cycle(false);
              for (int k = 0; k < 2; ++k) {
                ThreadTeam::run(members, [&] {
                  work_through<ThreadTeam>(levels.problem, schedule, levels.relaxations(),
                                           memory.data());
                });
              }
              CHECK(testing::n_differing(levels.x(host), expected) == 0);
            });
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ninefold
