#include "fem/problem/separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "fem/problem/expression.hpp"
#include "fem/problem/formula_terms.hpp"

namespace ninefold {
namespace {

constexpr std::size_t line_samples = 2048, tensor_samples = 48;
constexpr double largest_factor = 0x1p500;
constexpr double allowed_cancellation = 8;           // sizes of terms over those of their sum
constexpr double allowed_difference = 64 * 0x1p-53;  // of the largest value
constexpr std::size_t longest_text = 8192;           // that a parser is given

enum class Direction { x, y };

const std::string& text_of(const FormulaTerm& term, Direction direction) {
  return direction == Direction::x ? term.x : term.y;
}

/// A direction with its formulas, as functions of the distance from the start.
class Axis {
 public:
  Axis(Direction direction, double width, double height)
      : direction_(direction), width_(width), height_(height) {}

  double length() const { return direction_ == Direction::x ? width_ : height_; }

  LineFunction function(const FormulaTerm& term) const {
    const std::string& text = text_of(term, direction_);
    if (text.empty()) return LineFunction([](double, double) { return 1.0; });
    const Expression formula(text, width_, height_);
    if (direction_ == Direction::x) {
      return LineFunction([formula](double start, double) { return formula(start, 0); });
    }
    return LineFunction([formula](double start, double) { return formula(0, start); });
  }

 private:
  Direction direction_;
  double width_, height_;
};

/// The ends, then points that fill the line ever more densely and avoid simple fractions, where
/// oscillations vanish.
std::vector<double> positions(double length) {
  std::vector<double> result{0, length};
  for (std::size_t k = 1; result.size() < line_samples; ++k) {
    const double part = static_cast<double>(k) * 0.6180339887498949;
    result.push_back(length * (part - std::floor(part)));
  }
  return result;
}

using Values = std::vector<double>;

/// Of each function at each place.
std::vector<Values> sampled(const std::vector<LineFunction>& functions, const Values& places,
                            double length) {
  std::vector<Values> result;
  for (const LineFunction& f : functions) {
    Values& values = result.emplace_back();
    for (const double place : places) values.push_back(f.at(place, length - place));
  }
  return result;
}

bool in_range(const Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::abs(value) <= largest_factor; });
}

std::vector<LineFunction> functions_of(const std::vector<FormulaTerm>& terms, const Axis& axis) {
  std::vector<LineFunction> functions;
  for (const FormulaTerm& term : terms) functions.push_back(axis.function(term));
  return functions;
}

/// Where the formula is looked at in one direction; nothing if a factor leaves its range.
Values telling_places(const std::vector<LineFunction>& functions, double length) {
  const Values all = positions(length);
  Values places(all.begin(), all.begin() + tensor_samples);
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  for (const Values& values : sampled(functions, all, length)) {
    if (!in_range(values)) return {};
    const auto peak = std::max_element(values.begin(), values.end(), smaller) - values.begin();
    places.push_back(all[static_cast<std::size_t>(peak)]);
  }
  return places;
}

/// What the terms are as functions, and at the places.
struct Factors {
  Factors(const std::vector<FormulaTerm>& terms, const Axis& axis, const Values& places)
      : functions(functions_of(terms, axis)), values(sampled(functions, places, axis.length())) {}
  std::vector<LineFunction> functions;
  std::vector<Values> values;
};

/// The sum of the terms at places i and j, and that of their sizes.
struct Sum {
  double value = 0, size = 0;
};
Sum sum_at(const std::vector<FormulaTerm>& terms, const Factors& x, const Factors& y, std::size_t i,
           std::size_t j) {
  Sum sum;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const double term = terms[k].factor * (x.values[k][i] * y.values[k][j]);
    sum.value += term;
    sum.size += std::abs(term);
  }
  return sum;
}

bool can_be_parsed(const FormulaTerm& term) {
  return term.x.size() <= longest_text && term.y.size() <= longest_text
         && std::abs(term.factor) <= largest_factor;
}

}  // namespace

std::vector<ProductFunction> separated(const std::string& formula, double width, double height) {
  const std::vector<FormulaTerm> terms = terms_of(formula, width, height);
  const std::vector<FormulaTerm> few = merged(terms);
  if (terms.empty() || !std::all_of(terms.begin(), terms.end(), can_be_parsed)
      || !std::all_of(few.begin(), few.end(), can_be_parsed)) {
    return {};
  }
  const Axis along_x(Direction::x, width, height), along_y(Direction::y, width, height);
  const Values x = telling_places(functions_of(terms, along_x), width);
  const Values y = telling_places(functions_of(terms, along_y), height);
  if (x.empty() || y.empty()) return {};
  const Factors terms_x(terms, along_x, x), terms_y(terms, along_y, y);
  const Factors few_x(few, along_x, x), few_y(few, along_y, y);

  const Expression whole(formula, width, height);
  double largest = 0, largest_size = 0, largest_difference = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = whole(x[i], y[j]);
      const double size = sum_at(terms, terms_x, terms_y, i, j).size;
      const double difference = std::abs(value - sum_at(few, few_x, few_y, i, j).value);
      if (!std::isfinite(value) || !std::isfinite(size) || !std::isfinite(difference)) return {};
      largest = std::max(largest, std::abs(value));
      largest_size = std::max(largest_size, size);
      largest_difference = std::max(largest_difference, difference);
    }
  }
  if (largest_size > allowed_cancellation * largest
      || largest_difference > allowed_difference * largest) {
    return {};
  }
  std::vector<ProductFunction> products;
  for (std::size_t k = 0; k < few.size(); ++k) {
    products.push_back({few[k].factor, few_x.functions[k], few_y.functions[k]});
  }
  return products;
}

}  // namespace ninefold
