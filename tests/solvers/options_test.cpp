#include "solvers/options.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace ninefold;
using Catch::Matchers::Contains;

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
  };
  for (const Wrong& wrong : all) {
    SolverOptions options;
    wrong.set(options);
    CAPTURE(wrong.key, wrong.value);
    CHECK_THROWS_WITH(validate(options), Contains(wrong.key) && Contains("= " + wrong.value));
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
}
