#include "experiments/config/problem_keys.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

template <Member M>
Key formula_key(std::string name, std::string text, std::string allowed, std::string example,
                M member) {
  return {std::move(name),
          std::move(text),
          "text or number",
          std::move(allowed),
          {{TextShape{}}, {NumberShape{}}},
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

/// Refuses a formula where a constant belongs.
void refuse_formula(const Setting& setting, std::string_view expected) {
  const auto* text = std::get_if<std::string>(&setting.value.content);
  if (text == nullptr || text->find_first_of("xy") == std::string::npos) return;
  refuse(setting, fmt::format("is a text, but {} is expected", expected),
         "gx, gy and c of -div(diag(gx, gy) grad u) + c u = f are constants");
}

Key coefficients_key() {
  static constexpr Range range = above(0);
  return {"problem.coefficients",
          "The coefficients of d/dx and d/dy in -div(diag(gx, gy) grad u).",
          "list of two numbers",
          "[gx, gy], both " + range.words(),
          {{ListShape{{{NumberShape{range}}}, 2, 2}}},
          "[1.0, 100.0]",
          [](const Setting& setting, Configuration& c) {
            refuse_formula(setting, "a list of two numbers");
            if (list_of(setting, "[1.0, 1.0]").size() != 2) {
              refuse(setting, "does not have two elements");
            }
            for (std::size_t k = 0; k < 2; ++k) {
              const Setting element = element_of(setting, k);
              refuse_formula(element, "a number");
              const double number = number_of(element);
              if (!range.contains(number)) refuse(element, "is out of range");
              (k == 0 ? c.problem.gx : c.problem.gy) = number;
            }
          },
          [](const Configuration& c) {
            return fmt::format("[{}, {}]", to_toml(c.problem.gx), to_toml(c.problem.gy));
          }};
}

Key reaction_key() {
  Key key = number_key(
      "problem.reaction", "The coefficient c of u.", at_least(0), "100.0",
      [](auto& c) -> auto& { return c.problem.reaction; });
  key.read = [read = key.read](const Setting& setting, Configuration& c) {
    refuse_formula(setting, "a number");
    read(setting, c);
  };
  return key;
}

}  // namespace

std::vector<Key> problem_keys() {
  using enum BoundaryKind;
  std::vector<Key> keys;
  const auto add = [&](Key key) { keys.push_back(std::move(key)); };
  add(formula_key(
      "problem.solution",
      "A named problem (see ninefold info), which brings all data, or the solution as a formula, "
      "so "
      "that errors are measured; with a source alone it is unknown.",
      "the name of a problem, or a formula in x and y", R"("sin(pi*x)*y")",
      [](auto& c) -> auto& { return c.problem.solution; }));
  add(formula_key(
      "problem.source", "The right-hand side f, unless the solution is a named one.",
      "a formula in x and y", R"("1 + x*y")", [](auto& c) -> auto& { return c.problem.source; }));
  add(formula_key(
      "problem.dirichlet",
      "u on the Dirichlet sides; without it the solution there, or 0 if that is unknown.",
      "a formula in x and y", R"("x^2 - y^2")",
      [](auto& c) -> auto& { return c.problem.dirichlet; }));
  for (const Side side : all_sides) {
    const auto s = static_cast<std::size_t>(side);
    add(formula_key(
        fmt::format("problem.flux.{}", to_string(side)),
        fmt::format("The outward flux n . diag(gx, gy) grad u at the {} side, where that is a "
                    "Neumann side; without it 0.",
                    to_string(side)),
        "a formula in x and y", R"("-y")", [s](auto& c) -> auto& { return c.problem.flux[s]; }));
  }
  add(coefficients_key());
  add(reaction_key());
  for (const Side side : all_sides) {
    add(choice_key(
        fmt::format("problem.boundary.{}", to_string(side)),
        fmt::format("Whether u or its flux is given at the {} side.", to_string(side)),
        std::vector{dirichlet, neumann}, R"("neumann")", [side](auto& c) -> auto& {
          return c.problem.boundary.kind[static_cast<std::size_t>(side)];
        }));
  }
  add(integer_key(
      "problem.quadrature", "Gauss points per direction for the load.", {1, 5}, "3",
      [](auto& c) -> auto& { return c.problem.quadrature; }));
  return keys;
}

}  // namespace ninefold
