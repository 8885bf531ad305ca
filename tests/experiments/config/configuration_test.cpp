#include "experiments/config/configuration.hpp"

#include "output/vtk/vtk.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

Configuration configure(const std::string& text) {
  return make_configuration(parse_document(text, "some/folder/mine.toml"));
}

}  // namespace

TEST_CASE("an empty file is the default configuration", "[experiments][configuration]") {
  const Configuration c = configure("");
  REQUIRE(c.width == 1.0);
  REQUIRE(c.first_level == 5);
  REQUIRE(c.last_level == 9);
  REQUIRE(c.grading.nu == 1.0);
  REQUIRE(c.grading.kind == Grading::anisotropic);
  REQUIRE(c.problem.solution == "polynomial");
  REQUIRE(c.solver.method == Method::multigrid);
  REQUIRE(c.solver.start == Start::zero);
  REQUIRE(c.solver.multigrid.smoother == Smoother::automatic);
  REQUIRE_FALSE(c.solver.multigrid.damping);
  REQUIRE_FALSE(c.solver.multigrid.line_direction);
  REQUIRE_FALSE(c.solver.refinement.used());
  REQUIRE(c.solver.refinement.stop.empty());
  REQUIRE(c.backend == "auto");
  REQUIRE(c.output.directory == "results/mine");
  REQUIRE_FALSE(c.output.vtk);
}

TEST_CASE("every key of a file arrives", "[experiments][configuration]") {
  const Configuration c = configure(R"(
    [domain]
    width = 2
    height = 0.5
    [grid]
    levels = [2, 4]
    anisotropy = 0.5
    refined_sides = ["top"]
    [problem]
    solution = "x*y"
    source = 0
    dirichlet = "x*y"
    flux = { top = "x*3" }
    coefficients = [1, 3]
    reaction = 0.25
    boundary = { top = "neumann" }
    quadrature = 4
    [operator]
    form = "difference"
    [solver]
    method = "cg"
    precision = "single"
    tolerance = 1e-6
    max_iterations = 77
    preconditioner = "multigrid"
    start = "full-multigrid"
    [multigrid]
    cycle = "W"
    smoother = "trigs"
    line_order = "sequential"
    line_direction = "y"
    damping = 0.7
    pre_smoothing = 1
    post_smoothing = 0
    [refinement]
    inner_precision = "half"
    inner_digits = 1.5
    inner_iterations = 9
    inner_form = "plain"
    scaling = "norm"
    variant = "flexible-cg"
    stop_at_tolerance = true
    [backend]
    name = "host"
    [output]
    directory = "elsewhere"
    plots = true
  )");
  REQUIRE(c.width == 2.0);
  REQUIRE(c.height == 0.5);
  REQUIRE(c.first_level == 2);
  REQUIRE(c.last_level == 4);
  REQUIRE(c.grading.nu == 0.5);
  REQUIRE(c.grading.sides == std::vector{Side::top});
  REQUIRE(c.problem.solution == "x*y");
  REQUIRE(c.problem.source == "0");
  REQUIRE(c.problem.dirichlet == "x*y");
  REQUIRE(c.problem.flux == std::array<std::string, 4>{"", "", "", "x*3"});
  REQUIRE(c.problem.gx == 1.0);
  REQUIRE(c.problem.gy == 3.0);
  REQUIRE(c.problem.reaction == 0.25);
  REQUIRE(c.problem.boundary[Side::top] == BoundaryKind::neumann);
  REQUIRE(c.problem.boundary[Side::left] == BoundaryKind::dirichlet);
  REQUIRE(c.problem.quadrature == 4);
  REQUIRE(c.solver.form == OperatorForm::difference);
  REQUIRE(c.solver.method == Method::cg);
  REQUIRE(c.solver.precision == Precision::single_);
  REQUIRE(c.solver.tolerance == 1e-6);
  REQUIRE(c.solver.max_iterations == 77);
  REQUIRE(c.solver.preconditioner == Preconditioning::multigrid);
  REQUIRE(c.solver.start == Start::full_multigrid);
  REQUIRE(c.solver.multigrid.cycle == Cycle::w);
  REQUIRE(c.solver.multigrid.smoother == Smoother::trigs);
  REQUIRE(c.solver.multigrid.line_order == LineOrder::sequential);
  REQUIRE(c.solver.multigrid.line_direction == LineDirection::y);
  REQUIRE(c.solver.multigrid.damping == 0.7);
  REQUIRE(c.solver.multigrid.pre_smoothing == 1);
  REQUIRE(c.solver.multigrid.post_smoothing == 0);
  REQUIRE(c.solver.refinement.inner == std::vector{Precision::half});
  REQUIRE(c.solver.refinement.stop == std::vector{InnerStop{9, 1.5}});
  REQUIRE(c.solver.refinement.inner_form == OperatorForm::plain);
  REQUIRE(c.solver.refinement.scaling == RefinementScaling::norm);
  REQUIRE(c.solver.refinement.variant == RefinementVariant::flexible_cg);
  REQUIRE(c.solver.refinement.outer_backend == OuterBackend::same);
  REQUIRE(c.solver.refinement.stop_at_tolerance);
  REQUIRE(c.backend == "host");
  REQUIRE(c.output.directory == "elsewhere");
  REQUIRE(c.output.plots);
}

