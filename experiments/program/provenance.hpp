#pragma once
// What results come from: this program, on these backends, now.
//
// Tests.  tests/experiments/program/run_test.cpp

#include <set>
#include <string>

#include "gpu/backend/ranks.hpp"

#include "solvers/devices.hpp"

#include "output/tables/results.hpp"

namespace ninefold {

/// "2 x " for two ranks; empty for one, or none.
std::string times_words(const Ranks* ranks);

/// The name of what a run is on, with its size; throws std::runtime_error if it is not there.
std::string device_name(BackendKind where);

/// The same of all of several ranks, if there are any.
std::string devices_name(BackendKind where, const Ranks* ranks);

/// What produces results now, on these backends; without options.
Meta make_meta(const std::set<BackendKind>& used);

}  // namespace ninefold
