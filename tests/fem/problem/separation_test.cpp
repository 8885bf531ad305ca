// Formulas as sums of products of a function of x and one of y.
#include "fem/problem/separation.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "precision/larger.hpp"

#include "fem/problem/expression.hpp"
#include "fem/problem/formula_terms.hpp"
#include "fem/problem/formula_tree.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

constexpr double width = 1.5, height = 0.75;

/// The largest difference at points of the rectangle, in roundoffs of the largest value.
double difference(const std::string& formula, const std::vector<ProductFunction>& products) {
  const Expression whole(formula, width, height);
  const Function sum(products);
  double worst = 0, largest = 0;
  std::minstd_rand random(1);
  for (int k = 0; k < 500; ++k) {
    const double x = width * (double(random()) / double(std::minstd_rand::max()));
    const double y = height * (double(random()) / double(std::minstd_rand::max()));
    const double value = whole(x, y);
    worst = larger(worst, std::abs(sum({x, width - x, y, height - y}) - value));
    largest = larger(largest, std::abs(value));
  }
  return worst == 0 ? 0 : worst / (0x1p-53 * largest);
}

std::size_t products_of(const std::string& formula) {
  return separated(formula, width, height).size();
}

TEST_CASE("formulas that are sums of products are taken apart", "[fem][separation]") {
  const auto [formula, n] = GENERATE(table<std::string, std::size_t>({
      {"3", 1},
      {"x", 1},
      {"sin(y)^2 + max(y, 0.2)", 1},
      {"x > 0.3 ? 1 : x", 1},
      {"x*y", 1},
      {"(pi^2-1)*sin(pi*x)*exp(y)", 1},
      {"x*(width-x)*y*(height-y)", 1},
      {"2*y*(height-y) + 2*x*(width-x)", 2},
      {"x^2 + y^2 + 1", 2},
      {"-x^2*y", 1},
      {"-2^2*x*y", 1},
      {"2^-x*y", 1},
      {"x - -y*x", 1},  // x (1 + y)
      {"x - (y - 2*x*y)", 2},
      {"x*y - y - x*y", 1},
      {"(x + 1)*(y + 2)*(x - y)", 2},
      {"(x*y)^3", 1},
      {"(x*y + 1)^2", 3},
      {"(x - y)^2", 3},
      {"2^3^2*x*y", 1},
      {"((x-1)*y)^2", 1},
      {"x*y/(1 + x^2)", 1},
      {"(x + y)/((1 + x)*(2 + y))", 2},
      {"1/((1 + x)*(2 + y))", 1},
      {"(x*y)^1.5", 1},
      {"sqrt(x*y*exp(x))", 1},
      {"sqrt(4*(x-1)^2*(y-1)^2)", 1},
      {"abs(-3*(x-1)*(y-0.25))", 1},
      {"exp(-x^2-y^2)*x", 1},
      {"exp(-((x-0.5)^2 + (y-0.25)^2)/0.01)", 1},
      {"2^(x + 2*y)", 1},
      {"exp(3 - x - y)*(x*y + 1)/(1 + x^2)", 2},
      {"(1 - cosh(20*(y-0.5))/cosh(10)) * (1 - exp(-20*x))", 1},
      {"x*\ty\n + 1", 2},
      {"(x > 0.3 ? 1 : 2)*(y < 0.2 && y > 0.1)", 1},
      {"x*_e*y", 1},
  }));
  CAPTURE(formula);
  const std::vector<ProductFunction> products = separated(formula, width, height);
  REQUIRE(products.size() == n);
  REQUIRE(difference(formula, products) <= 64);
}

TEST_CASE("a product keeps the roundings of its formula", "[fem][separation]") {
  const std::string formula = GENERATE("(pi^2-1)*sin(pi*x)*exp(y)", "x*(width-x)*(y*(height-y))");
  CAPTURE(formula);
  REQUIRE(difference(formula, separated(formula, width, height)) == 0);
}

