#include "experiments/config/shapes.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include "experiments/config/keys.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

bool takes(const Shapes& shapes, const Value& value);

/// Whether a shape takes a value: what an editor would make of it.
struct Takes {
  const Value& value;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value.content);
  }
  bool operator()(const NumberShape& shape) const {
    if (const auto* integer = as<std::int64_t>()) {
      return shape.range.contains(static_cast<double>(*integer));
    }
    return as<double>() != nullptr && shape.range.contains(*as<double>());
  }
  bool operator()(const IntegerShape& shape) const {
    const auto* integer = as<std::int64_t>();
    return integer != nullptr && *integer >= shape.least && *integer <= shape.most;
  }
  bool operator()(const FlagShape&) const { return as<bool>() != nullptr; }
  bool operator()(const WordShape& shape) const {
    const auto* text = as<std::string>();
    return text != nullptr
           && std::find(shape.words.begin(), shape.words.end(), *text) != shape.words.end();
  }
  bool operator()(const TextShape& shape) const {
    const auto* text = as<std::string>();
    return text != nullptr
           && (shape.pattern.empty() || std::regex_match(*text, std::regex(shape.pattern)));
  }
  bool operator()(const ListShape& shape) const {
    const auto* list = as<List>();
    if (list == nullptr || list->size() < shape.fewest || list->size() > shape.most) return false;
    std::set<std::string> different;
    for (const Value& element : *list) {
      if (!takes(shape.element, element)) return false;
      different.insert(to_toml(element));
    }
    return !shape.distinct || different.size() == list->size();
  }
  bool operator()(const TupleShape& shape) const {
    const auto* list = as<List>();
    if (list == nullptr || list->size() != shape.elements.size()) return false;
    for (std::size_t k = 0; k < list->size(); ++k) {
      if (!takes(shape.elements[k], (*list)[k])) return false;
    }
    return true;
  }
};

bool takes(const Shapes& shapes, const Value& value) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const Shape& shape) { return std::visit(Takes{value}, shape.content); });
}

bool reads(const Key& key, const Value& value) {
  Configuration configuration;
  try {
    key.read({key.name, value, {}}, configuration);
  } catch (const ConfigurationError&) {
    return false;
  }
  return true;
}

/// TOML values of all kinds: what some key takes, what is just beyond, and lists of these.
std::vector<std::string> candidates() {
  std::vector<std::string> single{"true", "''", "'nonsense'", "1e-300", "1e308", "0.1"};
  for (const char* number :
       {"-1", "0", "1", "2", "5", "6", "15", "16", "1000", "1001", "2147483647", "2147483648"}) {
    single.emplace_back(number);
    single.push_back(std::string(number) + ".0");
  }
  for (const char* number : {"0.25", "0.5", "0.500001", "0.999", "1.999", "15.001", "-1e-300"}) {
    single.emplace_back(number);
  }
  for (const Key& key : configuration_keys()) {
    for (const Shape& shape : key.shapes) {
      const auto* words = std::get_if<WordShape>(&shape.content);
      for (std::size_t k = 0; words != nullptr && k < words->words.size(); ++k) {
        single.push_back(to_toml(words->words[k]));
      }
    }
  }
  for (int mantissa = 8; mantissa < 55; ++mantissa) {
    for (const int exponent : {5, 8, 10, 11, 12}) {
      single.push_back("'s" + std::to_string(mantissa) + "e" + std::to_string(exponent) + "'");
    }
  }
  for (const char* file : {"'A.mtx'", "'a/b.mtx.gz'", "'A.mtx.xz'", "'A.mtxx'", "'h.off'",
                           "'a/h.ply'", "'h.obj.gz'", "'.obj'"}) {
    single.emplace_back(file);
  }
  for (const char* format : {"'s010e11'", "'s10e08'", "'s28e11 '", "'xs28e11'", "'S28E11'"}) {
    single.emplace_back(format);
  }
  std::sort(single.begin(), single.end());
  single.erase(std::unique(single.begin(), single.end()), single.end());
  std::vector<std::string> all = single;
  for (const std::string& value : single) {
    all.push_back("[" + value + "]");
    all.push_back("[" + value + ", " + value + "]");
    all.push_back("[" + value + ", 'auto']");
  }
  for (const char* list : {"[]",
                           "[1, 2, 3]",
                           "['left', 'top', 'left']",
                           "['left', 'top']",
                           "[[1, 2]]",
                           "['double', 'single']",
                           "[1.0, 2.0]",
                           "[[]]",
                           "[[0.5, 1]]",
                           "[[-0.5, 1]]",
                           "[[0.5, 'y']]",
                           "[[0.5, 1], [0, 0, 0]]",
                           "[[0.5, 1], 2]",
                           "[[0, 0, 1, 1, 2]]",
                           "[[0, 0, 1, 1, 1]]",
                           "[[0, 0, 1, 1, 1000001]]",
                           "[[0, 0.5, 1, 0.5, 3.0]]",
                           "[[0, 0.5, -1, 0.5, 3]]",
                           "[[0, 0.5, 1, 3]]",
                           "[0, 0.5, 1, 0.5, 3]",
                           "2007-01-01"}) {
    all.emplace_back(list);
  }
  return all;
}

}  // namespace

TEST_CASE("a range is said in words and holds finite numbers between its ends",
          "[experiments][shapes]") {
  REQUIRE(above(0).words() == "greater than 0");
  REQUIRE(above(0).below(1).words() == "greater than 0, less than 1");
  REQUIRE(at_least(1).at_most(2.5).words() == "at least 1, at most 2.5");
  REQUIRE_FALSE(above(0).contains(0));
  REQUIRE(at_least(0).contains(0));
  REQUIRE_FALSE(above(0).below(1).contains(1));
  REQUIRE(above(0).at_most(1).contains(1));
  const double infinite = std::numeric_limits<double>::infinity();
  REQUIRE_FALSE(Range{}.contains(infinite));
  REQUIRE_FALSE(at_least(0).contains(infinite));
  REQUIRE_FALSE(at_least(0).contains(std::numeric_limits<double>::quiet_NaN()));
  REQUIRE(Range{}.contains(-1e308));
}

TEST_CASE("readers and shapes of all keys take the same values", "[experiments][shapes]") {
  const std::vector<std::string> values = candidates();
  for (const Key& key : configuration_keys()) {
    int taken = 0;
    for (const std::string& toml : values) {
      const Value value = parse_value(toml);
      const bool read = reads(key, value);
      if (read) ++taken;
      INFO(key.name << " = " << toml << (read ? " is read" : " is refused"));
      REQUIRE(takes(key.shapes, value) == read);
    }
    CAPTURE(key.name);
    REQUIRE(taken > 0);
    REQUIRE(taken < static_cast<int>(values.size()));
  }
}
