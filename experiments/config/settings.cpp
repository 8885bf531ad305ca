#include "experiments/config/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "precision/shortened.hpp"

#include "grids/text_file.hpp"

#include "experiments/config/quotation_marks.hpp"

namespace ninefold {
namespace {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  return lines;
}

/// The places of one file: its name and its lines.
struct Source {
  std::string name;
  std::vector<std::string> lines;

  Origin at(const toml::source_region& region) const {
    const std::size_t line = region.begin.line;
    Origin origin{fmt::format("{}, line {}", name, line), ""};
    if (line >= 1 && line <= lines.size()) {
      origin.excerpt = fmt::format("{:5} | {}", line, shortened(lines[line - 1]));
    }
    return origin;
  }
};

Value to_value(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return {flag->get()};
  if (const auto* integer = node.as_integer()) return {integer->get()};
  if (const auto* number = node.as_floating_point()) return {number->get()};
  if (const auto* text = node.as_string()) return {text->get()};
  if (const auto* array = node.as_array()) {
    List list;
    for (const auto& element : *array) list.push_back(to_value(element));
    return {std::move(list)};
  }
  if (node.is_table()) return {OtherKind{std::string(empty_table)}};
  return {OtherKind{"a date or time"}};
}

/// The members of a table in the order of the file: toml++ sorts them by name.
std::vector<std::pair<const toml::key*, const toml::node*>> in_file_order(
    const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> members;
  for (const auto& [key, node] : table) members.emplace_back(&key, &node);
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
    const auto p = a.first->source().begin, q = b.first->source().begin;
    return std::pair(p.line, p.column) < std::pair(q.line, q.column);
  });
  return members;
}

/// Calls leaf(dotted key, node, place) for everything below `table` that is not itself a table; an
/// empty table counts as a leaf, so that a misspelt one is not overlooked.
template <class Leaf>
void for_leaves(const toml::table& table, const std::string& prefix, const Leaf& leaf) {
  for (const auto& [key, node] : in_file_order(table)) {
    const std::string name = prefix + std::string(key->str());
    const auto* inner = node->as_table();
    if (inner != nullptr && !inner->empty()) {
      for_leaves(*inner, name + ".", leaf);
    } else {
      leaf(name, *node, key->source());
    }
  }
}

Axis make_axis(const std::string& key, const Value& value, const Origin& origin) {
  Axis axis{key, {}, origin};
  const auto fail = [&](const std::string& what) {
    throw ConfigurationError(
        fmt::format("{}: {} = {} {}\n{}{}  a study takes a list of values for each key, for example"
                    " \"solver.precision\" = [\"single\", \"double\"]",
                    origin.place, key, shortened(to_toml(value)), what, origin.excerpt,
                    origin.excerpt.empty() ? "" : "\n"));
  };
  const auto* list = std::get_if<List>(&value.content);
  if (list == nullptr) fail(fmt::format("is {}, not a list", kind_of(value)));
  if (list->empty()) fail("is an empty list");
  for (const Value& choice : *list) {
    const std::string text = to_toml(choice);
    for (const Setting& earlier : axis.choices) {
      if (to_toml(earlier.value) == text) fail(fmt::format("names {} twice", shortened(text)));
    }
    axis.choices.push_back({key, choice, origin});
  }
  return axis;
}

/// true or false, where a value says it in other words; else empty.
std::string truth_of(std::string value) {
  for (char& c : value) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (value == "yes" || value == "on" || value == "true") return "true";
  if (value == "no" || value == "off" || value == "false") return "false";
  return "";
}

