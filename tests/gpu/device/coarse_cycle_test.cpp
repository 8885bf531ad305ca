// Tuned kernels against their meaning, the host's cycles and operations one by one: all bits.

#include <cmath>
#include <tuple>
#include <vector>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"
#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/row_operations.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/coarse_levels.hpp"
#include "tests/support/device.hpp"
#include "tests/support/turns.hpp"
#include "tests/support/types.hpp"

#ifdef NINEFOLD_REHEARSED
#include "tests/support/coarse_team.hpp"
#endif

namespace ninefold {
namespace {

using testing::Device;
using testing::full_or_small;
using testing::on_device;
using testing::place;
using testing::small;
using testing::takes_turn;

#ifdef NINEFOLD_REHEARSED
/// The kernel's meaning, by one worker.
template <Number T, class Rows>
void visit(const Host&, const CoarseProblem<T, Rows>& problem, const CoarseSchedule& schedule,
           const CycleRelaxations<T>& relaxations) {
  auto memory = testing::used_memory(problem);
  testing::work_through<OneWorker>(problem, schedule, relaxations, memory.data());
}

int memory_of_block(const Host&) {
  return 227 * 1024;  // as on an H200
}
#else
template <Number T, class Rows>
void visit(const Cuda& on, const CoarseProblem<T, Rows>& problem, const CoarseSchedule& schedule,
           const CycleRelaxations<T>& relaxations) {
  visit_coarse<T>(on, problem, schedule, relaxations);
}

int memory_of_block(const Cuda& on) {
  return on.shared_memory();
}
#endif

TEMPLATE_TEST_CASE("one kernel for all coarse levels gives the bits of whole operations",
                   "[gpu][tuned]", NINEFOLD_DEVICE_FORMATS) {
  const Host host(1 << 16);
  const Device device(1 << 16);
  const auto boundaries = testing::coarse_boundaries();
  const auto all_options = testing::coarse_options();
  int levels_taken = 0;
  for (int level = 1; level <= max_coarse_levels; ++level) {
    const auto grids = testing::coarse_grids(level);
    for (const Boundary& boundary : boundaries) {
      for (const testing::RowKind& kind : testing::row_kinds) {
        testing::with_coarse_rows<TestType>(kind, [&]<class Rows>() {
          testing::CoarseLevels<Device, TestType, Rows> levels(device, grids, boundary, kind);
          for (const MultigridOptions& options : all_options) {
            if (!testing::can_smooth(kind, options)) continue;
            const int sides = place(boundary, boundaries), one = place(options, all_options);
            const bool has_turn =
                level == 1
                || (takes_turn(3, level, sides, place(kind, testing::row_kinds), one)
                    && (level <= 4 || takes_turn(2, sides, one / 3)));
            if (!has_turn) continue;
            for (const bool zero_start : {false, true}) {
              const auto expected = testing::after_cycles<Host, TestType>(
                  host, grids, boundary, kind, options, zero_start);
              REQUIRE(testing::n_not_finite(expected) == 0);
              for (const bool keeps : {false, true}) {
                levels.smooth_by(device, options, keeps);
                if (keeps && !levels.smoothing.by_lines()) continue;
                if (levels.problem.memory_bytes > memory_of_block(device)) continue;
                levels_taken = level;
                CAPTURE(level, boundary[Side::left], to_string(kind.form), to_string(kind.storage),
                        to_string(options.cycle), options.pre_smoothing, options.post_smoothing,
                        zero_start, keeps, to_words(levels.smoothing));
                levels.restart(device, zero_start);
                for (const bool from_zero : {false, zero_start}) {
                  visit<TestType>(device, levels.problem, levels.cycle(from_zero),
                                  levels.relaxations());
                }
                CHECK(testing::n_differing(levels.x(device), expected) == 0);
              }
            }
          }
        });
      }
    }
  }
  CHECK(levels_taken >= 4);  // 97 KB in double-double
}

TEMPLATE_TEST_CASE("cycles give the same bits on host and device", "[gpu][tuned]",
                   NINEFOLD_DEVICE_FORMATS) {
  const Host host(1 << 16);
  const Device device(1 << 16);
  const auto boundaries = testing::coarse_boundaries();
  const auto all_options = testing::coarse_options();
  for (int level = 1; level <= full_or_small(7, 6); ++level) {
    const auto grids = testing::coarse_grids(level);
    for (const Boundary& boundary : boundaries) {
      for (const testing::RowKind& kind : testing::row_kinds) {
        for (const MultigridOptions& options : all_options) {
          if (!testing::can_smooth(kind, options)) continue;
          for (const bool zero_start : {false, true}) {
            // Each pair of sides, rows, options and starts meets on one level or another.
            const int sides = place(boundary, boundaries), rows = place(kind, testing::row_kinds);
            const int one = place(options, all_options);
            const bool has_turn = takes_turn(2, sides, rows, zero_start)
                                  && takes_turn(3, level, rows, one)
                                  && takes_turn(2, level, sides, one)
                                  && (level <= 5 || takes_turn(2, level, one / 2));
            if (!has_turn) continue;
            CAPTURE(level, boundary[Side::left], to_string(kind.form), to_string(kind.storage),
                    to_string(options.cycle), options.pre_smoothing, options.post_smoothing,
                    zero_start, to_string(options.smoother), to_string(options.line_order));
            const auto expected = testing::after_cycles<Host, TestType>(host, grids, boundary, kind,
                                                                        options, zero_start);
            REQUIRE(testing::n_not_finite(expected) == 0);
            const auto found = on_device([&] {
              return testing::after_cycles<Device, TestType>(device, grids, boundary, kind, options,
                                                             zero_start);
            });
            CHECK(testing::n_differing(found, expected) == 0);
          }
        }
      }
    }
  }
}

#ifndef NINEFOLD_REHEARSED  // the host has no such operation that could refuse
TEST_CASE("a schedule that has no level is refused", "[gpu][tuned]") {
  const Cuda cuda(1 << 16);
  CHECK_THROWS_AS(visit_coarse<float>(cuda, CoarseProblem<float>{}, {}, 0.8F),
                  std::invalid_argument);
}
#endif

/// The grid of a chain of operations, what it starts with, and how often it is gone through.
struct Chain {
  int nx, ny, rounds;
  std::size_t n = static_cast<std::size_t>(nx) * ny;
  std::vector<double> x = testing::random_values<double>(n, 1);
  std::vector<double> y = testing::random_values<double>(n, 2);
};

/// x after a chain of operations each of which needs what the one before it wrote, with copies in
/// between.  `recorded`: as one graph.
template <Backend B>
std::vector<double> after_chain(const B& on, const Chain& chain, bool recorded) {
  const int nx = chain.nx, ny = chain.ny;
  const NodeVector<B, double> x(on, nx, ny), y(on, nx, ny), z(on, nx, ny);
  const Array<B, CgState<double>> state(on, 1);
  upload(on, chain.x, 0, x.view());
  upload(on, chain.y, 0, y.view());
  CgState<double> scalars{};
  scalars.active = 1;
  scalars.rz = 1;
  on.copy_in(state.data(), &scalars, sizeof scalars);
  const Box all{0, nx, 0, ny};
  const auto work = [&] {
    for (int k = 0; k < chain.rounds; ++k) {
      dot<B, double>(on, all, x.view(), x.view(), &state.data()->pq);  // pq = (x, x)
      cg_alpha(on, state.data());                                      // alpha = rz / pq
      cg_update(on, all, x.view(), y.view(), z.view(), y.view(), state.data());
      xpby(on, all, &state.data()->alpha, z.view(), x.view());  // x = z + alpha x
      copy(on, x.view(), z.view());                             // z = x
      dot<B, double>(on, all, z.view(), y.view(), &state.data()->rz_new);
      cg_beta(on, BetaForm::standard, state.data());  // rz = rz_new
      set_zero(on, x.view());
      xpby(on, all, &state.data()->alpha, z.view(), x.view());  // x = z
    }
  };
  if (recorded) {
    const Recording<B> recording(on, work);
    recording.replay();
    recording.replay();
    on.wait();
  } else {
    work();
    work();
  }
  return testing::take(on, x.view());
}

TEST_CASE("kernels that may start early keep the order of work", "[gpu][tuned]") {
  const Host host;
  const Device device;
  // From one block of a few threads to a device full of blocks, which take turns.
  for (const auto& [nx, ny, rounds] :
       {std::tuple{3, 3, 25}, {33, 33, 25}, {257, 129, 25}, {1025, 700, 25}, {4097, 1500, 5}}) {
    if (small && nx > 1000) continue;
    CAPTURE(nx, ny);
    const Chain chain{nx, ny, rounds};
    const auto expected = after_chain(host, chain, false);
    REQUIRE(testing::n_not_finite(expected) == 0);
    for (int repetition = 0; repetition < full_or_small(5, 1); ++repetition) {
      for (const bool recorded : {false, true}) {
        const auto found = on_device([&] { return after_chain(device, chain, recorded); });
        CHECK(testing::n_differing(found, expected) == 0);
      }
    }
  }
}

}  // namespace
}  // namespace ninefold
