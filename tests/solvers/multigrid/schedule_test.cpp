// Cycles as lists of steps: against lists and the recursion that defines them, and what a team
// takes over of them.
#include "solvers/multigrid/schedule.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "gpu/operations/fused_operations.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using enum CycleOperation;

const Smoothing points{.smoother = Smoother::jacobi, .damping = 0.8};
const Smoothing simultaneous{.smoother = Smoother::tridi, .damping = 0.8};
const Smoothing coloured{.smoother = Smoother::adi_trigs, .damping = 1};

Smoothing with_steps(int pre, int post) {
  Smoothing smoothing = points;
  smoothing.pre_steps = pre;
  smoothing.post_steps = post;
  return smoothing;
}

CycleSchedule cycle(Cycle kind, int level, Smoothing smoothing = points, bool zero_start = false,
                    int pre = 2, int post = 2) {
  smoothing.pre_steps = pre;
  smoothing.post_steps = post;
  CycleSchedule schedule(smoothing);
  schedule.add_visit(level, kind, zero_start);
  return schedule;
}

TEST_CASE("a V-cycle goes down and up", "[solvers][schedule]") {
  CHECK(cycle(Cycle::v, 0).steps() == std::vector<CycleStep>{{solve_coarsest, 0}});
  CHECK(cycle(Cycle::v, 2).steps()
        == std::vector<CycleStep>{{jacobi_steps, 2, 2, 0},
                                  {residual, 2},
                                  {restrict_down, 2},
                                  {jacobi_start, 1},
                                  {jacobi_steps, 1, 1, 1},
                                  {residual, 1},
                                  {restrict_down, 1},
                                  {solve_coarsest, 0},
                                  {prolong_up, 1},
                                  {jacobi_steps, 1, 2, 2},
                                  {prolong_up, 2},
                                  {jacobi_steps, 2, 2, 2}});
}

TEST_CASE("smoothing from zero, by lines and by nothing", "[solvers][schedule]") {
  CHECK(cycle(Cycle::v, 1, points, true, 0, 1).steps()
        == std::vector<CycleStep>{{set_zero, 1},
                                  {restrict_right, 1},
                                  {solve_coarsest, 0},
                                  {prolong_up, 1},
                                  {jacobi_steps, 1, 1, 0}});
  CHECK(cycle(Cycle::v, 1, simultaneous, true, 3, 0).steps()
        == std::vector<CycleStep>{{set_zero, 1},
                                  {line_steps, 1, 3, 0},
                                  {residual, 1},
                                  {restrict_down, 1},
                                  {solve_coarsest, 0},
                                  {prolong_up, 1}});
  CHECK(cycle(Cycle::v, 1, coloured, false, 1, 2).steps().front()
        == CycleStep{line_steps_in_place, 1, 1, 0});
  CHECK(cycle(Cycle::v, 1, coloured, false, 1, 2).steps().back()
        == CycleStep{line_steps_in_place, 1, 2, 1});
}

TEST_CASE("levels are visited as often as the cycle says", "[solvers][schedule]") {
  const int finest = 6;
  for (const Cycle kind : {Cycle::v, Cycle::f, Cycle::w}) {
    const CycleSchedule schedule = cycle(kind, finest);
    std::map<int, int> visits;
    for (const CycleStep& step : schedule.steps()) {
      visits[step.level] += step.operation == residual || step.operation == solve_coarsest;
    }
    for (int level = 0; level <= finest; ++level) {
      CAPTURE(to_string(kind), level);
      // The coarsest level is solved exactly, once for each visit of the next one.
      const int below = level == 0 ? 1 : level;
      CHECK(visits[level]
            == (kind == Cycle::v   ? 1
                : kind == Cycle::f ? finest - below + 1
                                   : 1 << (finest - below)));
    }
  }
}

