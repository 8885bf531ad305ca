#pragma once
// The keys of a config file: one list for reading, writing, checking, suggesting and documenting.
//
// A key has a reader, which turns a value into a member of Configuration or complains, and a
// writer, which gives the member's value as TOML; the writer applied to Configuration{} is the
// default.
//
// Tests.  tests/experiments/config/keys_test.cpp: docs/configuration.md names every key with its
// default.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/configuration.hpp"
#include "experiments/config/settings.hpp"

namespace ninefold {

struct Key {
  std::string name;     ///< "solver.tolerance"
  std::string type;     ///< "number"
  std::string allowed;  ///< "greater than 0, less than 1"
  std::string example;  ///< TOML text of a value that is allowed
  std::function<void(const Setting&, Configuration&)> read;
  std::function<std::string(const Configuration&)> show;
};

/// All keys, in the order of the documentation; the keys of one table stand together.
const std::vector<Key>& configuration_keys();

/// The key of this name, or nullptr.
const Key* find_key(std::string_view name);

/// The table of a dotted key: "problem.boundary" of "problem.boundary.left"; empty if it has none.
std::string_view table_of(std::string_view key);

}  // namespace ninefold
