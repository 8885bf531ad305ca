#include "fem/problem/expression.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include "precision/letters.hpp"
#include "precision/shortened.hpp"

#include "fem/problem/formula_advice.hpp"

namespace ninefold {
namespace {

[[noreturn]] void refuse(const std::string& text, std::size_t position, const std::string& why,
                         const std::string& advice = "") {
  throw FormulaError(
      fmt::format("{} (character {} of \"{}\"){}{}", shortened(why),
                  count_characters(text.substr(0, position)) + 1, excerpt_around(text, position),
                  advice.empty() ? "" : "; ", advice),
      position);
}

/// muParser's message without its own position, which counts from 0 where people count from 1.
std::string without_position(std::string message) {
  for (const std::string_view lead :
       {" found at position ", " at expression position ", " at position ", " (position: "}) {
    const std::size_t start = message.find(lead);
    if (start == std::string::npos) continue;
    std::size_t end = message.find_first_not_of("0123456789", start + lead.size());
    if (end < message.size() && message[end] == ')') ++end;
    message.erase(start, end - start);
  }
  while (!message.empty() && (message.back() == '.' || message.back() == ' ')) message.pop_back();
  return message;
}

/// muParser would let a formula assign to x and y; only comparisons may contain an equals sign.
void refuse_assignment(const std::string& text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '=') continue;
    const char before = k > 0 ? text[k - 1] : ' ';
    const bool comparison = before == '<' || before == '>' || before == '!';
    const bool equality = k + 1 < text.size() && text[k + 1] == '=';
    if (!comparison && !equality) refuse(text, k, "assignment is not allowed");
    if (equality) ++k;
  }
}

/// muParser would take a character of several bytes for several.
void refuse_foreign(const std::string& text) {
  const auto position = find_foreign(text);
  if (!position) return;
  const std::string_view character = character_at(text, *position);
  refuse(text, *position, fmt::format("\"{}\" is not known", character),
         advice_on_foreign(character));
}

/// muParser would compare the truth of the first comparison, 0 or 1, with the third number.
void refuse_chain(const std::string& text) {
  std::vector<bool> has_compared{false};  // at each depth of parentheses
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '(') has_compared.push_back(false);
    if (c == ')' && has_compared.size() > 1) has_compared.pop_back();
    if (c == '&' || c == '|' || c == '?' || c == ':' || c == ',') has_compared.back() = false;
    if (c != '<' && c != '>') continue;
    if (has_compared.back()) {
      refuse(text, k, "a second comparison of the same number", "write a < x && x < b");
    }
    has_compared.back() = true;
  }
}

struct Evaluator {
  double x = 0, y = 0;
  mu::Parser parser;

  Evaluator(const std::string& text, double width, double height) {
    parser.DefineVar("x", &x);
    parser.DefineVar("y", &y);
    parser.DefineConst("width", width);
    parser.DefineConst("height", height);
    parser.DefineConst("pi", std::numbers::pi);
    parser.SetExpr(text);
  }
  Evaluator(const Evaluator&) = delete;  // the parser keeps the addresses of x and y
  Evaluator& operator=(const Evaluator&) = delete;
};

/// Those of muParser, and what Evaluator defines.
std::string known_names() {
  const mu::Parser parser;
  std::vector<std::string> functions;
  for (const auto& [name, function] : parser.GetFunDef()) functions.push_back(name);
  return fmt::format("known are x, y, width, height, pi and the functions {}",
                     fmt::join(functions, ", "));
}

bool is_function(const std::string& name) {
  static const mu::Parser parser;
  return parser.GetFunDef().contains(name);
}

[[noreturn]] void refuse(const std::string& text, const mu::ParserError& error) {
  const std::size_t found = error.GetPos() > 0 ? static_cast<std::size_t>(error.GetPos()) : 0;
  const std::size_t position = std::min(found, text.size());
  const std::string message = without_position(error.GetMsg());
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN: {
      const std::string advice = advice_on_name(text, position, is_function);
      refuse(text, position, fmt::format("\"{}\" is not known", shortened(error.GetToken())),
             advice.empty() ? known_names() : advice);
    }
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecUNEXPECTED_ARG_SEP:
    case mu::ecUNEXPECTED_ARG: {
      // Parentheses that are no function's are known to be wrong once they have ended.
      const bool behind = error.GetCode() == mu::ecUNEXPECTED_ARG && position > 0;
      if (const auto comma = find_decimal_comma(text, behind ? position - 1 : position)) {
        refuse(text, *comma, message, advice_on_comma(text, *comma));
      }
      break;
    }
    case mu::ecMISSING_PARENS:
    case mu::ecUNEXPECTED_PARENS:
      if (const auto lonely = find_unmatched(text); lonely && text[position] != '(') {
        refuse(text, *lonely, message,
               fmt::format("there is no {} for this {}", text[*lonely] == '(' ? ')' : '(',
                           text[*lonely]));
      }
      break;
    default:
      break;
  }
  refuse(text, position, message, advice_on_operator(text, position));
}

/// A small number of its own for each thread.
std::size_t thread_number() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads++;
  return mine;
}

/// Threads that share a slot build a parser for each evaluation, which takes 100 times as long.
std::size_t slots_needed() {
  return std::max(64U, 2 * std::thread::hardware_concurrency());
}

}  // namespace

struct Expression::Pool {
  struct alignas(64) Slot {  // a cache line each, or threads would slow each other down
    std::atomic<Evaluator*> held{nullptr};
  };

  std::string text;
  double width, height;
  mutable std::vector<Slot> slots = std::vector<Slot>(slots_needed());

  Pool(const std::string& formula, double domain_width, double domain_height)
      : text(formula), width(domain_width), height(domain_height) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (Slot& slot : slots) delete slot.held.load();
  }

  std::unique_ptr<Evaluator> take() const {
    std::unique_ptr<Evaluator> mine(slot().held.exchange(nullptr));
    return mine ? std::move(mine) : std::make_unique<Evaluator>(text, width, height);
  }

  void put_back(std::unique_ptr<Evaluator> evaluator) const {
    // Two threads may share a slot; what the other one left there goes.
    const std::unique_ptr<Evaluator> other(slot().held.exchange(evaluator.release()));
  }

 private:
  Slot& slot() const { return slots[thread_number() % slots.size()]; }
};

Expression::Expression(const std::string& text, double width, double height)
    : pool_(std::make_shared<const Pool>(text, width, height)) {
  refuse_assignment(text);
  refuse_foreign(text);
  refuse_chain(text);
  try {
    auto evaluator = pool_->take();
    evaluator->x = 0.5 * width;
    evaluator->y = 0.5 * height;
    evaluator->parser.Eval();  // names are looked up at the first evaluation
    if (evaluator->parser.GetNumResults() != 1) {
      const std::size_t comma = find_decimal_comma(text, text.size()).value_or(text.find(','));
      refuse(text, comma, "one formula is expected, not a list", advice_on_comma(text, comma));
    }
    pool_->put_back(std::move(evaluator));
  } catch (const mu::ParserError& error) {
    refuse(text, error);
  }
}

double Expression::operator()(double x, double y) const {
  auto evaluator = pool_->take();
  evaluator->x = x;
  evaluator->y = y;
  const double value = evaluator->parser.Eval();
  pool_->put_back(std::move(evaluator));
  return value;
}

}  // namespace ninefold