TEST_CASE("full multigrid visits each level with what the coarser ones have found",
          "[solvers][schedule]") {
  Smoothing smoothing = with_steps(0, 1);
  smoothing.cycle = Cycle::v;
  CycleSchedule schedule(smoothing);
  schedule.add_full(2);
  CHECK(schedule.steps()
        == std::vector<CycleStep>{
            {residual, 2},           {restrict_down, 2},      {restrict_right, 1},
            {solve_coarsest, 0},     {set_zero, 1},           {prolong_up, 1},
            {residual, 1},           {restrict_down, 1},      {solve_coarsest, 0},
            {prolong_up, 1},         {jacobi_steps, 1, 1, 0}, {prolong_up, 2},
            {residual, 2},           {restrict_down, 2},      {set_zero, 1},
            {restrict_right, 1},     {solve_coarsest, 0},     {prolong_up, 1},
            {jacobi_steps, 1, 1, 0}, {prolong_up, 2},         {jacobi_steps, 2, 1, 0}});
  CycleSchedule lowest(smoothing);
  lowest.add_full(0);
  CHECK(lowest.steps() == std::vector<CycleStep>{{solve_coarsest, 0}});
}

/// The definition: what a visit of level l does, and what it asks of the next coarser one.
void visit(int l, Cycle kind, bool zero_start, std::vector<CycleStep>& steps) {
  if (l == 0) {
    steps.push_back({solve_coarsest, 0});
    return;
  }
  if (zero_start) {
    steps.push_back({jacobi_start, l});
    steps.push_back({jacobi_steps, l, 1, 1});
  } else {
    steps.push_back({jacobi_steps, l, 2, 0});
  }
  steps.push_back({residual, l});
  steps.push_back({restrict_down, l});
  visit(l - 1, kind, true, steps);
  if (l > 1 && kind == Cycle::f) visit(l - 1, Cycle::v, false, steps);
  if (l > 1 && kind == Cycle::w) visit(l - 1, Cycle::w, false, steps);
  steps.push_back({prolong_up, l});
  steps.push_back({jacobi_steps, l, 2, 2});
}

TEST_CASE("cycles are what the recursion makes of them", "[solvers][schedule]") {
  for (const Cycle kind : {Cycle::v, Cycle::f, Cycle::w}) {
    for (int level = 0; level <= 6; ++level) {
      for (const bool zero_start : {false, true}) {
        CAPTURE(to_string(kind), level, zero_start);
        std::vector<CycleStep> expected;
        visit(level, kind, zero_start, expected);
        CHECK(cycle(kind, level, points, zero_start).steps() == expected);
      }
    }
  }
}

/// The steps of a program, those that are taken over included.
std::vector<CycleOperation> unrolled(const CycleProgram& program) {
  std::vector<CycleOperation> all;
  for (const CyclePass& pass : program.passes) {
    if (pass.span < 0) {
      if (pass.from_zero) all.push_back(set_zero);
      all.push_back(pass.step.operation);
      continue;
    }
    const CoarseSchedule& list = program.spans[std::size_t(pass.span)];
    for (int k = 0; k < list.size; ++k) all.push_back(list.step[k].operation);
  }
  return all;
}

TEST_CASE("a program has all steps, and takes over as much as it may", "[solvers][schedule]") {
  const int finest = 4;
  for (const Cycle kind : {Cycle::v, Cycle::f, Cycle::w}) {
    const CycleSchedule schedule = cycle(kind, finest);
    std::vector<CycleOperation> expected;
    for (const CycleStep& step : schedule.steps()) expected.push_back(step.operation);
    for (int coarse = -1; coarse < max_coarse_levels; ++coarse) {
      CAPTURE(to_string(kind), coarse);
      const CycleProgram program = make_program(schedule, finest + 1, coarse);
      CHECK(unrolled(program) == expected);
      for (const CyclePass& pass : program.passes) {
        CHECK((pass.span >= 0) == (pass.step.level <= coarse));
        if (pass.span >= 0) CHECK(pass.step.level == coarse);
      }
      // One for each visit of the next finer level.
      const std::size_t visits = coarse < 0         ? 0
                                 : coarse == finest ? 1
                                 : kind == Cycle::v ? 1
                                 : kind == Cycle::f ? std::size_t(finest - coarse)
                                                    : std::size_t{1} << (finest - coarse - 1);
      CHECK(program.spans.size() == visits);
    }
  }
}

