#pragma once
// Sentences on a table of measurements that its columns and numbers call for.
//
// Tests.  tests/experiments/program/measured_test.cpp

#include <string>

#include "output/tables/table.hpp"

namespace ninefold {

/// What its rows are.
std::string introduction(const Table& table);

/// Why the discretisation error takes longer than a tolerance, on the levels where it does; or
/// empty.
std::string discretisation_note(const Table& table);

}  // namespace ninefold