TEST_CASE("formulas that are no sums of products are left as they are", "[fem][separation]") {
  for (const char* formula :
       {"sin(x*y)", "sqrt(x+y)", "max(x,y)", "x^y", "y^x", "1/(x+y+1)", "sin(x+y)", "exp(x*y)",
        "x > y ? 1 : 2", "x < 0.5 ? x : y", "x*(y < x)", "(1 + x*y)^0.5", "(1+x+y)^-1", "ln(1+x*y)",
        "(-2)^(x+y) == 0", "exp(x+y, 1)", "abs(x+y)"}) {
    CAPTURE(formula);
    REQUIRE(terms_of(formula, width, height).empty());
    REQUIRE(products_of(formula) == 0);
  }
}

// Where both factors are negative their product has a root, but they have none.
TEST_CASE("roots are split only where no factor can be negative", "[fem][separation]") {
  for (const char* formula : {"sqrt((x-1)*(y-1))", "((1-x)*(1-y))^0.5", "sqrt(-3*(x-2)*y)",
                              "sqrt(sin(x)*y)", "(x*(y-2))^1.5"}) {
    CAPTURE(formula);
    REQUIRE(terms_of(formula, 1, 1).empty());
  }
  REQUIRE(terms_of("sqrt((x-1)^2*y)", 1, 1).size() == 1);
  REQUIRE(terms_of("sqrt(abs(x-1)*y*2)", 1, 1).size() == 1);
  REQUIRE(terms_of("((x-1)*(x-1)*cosh(y))^0.3", 1, 1).size() == 1);
}

TEST_CASE("terms that cancel more than eightfold are refused", "[fem][separation]") {
  REQUIRE(separated("(x-y)^2", 1, 1).size() == 3);
  for (const char* formula :
       {"(x-y)^4", "(x + 1000*y) - 1000*y", "(1000 + x*y) - 1000", "(x+10)*(y+10) - 100",
        // Its terms are large in one thousandth of the square, where it is small.
        "exp(-1e6*((x-0.5)^2 + (y-0.5)^2))*(x-y)^2"}) {
    CAPTURE(formula);
    REQUIRE_FALSE(terms_of(formula, 1, 1).empty());
    REQUIRE(separated(formula, 1, 1).empty());
  }
}

TEST_CASE("factors that leave the range of double are refused", "[fem][separation]") {
  REQUIRE(separated("exp(800*x)*exp(-800*x)*y", 0.5, 1).size() == 1);  // of one direction
  for (const char* formula :
       {"exp(800*x)*exp(-800*y)", "exp(800*(x+y) - 1600)", "exp(800*x)*exp(-800*x)*y",
        "(1e160*x*y)^2*1e-320", "1/x*y", "x/y + x", "x*ln(x)*y", "1e200*x*y*1e-200*1e200", "x*y/0",
        "sqrt(x-2)*y", "exp(-(x+y+1)/0)", "exp(-1e200*(1e200*(x+y+1)))", "(1/0)^(x+y)",
        "(x*y)^(1/0)"}) {
    CAPTURE(formula);
    REQUIRE(separated(formula, 1, 1).empty());
  }
}

TEST_CASE("the number of terms and the size of a formula are limited", "[fem][separation]") {
  std::string product = "(1+x*y)", parentheses = "x", sum = "x*y";
  for (int k = 1; k < 4; ++k) product += "*(1+x*y)";
  REQUIRE(terms_of(product, 1, 1).size() == 16);
  REQUIRE(merged(terms_of(product, 1, 1)).size() == 5);
  REQUIRE(terms_of(product + "*(1+x*y)", 1, 1).empty());
  REQUIRE(terms_of("(x+y)^4", 1, 1).size() == 16);
  REQUIRE(terms_of("(x+y)^5", 1, 1).empty());
  REQUIRE(terms_of("(1+x*y)^1e9", 1, 1).empty());
  for (int k = 1; k < 17; ++k) sum += "+x*y";
  REQUIRE(terms_of(sum, 1, 1).empty());
  for (int k = 0; k < 90; ++k) parentheses = "(" + parentheses + ")";
  REQUIRE(formula_tree(parentheses));
  for (int k = 0; k < 20; ++k) parentheses = "(" + parentheses + ")";
  REQUIRE_FALSE(formula_tree(parentheses));
  REQUIRE_FALSE(formula_tree("x*y" + std::string(5000, ' ')));
}

