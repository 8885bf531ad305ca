#pragma once
// What lets bash and zsh complete the command line of ninefold: commands, options, keys and the
// words that they take, config files.
//
// Tests.  tests/experiments/first_contact.py

#include <string>

#include "experiments/program/outline.hpp"

namespace ninefold {

/// A script for bash, which needs no other.
std::string bash_completion(const Outline& outline);

/// A function of zsh's completion system, `_ninefold`.
std::string zsh_completion(const Outline& outline);

}  // namespace ninefold
