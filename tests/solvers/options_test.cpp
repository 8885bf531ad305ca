#include "solvers/options.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "precision/bad_value.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Refinement of `outer` by the other formats.
SolverOptions refined(Precision outer, std::vector<Precision> inner) {
  SolverOptions options;
  options.precision = outer;
  options.refinement.inner = std::move(inner);
  return options;
}

/// The same in the formats of these names.
SolverOptions refined(const std::string& outer, const std::vector<std::string>& inner) {
  std::vector<Precision> formats;
  for (const std::string& name : inner) formats.push_back(precision_from_name(name));
  return refined(precision_from_name(outer), std::move(formats));
}

/// What is wrong with the options; empty if nothing is.
std::string complaint(const SolverOptions& options) {
  try {
    validate(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the default options are valid", "[solvers][options]") {
  CHECK_NOTHROW(validate(SolverOptions{}));
}

TEST_CASE("an option out of range is refused by key, value and range", "[solvers][options]") {
  struct Wrong {
    std::function<void(SolverOptions&)> set;
    std::string key, value;
  };
  const std::vector<Wrong> all{
      {[](auto& o) { o.tolerance = 0; }, "solver.tolerance", "0"},
      {[](auto& o) { o.tolerance = 1; }, "solver.tolerance", "1"},
      {[](auto& o) { o.tolerance = std::nan(""); }, "solver.tolerance", "nan"},
      {[](auto& o) { o.max_iterations = 0; }, "solver.max_iterations", "0"},
      {[](auto& o) { o.preconditioner = Preconditioning::jacobi; }, "solver.preconditioner",
       "jacobi"},
      {[](auto& o) { o.multigrid.damping = 2; }, "multigrid.damping", "2"},
      {[](auto& o) { o.multigrid.damping = 0; }, "multigrid.damping", "0"},
      {[](auto& o) { o.multigrid.pre_smoothing = -1; }, "multigrid.pre_smoothing", "-1"},
      {[](auto& o) { o.multigrid.post_smoothing = 2000; }, "multigrid.post_smoothing", "2000"},
      {[](auto& o) { o.multigrid.pre_smoothing = o.multigrid.post_smoothing = 0; },
       "multigrid.pre_smoothing", "0"},
      {[](auto& o) {
         o.refinement.stop = {{0, {}}};
       },
       "refinement.inner_iterations", "0"},
      {[](auto& o) {
         o.refinement.stop = {{}, {{}, 0.0}};
       },
       "refinement.inner_digits", "0"},
      {[](auto& o) {
         o.refinement.stop = {{{}, 15.5}};
       },
       "refinement.inner_digits", "15.5"},
      {[](auto& o) {
         o.refinement.stop = {{{}, std::nan("")}};
       },
       "refinement.inner_digits", "nan"},
      {[](auto& o) {
         o.refinement.stop = {{{}, infinity}};
       },
       "refinement.inner_digits", "inf"},
  };
  for (const Wrong& wrong : all) {
    SolverOptions options;
    wrong.set(options);
    CAPTURE(wrong.key, wrong.value);
    CHECK_THROWS_WITH(validate(options),
                      ContainsSubstring(wrong.key) && ContainsSubstring("= " + wrong.value));
    try {
      validate(options);
    } catch (const BadValue& error) {
      CHECK(name(error.parameter()) == wrong.key);
      CHECK(error.value() == wrong.value);
    }
  }
}

TEST_CASE("names of options are those of config files", "[solvers][options]") {
  CHECK(to_string(Method::cg) == "cg");
  CHECK(to_string(Method::multigrid) == "multigrid");
  CHECK(to_string(Preconditioning::none) == "none");
  CHECK(to_string(Preconditioning::jacobi) == "jacobi");
  CHECK(to_string(Preconditioning::multigrid) == "multigrid");
  CHECK(to_string(Cycle::v) == "V");
  CHECK(to_string(Cycle::f) == "F");
  CHECK(to_string(Cycle::w) == "W");
  CHECK(to_string(Smoother::jacobi) == "jacobi");
  CHECK(to_string(Smoother::chebyshev) == "chebyshev");
  CHECK(to_string(Start::zero) == "zero");
  CHECK(to_string(Start::full_multigrid) == "full-multigrid");
  CHECK(to_string(RefinementVariant::refinement) == "refinement");
  CHECK(to_string(RefinementVariant::residual_guided_cg) == "residual-guided-cg");
  CHECK(to_string(RefinementVariant::flexible_cg) == "flexible-cg");
  CHECK(to_string(RefinementScaling::power_of_two) == "power-of-two");
  CHECK(to_string(RefinementScaling::norm) == "norm");
  CHECK(to_string(OuterBackend::same) == "same");
  CHECK(to_string(OuterBackend::host) == "host");
}

TEST_CASE("inner formats may be as precise as the one before, not more", "[solvers][options]") {
  const auto& [outer, inner] = GENERATE(table<std::string, std::vector<std::string>>(
      {{"double", {"single"}},
       {"double", {"half"}},
       {"double", {"bfloat16"}},
       {"double", {"double-single"}},
       {"double", {"s28e11"}},
       {"double", {"double"}},
       {"double-single", {"single"}},
       {"single", {"half"}},
       {"half", {"bfloat16"}},
       {"s36e11", {"single"}},
       {"s36e11", {"s36e11"}},
       {"double-double", {"double", "single", "half"}},
       {"double-double", {"double", "double-single", "single", "bfloat16"}}}));
  CAPTURE(outer, inner);
  REQUIRE(complaint(refined(outer, inner)).empty());
}

TEST_CASE("an inner format more precise than the one before is refused", "[solvers][options]") {
  struct Wrong {
    std::string outer;
    std::vector<std::string> inner;
    std::string key_and_value, reason;
  };
  const Wrong wrong = GENERATE(values<Wrong>({
      {"single", {"double"}, "refinement.inner_precision = double ", "double is more precise than"},
      {"bfloat16", {"half"}, "refinement.inner_precision = half ", "than bfloat16 before it"},
      {"double-single", {"double"}, "refinement.inner_precision = double ", "solver.precision = "},
      {"single", {"s24e8"}, "refinement.inner_precision = s24e8 ", "more precise than single"},
      {"double-double",
       {"single", "double"},
       "refinement.cascade = [single, double] ",
       "double is more precise than single before it"},
      {"half", {"bfloat16", "single"}, "refinement.cascade = [bfloat16, single] ", "bfloat16"},
  }));
  const std::string message = complaint(refined(wrong.outer, wrong.inner));
  CHECK_THAT(message, ContainsSubstring(wrong.key_and_value + "is not possible")
                          && ContainsSubstring(wrong.reason));
}

TEST_CASE("two software formats in one solve are refused", "[solvers][options]") {
  CHECK(complaint(refined("double", {"s28e11", "s28e11"})).empty());
  CHECK(complaint(refined("s28e11", {"single", "half"})).empty());
  CHECK_THAT(complaint(refined("s36e11", {"s28e11"})),
             ContainsSubstring("refinement.inner_precision = s28e11 ")
                 && ContainsSubstring("not s28e11 beside s36e11")
                 && ContainsSubstring("solver.precision"));
  CHECK_THAT(complaint(refined("double", {"s28e11", "single", "s16e8"})),
             ContainsSubstring("refinement.cascade = [s28e11, single, s16e8] ")
                 && ContainsSubstring("not s16e8 beside s28e11"));
}

TEST_CASE("the software format of a solve is found on every stage", "[solvers][options]") {
  const Precision soft = Precision::soft(28, 11);
  CHECK(software_format(refined("double", {"s28e11"})) == soft);
  CHECK(software_format(refined("s28e11", {"single"})) == soft);
  CHECK(software_format(refined("double-double", {"double", "s28e11", "half"})) == soft);
  CHECK_FALSE(software_format(refined("double", {"single", "half"})));
  CHECK_FALSE(software_format(SolverOptions{}));
}

TEST_CASE("there is one stopping rule, or one for each stage", "[solvers][options]") {
  SolverOptions options = refined("double-double", {"double", "single", "half"});
  const InnerStop two_digits{{}, 2.0}, three_steps{3, {}};
  for (const std::vector<InnerStop>& stop :
       {std::vector<InnerStop>{}, {two_digits}, {two_digits, three_steps, two_digits}}) {
    options.refinement.stop = stop;
    CHECK(complaint(options).empty());
  }
  options.refinement.stop = {two_digits, three_steps};
  CHECK_THAT(complaint(options),
             ContainsSubstring("refinement.inner_digits = [2, auto] is not possible")
                 && ContainsSubstring("each of the 3 formats of refinement.cascade"));
  options.refinement.inner = {Precision::single_};
  options.refinement.stop = {three_steps, three_steps};
  CHECK_THAT(complaint(options),
             ContainsSubstring("refinement.inner_iterations = [3, 3] is not possible")
                 && ContainsSubstring("one format of refinement.inner_precision"));
}

TEST_CASE("residual-guided CG is plain CG in one inner format", "[solvers][options]") {
  SolverOptions good = refined("double", {"single"});
  good.method = Method::cg;
  good.refinement.variant = RefinementVariant::residual_guided_cg;
  REQUIRE(complaint(good).empty());
  const auto refused = [&](const std::string& reason, auto&& change) {
    SolverOptions options = good;
    change(options);
    CHECK_THAT(complaint(options),
               ContainsSubstring("refinement.variant = residual-guided-cg is not possible")
                   && ContainsSubstring(reason));
  };
  refused("solver.method", [](auto& o) { o.method = Method::multigrid; });
  refused("solver.preconditioner", [](auto& o) { o.preconditioner = Preconditioning::jacobi; });
  refused("solver.start", [](auto& o) { o.start = Start::full_multigrid; });
  refused("refinement.cascade", [](auto& o) { o.refinement.inner.push_back(Precision::half); });
}

TEST_CASE("flexible CG takes every inner solver", "[solvers][options]") {
  SolverOptions options = refined("double", {"single", "half"});
  options.refinement.variant = RefinementVariant::flexible_cg;
  CHECK(complaint(options).empty());
  options.method = Method::cg;
  for (const Preconditioning preconditioner :
       {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
    options.preconditioner = preconditioner;
    CHECK(complaint(options).empty());
  }
}

TEST_CASE("only plain refinement is split between host and device", "[solvers][options]") {
  SolverOptions options = refined("double", {"single"});
  options.method = Method::cg;
  options.refinement.outer_backend = OuterBackend::host;
  CHECK(complaint(options).empty());
  for (const RefinementVariant variant :
       {RefinementVariant::residual_guided_cg, RefinementVariant::flexible_cg}) {
    options.refinement.variant = variant;
    CHECK_THAT(complaint(options),
               ContainsSubstring("refinement.outer_backend = host is not possible")
                   && ContainsSubstring("refinement.variant"));
  }
}

TEST_CASE("a full multigrid start needs coarser grids", "[solvers][options]") {
  SolverOptions options;
  options.start = Start::full_multigrid;
  CHECK(complaint(options).empty());
  options.method = Method::cg;
  CHECK_THAT(complaint(options), ContainsSubstring("solver.start = full-multigrid is not possible")
                                     && ContainsSubstring("solver.preconditioner"));
  options.preconditioner = Preconditioning::jacobi;
  CHECK_THAT(complaint(options),
             ContainsSubstring("solver.start = full-multigrid is not possible"));
  options.preconditioner = Preconditioning::multigrid;
  CHECK(complaint(options).empty());
}

TEST_CASE("an inner solve stops as the options say", "[solvers][options]") {
  SolverOptions options = refined("double-double", {"double", "single"});
  const InnerStop both{5, 1.5}, digits{{}, 4.0};
  options.refinement.stop = {both};
  CHECK(inner_stop(options, 0) == both);
  CHECK(inner_stop(options, 1) == both);
  options.refinement.stop = {digits, both};
  CHECK(inner_stop(options, 0) == digits);
  CHECK(inner_stop(options, 1) == both);
  options.refinement.stop = {both, {}};  // nothing said of the second one
  CHECK(inner_stop(options, 0) == both);
  CHECK(inner_stop(options, 1) == InnerStop{2, {}});
}

TEST_CASE("an inner solve of which nothing is said stops by its format and method",
          "[solvers][options]") {
  // Half of the digits that 2^-53 and 2^-24 leave: 15.95 / 2 and 7.22 / 2, rounded down.
  SolverOptions options = refined("double-double", {"double", "single", "half", "half"});
  CHECK(inner_stop(options, 0) == InnerStop{{}, 7.0});
  CHECK(inner_stop(options, 1) == InnerStop{{}, 3.0});
  CHECK(inner_stop(options, 2) == InnerStop{{}, 1.0});
  CHECK(inner_stop(options, 3) == InnerStop{1, {}});
  CHECK(inner_stop(refined("double", {"bfloat16", "bfloat16"}), 0) == InnerStop{{}, 1.0});
  CHECK(inner_stop(refined("double", {"bfloat16"}), 0) == InnerStop{1, {}});
  CHECK(inner_stop(refined("double", {"single"}), 0) == InnerStop{2, {}});
  CHECK(inner_stop(refined("double", {"s16e8"}), 0) == InnerStop{2, {}});
  options.method = Method::cg;
  CHECK(inner_stop(options, 0) == InnerStop{{}, 7.0});
  CHECK(inner_stop(options, 3) == InnerStop{{}, 2.0});
  options.preconditioner = Preconditioning::multigrid;
  CHECK(inner_stop(options, 3) == InnerStop{{}, 2.0});
}

TEST_CASE("without an inner format nothing is asked of the refinement", "[solvers][options]") {
  SolverOptions options;
  options.refinement.variant = RefinementVariant::residual_guided_cg;
  options.refinement.outer_backend = OuterBackend::host;
  options.refinement.stop = {{1, {}}, {2, {}}, {3, {}}};
  CHECK(complaint(options).empty());
}