TEST_CASE("steps of lines in place begin from zeros that are not set", "[solvers][schedule]") {
  for (const int coarse : {-1, 1}) {
    const CycleSchedule schedule = cycle(Cycle::f, 3, coloured);
    CAPTURE(coarse);
    std::vector<CycleOperation> expected;
    for (const CycleStep& step : schedule.steps()) expected.push_back(step.operation);
    const CycleProgram program = make_program(schedule, 4, coarse);
    CHECK(unrolled(program) == expected);
    const auto starts = std::count_if(program.passes.begin(), program.passes.end(),
                                      [](const CyclePass& pass) { return pass.from_zero; });
    // Level 2 by the F-cycle; level 1 by that of level 2, and by its V-cycle.
    CHECK(starts == (coarse < 0 ? 3 : 1));
    for (const CyclePass& pass : program.passes) {
      if (pass.span < 0) CHECK(pass.step.operation != set_zero);
      if (pass.from_zero) CHECK(pass.step.operation == line_steps_in_place);
    }
  }
  const auto starts_of = [](const CycleSchedule& schedule) {
    const CycleProgram program = make_program(schedule, 4, -1);
    return std::count_if(program.passes.begin(), program.passes.end(),
                         [](const CyclePass& pass) { return pass.from_zero; });
  };
  CHECK(starts_of(cycle(Cycle::w, 3, coloured)) == 3);  // level 2, and level 1 for each visit of it
  CHECK(starts_of(cycle(Cycle::v, 3, coloured, true)) == 3);
  CHECK(starts_of(cycle(Cycle::v, 3, coloured, true, 0, 2)) == 0);  // b is restricted first
  CycleSchedule full(coloured);
  full.add_full_from_zero(3);
  CHECK(starts_of(full)
        == 4);  // level 1 once for level 2 and twice for level 3, which asks level 2
  // Simultaneous lines read x.
  const CycleProgram other = make_program(cycle(Cycle::f, 3, simultaneous), 4, -1);
  CHECK(std::none_of(other.passes.begin(), other.passes.end(),
                     [](const CyclePass& pass) { return pass.from_zero; }));
}

TEST_CASE("full multigrid is taken over visit by visit", "[solvers][schedule]") {
  CycleSchedule schedule(with_steps(1, 2));  // odd: x and t take turns
  schedule.add_full(4);
  std::vector<CycleOperation> expected;
  for (const CycleStep& step : schedule.steps()) expected.push_back(step.operation);
  for (int coarse = -1; coarse < 4; ++coarse) {
    CAPTURE(coarse);
    const CycleProgram program = make_program(schedule, 5, coarse);
    CHECK(unrolled(program) == expected);
    // A visit of each level up to that, and one for each visit of the next finer one.
    const auto taken = std::count_if(program.passes.begin(), program.passes.end(),
                                     [](const CyclePass& pass) { return pass.span >= 0; });
    int visits = 0;
    for (int l = coarse + 1; l <= 4; ++l) visits += l - coarse;
    CHECK(taken == (coarse < 0 ? 0 : coarse + 1 + visits));
    // What a correction is taken from is where the visit before it has left x.
    std::vector<int> turn(5, 0);
    for (const CyclePass& pass : program.passes) {
      const auto l = std::size_t(pass.step.level);
      CHECK(pass.x == turn[l]);
      if (pass.step.operation == prolong_up && pass.span < 0) CHECK(pass.coarse_x == turn[l - 1]);
      if (pass.span < 0 && takes_turns(pass.step.operation)) turn[l] ^= pass.step.count & 1;
    }
  }
}