TEST_CASE("a formula's tree is that of muParser", "[fem][separation]") {
  const auto parts = [](const char* formula) {
    const auto tree = formula_tree(formula);
    std::string text;
    if (tree) {
      for (const FormulaNode& part : tree->operands) text += std::string(part.text) + "|";
    }
    return text;
  };
  CHECK(parts("x - y - 1") == "x - y|1|");
  CHECK(parts("x/y*2") == "x/y|2|");
  CHECK(parts("-x^2") == "x^2|");
  CHECK(parts("2^x^y") == "2|x^y|");
  CHECK(parts("2^-x^y") == "2|-x^y|");
  CHECK(parts("x + 1e-3*y") == "x|1e-3*y|");
  CHECK(parts("( x ) * (y)") == "( x )|(y)|");
  CHECK(parts("min(x, y*2)") == "x|y*2|");
  for (const char* unknown : {"", "x +", "(x", "x)", "x y", "2x", "z", "f", "sin(", "x ? y", "1e",
                              "rnd(x)", "x & y", "é"}) {
    CAPTURE(unknown);
    CHECK_FALSE(formula_tree(unknown));
  }
}

/// Formulas of which about half are sums of products.
class Formulas {
 public:
  explicit Formulas(unsigned seed) : random_(seed) {}

  std::string any(int depth) {
    if (depth == 0) return leaf();
    const auto inner = [&] { return any(depth - 1); };
    switch (random_() % 10) {
      case 0:
      case 1:
        return inner() + " + " + inner();
      case 2:
        return "(" + inner() + " - " + inner() + ")";
      case 3:
      case 4:
        return "(" + inner() + ")*(" + inner() + ")";
      case 5:
        return "(" + inner() + ")/(2 + " + leaf() + ")";
      case 6:
        return "(" + inner() + ")^" + std::to_string(1 + random_() % 3);
      case 7:
        return "exp(-" + leaf() + " + " + leaf() + ")";
      case 8:
        return "-sqrt(abs(" + inner() + "))";
      default:
        return leaf() + "*" + inner();
    }
  }

 private:
  std::string leaf() {
    static const std::vector<std::string> leaves{
        "x",    "y",          "0.7",       "sin(3*x)",          "cos(y)",    "x^2",
        "2*y",  "exp(-20*x)", "(y-0.3)^2", "(x > 0.4 ? 1 : 2)", "x*y",       "pi",
        "(-x)", "abs(x-0.5)", "width",     "(1 + x)",           "(1 - y)/3", "sin(x*y)"};
    return leaves[random_() % leaves.size()];
  }

  std::minstd_rand random_;
};

TEST_CASE("whatever is taken apart is the formula but for rounding", "[fem][separation]") {
  Formulas formulas(7);
  int taken = 0;
  for (int k = 0; k < 400; ++k) {
    const std::string formula = formulas.any(1 + k % 4);
    CAPTURE(formula);
    const std::vector<ProductFunction> products = separated(formula, width, height);
    if (products.empty()) continue;
    ++taken;
    REQUIRE(difference(formula, products) <= 128);  // 64 at the samples
  }
  REQUIRE(taken >= 100);
}

// The rule that the samples go by must not be what makes the terms right.
TEST_CASE("terms that do not cancel are never refused for their values", "[fem][separation]") {
  Formulas formulas(11);
  for (int k = 0; k < 400; ++k) {
    const std::string formula = formulas.any(1 + k % 3);
    const std::vector<FormulaTerm> terms = terms_of(formula, width, height);
    if (terms.size() != 1) continue;
    CAPTURE(formula);
    REQUIRE(products_of(formula) == 1);
  }
}

TEST_CASE("products of formulas are of double alone", "[fem][separation]") {
  const Function f(separated("sin(x)*y + 1/3", 1, 1));
  REQUIRE(f.products().size() == 2);
  REQUIRE_FALSE(f.has_wide());
  const LineFunction& part = f.products().front().x;
  REQUIRE_FALSE(part.has_wide());
  const DoubleDouble third = DoubleDouble(1.0) / DoubleDouble(3.0);
  REQUIRE(part.at(third, third) == DoubleDouble(part.at(1.0 / 3, 1.0 / 3)));
  REQUIRE_FALSE(LineFunction(std::function<double(double, double)>()).is_known());
}

}  // namespace
}  // namespace ninefold
