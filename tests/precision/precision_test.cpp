#include "precision/precision.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("every precision comes back from its name", "[precision]") {
  REQUIRE(named_precisions().size() == 6);
  for (const Precision p : named_precisions()) {
    CAPTURE(to_string(p));
    REQUIRE(precision_from_name(to_string(p)) == p);
  }
  for (const int exponent : {8, 11}) {
    for (int mantissa = 10; mantissa <= 52; ++mantissa) {
      const Precision p = Precision::soft(mantissa, exponent);
      const std::string name = "s" + std::to_string(mantissa) + "e" + std::to_string(exponent);
      REQUIRE(to_string(p) == name);
      REQUIRE(precision_from_name(name) == p);
    }
  }
  REQUIRE(precision_from_name("half") == Precision::half);
  REQUIRE(precision_from_name("bfloat16") == Precision::bfloat16);
  REQUIRE(precision_from_name("single") == Precision::single_);
  REQUIRE(precision_from_name("double-single") == Precision::double_single);
  REQUIRE(precision_from_name("double") == Precision::double_);
  REQUIRE(precision_from_name("double-double") == Precision::double_double);
  REQUIRE(precision_from_name("s28e11") != Precision::soft(28, 8));
  REQUIRE(precision_from_name("s52e11") != Precision::double_);
}

TEST_CASE("what is no precision is refused with those that there are", "[precision]") {
  for (const std::string name : {"",
                                 "s",
                                 "e",
                                 "se",
                                 "s9e11",
                                 "s53e11",
                                 "s28e9",
                                 "s28e",
                                 "s28",
                                 "28e11",
                                 "se11",
                                 "s028e11",
                                 "s28e08",
                                 "s28e8 ",
                                 " s28e8",
                                 "s28e8x",
                                 "S28e11",
                                 "s28E11",
                                 "s+28e11",
                                 "s-28e11",
                                 "s28e-8",
                                 "s28e+8",
                                 "s99999999999e11",
                                 "s28e99999999999",
                                 "soft",
                                 "quad",
                                 "Double",
                                 "double ",
                                 "double_double",
                                 "fp16",
                                 "float"}) {
    CAPTURE(name);
    REQUIRE_THROWS_AS(precision_from_name(name), std::invalid_argument);
  }
  REQUIRE_THROWS_WITH(
      precision_from_name("s9e11"),
      "\"s9e11\" is no number format: half, bfloat16, single, double-single, double, "
      "double-double, or sMeE with M = 10 to 52 mantissa bits and E = 8 or 11 exponent bits, such "
      "as s28e11");
  REQUIRE_THROWS_WITH(precision_from_name("FP32"),
                      Catch::Matchers::EndsWith("; did you mean \"single\"?"));
  REQUIRE_THROWS_AS(Precision::soft(9, 11), std::invalid_argument);
  REQUIRE_THROWS_AS(Precision::soft(53, 11), std::invalid_argument);
  REQUIRE_THROWS_AS(Precision::soft(28, 10), std::invalid_argument);
}

TEST_CASE("names that formats have elsewhere are understood", "[precision]") {
  const auto meant = [](const char* name) {
    const auto precision = precision_meant_by(name);
    return precision ? to_string(*precision) : "nothing";
  };
  for (const char* name : {"float", "Float32", "fp32"}) CHECK(meant(name) == "single");
  for (const char* name : {"fp64", "float64", "binary64"}) CHECK(meant(name) == "double");
  for (const char* name : {"fp16", "float16"}) CHECK(meant(name) == "half");
  for (const char* name : {"dd", "quad", "fp128"}) CHECK(meant(name) == "double-double");
  CHECK(meant("bf16") == "bfloat16");
  CHECK(meant("tf32") == "s10e8");
  CHECK(meant("fp8") == "nothing");
  CHECK(meant("") == "nothing");
}

/// Whether with_format(p, ...) calls for T, and returns what the function returns.
template <class T>
bool calls_for(Precision p) {
  return with_format(p, []<class S>() { return std::is_same_v<S, T>; });
}

TEST_CASE("a precision chosen at run time calls the function of its type", "[precision]") {
  REQUIRE(calls_for<Half>(Precision::half));
  REQUIRE(calls_for<BFloat16>(Precision::bfloat16));
  REQUIRE(calls_for<float>(Precision::single_));
  REQUIRE(calls_for<DoubleSingle>(Precision::double_single));
  REQUIRE(calls_for<double>(Precision::double_));
  REQUIRE(calls_for<DoubleDouble>(Precision::double_double));
  REQUIRE(calls_for<SoftFloat>(Precision::soft(28, 11)));
}

TEST_CASE("a software format holds while the function runs", "[precision]") {
  const auto digits = []<class T>() { return SoftFloat::mantissa() + 100 * SoftFloat::exponent(); };
  REQUIRE(with_format(Precision::soft(17, 8), digits) == 817);
  REQUIRE(with_format(Precision::soft(44, 11), digits) == 1144);
  REQUIRE(with_format(Precision::double_, digits) == 1152);
  const auto fails = []<class T>() -> int { throw std::runtime_error("on the way"); };
  REQUIRE_THROWS_AS(with_format(Precision::soft(17, 8), fails), std::runtime_error);
  REQUIRE(with_format(Precision::double_, digits) == 1152);
}

template <class F>
void require_facts_of_hardware(const FormatFacts& found) {
  using Limits = std::numeric_limits<F>;
  REQUIRE(found.unit_roundoff == Limits::epsilon() / 2);
  REQUIRE(found.bits == 8 * sizeof(F));
  REQUIRE(std::ldexp(1.0, found.min_exponent) == Limits::min());
  REQUIRE(found.max_exponent == Limits::max_exponent - 1);
}

TEST_CASE("the facts about a precision are those of its type", "[precision]") {
  require_facts_of_hardware<float>(facts(Precision::single_));
  require_facts_of_hardware<double>(facts(Precision::double_));
  require_facts_of_hardware<float>(facts(Precision::soft(23, 8)));
  require_facts_of_hardware<double>(facts(Precision::soft(52, 11)));
  REQUIRE(facts(Precision::half).unit_roundoff == 0x1p-11);
  REQUIRE(facts(Precision::half).max_exponent == 15);
  REQUIRE(facts(Precision::bfloat16).unit_roundoff == 0x1p-8);
  REQUIRE(facts(Precision::bfloat16).bits == 16);
  REQUIRE(facts(Precision::double_single).unit_roundoff == 0x1p-48);
  REQUIRE(facts(Precision::double_double).bits == 128);
  REQUIRE(facts(Precision::soft(28, 11)).unit_roundoff == 0x1p-29);
  REQUIRE(facts(Precision::soft(28, 11)).bits == 40);
  REQUIRE(facts(Precision::soft(28, 8)).min_exponent == -126);
  for (const Precision p : named_precisions()) REQUIRE(facts(p).on_device);
  REQUIRE_FALSE(facts(Precision::soft(52, 11)).on_device);
}

}  // namespace
}  // namespace ninefold