TEST_CASE("the two vectors of a level take turns", "[solvers][schedule]") {
  // One step before and two after: the result is in the other vector.
  const CycleProgram odd = make_program(cycle(Cycle::v, 2, points, false, 1, 2), 3, -1);
  CHECK(odd.ends_in_other);
  const auto pass_of = [&](CycleOperation operation, int level) {
    return *std::find_if(odd.passes.begin(), odd.passes.end(), [&](const CyclePass& pass) {
      return pass.step.operation == operation && pass.step.level == level;
    });
  };
  CHECK(pass_of(jacobi_steps, 2).x == 0);
  CHECK(pass_of(residual, 2).x == 1);
  CHECK(pass_of(residual, 1).x == 0);  // one step from zero stays where it is
  CHECK(pass_of(prolong_up, 2).x == 1);
  CHECK(pass_of(prolong_up, 2).coarse_x == 0);
  CHECK_FALSE(make_program(cycle(Cycle::v, 2), 3, -1).ends_in_other);
  // What is taken over brings its result back by itself.
  CHECK_FALSE(make_program(cycle(Cycle::v, 2, points, false, 1, 2), 3, 2).ends_in_other);
  // Lines in place take no turns.
  CHECK_FALSE(make_program(cycle(Cycle::v, 2, coloured, false, 1, 2), 3, -1).ends_in_other);
}

/// The steps that a fused pass stands for, Jacobi steps one by one.
std::vector<CycleStep> one_by_one(const CyclePass& pass) {
  using Fused = CyclePass::Fused;
  const int l = pass.step.level;
  std::vector<CycleStep> steps;
  if (pass.fused == Fused::start) steps.push_back({jacobi_start, l});
  if (pass.fused == Fused::sum || pass.fused == Fused::prolongation) {
    steps.push_back({prolong_up, l});
  }
  if (pass.fused == Fused::restriction) steps = {{residual, l}, {restrict_down, l}};
  if (pass.fused == Fused::none && pass.step.operation != jacobi_steps) steps = {pass.step};
  const bool smooths = pass.fused == Fused::none ? pass.step.operation == jacobi_steps
                                                 : pass.fused != Fused::restriction;
  const int done = pass.fused == Fused::start ? 1 : 0, count = pass.step.count - done;
  for (int k = 0; smooths && k < count; ++k) {
    steps.push_back({jacobi_steps, l, 1, pass.step.first + done + k});
  }
  return steps;
}

/// Of `levels` levels those from `first` on.
std::vector<bool> from_level(int first, int levels) {
  std::vector<bool> fused(std::size_t(levels), false);
  for (int l = first; l < levels; ++l) fused[std::size_t(l)] = true;
  return fused;
}

/// Of a program with fused passes on these levels, and spans taken over up to `coarse`.
void check_fused(const CycleSchedule& schedule, int finest, int coarse,
                 const std::vector<bool>& fused) {
  std::vector<CycleStep> expected, found;
  for (const CycleStep& step : schedule.steps()) {
    const bool smooths = step.operation == jacobi_steps;
    for (int k = 0; k < (smooths ? step.count : 1); ++k) {
      expected.push_back({step.operation, step.level, 1, smooths ? step.first + k : 0});
    }
  }
  std::vector<int> turn(std::size_t(finest) + 1, 0);
  std::size_t prolongations = 0;
  const CycleProgram program = make_program(schedule, finest + 1, coarse, fused);
  for (const CyclePass& pass : program.passes) {
    const auto l = std::size_t(pass.step.level);
    CHECK(pass.x == turn[l]);
    if (pass.span >= 0) {
      CHECK(pass.fused == CyclePass::Fused::none);
      const CoarseSchedule& span = program.spans[std::size_t(pass.span)];
      for (int k = 0; k < span.size; ++k) {
        // Steps in place are those of lines, which are not here.
        const bool smooths = span.step[k].operation == jacobi_steps;
        for (int c = 0; c < (smooths ? span.step[k].count : 1); ++c) {
          found.push_back({span.step[k].operation, span.step[k].level, 1,
                           smooths ? span.step[k].first + c : 0});
        }
      }
      continue;
    }
    for (const CycleStep& step : one_by_one(pass)) found.push_back(step);
    if (pass.fused != CyclePass::Fused::none) {
      CHECK(fused[l]);
      CHECK(pass.step.count <= most_fused_steps);
    }
    if (pass.step.operation == prolong_up) CHECK(pass.coarse_x == turn[l - 1]);
    const bool turns = pass.fused == CyclePass::Fused::steps || pass.fused == CyclePass::Fused::sum
                       || pass.fused == CyclePass::Fused::prolongation;
    if (pass.fused == CyclePass::Fused::prolongation) ++prolongations;
    if (turns) turn[l] ^= 1;
    if (pass.fused == CyclePass::Fused::none && takes_turns(pass.step.operation)) {
      turn[l] ^= pass.step.count & 1;
    }
  }
  // Zeros that a prolongation stands for are not set.
  const auto without_zeros = [&](std::vector<CycleStep>& steps) {
    return std::erase_if(steps, [&](const CycleStep& step) {
      return step.operation == set_zero && fused[std::size_t(step.level)];
    });
  };
  CHECK(without_zeros(expected) == without_zeros(found) + prolongations);
  CHECK(found == expected);
  CHECK(program.ends_in_other == (turn.back() != 0));
}

