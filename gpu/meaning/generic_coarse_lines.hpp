#pragma once
// A step by kept lines in the kernel of coarse levels; see gpu/meaning/generic_coarse_cycle.hpp.
//
// Why.  Each phase takes few operations of few threads: what counts is how long one thread takes,
// and how many instructions it has to fetch.  So the direction is a value, nothing is divided by,
// and sizes come ready made.

#include <cstddef>

#include "gpu/launch/team.hpp"
#include "gpu/meaning/generic_line_operations.hpp"
#include "gpu/operations/coarse_lines.hpp"

namespace ninefold {

/// x = x + omega T^-1 (b - A x) on lines of one set, whose right-hand sides are all there before x
/// changes.
template <class Form, class T, class Rows>
struct CoarseLineStep {
  using D = Leading<T>;
  Rows A;
  Field<const T> b;
  Field<T> x;
  Lines lines;
  D omega;
  const D* kept;  ///< of all lines of the direction
  D* rights;
  CoarseLines<D> place;

  HOST_DEVICE bool along_x() const { return lines.direction == LineDirection::x; }
  /// Of all lines of the direction.
  HOST_DEVICE int length() const { return along_x() ? A.unknowns.width() : A.unknowns.height(); }
  HOST_DEVICE int all() const { return along_x() ? A.unknowns.height() : A.unknowns.width(); }
  HOST_DEVICE int across(int line) const { return lines.first + line * lines.stride; }

  HOST_DEVICE void put_right(int line, int k) const {
    const LineNode at = node(line, k);
    rights[line * place.rights_of_line + k] =
        static_cast<D>(b(at.i, at.j) - Form::product(A, Field<const T>(x), at.i, at.j));
  }

  /// The values of a segment between its elimination and its substitution.
  struct Segment {
    D value[line_segment];
  };

  HOST_DEVICE void eliminate(int line, int s, Segment& segment) const {
    const Factors factors(*this, line, s);
    for (int k = 0; k < line_segment; k += 4) {
      const Four<D> four = fours(line, s)[k / 4];
      for (int m = 0; m < 4; ++m) segment.value[k + m] = four.of[m];
    }
    ends(line).put(0, s,
                   eliminate_rights(
                       size(s), [&](int k) { return factors.of[k]; }, segment.value));
  }

  HOST_DEVICE void solve_reduced(int line) const {
    const KeptSystem<const D> system{kept_of(line) + place.reduced(),
                                     reduced_segments(place.segments), reduced_segment};
    solve_few_rights(ends(line), 0, system);
  }

  HOST_DEVICE void substitute(int line, int s, Segment& segment) const {
    const Factors factors(*this, line, s);
    const ReducedRights<D> of_ends = ends(line);
    D(&value)[line_segment] = segment.value;
    substitute_values(
        size(s), of_ends.solution(0, s - 1), of_ends.solution(0, s),
        [&](int k) { return factors.of[k]; }, value);
    for (int k = 0; k < line_segment; k += 4) {
      fours(line, s)[k / 4] = {{value[k], value[k + 1], value[k + 2], value[k + 3]}};
    }
  }

  HOST_DEVICE void add(int line, int k) const {
    const LineNode at = node(line, k);
    T& here = x(at.i, at.j);
    here = AddLineCorrection<T>{omega, x, x}.sum(here, rights[line * place.rights_of_line + k]);
  }

 private:
  /// The factors of a segment; those behind its nodes have no meaning.
  struct Factors {
    LineFactor<D> of[line_segment];
    HOST_DEVICE Factors(const CoarseLineStep& step, int line, int s) {
      const auto* const from = reinterpret_cast<const Four<LineFactor<D>>*>(
          step.kept_of(line) + s * step.place.kept_of_segment);
      for (int k = 0; k < line_segment; k += 4) {
        const Four<LineFactor<D>> four = from[k / 4];
        for (int m = 0; m < 4; ++m) of[k + m] = four.of[m];
      }
    }
  };

  HOST_DEVICE LineNode node(int line, int k) const {
    const int a = across(line);
    return {A.unknowns.i0 + (along_x() ? k : a), A.unknowns.j0 + (along_x() ? a : k)};
  }
  HOST_DEVICE int size(int s) const {
    return segment_size(length(), s * line_segment, line_segment);
  }
  HOST_DEVICE const D* kept_of(int line) const { return kept + across(line) * place.kept_of_line; }
  HOST_DEVICE Four<D>* fours(int line, int s) const {
    return reinterpret_cast<Four<D>*>(rights + line * place.rights_of_line + s * line_segment);
  }
  HOST_DEVICE ReducedRights<D> ends(int line) const {
    return {rights + line * place.rights_of_line + place.segments * line_segment, 1,
            place.segments};
  }
};

/// The step by a team, which waits at its end.  Groups solve lines of their own, for which they
/// need not wait for others.
template <class Team, class Step>
HOST_DEVICE inline void run_coarse_lines(const Step& step) {
  using Group = typename Team::Group;
  const int all = step.all(), n = step.length();
  for (int line = Team::group(); step.across(line) < all; line += Team::groups()) {
    for_workers<Group>(n, [&](int k) { step.put_right(line, k); });
  }
  Team::wait();
  const int bits = step.place.bits, at_once = step.place.at_once;
  for (int first = Team::group() * at_once; step.across(first) < all;
       first += Team::groups() * at_once) {
    // A group's workers have a segment each, or one has all of them.
    typename Step::Segment segments[Group::most_turns];
    const auto for_segments = [&](const auto& work) {
      for (int turn = 0; turn < Group::most_turns; ++turn) {
        const int k = Group::index() + turn * Group::size();
        const int line = first + (k >> bits), s = k & ((1 << bits) - 1);
        if (k < at_once << bits && step.across(line) < all && s < step.place.segments) {
          work(line, s, segments[turn]);
        }
      }
      Group::wait();
    };
    for_segments([&](int line, int s, auto& segment) { step.eliminate(line, s, segment); });
    for_workers<Group>(at_once, [&](int k) {
      if (step.across(first + k) < all) step.solve_reduced(first + k);
    });
    Group::wait();
    for_segments([&](int line, int s, auto& segment) { step.substitute(line, s, segment); });
    for (int line = first; line < first + at_once && step.across(line) < all; ++line) {
      for_workers<Group>(n, [&](int k) { step.add(line, k); });
    }
  }
  Team::wait();
}

}  // namespace ninefold
