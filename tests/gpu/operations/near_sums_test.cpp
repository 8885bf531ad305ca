// Sums of rows beside each other: those of each alone, to the last bit, whatever holds them.
#include "gpu/launch/near_sums.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "precision/precision.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/guarded_values.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold {
namespace {

using testing::GuardedValues;
using testing::random_values;
using testing::Range;

TEMPLATE_TEST_CASE("what follows each other is told from all else", "[operations][sparse]",
                   std::uint16_t, std::int32_t) {
  constexpr int last = std::numeric_limits<std::uint16_t>::max();
  for (const int first : {0, 1, 255, last - near_lanes + 1}) {
    std::array<TestType, near_lanes> index;
    for (int l = 0; l < near_lanes; ++l) index[std::size_t(l)] = TestType(first + l);
    CHECK(follow_each_other(index.data()));
    for (std::size_t l = 0; l < index.size(); ++l) {
      for (const int other : {0, first, first + int(l) + 1, last, last / 2}) {
        auto changed = index;
        changed[l] = TestType(other);
        CHECK(follow_each_other(changed.data()) == (changed == index));
      }
    }
  }
  // What 16 bits would carry from one to the next.
  std::array<TestType, near_lanes> over;
  for (int l = 0; l < near_lanes; ++l) over[std::size_t(l)] = TestType(last - 3 + l);
  CHECK(follow_each_other(over.data()) == (sizeof(TestType) > 2));
}

TEST_CASE("how columns lie to each other", "[operations][sparse]") {
  NearPlaces places;
  const auto lie = [&](std::array<std::int32_t, near_lanes> column) {
    return lie_of(column.data(), places);
  };
  CHECK(lie({5, 6, 7, 8, 9, 10, 11, 12}) == Lie::behind_each_other);
  const Lie windowed = reads_windows ? Lie::within_window : Lie::apart;
  CHECK(lie({5, 6, 7, 8, 9, 10, 11, 13}) == windowed);
  CHECK(lie({4, 4, 4, 8, 8, 8, 12, 12}) == windowed);
  CHECK(lie({5, 5 + near_window - 1, 5, 5, 5, 5, 5, 6}) == windowed);
  CHECK(lie({5, 5 + near_window, 5, 5, 5, 5, 5, 6}) == Lie::apart);
  CHECK(lie({5, 6, 7, 8, 9, 10, 11, 4}) == Lie::apart);  // before the first one
  if (reads_windows) {
    REQUIRE(lie({9, 9, 12, 12, 15, 15, 18, 24}) == Lie::within_window);
    for (int l = 0; l < near_lanes; ++l) {
      CHECK(places.place[l] == std::array{0, 0, 3, 3, 6, 6, 9, 15}[std::size_t(l)]);
    }
  }
}

/// Rows of so many entries, held in V, with values of x behind each other, within a window and in
/// columns of their own; the last entry is one of `tail` rows alone, behind which nothing can be
/// read.
template <class T, class V, OperatorForm form>
void check_sums(int tail) {
  using C = Arithmetic<T>;
  using Sum = TermSum<form, C>;
  constexpr int entries = 6;
  std::vector<V> a = random_values<V>(entries * near_lanes, 3, Range::tame);
  const std::vector<T> x = random_values<T>(200, 4, Range::hurtful);
  // In two lanes, of which one is of the tail: as sums that have left the range are.
  const V infinite = V(std::numeric_limits<double>::infinity());
  a[2 * near_lanes + 1] = infinite;
  a[3 * near_lanes + 6] =
      V(static_cast<Arithmetic<V>>(infinite) - static_cast<Arithmetic<V>>(infinite));
  C here[near_lanes];
  for (int l = 0; l < near_lanes; ++l) here[l] = C(x[std::size_t(20 * l)]);
  std::array<std::int32_t, entries * near_lanes> column;
  for (int k = 0; k < entries * near_lanes; ++k) {
    const int entry = k / near_lanes;
    column[std::size_t(k)] = entry % 2 == 1 ? 7 + k : (k * 61) % 200;
    if (entry == 2) column[std::size_t(k)] = 30 + (k % near_lanes == 0 ? 0 : (k * 5) % near_window);
  }
  NearSums<Sum, C> sums(here);
  const auto visit = [&](int k, const auto& use) {
    const std::size_t at = std::size_t(k * near_lanes);
    NearPlaces places;
    const Lie lie = lie_of(column.data() + at, places);
    if (lie == Lie::behind_each_other) {
      use(a.data() + at, Following<T>{x.data() + column[at]});
    } else if (lie == Lie::within_window) {
      use(a.data() + at, Windowed<T>{x.data() + column[at], places});
    } else {
      // Counted from one that is not the first.
      std::array<std::int32_t, near_lanes> behind;
      for (std::size_t l = 0; l < behind.size(); ++l) behind[l] = column[at + l] + 10;
      use(a.data() + at, Gathered<T, std::int32_t>{x.data(), behind.data(), -10});
    }
  };
  visit(0, [&](const V* own, const auto& v) { sums.begin(own, v); });
  for (int k = 1; k + 1 < entries; ++k) {
    visit(k, [&](const V* own, const auto& v) { sums.add(own, v); });
  }
  const std::ptrdiff_t last = (entries - 1) * near_lanes;
  GuardedValues<V> left({a.begin() + last, a.begin() + last + tail});
  GuardedValues<std::int32_t> columns({column.begin() + last, column.begin() + last + tail});
  sums.add(left.data(), Gathered<T, std::int32_t>{x.data(), columns.data()}, tail);
  int finished = 0;
  sums.finish([&](int l, const auto& ended) {
    const auto term = [&](int k) {
      const std::size_t at = std::size_t(k * near_lanes + l);
      return std::pair(held_value<C>(a[at]), C(x[std::size_t(column[at])]));
    };
    Sum alone(term(0).first, term(0).second, here[l]);
    for (int k = 1; k < (l < tail ? entries : entries - 1); ++k) {
      alone.add(term(k).first, term(k).second, here[l]);
    }
    CHECK(testing::same_bits(ended.value(), alone.value()));
    ++finished;
  });
  CHECK(finished == near_lanes);
}

/// Sums are added lane by lane, where they are in registers.
template <class C>
void check_added_lanes() {
  using Near = NearSums<TermSum<OperatorForm::plain, C>, C>;
  if constexpr (requires(Near & sums) { sums.add_lanes_of(sums); }) {
    const std::vector<C> a = random_values<C>(2 * near_lanes, 5, Range::tame);
    const std::vector<C> ones(near_lanes, C(1));
    Near sums(nullptr), others(nullptr);
    sums.begin(a.data(), Following<C>{ones.data()});
    others.begin(a.data() + near_lanes, Following<C>{ones.data()});
    sums.add_lanes_of(others);
    int finished = 0;
    sums.finish([&](int l, const auto& ended) {
      const C expected = a[std::size_t(l)] + a[std::size_t(near_lanes + l)];
      CHECK(testing::same_bits(ended.value(), expected));
      ++finished;
    });
    CHECK(finished == near_lanes);
  }
}

TEST_CASE("lanes' sums are added each to its own", "[operations][sparse]") {
  check_added_lanes<double>();
  check_added_lanes<float>();
}

template <class T, class V>
void check_forms() {
  for (int tail = 1; tail < near_lanes; ++tail) {
    check_sums<T, V, OperatorForm::plain>(tail);
    check_sums<T, V, OperatorForm::difference>(tail);
  }
}

TEST_CASE("rows beside each other are summed as each alone", "[operations][sparse]") {
  check_forms<double, double>();
  check_forms<double, float>();
  check_forms<double, Half>();
  check_forms<float, float>();
  check_forms<float, Half>();
  check_forms<Half, Half>();
  check_forms<BFloat16, BFloat16>();
  check_forms<DoubleSingle, float>();
  check_forms<DoubleDouble, DoubleDouble>();
}

}  // namespace
}  // namespace ninefold
