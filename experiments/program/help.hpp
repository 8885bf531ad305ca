#pragma once
// What `ninefold help` says, all of it from the table of keys and the command line.
//
// Tests.  tests/experiments/program/help_test.cpp, tests/experiments/first_contact.py

#include <string>

#include "experiments/config/keys.hpp"
#include "experiments/program/outline.hpp"

namespace ninefold {

/// What a key means, its values, default and an example.
std::string help_on_key(const Key& key);

/// The keys of a table, with their defaults, meanings and values.
std::string help_on_table(std::string_view table);

/// All keys, by table.
std::string list_of_keys();

/// Help on a key, a table or a command; on everything, briefly, for an empty topic.  Throws
/// ConfigurationError, with what may have been meant, for what is none of these.
std::string help_on(const std::string& topic, const Outline& outline);

/// Values that shells can offer: the words that a key takes, or true and false.
std::vector<std::string> words_of(const Key& key);

}  // namespace ninefold
