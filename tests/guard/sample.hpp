#pragma once
// Random configurations from everything that the keys allow, most of them sensible, some of them
// hopeless on purpose.

#include <cstdint>
#include <string>

#include "experiments/config/configuration.hpp"
#include "tests/guard/draw.hpp"

namespace ninefold::guard {

/// One level, on the host.
Configuration draw_configuration(std::uint64_t seed);

// Its parts; each takes what the parts before it have decided.

/// Formats and the numbers that go with them: precision, tolerance, form, level.
void draw_format(Draw& draw, Configuration& c);
/// Domain and grid.  True if cells are far from square somewhere.
bool draw_grid(Draw& draw, Configuration& c);
/// Equation, sides and data.
void draw_problem(Draw& draw, Configuration& c);
/// Method, multigrid, refinement.
void draw_solver(Draw& draw, bool wild, Configuration& c);

/// What the tolerance is about.
void draw_norm(Draw& draw, Configuration& c);

/// A config file for `ninefold solve`: the keys that differ from their defaults.  Widths of files
/// are in comments.
std::string config_file(const Configuration& c);

}  // namespace ninefold::guard
