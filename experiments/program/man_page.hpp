#pragma once
// The man page ninefold(1), from the command line and the table of keys.
//
// Tests.  tests/experiments/first_contact.py

#include <string>

#include "experiments/program/outline.hpp"

namespace ninefold {

/// In the macros of man(7).
std::string man_page(const Outline& outline);

}  // namespace ninefold
