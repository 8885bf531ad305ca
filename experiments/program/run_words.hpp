#pragma once
// What a config file asks for, in the words of the lines before its runs.
//
// Tests.  tests/experiments/program/information_test.cpp

#include <string>

#include "experiments/config/configuration.hpp"

namespace ninefold {

/// "polynomial on 1 x 1, Neumann on top; grid refined to right by 0.5"
std::string problem_words(const Configuration& c);

/// "cg preconditioned by jacobi; double precision, plain form, tolerance 1e-08"
std::string method_words(const Configuration& c);

}  // namespace ninefold
