#include "fem/problem/formula_terms.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "fem/problem/expression.hpp"
#include "fem/problem/formula_tree.hpp"

namespace ninefold {
namespace {

/// Empty if there are none: a sum has one at least.
using Terms = std::vector<FormulaTerm>;

// Texts of formulas in one variable, all of which may be factors as they stand; empty for 1.

std::string product_of(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + "*" + b;
}

std::string quotient_of(const std::string& a, const std::string& b) {
  if (b.empty()) return a;
  return fmt::format("{}/({})", a.empty() ? "1" : a, b);
}

std::string times(double factor, const std::string& text) {
  if (factor == 1 && !text.empty()) return text;
  return product_of(fmt::format("({})", factor), text);
}

FormulaTerm product_of(const FormulaTerm& a, const FormulaTerm& b) {
  return {a.factor * b.factor, product_of(a.x, b.x), product_of(a.y, b.y),
          a.x_nonnegative && b.x_nonnegative, a.y_nonnegative && b.y_nonnegative};
}

FormulaTerm quotient_of(const FormulaTerm& a, const FormulaTerm& b) {
  return {a.factor / b.factor, quotient_of(a.x, b.x), quotient_of(a.y, b.y),
          a.x_nonnegative && b.x_nonnegative, a.y_nonnegative && b.y_nonnegative};
}

FormulaTerm power_of(const FormulaTerm& a, double exponent) {
  const auto power = [&](const std::string& text) {
    return text.empty() ? text : fmt::format("({})^({})", text, exponent);
  };
  const bool even = std::fmod(exponent, 2) == 0;
  return {std::pow(a.factor, exponent), power(a.x), power(a.y), even || a.x_nonnegative,
          even || a.y_nonnegative};
}

bool all_nonnegative(const FormulaTerm& a) {
  return a.factor >= 0 && a.x_nonnegative && a.y_nonnegative;
}

Terms sum_of(Terms a, const Terms& b, double sign) {
  if (a.empty() || b.empty() || a.size() + b.size() > max_formula_terms) return {};
  for (FormulaTerm term : b) {
    term.factor *= sign;
    a.push_back(std::move(term));
  }
  return a;
}

Terms product_of(const Terms& a, const Terms& b) {
  if (a.size() * b.size() > max_formula_terms) return {};
  Terms products;
  for (const FormulaTerm& left : a) {
    for (const FormulaTerm& right : b) products.push_back(product_of(left, right));
  }
  return products;
}

/// One function of a term: "name(x)" and "name(y)".
FormulaTerm applied(const char* name, double (*function)(double), const FormulaTerm& a) {
  const auto call = [&](const std::string& text) {
    return text.empty() ? text : fmt::format("{}({})", name, text);
  };
  return {function(a.factor), call(a.x), call(a.y)};
}

class Splitter {
 public:
  Splitter(double width, double height) : width_(width), height_(height) {}

  Terms split(const FormulaNode& node) const {
    using enum FormulaNode::Kind;
    if (!node.in_x || !node.in_y) return {of_one_direction(node)};
    const std::vector<FormulaNode>& of = node.operands;
    switch (node.kind) {
      case sum:
        return sum_of(split(of[0]), split(of[1]), 1);
      case difference:
        return sum_of(split(of[0]), split(of[1]), -1);
      case negative:
        return product_of(Terms{{-1.0, "", ""}}, split(of[0]));
      case product:
        return product_of(split(of[0]), split(of[1]));
      case quotient:
        return quotient_of_sums(split(of[0]), split(of[1]));
      case power:
        return power_of_sums(of[0], of[1]);
      case call:
        return of_call(node);
      case opaque:
        break;
    }
    return {};
  }

 private:
  double value(const FormulaNode& number) const {
    return Expression(std::string(number.text), width_, height_)(0, 0);
  }

  FormulaTerm of_one_direction(const FormulaNode& node) const {
    if (!node.in_x && !node.in_y) return {value(node), "", ""};
    std::string text = fmt::format("({})", node.text);
    if (node.in_x) return {1, std::move(text), "", node.nonnegative, true};
    return {1, "", std::move(text), true, node.nonnegative};
  }

  static Terms quotient_of_sums(Terms a, const Terms& b) {
    if (b.size() != 1) return {};
    for (FormulaTerm& term : a) term = quotient_of(term, b.front());
    return a;
  }

  Terms power_of_sums(const FormulaNode& base, const FormulaNode& exponent) const {
    if (!base.in_x && !base.in_y) {
      const double number = value(base);
      if (!(number > 0) || !std::isfinite(number)) return {};
      return exponential(split(exponent), [&](const std::string& text) {
        return fmt::format("({})^({})", number, text);
      });
    }
    if (exponent.in_x || exponent.in_y) return {};
    const Terms a = split(base);
    const double n = value(exponent);
    if (!std::isfinite(n)) return {};
    const bool whole = n == std::floor(n);
    if (a.size() == 1) {
      if (!whole && !all_nonnegative(a.front())) return {};
      return {power_of(a.front(), n)};
    }
    if (!whole || n < 1 || n > max_formula_terms) return {};
    Terms result = a;
    for (int k = 1; k < static_cast<int>(n); ++k) result = product_of(result, a);
    return result;
  }

  Terms of_call(const FormulaNode& node) const {
    if (node.operands.size() != 1) return {};
    const Terms a = split(node.operands.front());
    if (node.function == "exp") {
      return exponential(a, [](const std::string& text) { return fmt::format("exp({})", text); });
    }
    if (a.size() != 1) return {};
    if (node.function == "abs") {
      return {applied(
          "abs", [](double value) { return std::abs(value); }, a.front())};
    }
    if (node.function == "sqrt" && all_nonnegative(a.front())) {
      return {applied(
          "sqrt", [](double value) { return std::sqrt(value); }, a.front())};
    }
    return {};
  }

  /// of(exponents in x) of(exponents in y)
  template <class Of>
  static Terms exponential(const Terms& exponents, const Of& of) {
    std::string x, y;
    for (const FormulaTerm& term : exponents) {
      if (!std::isfinite(term.factor)) return {};  // no number of a formula's text
      if (!term.x.empty() && !term.y.empty()) return {};
      std::string& sum = term.y.empty() ? x : y;
      if (!sum.empty()) sum += "+";
      sum += times(term.factor, product_of(term.x, term.y));
    }
    if (x.empty() || y.empty()) return {};
    return {{1.0, of(x), of(y)}};
  }

  double width_, height_;
};

/// Adds up the x of terms that have the same y, or the other way round.
Terms merged_along(std::string FormulaTerm::*added, std::string FormulaTerm::*same,
                   const Terms& terms) {
  Terms result;
  for (const FormulaTerm& term : terms) {
    std::size_t k = 0;
    while (k < result.size() && result[k].*same != term.*same) ++k;
    if (k == result.size()) {
      result.push_back(term);
    } else if (result[k].*added == term.*added) {
      result[k].factor += term.factor;
    } else {
      result[k].*added = fmt::format("({}+{})", times(result[k].factor, result[k].*added),
                                     times(term.factor, term.*added));
      result[k].factor = 1;
    }
  }
  return result;
}

}  // namespace

std::vector<FormulaTerm> terms_of(const std::string& formula, double width, double height) {
  const auto tree = formula_tree(formula);
  if (!tree) return {};
  return Splitter(width, height).split(*tree);
}

std::vector<FormulaTerm> merged(const std::vector<FormulaTerm>& terms) {
  return merged_along(&FormulaTerm::y, &FormulaTerm::x,
                      merged_along(&FormulaTerm::x, &FormulaTerm::y, terms));
}

}  // namespace ninefold
