#include "experiments/config/bad_input.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/letters.hpp"
#include "precision/shortened.hpp"

#include "experiments/config/keys.hpp"

namespace ninefold {
namespace {

constexpr std::size_t longest_name = 200;  // no longer word is compared with others

std::string_view last_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

int word_distance(std::string_view word, std::string_view candidate) {
  if (word.size() >= 3 && word != candidate) {
    if (candidate.starts_with(word) || candidate.ends_with("_" + std::string(word))) return 1;
  }
  return edit_distance(word, candidate);
}

/// At most so many edits make a word that somebody may have meant.
int near_enough(std::string_view word) {
  return static_cast<int>(word.size()) / 3;
}

/// The names without their table of the keys of a table, and of tables in it with theirs.
std::vector<std::string> short_names(std::string_view table) {
  std::vector<std::string> names;
  std::string_view inner;
  for (const Key* key : keys_below(table)) {
    const std::string_view of = table_of(key->name);
    if (of == table) {
      names.emplace_back(last_part(key->name));
    } else if (of != inner) {
      inner = of;
      names.push_back(fmt::format("{}.{{{}}}", last_part(of), fmt::join(short_names(of), ", ")));
    }
  }
  return names;
}

/// A word that people write for a key or a table of keys.
struct OtherWord {
  std::string_view word, name;
};

/// The letters of the equation (README.md), and the words of others.
constexpr std::array other_words{OtherWord{"u", "problem.solution"},
                                 OtherWord{"exact", "problem.solution"},
                                 OtherWord{"f", "problem.source"},
                                 OtherWord{"right_hand_side", "problem.source"},
                                 OtherWord{"rhs", "problem.source"},
                                 OtherWord{"gx", "problem.coefficients"},
                                 OtherWord{"gy", "problem.coefficients"},
                                 OtherWord{"c", "problem.reaction"},
                                 OtherWord{"dirichlet", "problem.boundary"},
                                 OtherWord{"neumann", "problem.boundary"},
                                 OtherWord{"n", "grid.levels"},
                                 OtherWord{"nx", "grid.levels"},
                                 OtherWord{"ny", "grid.levels"},
                                 OtherWord{"nu", "grid.anisotropy"},
                                 OtherWord{"lambda", "least_squares.regularisation"},
                                 OtherWord{"rho", "least_squares.penalty"},
                                 OtherWord{"paraview", "output.vtk"}};

/// How far a word in small letters is from another one that somebody may have meant; nothing where
/// that is too far.
std::optional<int> distance_to(const OtherWord& other, std::string_view lower) {
  constexpr std::size_t long_word = 5;  // a wrong letter of a shorter one makes another word
  if (other.word == lower) return 0;
  const bool is_near = lower.size() >= long_word && edit_distance(lower, other.word) == 1;
  return is_near ? std::optional(1) : std::nullopt;
}

bool is_other_word(std::string_view word, std::string_view name) {
  const std::string lower = lower_case(word);
  return std::any_of(other_words.begin(), other_words.end(), [&](const OtherWord& other) {
    return other.name == name && distance_to(other, lower);
  });
}

int table_distance(std::string_view written, std::string_view table) {
  constexpr int most = 2;
  if (!written.empty() && table.ends_with("." + std::string(written))) return 1;
  return std::min(most, edit_distance(written, table));
}

/// All names that may have been meant, the nearest first, each with its distance.
std::vector<std::pair<int, std::string>> by_distance(std::string_view key) {
  const std::string_view word = last_part(key);
  std::vector<std::pair<int, std::string>> names;
  const auto add = [&](int words, std::string_view name) {
    names.emplace_back(words + table_distance(table_of(key), table_of(name)), name);
  };
  // A right name in the wrong table is nearer than another name in the right table.
  // One wrong letter of a short word makes another word.
  for (const Key& candidate : configuration_keys()) {
    const std::string_view other = last_part(candidate.name);
    const int words = word_distance(word, other);
    const bool other_word =
        words > 0 && word.size() < 5 && other.find(word) == std::string_view::npos;
    add(words + (other_word ? 1 : 0), candidate.name);
  }
  const std::string lower = lower_case(word);
  for (const OtherWord& other : other_words) {
    if (const auto distance = distance_to(other, lower)) add(*distance, other.name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return names;
}

/// "a, b or c" of those that are as near as the nearest one, if any is near at all.
std::string meant_by(std::string_view written) {
  const auto names = by_distance(written.substr(0, longest_name));
  const std::vector<std::string> near = near_keys(written, 4);
  std::string text;
  for (std::size_t k = 0; k < near.size(); ++k) {
    const auto found =
        std::find(names.begin(), names.end(), std::pair(names.front().first, near[k]));
    if (found != names.end()) text += (text.empty() ? "" : " or ") + near[k];
  }
  return text.empty() ? names.front().second : text;
}

}  // namespace

void refuse_at(const Origin& origin, const std::string& what,
               const std::vector<std::string>& advice) {
  std::string message = fmt::format("{}: {}", origin.place, what);
  if (!origin.excerpt.empty()) message += "\n" + origin.excerpt;
  for (const std::string& line : advice) {
    if (!line.empty()) message += "\n  " + line;
  }
  throw ConfigurationError(message);
}

int edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment; row[i][j] is the distance of the first i and j letters.
  std::vector<std::vector<int>> row(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) row[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) row[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = row[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[i][j] = std::min({row[i - 1][j] + 1, row[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[i][j] = std::min(row[i][j], row[i - 2][j - 2] + 1);
      }
    }
  }
  return row[a.size()][b.size()];
}

std::optional<std::string> near_name(std::string_view written,
                                     const std::vector<std::string>& candidates) {
  const std::string_view word = written.substr(0, longest_name);
  const std::string lower = lower_case(word);
  const auto distance = [&](const std::string& candidate) {
    return std::min(word_distance(word, candidate), word_distance(lower, candidate));
  };
  const auto nearest =
      std::min_element(candidates.begin(), candidates.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (nearest == candidates.end() || distance(*nearest) > near_enough(word)) return {};
  return *nearest;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const auto near = near_name(word, candidates);
  return near ? fmt::format("did you mean {}?", to_toml(*near)) : "";
}

std::string nearest_key(std::string_view key) {
  return nearest_keys(key, 1).front();
}

std::vector<std::string> nearest_keys(std::string_view written, std::size_t most) {
  const auto candidates = by_distance(written.substr(0, longest_name));
  std::vector<std::string> names;
  for (const auto& [far, name] : candidates) {
    if (names.size() < most && far <= candidates.front().first + 1) names.push_back(name);
  }
  return names;
}

std::vector<std::string> near_keys(std::string_view written, std::size_t most) {
  const std::string_view word = last_part(written.substr(0, longest_name));
  std::vector<std::string> names = nearest_keys(written, most);
  std::erase_if(names, [&](const std::string& name) {
    return !is_other_word(word, name) && word_distance(word, last_part(name)) > near_enough(word);
  });
  return names;
}

void refuse(const Setting& setting, const std::string& what, const std::string& advice) {
  const Key* key = find_key(setting.key);
  std::string allowed;
  if (key != nullptr) {
    const std::string standard = default_of(*key);
    allowed =
        fmt::format("allowed: {}{}{}{}", key->type, key->allowed.empty() ? "" : ", ", key->allowed,
                    standard.empty() ? "" : fmt::format(" (default: {})", standard));
  }
  refuse_at(setting.origin,
            fmt::format("{} = {} {}", setting.key, shortened(to_toml(setting.value)), what),
            {allowed, advice});
}

void refuse_unknown(const Setting& setting) {
  const std::string& name = setting.key;
  if (is_table(name)) {
    refuse_at(setting.origin,
              fmt::format("{} is a table of keys, but {} is given", name, kind_of(setting.value)),
              {fmt::format("keys of [{}]: {}", name, fmt::join(short_names(name), ", "))});
  }
  // A table where a value belongs: solver.tolerance = { ... }
  for (std::string_view above = table_of(name); !above.empty(); above = table_of(above)) {
    if (const Key* key = find_key(above)) {
      refuse_at(setting.origin, fmt::format("{} is a table, but {} is expected", above, key->type),
                {fmt::format("for example {} = {}", above, key->example)});
    }
  }
  const std::string_view table = table_of(name);
  std::string what = fmt::format("unknown key {}", shortened(name));
  if (table.empty()) {
    what += std::holds_alternative<OtherKind>(setting.value.content) ? ", an empty table"
                                                                     : ", outside of every table";
  } else if (!is_table(table)) {
    what += fmt::format("; there is no table [{}]", shortened(table));
  }
  std::vector<std::string> advice;
  // Where nothing of a word is left, any other one would be as near.
  if (by_distance(name.substr(0, longest_name)).front().first
      < static_cast<int>(last_part(name).size())) {
    advice.push_back(fmt::format("did you mean {}?", meant_by(name)));
  } else {
    advice.push_back("a key is one of a table, such as grid.levels");
  }
  if (is_table(table)) {
    advice.push_back(fmt::format("keys of [{}]: {}", table, fmt::join(short_names(table), ", ")));
  } else {
    std::vector<std::string_view> tables;
    for (const KeyTable& one : configuration_tables()) tables.push_back(one.name);
    tables.push_back("study");
    advice.push_back(fmt::format("tables: {}", fmt::join(tables, ", ")));
  }
  refuse_at(setting.origin, what, advice);
}

}  // namespace ninefold
