#include "fem/problem/formula_tree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <utility>

namespace ninefold {
namespace {

constexpr std::size_t longest_formula = 4096;
constexpr int deepest_nesting = 100;

struct NotRead {};

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double number_at_start(std::string_view text, std::size_t& length) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) throw NotRead{};
  length = static_cast<std::size_t>(end - text.data());
  return value;
}

bool is_even_number(const FormulaNode& node) {
  if (node.text.empty() || !is_digit(node.text.front())) return false;
  std::size_t length = 0;
  const double value = number_at_start(node.text, length);
  return length == node.text.size() && std::fmod(value, 2) == 0;
}

bool surely_nonnegative(const FormulaNode& node) {
  using enum FormulaNode::Kind;
  const std::vector<FormulaNode>& of = node.operands;
  switch (node.kind) {
    case sum:
    case quotient:
      return of[0].nonnegative && of[1].nonnegative;
    case product:
      return (of[0].nonnegative && of[1].nonnegative) || of[0].text == of[1].text;
    case power:
      return of[0].nonnegative || is_even_number(of[1]);
    case call:
      return one_of(node.function, {"exp", "cosh", "sqrt", "abs"});
    default:
      return false;
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  FormulaNode whole() {
    FormulaNode node = choice();
    skip_blanks();
    if (at_ != text_.size()) throw NotRead{};
    return node;
  }

 private:
  using Kind = FormulaNode::Kind;

  /// Of a call that reads something nested.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) {
      if (++depth_ > deepest_nesting) throw NotRead{};
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  std::size_t next() {
    skip_blanks();
    return at_;
  }
  bool takes(std::string_view symbol) {
    const std::size_t before = at_;
    const bool there = text_.substr(next()).starts_with(symbol);
    at_ = there ? at_ + symbol.size() : before;
    return there;
  }
  bool takes_any(std::initializer_list<std::string_view> symbols) {
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](std::string_view symbol) { return takes(symbol); });
  }
  void expect(std::string_view symbol) {
    if (!takes(symbol)) throw NotRead{};
  }

  /// What has been read since `start`.
  FormulaNode node(Kind kind, std::size_t start, std::vector<FormulaNode> operands,
                   std::string_view function = {}) const {
    FormulaNode result{
        kind, text_.substr(start, at_ - start), false, false, false, function, std::move(operands)};
    for (const FormulaNode& part : result.operands) {
      result.in_x = result.in_x || part.in_x;
      result.in_y = result.in_y || part.in_y;
    }
    result.nonnegative = surely_nonnegative(result);
    return result;
  }
  FormulaNode joined(Kind kind, std::size_t start, FormulaNode left, FormulaNode right) const {
    std::vector<FormulaNode> operands;
    operands.push_back(std::move(left));
    operands.push_back(std::move(right));
    return node(kind, start, std::move(operands));
  }

  FormulaNode choice() {
    const Level level(depth_);
    const std::size_t start = next();
    FormulaNode condition = logical();
    if (!takes("?")) return condition;
    FormulaNode first = choice();
    expect(":");
    FormulaNode branches = joined(Kind::opaque, start, std::move(first), choice());
    return joined(Kind::opaque, start, std::move(condition), std::move(branches));
  }
  FormulaNode logical() {
    const std::size_t start = next();
    FormulaNode left = comparison();
    while (takes_any({"&&", "||"}))
      left = joined(Kind::opaque, start, std::move(left), comparison());
    return left;
  }
  FormulaNode comparison() {
    const std::size_t start = next();
    FormulaNode left = sum();
    while (takes_any({"<=", ">=", "==", "!=", "<", ">"})) {
      left = joined(Kind::opaque, start, std::move(left), sum());
    }
    return left;
  }
  FormulaNode sum() {
    const std::size_t start = next();
    FormulaNode left = product();
    for (;;) {
      const bool plus = takes("+");
      if (!plus && !takes("-")) return left;
      left = joined(plus ? Kind::sum : Kind::difference, start, std::move(left), product());
    }
  }
  FormulaNode product() {
    const std::size_t start = next();
    FormulaNode left = sign();
    for (;;) {
      const bool times = takes("*");
      if (!times && !takes("/")) return left;
      left = joined(times ? Kind::product : Kind::quotient, start, std::move(left), sign());
    }
  }
  FormulaNode sign() {
    const std::size_t start = next();
    const bool minus = takes("-");
    if (!minus && !takes("+")) return power();
    const Level level(depth_);
    std::vector<FormulaNode> operand;
    operand.push_back(sign());
    if (minus) return node(Kind::negative, start, std::move(operand));
    operand.front().text = text_.substr(start, at_ - start);
    return std::move(operand.front());
  }
  FormulaNode power() {
    const std::size_t start = next();
    FormulaNode base = primary();
    if (!takes("^")) return base;
    return joined(Kind::power, start, std::move(base), sign());
  }

  FormulaNode primary() {
    const std::size_t start = next();
    if (start == text_.size()) throw NotRead{};
    if (takes("(")) {
      FormulaNode inner = choice();
      expect(")");
      inner.text = text_.substr(start, at_ - start);
      return inner;
    }
    if (is_letter(text_[start])) return named();
    if (!is_digit(text_[start]) && text_[start] != '.') throw NotRead{};
    std::size_t length = 0;
    number_at_start(text_.substr(start), length);
    at_ += length;
    FormulaNode number = node(Kind::opaque, start, {});
    number.nonnegative = true;
    return number;
  }
  FormulaNode named() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (at_ < text_.size() && text_[at_] == '(') {
      // Not a function of its arguments.
      if (name == "rnd") throw NotRead{};
      ++at_;
      std::vector<FormulaNode> arguments;
      do arguments.push_back(choice());
      while (takes(","));
      expect(")");
      return node(Kind::call, start, std::move(arguments), name);
    }
    if (!one_of(name, {"x", "y", "width", "height", "pi", "_pi", "_e"})) throw NotRead{};
    FormulaNode known = node(Kind::opaque, start, {});
    known.in_x = name == "x";
    known.in_y = name == "y";
    known.nonnegative = true;
    return known;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<FormulaNode> formula_tree(std::string_view text) {
  if (text.size() > longest_formula) return {};
  try {
    return Reader(text).whole();
  } catch (const NotRead&) {
    return {};
  }
}

}  // namespace ninefold
