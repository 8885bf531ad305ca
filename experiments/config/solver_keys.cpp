#include "experiments/config/solver_keys.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

Key precision_key() {
  Shapes shapes = precision_shapes();
  shapes.push_back(automatic_shape());
  return {"solver.precision",
          "The number format that holds what is solved for and computes its residual (see ninefold "
          "info); \"auto\", with solver.tolerance = \"discretisation\", takes the cheapest formats "
          "whose rounding stays below the same part of that error, level by level.",
          "text",
          precision_names() + "; or " + to_toml(automatic),
          shapes,
          "\"s28e11\"",
          [](const Setting& setting, Configuration& c) {
            c.automatic_precision = is_automatic(setting);
            c.solver.precision = c.automatic_precision
                                     ? SolverOptions{}.precision
                                     : precision_of(setting, {std::string(automatic)});
          },
          [](const Configuration& c) {
            return c.automatic_precision ? to_toml(automatic)
                                         : to_toml(to_string(c.solver.precision));
          }};
}

constexpr std::string_view discretisation = "discretisation";

Key tolerance_key() {
  const Range range = above(0);
  return {
      "solver.tolerance",
      "The residual falls to this part of the first one, and the error is bounded by 1000 of it "
      "(see solver.norm); or \"discretisation\", of full multigrid: until what its iteration "
      "leaves is solver.fraction of the discretisation error.",
      "number",
      range.below(1).words() + " unless absolute, or " + to_toml(discretisation),
      {{NumberShape{range}}, {WordShape{{std::string(discretisation)}}}},
      "1e-08",
      [=](const Setting& setting, Configuration& c) {
        const auto* text = std::get_if<std::string>(&setting.value.content);
        c.solver.to_discretisation = text != nullptr && *text == discretisation;
        c.solver.tolerance = SolverOptions{}.tolerance;
        if (c.solver.to_discretisation) return;
        if (text != nullptr && near_name(*text, {std::string(discretisation)})) {
          refuse(setting, "is not a tolerance", suggestion(*text, {std::string(discretisation)}));
        }
        const double number = number_of(setting);
        if (!range.contains(number)) refuse(setting, "is out of range");
        c.solver.tolerance = number;
      },
      [](const Configuration& c) {
        return c.solver.to_discretisation ? to_toml(discretisation) : to_toml(c.solver.tolerance);
      }};
}

std::vector<Key> method_keys() {
  std::vector<Key> keys;
  const auto add = [&](Key key) { keys.push_back(std::move(key)); };
  add(choice_key(
      "solver.method",
      "Conjugate gradients, multigrid, multigrid that begins on a coarse grid and solves on all "
      "from there on, or the direct solver by the eigenvectors of both directions, in single or "
      "double.",
      std::vector{Method::cg, Method::multigrid, Method::full_multigrid,
                  Method::fast_diagonalisation},
      R"("cg")", [](auto& c) -> auto& { return c.solver.method; }));
  add(precision_key());
  add(tolerance_key());
  add(number_key(
      "solver.fraction",
      "Of solver.tolerance = \"discretisation\": the part of the discretisation error that the "
      "iteration may leave.",
      above(0).at_most(1), "0.01", [](auto& c) -> auto& { return c.solver.fraction; }));
  add(optional_number_key(
      "solver.double_speed",
      "Of solver.precision = \"auto\": the speed of arithmetic in double over that in single; "
      "below "
      "0.2 pairs of singles are tried before double.  \"auto\" goes by the GPU, and is 0.5 on the "
      "host.",
      above(0).at_most(1), "0.03125", [](auto& c) -> auto& { return c.double_speed; }));
  add(choice_key(
      "solver.norm",
      "What the tolerance is about: the error of the solve too, or the residual alone, as in the "
      "paper; or nothing but the error of the solve, in the energy norm, the l2 norm or at the "
      "largest node.",
      std::vector{StoppingNorm::error, StoppingNorm::residual, StoppingNorm::energy,
                  StoppingNorm::l2, StoppingNorm::largest},
      R"("residual")", [](auto& c) -> auto& { return c.solver.norm; }));
  add(flag_key(
      "solver.relative",
      "Of solver.norm = \"energy\", \"l2\" and \"largest\": true if the tolerance is a part of the "
      "solution in the same norm, false if it is in the units of the problem.",
      [](auto& c) -> auto& { return c.solver.relative; }, "false"));
  add(integer_key(
      "solver.max_iterations",
      "After so many cycles, or steps of CG, a solve ends, converged or not.",
      {1, std::numeric_limits<int>::max()}, "500",
      [](auto& c) -> auto& { return c.solver.max_iterations; }));
  add(choice_key(
      "solver.preconditioner", "Of method \"cg\": what its residuals pass through.",
      std::vector{Preconditioning::none, Preconditioning::jacobi, Preconditioning::block_jacobi,
                  Preconditioning::multigrid},
      R"("jacobi")", [](auto& c) -> auto& { return c.solver.preconditioner; }));
  add(choice_key(
      "solver.start",
      "Begin from zero, or from what a cycle over the grids finds that begins on the coarsest one.",
      std::vector{Start::zero, Start::full_multigrid}, R"("full-multigrid")",
      [](auto& c) -> auto& { return c.solver.start; }));
  return keys;
}