TEST_CASE("fused passes are the steps of a schedule, at most two of them at once",
          "[solvers][schedule]") {
  const int coarse = GENERATE(-1, 0, 1, 2);
  // All, some, and with a gap: coarse ones by tiles, fine ones by strips.
  const std::vector<bool> fused = GENERATE(from_level(0, 4), from_level(2, 4), from_level(3, 4),
                                           std::vector<bool>{false, true, false, true});
  CAPTURE(coarse);
  for (int pre = 0; pre <= 5; ++pre) {
    for (int post = pre == 0 ? 1 : 0; post <= 5; ++post) {
      for (const Cycle kind : {Cycle::v, Cycle::f, Cycle::w}) {
        CAPTURE(to_string(kind), pre, post);
        check_fused(cycle(kind, 3, points, post % 2 == 0, pre, post), 3, coarse, fused);
      }
      CycleSchedule full(with_steps(pre, post));
      full.add_full(3);
      check_fused(full, 3, coarse, fused);
    }
  }
}

TEST_CASE("full multigrid is taken over visit by visit beside fused passes, too",
          "[solvers][schedule]") {
  CycleSchedule schedule(points);
  schedule.add_full(4);
  for (int coarse = -1; coarse < 4; ++coarse) {
    CAPTURE(coarse);
    CHECK(make_program(schedule, 5, coarse, from_level(0, 5)).spans.size()
          == make_program(schedule, 5, coarse).spans.size());
  }
}

TEST_CASE("without steps before, a correction begins with its prolongation",
          "[solvers][schedule]") {
  using Fused = CyclePass::Fused;
  std::vector<Fused> found;
  const CycleProgram program =
      make_program(cycle(Cycle::v, 3, points, true, 0, 3), 4, 1, from_level(0, 4));
  for (const CyclePass& pass : program.passes) found.push_back(pass.fused);
  // Levels 3 and 2 are restricted, 1 and below taken over; up again, two steps and one.
  CHECK(found
        == std::vector<Fused>{Fused::none, Fused::none, Fused::none, Fused::prolongation,
                              Fused::steps, Fused::prolongation, Fused::steps});
  for (const CyclePass& pass : program.passes) {
    CHECK((pass.span >= 0 || pass.fused != Fused::none || pass.step.operation == restrict_right));
    if (pass.fused == Fused::prolongation) CHECK(pass.step.first == 0);
    if (pass.fused == Fused::steps) CHECK(pass.step.first == 2);
  }
}

/// What the passes over divided levels ask other ranks for, in their order: of a restriction of b
/// the rows, of a prolongation -1 for all that it reads, 0 for nothing.
static std::vector<int> asked_for(const CycleSchedule& schedule, int levels, int first_divided,
                                  const std::vector<int>& known, int first_fused = 1) {
  const std::vector<bool> divided = from_level(first_divided, levels);
  CycleProgram program =
      make_program(schedule, levels, -1, from_level(first_fused, levels), 0, divided);
  spare_exchanges(program, divided, known);
  std::vector<int> asked;
  for (const CyclePass& pass : program.passes) {
    if (pass.step.level < first_divided) {
      CHECK(pass.others == OthersRows::asked_for);
    } else if (pass.fused == CyclePass::Fused::prolongation) {
      asked.push_back(pass.others == OthersRows::known ? 0 : -1);
    } else if (pass.step.operation == restrict_right) {
      asked.push_back(pass.rows_asked);
    }
  }
  return asked;
}

