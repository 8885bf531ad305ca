#include "fem/problem/expression.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an expression knows x, y, width, height, pi and the usual functions",
          "[fem][expression]") {
  const auto value = [](const char* text) { return Expression(text, 2.0, 8.0)(0.5, 0.25); };
  REQUIRE(value("x + 10*y") == 3.0);
  REQUIRE(value("width / height") == 0.25);
  REQUIRE(value("pi") == std::numbers::pi);
  REQUIRE(value("x^2") == 0.25);
  REQUIRE(value("-2e-1") == -0.2);
  REQUIRE(value("sin(x) * exp(y)") == Approx(std::sin(0.5) * std::exp(0.25)).epsilon(1e-15));
  REQUIRE(value("x > y ? 1 : 2") == 1.0);
  REQUIRE(value("x == 0.5 && y != 0.5 && x >= y && y <= x ? 3 : 4") == 3.0);
  REQUIRE(value("max(x, y, width)") == 2.0);
}

TEST_CASE("nonsense is refused with the reason, the place and the text", "[fem][expression]") {
  const auto refused = [](const std::string& text, const std::string& why, int character) {
    CAPTURE(text);
    REQUIRE_THROWS_WITH(Expression(text, 1.0, 1.0),
                        ContainsSubstring(why)
                            && ContainsSubstring("(character " + std::to_string(character)
                                                 + " of \"" + text + "\")"));
    REQUIRE_THROWS_AS(Expression(text, 1.0, 1.0), std::invalid_argument);
  };
  refused("x + foo", "\"foo\" is not known", 5);
  refused("2*z", "\"z\" is not known", 3);
  refused("sinn(x)", "; known are x, y, width, height, pi and the functions ", 1);
  refused("sinn(x)", ", exp, ", 1);
  refused("x + * y", "Unexpected operator \"*\"", 5);
  refused("sin(x, y)", "Too many parameters for function \"sin\"", 9);
  refused("x +", "Unexpected end of expression", 4);
  refused("(x", "Missing parenthesis", 1);
  refused("", "empty", 1);
  refused("   ", "empty", 1);
  refused("x, y", "one formula is expected", 2);
  refused("x = 3", "assignment is not allowed", 3);
  refused("x == y ? y = 1 : 2", "assignment is not allowed", 12);
  refused("x += 1", "assignment is not allowed", 4);
  refused("π*x = 3", "assignment is not allowed", 5);
}

TEST_CASE("what people write in place of a formula is refused with how to write it",
          "[fem][expression]") {
  const auto [text, advice, position] = GENERATE(table<std::string, std::string, std::size_t>({
      {"2y", "; write 2*y", 1},
      {"0.2 < x < 0.4", "; write a < x && x < b", 8},
      {"(x > y ? 1 : 0) + (1 >= x > y)", "; write a < x && x < b", 26},
      {"1 + 2.5 y^2", "; write 2.5*y", 8},
      {"2pi", "; write 2*pi", 1},
      {"2sin(x)", "; write 2*sin(...)", 1},
      {"2exp(x)", "; write 2*exp(...)", 0},
      {"2(x+1)", "; write 2*(...)", 1},
      {"(x+1)(y+1)", "; write (...)*(...)", 5},
      {"xy", "; write x*y", 0},
      {"x**2", "; write ^ for **, as in x^2", 2},
      {"x * * y", "; write ^ for **, as in x^2", 4},
      {"1,5*x", "; write 1.5 for 1,5", 1},
      {"(1,5)*x", "; write 1.5 for 1,5", 2},
      {"sin(0,25*x)", "; if 0,25 is a number, write 0.25", 5},
      {"max(1,2) + sin(x + 1,5)", "; if 1,5 is a number, write 1.5", 20},
      {"sin(x", "; there is no ) for this (", 3},
      {"2*(x + (y)", "; there is no ) for this (", 2},
      {"x)", "; there is no ( for this )", 1},
      {"sin (x)", "; write sin(...), without a blank", 0},
      {"e^x", "; write exp(x) for e^x", 0},
      {"pow(x, 2)", "; write x^y for pow(x, y)", 0},
      {"1 + |x|", "; write abs(x) for |x|", 4},
      {"PI*x", "; write pi", 0},
      {"x² + 1", "; write ^2 for ²", 1},
      {"2·π·x", "; write * for ·", 1},
      {"1 − x", "; write - for −", 2},
      {"x*é", "; formulas are in ASCII, such as 2*pi*x^2", 2},
  }));
  CAPTURE(text);
  try {
    const Expression wrong(text, 1.0, 1.0);
    FAIL("it is taken");
  } catch (const FormulaError& error) {
    CHECK_THAT(error.what(), Catch::Matchers::EndsWith(advice));
    CHECK(error.position() == position);
  }
}

TEST_CASE("comparisons that are no chain are taken", "[fem][expression]") {
  const std::string text =
      GENERATE(as<std::string>(), "0.2 < x && x < 0.4", "x < 1 ? y > 2 : y < 3",
               "(x < 1) == (y < 1)", "max(x < 1, y < 1)", "(x < 1) > (y < 1)", "x < y || y < x");
  CAPTURE(text);
  CHECK_NOTHROW(Expression(text, 1, 1));
}

TEST_CASE("no advice is given where none is known", "[fem][expression]") {
  for (const char* text :
       {"1.2.3", "x + * y", "()", "x^^2", "min(x, y", "1.0,5", "1,2,3", "max(1,2) + sin(x, y)",
        "max(1,2) + (x,y)", "123456789012345678901,5", "2*a_name_that_is_too_long_to_be_one x",
        "2 names_of_this_length_are_cut"}) {
    CAPTURE(text);
    REQUIRE_THROWS_WITH(Expression(text, 1.0, 1.0), !ContainsSubstring("write "));
  }
}

TEST_CASE("many threads evaluate one expression at once and get the serial values",
          "[fem][expression]") {
  const Expression f("sin(pi*x)*exp(-y) + (x > y ? x : y^3)", 1.0, 1.0);
  const int n = 2000;
  // More threads than the pool has slots.
  const int n_threads = std::max(100, 3 * int(std::thread::hardware_concurrency()));
  std::vector<double> serial;
  for (int k = 0; k < n; ++k) serial.push_back(f(k * 0.37 / n, 1.0 - double(k) / n));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t, own_copy = f] {
      for (int m = 0; m < n; ++m) {
        const int k = (m + 31 * t) % n;  // each thread elsewhere
        if (own_copy(k * 0.37 / n, 1.0 - double(k) / n) != serial[std::size_t(k)]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(wrong == 0);
}

}  // namespace
}  // namespace ninefold