/// A hint for the commonest slips, from the line at fault.
std::string hint_for(const std::string& line) {
  static const std::regex section(R"(^\s*\[[^\[\]]+\]\s*(#.*)?$)");
  if (std::regex_match(line, section)) {
    return "\n  a section stands once: its keys belong under the first of that name";
  }
  static const std::regex setting(R"(^\s*[\w."-]+\s*=\s*([^#]*))");
  static const std::regex bare_number(R"(=\s*[+-]?(\.\d+|\d+\.)([eE ,]|$))");
  if (std::regex_search(line, bare_number)) {
    return "\n  a number needs digits on both sides of the point: 0.5, 1.0";
  }
  std::smatch match;
  if (!std::regex_search(line, match, setting)) return "";
  const std::string value = trimmed(match[1].str()), quoted = with_quotes(value);
  if (const std::string truth = truth_of(value); !truth.empty() && truth != value) {
    return fmt::format("\n  write {}", truth);
  }
  static const std::regex decimal_comma(R"(^([+-]?\d+),(\d+)$)");
  if (std::smatch parts; std::regex_match(value, parts, decimal_comma)) {
    return fmt::format("\n  decimals have a point: {}.{}; several values stand in brackets: [{}]",
                       parts[1].str(), parts[2].str(), value);
  }
  const std::string list = "[" + value + "]";
  if (value.find(',') != std::string::npos && !value.starts_with("[") && is_toml_value(list)) {
    return fmt::format("\n  several values stand in brackets: {}", list);
  }
  if (quoted.empty() || is_toml_value(value)) return "";
  return fmt::format("\n  a text needs quotation marks: {}", quoted);
}

[[noreturn]] void refuse_toml(const Source& source, const toml::parse_error& error) {
  const Origin origin = source.at(error.source());
  const std::size_t line = error.source().begin.line, column = error.source().begin.column;
  std::string message = fmt::format("{}: this is not TOML: {}", origin.place, error.description());
  if (!origin.excerpt.empty()) {
    message += "\n" + origin.excerpt;
    // The mark needs the whole line above it.
    if (origin.excerpt.ends_with(source.lines[line - 1])) {
      message += fmt::format("\n{:5} | {}^", "", std::string(column > 0 ? column - 1 : 0, ' '));
    } else {
      message += fmt::format("\n  at character {}: {}", column,
                             excerpt_around(source.lines[line - 1], column, 60));
    }
    // Regular expressions take stack for each character.
    if (source.lines[line - 1].size() <= 1000) message += hint_for(source.lines[line - 1]);
  }
  throw ConfigurationError(message);
}

/// The key of an override: quotation marks and spaces around its parts do not count.
std::string plain_key(const std::string& text) {
  std::string key;
  for (const char c : text) {
    if (c != '"' && c != '\'' && std::isspace(static_cast<unsigned char>(c)) == 0) key += c;
  }
  return key;
}

/// The setting or axis of this key, or the end.
template <class T>
auto find_item(std::vector<T>& items, const std::string& key) {
  return std::find_if(items.begin(), items.end(), [&](const T& item) { return item.key == key; });
}

template <class T>
void put(std::vector<T>& items, T item) {
  const auto present = find_item(items, item.key);
  if (present == items.end()) {
    items.push_back(std::move(item));
  } else {
    *present = std::move(item);
  }
}

/// TOML itself refuses a key that is written twice the same way, but not [solver] method = ... and
/// "solver.method" = ... together.
template <class T>
void refuse_second(std::vector<T>& items, const std::string& key, const Origin& origin) {
  const auto present = find_item(items, key);
  if (present == items.end()) return;
  throw ConfigurationError(fmt::format("{}: {} is set a second time; the first is {}\n{}",
                                       origin.place, key, present->origin.place, origin.excerpt));
}

void apply(const Override& change, Document& document) {
  const Origin origin{shortened(change.option), ""};
  const std::size_t equals = change.text.find('=');
  const std::string key = plain_key(change.text.substr(0, equals));
  if (equals == std::string::npos || key.empty()) {
    throw ConfigurationError(
        fmt::format("{}: section.key=value is expected, for example --set solver.tolerance=1e-8",
                    origin.place));
  }
  const std::string text = trimmed(change.text.substr(equals + 1));
  const auto add = [&](const std::string& name, Value value) {
    constexpr std::string_view study = "study.";
    if (name.starts_with(study)) {
      if (!document.study_origin) document.study_origin = origin;
      put(document.study, make_axis(name.substr(study.size()), value, origin));
    } else {
      const auto stated = find_item(document.settings, name);
      const bool replaces = stated != document.settings.end()
                            && (stated->replaces || !stated->origin.place.starts_with("--"));
      put(document.settings, {name, std::move(value), origin, replaces});
    }
  };
  if (change.is_text) return add(key, {text});
  toml::table parsed;
  try {
    parsed = toml::parse("value = " + text);
  } catch (const toml::parse_error& error) {
    if (!text.empty() && std::strchr("[{\"'", text.front()) != nullptr) {
      const std::string quoted = with_quotes(text);
      throw ConfigurationError(fmt::format(
          "{}: {} is not a TOML value: {}{}", origin.place, shortened(text), error.description(),
          quoted.empty() ? ""
                         : fmt::format("\n  a text needs quotation marks; in a shell put all of it "
                                       "into '...': --set '{}={}'",
                                       shortened(key), quoted)));
    }
    return add(key, {text});
  }
  const toml::node& node = *parsed.get("value");
  if (const auto* table = node.as_table(); table != nullptr && !table->empty()) {
    for_leaves(*table, key + ".",
               [&](const std::string& name, const toml::node& leaf, const auto&) {
                 add(name, to_value(leaf));
               });
  } else {
    add(key, to_value(node));
  }
}

}  // namespace

std::string to_toml(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_not_of("+-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string to_toml(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string to_toml(const Value& value) {
  struct Show {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t integer) const { return fmt::format("{}", integer); }
    std::string operator()(double number) const { return to_toml(number); }
    std::string operator()(const std::string& text) const {
      return to_toml(std::string_view(text));
    }
    std::string operator()(const OtherKind& other) const {
      return other.name == "a table" ? "{ }" : "(" + other.name + ")";
    }
    std::string operator()(const List& list) const {
      std::string result = "[";
      for (const Value& element : list) {
        result += (result.size() > 1 ? ", " : "") + to_toml(element);
      }
      return result + "]";
    }
  };
  return std::visit(Show{}, value.content);
}

Value parse_value(const std::string& toml) {
  try {
    return to_value(*toml::parse("value = " + toml).get("value"));
  } catch (const toml::parse_error& error) {
    throw ConfigurationError(
        fmt::format("{} is not a TOML value: {}", shortened(toml), error.description()));
  }
}

std::string to_words(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.content);
  return text != nullptr ? *text : to_toml(value);
}

