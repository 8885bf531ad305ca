#pragma once
// What the command line tells as a document of settings: a config file, a matrix or a mesh, with
// what options put over it.
//
// Tests.  tests/experiments/program.py

#include "experiments/config/configuration.hpp"
#include "experiments/program/command_line.hpp"

namespace ninefold {

/// A config file or, in its place, a matrix or a mesh.
Document read_input(const Arguments& arguments);

/// What parameterise and smooth are told.
Document mesh_input(const Arguments& arguments, MeshTask task);

}  // namespace ninefold
