#include "fem/problem/formula_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fem/problem/expression.hpp"
#include "fem/problem/formula_steps.hpp"
#include "fem/problem/formula_tree.hpp"

namespace ninefold {
namespace {

constexpr std::size_t samples = 64;                  // of each direction
constexpr double allowed_difference = 64 * 0x1p-53;  // of the largest value

/// What does not depend on both.
struct Leaf {
  Expression formula;
  bool in_x;
};

struct Steps {
  std::vector<FormulaStep> steps;
  std::vector<Leaf> leaves;
  std::size_t depth = 0;  ///< of the stack
};

/// Makes steps of a tree.
class Compiler {
 public:
  Compiler(double width, double height) : width_(width), height_(height) {}

  /// Nothing if a part of it is not known here.
  std::optional<Steps> compile(const FormulaNode& tree) {
    if (!add(tree)) return {};
    return std::move(made_);
  }

 private:
  using Kind = FormulaStep::Kind;

  bool add(const FormulaNode& node) {
    if (!node.in_x || !node.in_y) {
      made_.steps.push_back({Kind::leaf, made_.leaves.size()});
      made_.leaves.push_back({Expression(std::string(node.text), width_, height_), node.in_x});
      made_.depth = std::max(made_.depth, ++height_of_stack_);
      return true;
    }
    switch (node.kind) {
      case FormulaNode::Kind::negative:
        return add(node.operands[0]) && add_step({Kind::negative}, 1);
      case FormulaNode::Kind::sum:
        return add_two(node, {Kind::sum});
      case FormulaNode::Kind::difference:
        return add_two(node, {Kind::difference});
      case FormulaNode::Kind::product:
        return add_two(node, {Kind::product});
      case FormulaNode::Kind::quotient:
        return add_two(node, {Kind::quotient});
      case FormulaNode::Kind::power:
        if (const std::string_view by = node.operands[1].text;
            by.size() == 1 && by[0] >= '2' && by[0] <= '9') {
          const auto exponent = static_cast<std::size_t>(by[0] - '0');
          if (exponent > largest_whole_power) return add_two(node, {Kind::power});
          return add(node.operands[0]) && add_step({Kind::whole_power, exponent}, 1);
        }
        return add_two(node, {Kind::power});
      case FormulaNode::Kind::call:
        return add_call(node);
      case FormulaNode::Kind::opaque:
        break;
    }
    return false;
  }

  bool add_two(const FormulaNode& node, const FormulaStep& step) {
    return add(node.operands[0]) && add(node.operands[1]) && add_step(step, 2);
  }

  bool add_call(const FormulaNode& node) {
    const std::vector<FormulaNode>& of = node.operands;
    if (const OneArgument one = function_of_one(node.function); one != nullptr && of.size() == 1) {
      return add(of[0]) && add_step({Kind::one, 0, one}, 1);
    }
    if (node.function == "atan2") return of.size() == 2 && add_two(node, {Kind::direction});
    if ((node.function != "min" && node.function != "max") || of.size() < 2 || !add(of[0])) {
      return false;
    }
    const Kind kind = node.function == "min" ? Kind::least : Kind::largest;
    for (std::size_t k = 1; k < of.size(); ++k) {
      if (!add(of[k]) || !add_step({kind}, 2)) return false;
    }
    return true;
  }

  bool add_step(const FormulaStep& step, std::size_t operands) {
    made_.steps.push_back(step);
    height_of_stack_ -= operands - 1;
    return true;
  }

  double width_, height_;
  Steps made_;
  std::size_t height_of_stack_ = 0;
};

/// Steps for the points of two lines.
class OnLines {
 public:
  OnLines(std::shared_ptr<const Steps> steps, const std::vector<double>& x,
          const std::vector<double>& y)
      : steps_(std::move(steps)), points_(x.size()) {
    for (const Leaf& leaf : steps_->leaves) {
      std::vector<double>& values = tables_.emplace_back();
      for (const double place : leaf.in_x ? x : y) {
        values.push_back(leaf.in_x ? leaf.formula(place, 0) : leaf.formula(0, place));
      }
    }
  }

  void operator()(std::size_t j, double* to) const {
    std::vector<double> buffers(steps_->depth * points_at_once);
    std::vector<Operand> stack(steps_->depth);
    for (std::size_t first = 0; first < points_; first += points_at_once) {
      const std::size_t n = std::min(points_at_once, points_ - first);
      const Operand result = evaluate(j, first, n, stack, buffers, to + first);
      if (result.values == to + first) continue;  // as all are that have a step
      for (std::size_t i = 0; i < n; ++i) to[first + i] = result.at(i);
    }
  }

 private:
  /// The last step's values go to `last`.
  Operand evaluate(std::size_t j, std::size_t first, std::size_t n, std::vector<Operand>& stack,
                   std::vector<double>& buffers, double* last) const {
    std::size_t top = 0;  // of the next operand
    for (const FormulaStep& step : steps_->steps) {
      if (step.kind == FormulaStep::Kind::leaf) {
        const std::vector<double>& table = tables_[step.number];
        stack[top++] = steps_->leaves[step.number].in_x ? Operand{table.data() + first, 0}
                                                        : Operand{nullptr, table[j]};
        continue;
      }
      if (step.has_two_operands()) --top;
      Operand& a = stack[top - 1];
      const Operand b = step.has_two_operands() ? stack[top] : Operand{};
      const bool is_last = &step == &steps_->steps.back();
      double* const to = is_last ? last : buffers.data() + (top - 1) * points_at_once;
      take(step, a, b, to, n);
      a = {to, 0};
    }
    return stack[0];
  }

  std::shared_ptr<const Steps> steps_;
  std::size_t points_;
  std::vector<std::vector<double>> tables_;  ///< of each leaf, at the points of its line
};

/// The ends, and points that fill the line and avoid simple fractions.
std::vector<double> places(double length) {
  std::vector<double> result{0, length};
  for (std::size_t k = 1; result.size() < samples; ++k) {
    const double part = static_cast<double>(k) * 0.6180339887498949;
    result.push_back(length * (part - std::floor(part)));
  }
  return result;
}

/// True if all values are finite, and nearly those of the formula itself.
bool agrees(const std::shared_ptr<const Steps>& steps, const std::string& formula, double width,
            double height) {
  const std::vector<double> x = places(width), y = places(height);
  const Expression whole(formula, width, height);
  const OnLines rows(steps, x, y);
  std::vector<double> values(x.size());
  double largest = 0, difference = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    rows(j, values.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = whole(x[i], y[j]);
      if (!std::isfinite(value) || !std::isfinite(values[i])) return false;
      largest = std::max(largest, std::abs(value));
      difference = std::max(difference, std::abs(values[i] - value));
    }
  }
  return difference <= allowed_difference * largest;
}

}  // namespace

RowFunction formula_rows(const std::string& formula, double width, double height) {
  const auto tree = formula_tree(formula);
  if (!tree) return {};
  auto compiled = Compiler(width, height).compile(*tree);
  if (!compiled) return {};
  const auto steps = std::make_shared<const Steps>(std::move(*compiled));
  if (!agrees(steps, formula, width, height)) return {};
  return [steps](const std::vector<double>& x, const std::vector<double>& y) -> RowValues<double> {
    return OnLines(steps, x, y);
  };
}

}  // namespace ninefold