std::string kind_of(const Value& value) {
  struct Name {
    std::string operator()(bool) const { return "true or false"; }
    std::string operator()(std::int64_t) const { return "an integer"; }
    std::string operator()(double) const { return "a number"; }
    std::string operator()(const std::string&) const { return "a text"; }
    std::string operator()(const List&) const { return "a list"; }
    std::string operator()(const OtherKind& other) const { return other.name; }
  };
  return std::visit(Name{}, value.content);
}

const Setting* find_setting(const std::vector<Setting>& settings, std::string_view key) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

const Setting* Document::find(std::string_view key) const {
  return find_setting(settings, key);
}

Document parse_document(const std::string& text, const std::filesystem::path& file,
                        const std::vector<Override>& overrides) {
  const Source source{file.string(), split_lines(text)};
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& error) {
    refuse_toml(source, error);
  }
  Document document{file, {}, {}, std::nullopt, {}};
  for (const auto& [key, node] : in_file_order(root)) {
    if (key->str() != "study" || !node->is_table()) continue;
    document.study_origin = source.at(key->source());
    for_leaves(*node->as_table(), "",
               [&](const std::string& name, const toml::node& leaf, const auto& region) {
                 const Origin origin = source.at(region);
                 refuse_second(document.study, name, origin);
                 document.study.push_back(make_axis(name, to_value(leaf), origin));
               });
  }
  if (document.study_origin) root.erase("study");
  for_leaves(root, "", [&](const std::string& name, const toml::node& leaf, const auto& region) {
    const Origin origin = source.at(region);
    refuse_second(document.settings, name, origin);
    document.settings.push_back({name, to_value(leaf), origin});
  });
  for (const Override& change : overrides) apply(change, document);
  return document;
}

void leave_aside(Document& document, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto is_meant = [&](const std::string& key) {
      return key == name || key.starts_with(name + ".");
    };
    std::size_t count = std::erase_if(
        document.settings, [&](const Setting& setting) { return is_meant(setting.key); });
    count += std::erase_if(document.study,
                           [&](const Axis& axis) { return is_meant("study." + axis.key); });
    if (name == "study" && document.study_origin) {
      document.study_origin.reset();
      ++count;
    }
    if (count == 0) {
      throw ConfigurationError(fmt::format("--without {}: {} states no such table or key",
                                           shortened(name), shortened(document.file.string())));
    }
    document.left_aside.push_back(name);
  }
}

Document read_document(const std::filesystem::path& file, const std::vector<Override>& overrides,
                       const std::vector<std::string>& without) {
  std::string text;
  try {
    text = read_text_file(file, "config file");
  } catch (const std::invalid_argument& error) {
    throw ConfigurationError(error.what());
  }
  Document document = parse_document(text, file);
  leave_aside(document, without);
  for (const Override& change : overrides) apply(change, document);
  return document;
}

}  // namespace ninefold