TEST_CASE("passes ask other ranks for rows that are not there", "[solvers][schedule]") {
  constexpr int all = shared_rows;
  const Smoothing two = with_steps(0, 2);
  // Levels 5, 4 and 3 are restricted, and corrected in the other order.
  const std::vector<int> none(6, 0);
  CHECK(asked_for(cycle(Cycle::v, 5, two, true, 0, 2), 6, 3, none)
        == std::vector{all, all, all, 0, 0, 0});
  CycleSchedule restricted(two);
  restricted.add_restricted_visit(5, Cycle::v);
  CHECK(asked_for(restricted, 6, 3, {0, 0, 0, 0, all, 1}) == std::vector{0, all, 0, 0, 0});
  CHECK(asked_for(restricted, 6, 3, none) == std::vector{all, all, 0, 0, -1});
  // One row of b suffices for a rank's own rows, but not for those that a finer level reads.
  CHECK(asked_for(restricted, 6, 3, {0, 0, 0, 0, 1, 1}) == std::vector{all, all, 0, 0, 0});
  // One step, or steps after those of the first pass, leave none of other ranks' rows.
  for (const int steps : {1, 4}) {
    CAPTURE(steps);
    CHECK(asked_for(cycle(Cycle::v, 5, with_steps(0, steps), true, 0, steps), 6, 3, none)
          == std::vector{all, all, all, 0, -1, -1});
  }
  // What is visited again is no prolongation any more, and neither is what its steps leave known.
  CycleSchedule twice(two);
  twice.add_visit(4, Cycle::f, true);
  CHECK(asked_for(twice, 5, 3, none) == std::vector{all, all, 0, -1});
  CycleSchedule often(two);
  often.add_visit(4, Cycle::w, true);
  CHECK(asked_for(often, 5, 3, none) == std::vector{all, all, 0, -1});
  // A right-hand side that is new is asked for again.
  CycleSchedule again(two);
  again.add_visit(4, Cycle::v, true);
  again.add_visit(4, Cycle::v, true);
  CHECK(asked_for(again, 5, 3, none) == std::vector{all, all, 0, 0, 0, all, 0, 0});
  // With steps before it b is that of a residual.
  CHECK(asked_for(cycle(Cycle::v, 5, with_steps(1, 2), true, 1, 2), 6, 3, none).empty());
  // Where no pass is fused, on all or on coarse levels, one row is enough.
  CHECK(asked_for(cycle(Cycle::v, 5, two, true, 0, 2), 6, 3, none, 6) == std::vector{1, 1, 1});
  CHECK(asked_for(cycle(Cycle::v, 5, two, true, 0, 2), 6, 3, none, 5)
        == std::vector{all, 1, 1, -1});
  CHECK(asked_for(cycle(Cycle::v, 4, coloured, true, 0, 2), 5, 3, none) == std::vector{1, 1});
}

TEST_CASE("a visit with two steps before and after is three fused passes", "[solvers][schedule]") {
  using Fused = CyclePass::Fused;
  std::vector<Fused> found;
  const CycleProgram program = make_program(cycle(Cycle::v, 2), 3, 0, from_level(0, 3));
  for (const CyclePass& pass : program.passes) found.push_back(pass.fused);
  CHECK(found
        == std::vector<Fused>{Fused::steps, Fused::restriction, Fused::start, Fused::restriction,
                              Fused::none, Fused::sum, Fused::sum});
  CHECK(program.spans.size() == 1);
  CHECK_FALSE(program.ends_in_other);
  // Lines are smoothed one direction after the other, but their residuals are restricted so, too.
  for (const CyclePass& pass :
       make_program(cycle(Cycle::v, 2, coloured), 3, 0, from_level(0, 3)).passes) {
    CHECK((pass.fused == Fused::none || pass.fused == Fused::restriction));
  }
}

