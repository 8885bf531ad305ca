#include "tests/support/text.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::eta;
using testing::exact;
using testing::from_text;
using testing::moderate;
using testing::to_text;
using testing::whole_range;
using testing::WordSource;

TEMPLATE_TEST_CASE("words read back from their text", "[support][text]", float, double) {
  WordSource<TestType> source(21);
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const TestType x = source.word(k % 2 == 0 ? moderate : whole_range<TestType>);
    CAPTURE(x, to_text(x));
    if (from_text<TestType>(to_text(x)) != x) FAIL("read back as another number");
  }
  REQUIRE(to_text(TestType(0.1)) == "0.1");
  REQUIRE(std::signbit(from_text<TestType>(to_text(TestType(-0.0)))));
}

TEMPLATE_TEST_CASE("pairs read back from their text", "[support][text]", float, double) {
  using Pair = DoubleWord<TestType>;
  WordSource<TestType> source(22);
  // Words hundreds of digits apart cost hundreds of times as much: one in ten.
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const Pair x = source.pair(k % 10 != 0 ? moderate : whole_range<TestType>);
    const std::string text = to_text(x);
    CAPTURE(x.high, x.low, text);
    if (from_text<Pair>(text) != x) FAIL("read back as another number");
  }
  const Pair largest(
      std::numeric_limits<TestType>::max(),
      std::ldexp(std::numeric_limits<TestType>::max(), -std::numeric_limits<TestType>::digits - 1));
  for (const Pair x : {largest, -largest, Pair(eta<TestType>), Pair(1, eta<TestType>),
                       Pair(1, -eta<TestType>), Pair(std::numeric_limits<TestType>::max())}) {
    CAPTURE(x.high, x.low, to_text(x));
    REQUIRE(from_text<Pair>(to_text(x)) == x);
  }
}

TEMPLATE_TEST_CASE("text is read to the nearest pair", "[support][text]", float, double) {
  using Pair = DoubleWord<TestType>;
  WordSource<TestType> source(23);
  const Exact square(Format<Pair>::unit_roundoff);
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    std::string text = k % 2 == 0 ? "-0." : "";
    for (int left = source.integer(1, 45); left > 0; --left) {
      text += static_cast<char>('0' + source.integer(0, 9));
    }
    text += "e" + std::to_string(source.integer(-15, -8));
    const Pair x = from_text<Pair>(text);
    const Exact value(text);
    CAPTURE(text, x.high, x.low);
    if (x.high + x.low != x.high) FAIL("not normalised");
    if (abs(exact(x) - value) > abs(value) * square / 2) FAIL("not the nearest pair");
  }
}

TEST_CASE("text is as short as it can be", "[support][text]") {
  for (const std::string text :
       {"0", "-0", "1", "-2", "0.1", "-0.25", "123.5", "1e-10", "-1.5e+20", "3.14159265358979",
        "0.00001", "1e-06", "10000000000000000", "1e+17", "inf", "-inf", "nan", "3e-30"}) {
    CAPTURE(text);
    REQUIRE(to_text(from_text<DoubleSingle>(text)) == text);
  }
  for (const std::string text :
       {"0", "-0.1", "3.141592653589793238462643383279", "1e-200", "7e+300", "2.5", "nan", "-inf",
        "100000000000000000000000000000000", "1e+33"}) {
    CAPTURE(text);
    REQUIRE(to_text(from_text<DoubleDouble>(text)) == text);
  }
  // The words are far apart: every digit is needed.
  REQUIRE(to_text(DoubleSingle(1, 0x1p-40F)) == "1.0000000000009094947");
  REQUIRE(to_text(DoubleSingle(eta<float>)) == "1e-45");
  REQUIRE(to_text(DoubleDouble(5e-324)) == "5e-324");
}

TEMPLATE_TEST_CASE("text in other forms is read too", "[support][text]", float, double,
                   DoubleSingle, DoubleDouble) {
  const auto read = [](const char* text) { return from_text<TestType>(text); };
  REQUIRE(read("+1.50") == TestType(1.5));
  REQUIRE(read(".5") == TestType(0.5));
  REQUIRE(read("5.") == 5);
  REQUIRE(read("0005E-1") == TestType(0.5));
  REQUIRE(read("1e-999999999999999999999") == 0);
  REQUIRE(read("0e999999999999999999999") == 0);
  REQUIRE(read(("0." + std::string(400, '0') + "1e401").c_str()) == 1);
  REQUIRE(read(("1" + std::string(400, '0') + "e-400").c_str()) == 1);
}

TEMPLATE_TEST_CASE("text that is no number, or too large a one, is refused", "[support][text]",
                   float, double, DoubleSingle, DoubleDouble) {
  for (const char* text : {"", " 1", "1 ", "+", "-", ".", "e5", "1e", "1e+", "1,5", "0x1p3", "--1",
                           "+-1", "infinity", "1.2.3", "1e5.0", "nano", "one", "1f"}) {
    CAPTURE(text);
    REQUIRE_THROWS_AS(from_text<TestType>(text), std::invalid_argument);
  }
  for (const char* text :
       {"1e400", "-1e400", "1e999999999999999999999", "1.797693134862315808e308"}) {
    CAPTURE(text);
    REQUIRE_THROWS_AS(from_text<TestType>(text), std::out_of_range);
  }
  REQUIRE_THROWS_WITH(from_text<TestType>("1,5"), "\"1,5\" is not a decimal number");
}

}  // namespace
}  // namespace ninefold
