#pragma once
// The keys of a config file: one list for reading, writing, checking, suggesting and documenting.
//
// A key has a reader, which turns a value into a member of Configuration or complains, and a
// writer, which gives the member's value as TOML; the writer applied to Configuration{} is the
// default.  Its text and shapes are what `ninefold help`, the schema for editors and the completion
// of shells are made of.
//
// Tests.  tests/experiments/config/keys_test.cpp: docs/configuration.md names every key with its
// facts.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/configuration.hpp"
#include "experiments/config/settings.hpp"
#include "experiments/config/shapes.hpp"

namespace ninefold {

struct Key {
  std::string name;     ///< "solver.tolerance"
  std::string text;     ///< what it means, in one or two sentences
  std::string type;     ///< "number"
  std::string allowed;  ///< "greater than 0, less than 1"
  Shapes shapes;        ///< the same as data
  std::string example;  ///< TOML text of a value that is allowed
  std::function<void(const Setting&, Configuration&)> read;
  std::function<std::string(const Configuration&)> show;
};

/// All keys, in the order of the documentation; the keys of one table stand together.
const std::vector<Key>& configuration_keys();

/// The key of this name, or nullptr.
const Key* find_key(std::string_view name);

/// The default as TOML; empty where it is an empty text, or follows from the config file's name.
std::string default_of(const Key& key);

/// The table of a dotted key: "problem.boundary" of "problem.boundary.left"; empty if it has none.
std::string_view table_of(std::string_view key);

/// A table of the config file: `[solver]` and what it is about.
struct KeyTable {
  std::string_view name, title;
};

/// In the order of the documentation.
const std::vector<KeyTable>& configuration_tables();

/// True if there are keys below this name: "solver", "problem.boundary".
bool is_table(std::string_view name);

/// The keys below a table, those of its tables too, in the order of the documentation.
std::vector<const Key*> keys_below(std::string_view table);

}  // namespace ninefold
