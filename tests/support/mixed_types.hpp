#pragma once
// The pairs of formats for which operations of mixed precision are compiled, as lists for
// TEMPLATE_LIST_TEST_CASE.
//
// Usage.  A software format is known at run time only, so that lists hold names of pairs:
//     TEMPLATE_LIST_TEST_CASE("...", "[...]", testing::HostPairs) {
//       const testing::InMixed<TestType> formats;
//       using High = typename TestType::High;
//       using Low = typename TestType::Low;

#include <string>
#include <tuple>
#include <type_traits>

#include "precision/number.hpp"

#include "tests/support/types.hpp"

namespace ninefold::testing {

/// The name of a pair; each of both as in InFormat.
template <class HighName, class LowName>
struct Mixed {
  using NameOfHigh = HighName;
  using NameOfLow = LowName;
  using High = typename InFormat<HighName>::T;
  using Low = typename InFormat<LowName>::T;
};

/// The software format of a pair, if it has one, is in force while the object lives; both may be
/// the same one.
template <class Pair>
struct InMixed {
  using OfHigh = typename Pair::NameOfHigh;
  using Name = std::conditional_t<std::is_same_v<typename InFormat<OfHigh>::T, SoftFloat>, OfHigh,
                                  typename Pair::NameOfLow>;
  InFormat<Name> format;
};

template <class Pair>
std::string name_of_pair() {
  return std::string(Format<typename Pair::High>::name) + " over "
         + std::string(Format<typename Pair::Low>::name);
}

/// The pairs of devices.
using DevicePairs =
    std::tuple<Mixed<DoubleDouble, DoubleDouble>, Mixed<DoubleDouble, double>,
               Mixed<DoubleDouble, DoubleSingle>, Mixed<DoubleDouble, float>,
               Mixed<DoubleDouble, Half>, Mixed<DoubleDouble, BFloat16>, Mixed<double, double>,
               Mixed<double, DoubleSingle>, Mixed<double, float>, Mixed<double, Half>,
               Mixed<double, BFloat16>, Mixed<DoubleSingle, DoubleSingle>,
               Mixed<DoubleSingle, float>, Mixed<DoubleSingle, Half>, Mixed<DoubleSingle, BFloat16>,
               Mixed<float, float>, Mixed<float, Half>, Mixed<float, BFloat16>, Mixed<Half, Half>,
               Mixed<Half, BFloat16>, Mixed<BFloat16, BFloat16>>;

/// Those with a software format, on the host only.
using SoftPairs =
    std::tuple<Mixed<DoubleDouble, S36e11>, Mixed<double, S36e11>, Mixed<DoubleSingle, S23e8>,
               Mixed<float, S17e11>, Mixed<Half, S17e11>, Mixed<S36e11, S36e11>,
               Mixed<S52e11, double>, Mixed<S52e11, DoubleSingle>, Mixed<S36e11, float>,
               Mixed<S36e11, Half>, Mixed<S23e8, BFloat16>>;

using HostPairs = decltype(std::tuple_cat(DevicePairs{}, SoftPairs{}));

}  // namespace ninefold::testing
