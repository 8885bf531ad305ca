#include "experiments/program/help.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/shortened.hpp"

#include "experiments/config/bad_input.hpp"

namespace ninefold {
namespace {

constexpr std::size_t width = 88;

/// The text in lines, each after `indent` blanks.
std::string filled(std::string_view text, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string result, line;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(' ', begin)) != text.npos;) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    begin = end;
  }
  return line.empty() ? result : result + margin + line + "\n";
}

/// The value's type and what is allowed.
std::string value_words(const Key& key) {
  return key.allowed.empty() ? key.type : key.type + ": " + key.allowed;
}

/// As a shell wants it.
std::string as_argument(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::string_view("._=-/").find(c) != std::string_view::npos || (c >= '0' && c <= '9')
           || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return plain ? text : "'" + text + "'";
}

/// "name  text" with the text in lines of its own column.
std::string entry(std::string_view name, std::string_view text) {
  constexpr std::size_t column = 13;
  std::string lines = filled(text, column);
  lines.replace(2, name.size(), name);
  return lines;
}

std::string_view title_of(std::string_view table) {
  for (const KeyTable& one : configuration_tables()) {
    if (one.name == table) return one.title;
  }
  return {};
}

/// True if a word of the text, or a part of a name, begins so, in capitals or not.
bool speaks_of(std::string_view text, std::string_view topic) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a))
           == std::tolower(static_cast<unsigned char>(b));
  };
  for (auto from = text.begin();; ++from) {
    from = std::search(from, text.end(), topic.begin(), topic.end(), same);
    if (from == text.end()) return false;
    if (from == text.begin() || !is_letter(from[-1])) return true;
  }
}

std::vector<std::string_view> keys_about(std::string_view topic) {
  std::vector<std::string_view> names;
  if (topic.size() > 3 && topic.ends_with('s')) topic.remove_suffix(1);  // of "cells"
  if (topic.size() < 3) return names;
  for (const Key& key : configuration_keys()) {
    if (speaks_of(help_on_key(key), topic)) names.push_back(key.name);
  }
  return names;
}

/// Of the keys that take this word, where they are few, and none is called so: of "cg", not of
/// "true" or "rows".
std::string help_on_word(const std::string& word) {
  constexpr std::size_t most = 3;
  std::vector<std::string> texts;
  for (const Key& key : configuration_keys()) {
    if (key.name.ends_with("." + word)) return "";
    const auto words = words_of(key);
    if (std::find(words.begin(), words.end(), word) != words.end())
      texts.push_back(help_on_key(key));
  }
  return texts.size() <= most ? fmt::format("{}", fmt::join(texts, "\n")) : std::string();
}

/// What a level's outcome means; empty of other words.
std::string help_on_outcome(std::string_view word) {
  struct Meaning {
    std::string_view outcome, text;
  };
  static constexpr Meaning meanings[] = {
      {"converged",
       "The tolerance is met, and on grids the error of the solve is bounded as solver.norm says; "
       "of a sparse matrix the true residual has met it, which bounds no error. The one outcome "
       "that is a success: after others \"ninefold solve\" ends with status 1."},
      {"stagnated",
       "The tolerance is not met, and more steps would not meet it: rounding holds the residual, "
       "or the smoother hardly lessens it, or the error is not shown to be small. The remark says "
       "which, and what may help."},
      {"step limit", "solver.max_iterations steps were made before the tolerance was met."},
      {"diverged",
       "The residual has grown instead of falling: damping, smoother or format do not suit the "
       "grid."},
      {"not finite", "A residual is infinite or not a number."},
      {"refused", "Of a study's run that was not solved, for the reason in its remark."}};
  for (const auto& [outcome, text] : meanings) {
    if (word == outcome) return fmt::format("{}: an outcome\n\n{}", word, filled(text, 2));
  }
  return "";
}

