#pragma once
// What a config file states in vain.
//
// Tests.  tests/experiments/config/idle_settings_test.cpp

#include <string>
#include <vector>

#include "experiments/config/study.hpp"

namespace ninefold {

/// Of each setting that none of the runs asks for, since their method has no use for it, a line:
/// its place, the setting, and why.  They may stay while a method is tried, so none is refused.
std::vector<std::string> idle_settings(const std::vector<Plan>& plans);

}  // namespace ninefold
