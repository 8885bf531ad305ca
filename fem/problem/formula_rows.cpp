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
#include "fem/problem/formula_tree.hpp"

namespace ninefold {
namespace {

constexpr std::size_t samples = 64;                  // of each direction
constexpr double allowed_difference = 64 * 0x1p-53;  // of the largest value
constexpr std::size_t piece = 512;                   // points at once, which stay in cache

using OneArgument = double (*)(double);
using TwoArguments = double (*)(double, double);

// As the parser has them.
double log_two(double v) {
  return std::log(v) / std::log(2.0);
}
double area_sine(double v) {
  return std::log(v + std::sqrt(v * v + 1));
}
double area_cosine(double v) {
  return std::log(v + std::sqrt(v * v - 1));
}
double area_tangent(double v) {
  return 0.5 * std::log((1 + v) / (1 - v));
}

OneArgument function_of_one(std::string_view name) {
  struct Named {
    std::string_view name;
    OneArgument function;
  };
  static constexpr Named known[] = {
      {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},      {"asin", std::asin},
      {"acos", std::acos}, {"atan", std::atan},   {"sinh", std::sinh},    {"cosh", std::cosh},
      {"tanh", std::tanh}, {"asinh", area_sine},  {"acosh", area_cosine}, {"atanh", area_tangent},
      {"log2", log_two},   {"log10", std::log10}, {"log", std::log},      {"ln", std::log},
      {"exp", std::exp},   {"sqrt", std::sqrt},   {"abs", std::fabs},
  };
  for (const Named& one : known) {
    if (one.name == name) return one.function;
  }
  return nullptr;
}

double lesser(double a, double b) {
  return std::min(a, b);
}
double greater(double a, double b) {
  return std::max(a, b);
}
TwoArguments function_of_two(std::string_view name) {
  if (name == "min") return lesser;
  if (name == "max") return greater;
  if (name == "atan2") return std::atan2;
  return nullptr;
}

/// A step of an evaluation on a stack: a leaf is put there, all else takes its operands from it.
struct Step {
  enum class Kind { leaf, negative, sum, difference, product, quotient, square, power, one, two };

  Kind kind;
  std::size_t leaf = 0;
  OneArgument one = nullptr;
  TwoArguments two = nullptr;
};

/// What does not depend on both.
struct Leaf {
  Expression formula;
  bool in_x;
};

struct Steps {
  std::vector<Step> steps;
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
  using Kind = Step::Kind;

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
        if (node.operands[1].text == "2") {
          return add(node.operands[0]) && add_step({Kind::square}, 1);
        }
        return add_two(node, {Kind::power});
      case FormulaNode::Kind::call:
        return add_call(node);
      case FormulaNode::Kind::opaque:
        break;
    }
    return false;
  }

  bool add_two(const FormulaNode& node, const Step& step) {
    return add(node.operands[0]) && add(node.operands[1]) && add_step(step, 2);
  }

  bool add_call(const FormulaNode& node) {
    const std::vector<FormulaNode>& of = node.operands;
    if (const OneArgument one = function_of_one(node.function); one != nullptr && of.size() == 1) {
      return add(of[0]) && add_step({Kind::one, 0, one}, 1);
    }
    const TwoArguments two = function_of_two(node.function);
    if (two == nullptr || of.size() < 2 || (of.size() > 2 && node.function == "atan2")) {
      return false;
    }
    if (!add(of[0])) return false;
    for (std::size_t k = 1; k < of.size(); ++k) {
      if (!add(of[k]) || !add_step({Kind::two, 0, nullptr, two}, 2)) return false;
    }
    return true;
  }

  bool add_step(const Step& step, std::size_t operands) {
    made_.steps.push_back(step);
    height_of_stack_ -= operands - 1;
    return true;
  }

  double width_, height_;
  Steps made_;
  std::size_t height_of_stack_ = 0;
};

/// One value, or one for each point.
struct Operand {
  const double* values;
  double value;

  double at(std::size_t i) const { return values == nullptr ? value : values[i]; }
};

template <class F>
void map(const Operand& a, double* to, std::size_t n, const F& f) {
  if (a.values == nullptr) {
    std::fill_n(to, n, f(a.value));
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = f(a.values[i]);
  }
}

template <class F>
void combine(const Operand& a, const Operand& b, double* to, std::size_t n, const F& f) {
  if (a.values == nullptr) {
    map(b, to, n, [&](double v) { return f(a.value, v); });
  } else if (b.values == nullptr) {
    map(a, to, n, [&](double v) { return f(v, b.value); });
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = f(a.values[i], b.values[i]);
  }
}

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
    std::vector<double> buffers(steps_->depth * piece);
    std::vector<Operand> stack(steps_->depth);
    for (std::size_t first = 0; first < points_; first += piece) {
      const std::size_t n = std::min(piece, points_ - first);
      const Operand result = evaluate(j, first, n, stack, buffers);
      for (std::size_t i = 0; i < n; ++i) to[first + i] = result.at(i);
    }
  }

 private:
  Operand evaluate(std::size_t j, std::size_t first, std::size_t n, std::vector<Operand>& stack,
                   std::vector<double>& buffers) const {
    std::size_t top = 0;  // of the next operand
    for (const Step& step : steps_->steps) {
      using enum Step::Kind;
      if (step.kind == leaf) {
        const std::vector<double>& table = tables_[step.leaf];
        stack[top++] = steps_->leaves[step.leaf].in_x ? Operand{table.data() + first, 0}
                                                      : Operand{nullptr, table[j]};
        continue;
      }
      const bool binary = !(step.kind == negative || step.kind == square || step.kind == one);
      if (binary) --top;
      Operand& a = stack[top - 1];
      const Operand b = binary ? stack[top] : Operand{};
      double* const to = buffers.data() + (top - 1) * piece;
      switch (step.kind) {
        case leaf:
          break;
        case negative:
          map(a, to, n, [](double v) { return -v; });
          break;
        case square:
          map(a, to, n, [](double v) { return v * v; });
          break;
        case one:
          map(a, to, n, step.one);
          break;
        case sum:
          combine(a, b, to, n, [](double v, double w) { return v + w; });
          break;
        case difference:
          combine(a, b, to, n, [](double v, double w) { return v - w; });
          break;
        case product:
          combine(a, b, to, n, [](double v, double w) { return v * w; });
          break;
        case quotient:
          combine(a, b, to, n, [](double v, double w) { return v / w; });
          break;
        case power:
          combine(a, b, to, n, [](double v, double w) { return std::pow(v, w); });
          break;
        case two:
          combine(a, b, to, n, step.two);
          break;
      }
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
