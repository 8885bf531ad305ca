#include "experiments/config/keys.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/grid_keys.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/reading.hpp"
#include "experiments/config/refinement_keys.hpp"

namespace ninefold {
namespace {

template <Member M>
Key formula_key(std::string name, std::string allowed, std::string example, M member) {
  return {std::move(name),
          "text or number",
          std::move(allowed),
          std::move(example),
          [=](const Setting& setting, Configuration& c) {
            const auto& content = setting.value.content;
            const bool is_number = std::holds_alternative<double>(content)
                                   || std::holds_alternative<std::int64_t>(content);
            if (is_number && !std::isfinite(number_of(setting))) refuse(setting, "is not finite");
            member(c) = is_number ? to_toml(setting.value) : text_of(setting);
          },
          [=](const Configuration& c) { return to_toml(member(c)); }};
}

Key coefficients_key() {
  return {"problem.coefficients",
          "list of two numbers",
          "[gx, gy], both greater than 0",
          "[1.0, 100.0]",
          [](const Setting& setting, Configuration& c) {
            if (list_of(setting, "[1.0, 1.0]").size() != 2) {
              refuse(setting, "does not have two elements");
            }
            for (std::size_t k = 0; k < 2; ++k) {
              const Setting element = element_of(setting, k);
              const double number = number_of(element);
              if (!std::isfinite(number) || number <= 0) refuse(element, "is out of range");
              (k == 0 ? c.problem.gx : c.problem.gy) = number;
            }
          },
          [](const Configuration& c) {
            return fmt::format("[{}, {}]", to_toml(c.problem.gx), to_toml(c.problem.gy));
          }};
}

Key precision_key() {
  return {
      "solver.precision",
      "text",
      precision_names(),
      "\"s28e11\"",
      [](const Setting& setting, Configuration& c) { c.solver.precision = precision_of(setting); },
      [](const Configuration& c) { return to_toml(to_string(c.solver.precision)); }};
}

Key backend_key() {
  static const std::vector<std::string> names{"auto", "host", "cuda"};
  return {"backend.name",
          "text",
          alternatives(names),
          "\"host\"",
          [](const Setting& setting, Configuration& c) {
            c.backend = names[choice_of(setting, names)];
          },
          [](const Configuration& c) { return to_toml(c.backend); }};
}

Key directory_key() {
  return {"output.directory",
          "text",
          "a folder, made if it is not there",
          "\"results/mine\"",
          [](const Setting& setting, Configuration& c) {
            if (text_of(setting).empty()) refuse(setting, "is empty");
            c.output.directory = text_of(setting);
          },
          [](const Configuration& c) { return to_toml(c.output.directory); }};
}

std::vector<Key> make_keys() {
  using enum BoundaryKind;
  const auto positive = [](double v) { return v > 0; };
  std::vector<Key> keys;
  const auto add = [&](Key key) { keys.push_back(std::move(key)); };

  add(number_key(
      "domain.width", "greater than 0", "0.25", positive,
      [](auto& c) -> auto& { return c.width; }));
  add(number_key(
      "domain.height", "greater than 0", "2.0", positive,
      [](auto& c) -> auto& { return c.height; }));

  for (Key& key : grid_keys()) add(std::move(key));

  add(formula_key(
      "problem.solution", "the name of a problem, or a formula in x and y", R"("sin(pi*x)*y")",
      [](auto& c) -> auto& { return c.problem.solution; }));
  add(formula_key(
      "problem.source", "a formula in x and y", R"("1 + x*y")",
      [](auto& c) -> auto& { return c.problem.source; }));
  add(formula_key(
      "problem.dirichlet", "a formula in x and y", R"("x^2 - y^2")",
      [](auto& c) -> auto& { return c.problem.dirichlet; }));
  for (const Side side : all_sides) {
    const auto s = static_cast<std::size_t>(side);
    add(formula_key(
        fmt::format("problem.flux.{}", to_string(side)), "a formula in x and y",
        R"("-y")", [s](auto& c) -> auto& { return c.problem.flux[s]; }));
  }
  add(coefficients_key());
  add(number_key(
      "problem.reaction", "0 or greater", "100.0", [](double v) { return v >= 0; },
      [](auto& c) -> auto& { return c.problem.reaction; }));
  for (const Side side : all_sides) {
    add(choice_key(
        fmt::format("problem.boundary.{}", to_string(side)), std::vector{dirichlet, neumann},
        R"("neumann")", [side](auto& c) -> auto& {
          return c.problem.boundary.kind[static_cast<std::size_t>(side)];
        }));
  }
  add(integer_key(
      "problem.quadrature", "3", 1, 5, [](auto& c) -> auto& { return c.problem.quadrature; }));

  add(optional_choice_key(
      "operator.form", std::vector{OperatorForm::plain, OperatorForm::difference},
      R"("difference")", [](auto& c) -> auto& { return c.solver.form; }));
  add(optional_choice_key(
      "operator.storage",
      std::vector{OperatorStorage::stored, OperatorStorage::computed, OperatorStorage::factored},
      R"("computed")", [](auto& c) -> auto& { return c.solver.storage; }));

  add(choice_key(
      "solver.method", std::vector{Method::cg, Method::multigrid}, R"("cg")",
      [](auto& c) -> auto& { return c.solver.method; }));
  add(precision_key());
  add(number_key(
      "solver.tolerance", "greater than 0, less than 1", "1e-08",
      [](double v) { return v > 0 && v < 1; },
      [](auto& c) -> auto& { return c.solver.tolerance; }));
  add(integer_key(
      "solver.max_iterations", "500", 1, std::numeric_limits<int>::max(),
      [](auto& c) -> auto& { return c.solver.max_iterations; }));
  add(choice_key(
      "solver.preconditioner",
      std::vector{Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid},
      R"("jacobi")", [](auto& c) -> auto& { return c.solver.preconditioner; }));
  add(choice_key(
      "solver.norm", std::vector{StoppingNorm::error, StoppingNorm::residual}, R"("residual")",
      [](auto& c) -> auto& { return c.solver.norm; }));
  add(choice_key(
      "solver.start", std::vector{Start::zero, Start::full_multigrid}, R"("full-multigrid")",
      [](auto& c) -> auto& { return c.solver.start; }));

  add(choice_key(
      "multigrid.cycle", std::vector{Cycle::v, Cycle::f, Cycle::w}, R"("V")",
      [](auto& c) -> auto& { return c.solver.multigrid.cycle; }));
  add(choice_key(
      "multigrid.smoother",
      std::vector{Smoother::automatic, Smoother::jacobi, Smoother::tridi, Smoother::trigs,
                  Smoother::adi_tridi, Smoother::adi_trigs},
      R"("adi-trigs")", [](auto& c) -> auto& { return c.solver.multigrid.smoother; }));
  add(choice_key(
      "multigrid.line_order", std::vector{LineOrder::zebra, LineOrder::sequential},
      R"("sequential")", [](auto& c) -> auto& { return c.solver.multigrid.line_order; }));
  add(optional_choice_key(
      "multigrid.line_direction", std::vector{LineDirection::x, LineDirection::y}, R"("x")",
      [](auto& c) -> auto& { return c.solver.multigrid.line_direction; }));
  add(optional_number_key(
      "multigrid.damping", "greater than 0, less than 2", "0.7",
      [](double v) { return v > 0 && v < 2; },
      [](auto& c) -> auto& { return c.solver.multigrid.damping; }));
  add(integer_key(
      "multigrid.pre_smoothing", "4", 0, 1000,
      [](auto& c) -> auto& { return c.solver.multigrid.pre_smoothing; }));
  add(integer_key(
      "multigrid.post_smoothing", "4", 0, 1000,
      [](auto& c) -> auto& { return c.solver.multigrid.post_smoothing; }));

  for (Key& key : refinement_keys()) add(std::move(key));

  add(backend_key());

  add(directory_key());
  add(flag_key(
      "output.vtk", [](auto& c) -> auto& { return c.output.vtk; }));
  add(flag_key(
      "output.plots", [](auto& c) -> auto& { return c.output.plots; }));
  return keys;
}

}  // namespace

const std::vector<Key>& configuration_keys() {
  static const std::vector<Key> keys = make_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  for (const Key& key : configuration_keys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::string_view table_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
}

}  // namespace ninefold
