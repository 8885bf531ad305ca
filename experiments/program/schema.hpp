#pragma once
// A JSON schema (draft 7) of config files, for editors that complete and check TOML by one.
//
// It says what the table of keys says of each key by itself; what depends on several keys is for
// `ninefold check`.
//
// Tests.  tests/experiments/first_contact.py

#include <string>

namespace ninefold {

std::string config_schema();

}  // namespace ninefold
