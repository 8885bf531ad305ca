// Errors about values are data: which parameter, its value, what is allowed; sentences come last.

#include "precision/parameter.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "precision/require.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

/// The error that the check throws.
template <class Check>
BadValue thrown_by(const Check& check) {
  try {
    check();
  } catch (const BadValue& error) {
    return error;
  }
  FAIL("nothing is thrown");
  throw std::logic_error("unreachable");
}

enum class Colour { red };
std::string_view to_string(Colour) {
  return "red";
}

}  // namespace

TEST_CASE("every parameter has a name of its own", "[precision][parameter]") {
  CHECK(name(Parameter::width) == "domain.width");
  CHECK(name(Parameter::precision) == "solver.precision");
  CHECK(name(Parameter::flux_top) == "problem.flux.top");
  CHECK(name(Parameter::backend) == "backend.name");
  CHECK(static_cast<std::size_t>(Parameter::backend) + 1 == std::size(parameter_names));
  CHECK(std::set(std::begin(parameter_names), std::end(parameter_names)).size()
        == std::size(parameter_names));
  CHECK(short_name(Parameter::inner_digits) == "inner_digits");
  CHECK(short_name(Parameter::flux_top) == "top");
  CHECK(setting(Parameter::precision, "double") == "solver.precision = \"double\"");
  CHECK(fmt::format("{:>18}|", Parameter::norm) == "       solver.norm|");
}

TEST_CASE("an error of a value holds parameter, value and what is allowed",
          "[precision][parameter]") {
  const BadValue error = thrown_by([] {
    require_value(false, Parameter::variant, "flexible-cg", "it needs {} = \"{}\", not {}, by {}",
                  Parameter::method, "cg", 3, Parameter::start);
  });
  CHECK(error.parameter() == Parameter::variant);
  CHECK(error.parameters() == std::vector{Parameter::variant, Parameter::method, Parameter::start});
  CHECK(error.value() == "flexible-cg");
  CHECK(error.allowed() == "it needs solver.method = \"cg\", not 3, by solver.start");
  CHECK(std::string(error.what())
        == "refinement.variant = flexible-cg is not possible: it needs solver.method = \"cg\", not "
           "3, by solver.start");
}

TEST_CASE("an error in other words names each parameter once", "[precision][parameter]") {
  const BadValue error(
      "x", words("{} and {} differ from {}", Parameter::flux, Parameter::source, Parameter::flux));
  CHECK(error.parameters() == std::vector{Parameter::flux, Parameter::source});
  CHECK(error.allowed().empty());
  CHECK(std::string(error.what()) == "problem.flux and problem.source differ from problem.flux");
  CHECK_THROWS_AS(BadValue("x", words("nothing fits")), std::logic_error);
}

TEST_CASE("values in messages keep their digits", "[precision][parameter]") {
  const auto shown_by = [](const auto& value) {
    return thrown_by([&] { require_value(false, Parameter::width, value, "1"); }).value();
  };
  CHECK(shown_by(1e-11) == "1e-11");
  CHECK(shown_by(0.1 + 0.2) == "0.30000000000000004");
  CHECK(shown_by(2.0) == "2");
  CHECK(shown_by(-3) == "-3");
  CHECK(shown_by(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(shown_by(-std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(words("{} is {:.3g} or {}", Parameter::source, -std::nan(""), -1.5).text
        == "problem.source is nan or -1.5");
  CHECK(shown_by("half") == "half");
  CHECK(shown_by(std::string("half")) == "half");
  CHECK(shown_by(Colour::red) == "red");
  CHECK(shown_by([] { return 0.5; }) == "0.5");
}

TEST_CASE("what holds is not put into words", "[precision][parameter]") {
  int composed = 0;
  const auto value = [&] {
    ++composed;
    return "x";
  };
  require_value(true, Parameter::width, value, "anything");
  CHECK(composed == 0);
  CHECK(thrown_by([&] { require_value(false, Parameter::width, value, "none"); }).value() == "x");
  CHECK(composed == 1);
  require(true, value);
  CHECK(composed == 1);
  CHECK_THROWS_WITH(require(false, value), "x");
}
