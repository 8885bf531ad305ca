#pragma once
// Texts that a shell, or who wrote a config file, has left without their quotation marks.
//
// Tests.  tests/experiments/config/settings_test.cpp, tests/experiments/program.py

#include <string>

namespace ninefold {

/// The text without spaces around it.
std::string trimmed(std::string text);

/// True if the text is a value of TOML.
bool is_toml_value(const std::string& text);

/// A value that would be TOML with quotation marks around its texts, with these; else empty, as for
/// texts of more than 200 characters and those without a letter.
std::string with_quotes(const std::string& text);

}  // namespace ninefold
