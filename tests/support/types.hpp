#pragma once
// The type lists of TEMPLATE_TEST_CASE.
//
// Usage.  A software format is known at run time only, so that lists hold a name of it:
//     TEMPLATE_TEST_CASE("...", "[...]", NINEFOLD_ALL_FORMATS) {
//       const testing::InFormat<TestType> format;
//       using T = typename testing::InFormat<TestType>::T;

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

namespace ninefold::testing {

/// The name of a software format.
template <int mantissa, int exponent>
struct Soft;

using S17e11 = Soft<17, 11>;
using S23e8 = Soft<23, 8>;
using S36e11 = Soft<36, 11>;
using S52e11 = Soft<52, 11>;

/// The value type T of a name in a list; a software format is in force while the object lives.
template <class Name>
struct InFormat {
  using T = Name;
  InFormat() {}
};
template <int mantissa, int exponent>
struct InFormat<Soft<mantissa, exponent>> {
  using T = SoftFloat;
  SoftFloat::Scope scope{mantissa, exponent};
};

}  // namespace ninefold::testing

/// The machine's own numbers.
#define NINEFOLD_VALUE_TYPES float, double

/// The formats that are computed in.
#define NINEFOLD_ARITHMETIC_FORMATS \
  float, double, DoubleSingle, DoubleDouble, testing::S17e11, testing::S23e8, testing::S36e11

/// The formats for storage.
#define NINEFOLD_STORAGE_FORMATS Half, BFloat16

/// All formats that operations are compiled for.
#define NINEFOLD_ALL_FORMATS NINEFOLD_ARITHMETIC_FORMATS, NINEFOLD_STORAGE_FORMATS

/// Those that they are compiled for on devices.
#define NINEFOLD_DEVICE_FORMATS float, double, DoubleSingle, DoubleDouble, NINEFOLD_STORAGE_FORMATS