TEST_CASE("a base level ends cycles, by eigenvectors or by several visits", "[solvers][schedule]") {
  const Smoothing smoothing = with_steps(0, 2);
  CycleSchedule direct(smoothing, {1, true, 1});
  direct.add_visit(2, Cycle::v, true);
  const std::vector<CycleStep> visit{{set_zero, 2},
                                     {restrict_right, 2},
                                     {solve_small, 1},
                                     {prolong_up, 2},
                                     {jacobi_steps, 2, 2, 0}};
  CHECK(direct.steps() == visit);
  // Where passes are fused, it takes what it solves for from the level above.
  const CycleProgram fused = make_program(direct, 3, -1, {false, true, true});
  REQUIRE(fused.passes.size() == 2);
  CHECK(fused.passes[0].fused == CyclePass::Fused::small);
  CHECK(fused.passes[0].step.level == 2);
  CHECK(fused.passes[1].fused == CyclePass::Fused::prolongation);
  // The same whose right-hand side has been restricted.
  CycleSchedule restricted(smoothing, {1, true, 1});
  restricted.add_restricted_visit(2, Cycle::v);
  CHECK(restricted.steps()
        == std::vector<CycleStep>{
            {set_zero, 2}, {solve_small, 1}, {prolong_up, 2}, {jacobi_steps, 2, 2, 0}});
  // Of a solution that was interpolated, by steps with dampings that each differs in.
  Smoothing differing = smoothing;
  differing.smoother = Smoother::chebyshev;
  differing.pre_steps = 1;
  CycleSchedule interpolated(differing, {1, true, 1});
  interpolated.add_interpolated_visit(2, Cycle::v);
  CHECK(interpolated.steps()
        == std::vector<CycleStep>{{jacobi_start, 2},
                                  {residual, 2},
                                  {restrict_down, 2},
                                  {solve_small, 1},
                                  {prolong_up, 2},
                                  {jacobi_steps, 2, 2, 3}});
  differing.pre_steps = 0;
  CycleSchedule chebyshev(differing, {1, true, 1});
  chebyshev.add_restricted_visit(2, Cycle::v);
  CHECK(chebyshev.steps()
        == std::vector<CycleStep>{
            {set_zero, 2}, {solve_small, 1}, {prolong_up, 2}, {jacobi_steps, 2, 2, 2}});
  // Full multigrid begins there; an F-cycle does not solve twice.
  CycleSchedule full(smoothing, {1, true, 1});
  full.add_full_from_zero(1);
  CHECK(full.steps() == std::vector<CycleStep>{{solve_small, 1}});
  CycleSchedule f(smoothing, {1, true, 1});
  f.add_visit(2, Cycle::f, true);
  CHECK(f.steps() == visit);

  CycleSchedule several(smoothing, {1, false, 3});
  several.add_visit(2, Cycle::v, true);
  CHECK(std::count_if(several.steps().begin(), several.steps().end(),
                      [](const CycleStep& step) { return step.operation == solve_coarsest; })
        == 3);
  CHECK(make_program(several, 3, 1).spans.size() == 1);
}

TEST_CASE("full multigrid from zero is one span", "[solvers][schedule]") {
  CycleSchedule full(with_steps(0, 2));
  full.add_full_from_zero(2);
  REQUIRE(full.spans().front().level == 2);
  CHECK(full.spans().front().last == full.steps().size());
  CHECK(make_program(full, 3, 2).passes.size() == 1);
  CHECK(full.steps()[0] == CycleStep{restrict_right, 2});
  CHECK(full.steps()[2] == CycleStep{solve_coarsest, 0});
}

TEST_CASE("what sets x may begin in the other vector, to end in x", "[solvers][schedule]") {
  const CycleSchedule schedule = cycle(Cycle::v, 2, points, true, 0, 1);
  CHECK(make_program(schedule, 3, -1).ends_in_other);
  const CycleProgram turned = make_program(schedule, 3, -1, {}, 1);
  CHECK_FALSE(turned.ends_in_other);
  CHECK(turned.passes.front().x == 1);
}

}  // namespace
}  // namespace ninefold