TEST_CASE("one level may be given as a number", "[experiments][configuration]") {
  const Configuration c = configure("[grid]\nlevels = 7\n");
  REQUIRE(c.first_level == 7);
  REQUIRE(c.last_level == 7);
}

TEST_CASE("a source alone means that the solution is unknown", "[experiments][configuration]") {
  REQUIRE(configure("[problem]\nsource = 'x'\n").problem.solution.empty());
  REQUIRE(configure("[problem]\nsource = 1.5\n").problem.source == "1.5");
  REQUIRE(configure("[problem]\nsource = ''\n").problem.solution == "polynomial");
  REQUIRE(configure("[problem]\nsolution = ''\nsource = 'x'\n").problem.solution.empty());
}

TEST_CASE("a table without a key in it is as none", "[experiments][configuration]") {
  const std::string table = GENERATE("output", "problem", "problem.boundary", "grid");
  const Configuration c = configure("[" + table + "]\n");
  REQUIRE(all_options(c) == all_options(configure("")));
}

TEST_CASE("the options as a config file give the same options", "[experiments][configuration]") {
  const std::string text = GENERATE(
      as<std::string>{}, "",
      "[domain]\nwidth = 0.1\n[grid]\nlevels = [1, 15]\nrefined_sides = []\n",
      "[problem]\nsource = 'x < 0.5 ? 1 : 2'\nboundary.left = 'neumann'\nflux.left = 'y'\n",
      "[problem]\nsolution = 'x*\"y\"'\n");
  CAPTURE(text);
  if (text.find("\"y\"") != std::string::npos) {
    // No formula, but text that needs escapes: only the writing is tested.
    Configuration c;
    c.problem.solution = "x*\"y\"\\\n";
    const Document document = parse_document(to_toml(all_options(c)), "again.toml");
    REQUIRE(std::get<std::string>(document.find("problem.solution")->value.content)
            == c.problem.solution);
    return;
  }
  const Options options = all_options(configure(text));
  REQUIRE(all_options(configure(to_toml(options))) == options);
}

TEST_CASE("vtk output is accepted where it is possible", "[experiments][configuration]") {
  if (!built_with_vtk()) return;
  REQUIRE(configure("[output]\nvtk = true\n").output.vtk);
  // Cells narrower than the spacing of doubles beside them are no obstacle.
  REQUIRE(
      configure("[grid]\nlevels = 12\nanisotropy = 0.03125\n[output]\nvtk = true\n").output.vtk);
}