std::vector<Key> multigrid_keys() {
  std::vector<Key> keys;
  const auto add = [&](Key key) { keys.push_back(std::move(key)); };
  add(optional_choice_key(
      "multigrid.cycle",
      "The order in which levels are visited; \"auto\" takes \"V\" where the smoother is "
      "\"chebyshev\" and in full multigrid, there \"F\" by lines where neighbouring cells differ "
      "more than 20 times, and else \"F\".",
      std::vector{Cycle::v, Cycle::f, Cycle::w}, R"("V")",
      [](auto& c) -> auto& { return c.solver.multigrid.cycle; }));
  add(choice_key(
      "multigrid.smoother",
      "What a smoothing step solves for: each unknown by itself (\"jacobi\" with one damping, "
      "\"chebyshev\" with one for each step), lines of the grid in one direction, or lines in both "
      "in turn; \"auto\" goes by the cells.",
      std::vector{Smoother::automatic, Smoother::jacobi, Smoother::chebyshev, Smoother::tridi,
                  Smoother::trigs, Smoother::adi_tridi, Smoother::adi_trigs},
      R"("adi-trigs")", [](auto& c) -> auto& { return c.solver.multigrid.smoother; }));
  add(choice_key(
      "multigrid.line_order",
      "Every other line first, then those between, which GPUs are fast at, or one after the other, "
      "as in the paper.",
      std::vector{LineOrder::zebra, LineOrder::sequential}, R"("sequential")",
      [](auto& c) -> auto& { return c.solver.multigrid.line_order; }));
  add(optional_choice_key(
      "multigrid.line_direction",
      "Which lines \"tridi\" and \"trigs\" solve; \"auto\" takes those along the stronger "
      "coupling.",
      std::vector{LineDirection::x, LineDirection::y}, R"("x")",
      [](auto& c) -> auto& { return c.solver.multigrid.line_direction; }));
  add(optional_number_key(
      "multigrid.damping",
      "The part of a smoothing step's correction that is taken; \"auto\" goes by the smoother.",
      above(0).below(2), "0.7", [](auto& c) -> auto& { return c.solver.multigrid.damping; }));
  add(optional_integer_key(
      "multigrid.pre_smoothing",
      "Smoothing steps before the coarse correction of a visit; \"auto\" takes 2, of full "
      "multigrid 0, or 1 by lines where neighbouring cells differ more than 6 times and the steps "
      "after it are open, too.",
      {0, 1000}, "4", [](auto& c) -> auto& { return c.solver.multigrid.pre_smoothing; }));
  add(optional_integer_key(
      "multigrid.post_smoothing",
      "Smoothing steps after the coarse correction of a visit; before and after it not both 0; "
      "\"auto\" takes 2, of full multigrid 4 by points where couplings differ more than 4 "
      "times, and 1 where that takes 1 before it.",
      {0, 1000}, "4", [](auto& c) -> auto& { return c.solver.multigrid.post_smoothing; }));
  add(integer_key(
      "multigrid.cycles_per_level",
      "Of solver.method = \"full-multigrid\": cycles on each level before the next finer one.",
      {1, 1000}, "2", [](auto& c) -> auto& { return c.solver.multigrid.cycles_per_level; }));
  return keys;
}

}  // namespace

std::vector<Key> solver_keys() {
  std::vector<Key> keys;
  keys.push_back(optional_choice_key(
      "operator.form",
      "Products of values, or of differences of neighbouring ones, which are far less sensitive to "
      "rounding.",
      std::vector{OperatorForm::plain, OperatorForm::difference}, R"("difference")",
      [](auto& c) -> auto& { return c.solver.form; }));
  keys.push_back(optional_choice_key(
      "operator.storage",
      "Where the numbers of a row come from: memory, computation at each use, or factors of one "
      "dimension.",
      std::vector{OperatorStorage::stored, OperatorStorage::computed, OperatorStorage::factored},
      R"("computed")", [](auto& c) -> auto& { return c.solver.storage; }));
  for (Key& key : method_keys()) keys.push_back(std::move(key));
  for (Key& key : multigrid_keys()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace ninefold