[[noreturn]] void refuse_topic(const std::string& topic, const Outline& outline) {
  std::vector<std::string> words = names_of_commands(outline);
  for (const KeyTable& table : configuration_tables()) words.emplace_back(table.name);
  const auto& keys = configuration_keys();
  const bool is_key_without_table = std::any_of(
      keys.begin(), keys.end(), [&](const Key& key) { return key.name.ends_with("." + topic); });
  std::string advice =
      topic.find('.') == topic.npos && !is_key_without_table ? suggestion(topic, words) : "";
  if (!advice.empty()) {
    advice = "\n  " + advice;
  } else {
    const auto near = near_keys(topic, 3);
    if (!near.empty()) advice += fmt::format("\n  did you mean {}?", fmt::join(near, ", "));
    auto about = keys_about(topic);
    std::erase_if(about, [&](std::string_view key) {
      return std::find(near.begin(), near.end(), key) != near.end();
    });
    if (!about.empty()) {
      advice += fmt::format("\n  {}keys that speak of it: {}", near.empty() ? "" : "other ",
                            fmt::join(about, ", "));
    }
  }
  throw ConfigurationError(
      fmt::format("there is no key, table or command \"{}\"{}\n  all keys: ninefold help",
                  shortened(topic), advice));
}

}  // namespace

std::vector<std::string> words_of(const Key& key) {
  std::vector<std::string> words;
  for (const Shape& shape : key.shapes) {
    if (const auto* some = std::get_if<WordShape>(&shape.content)) {
      words.insert(words.end(), some->words.begin(), some->words.end());
    } else if (std::holds_alternative<FlagShape>(shape.content)) {
      words.insert(words.end(), {"true", "false"});
    }
  }
  return words;
}

std::string help_on_key(const Key& key) {
  const std::string standard = default_of(key);
  const std::string setting =
      as_argument(fmt::format("{}={}", key.name, to_words(parse_value(key.example))));
  const std::size_t dot = key.name.find('.');
  return fmt::format("{}\n\n{}\n", key.name, filled(key.text, 2)) + entry("value", value_words(key))
         + (standard.empty() ? "" : entry("default", standard))
         + entry("in a file", fmt::format("[{}]", key.name.substr(0, dot)))
         + entry("", fmt::format("{} = {}", key.name.substr(dot + 1), key.example))
         + entry("or", "--set " + setting);
}

std::string help_on_table(std::string_view table) {
  const std::string_view title = title_of(table);
  std::string text = fmt::format("[{}]{}{}\n", table, title.empty() ? "" : ": ", title);
  for (const Key* key : keys_below(table)) {
    const std::string standard = default_of(*key);
    text += fmt::format("\n{}{}\n", key->name,
                        standard.empty() ? "" : fmt::format(" (default: {})", standard));
    text += filled(key->text, 4) + filled(value_words(*key), 4);
  }
  return text;
}

std::string list_of_keys() {
  std::string text =
      "Keys of config files; \"ninefold help KEY\" or \"ninefold help TABLE\" says more:\n";
  for (const KeyTable& table : configuration_tables()) {
    std::vector<std::string_view> names;
    for (const Key* key : keys_below(table.name)) {
      names.push_back(std::string_view(key->name).substr(table.name.size() + 1));
    }
    text += fmt::format("\n[{}]: {}\n{}", table.name, table.title,
                        filled(fmt::format("{}", fmt::join(names, ", ")), 4));
  }
  return text
         + "\n[study]: several runs from one file\n"
           "    any key but those of [output] in quotation marks, each with a list of values\n";
}

std::string help_on(const std::string& topic, const Outline& outline) {
  if (topic.empty()) return outline.help + list_of_keys();
  for (const CommandOutline& command : outline.commands) {
    if (command.name != topic) continue;
    return command.help + (is_table(topic) ? "\n" + help_on_table(topic) : "");
  }
  if (const Key* key = find_key(topic)) return help_on_key(*key);
  if (is_table(topic)) return help_on_table(topic);
  if (std::string text = help_on_word(topic); !text.empty()) return text;
  if (std::string text = help_on_outcome(topic); !text.empty()) return text;
  refuse_topic(topic, outline);
}

}  // namespace ninefold
