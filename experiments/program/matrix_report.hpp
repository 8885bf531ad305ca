#pragma once
// The facts of a sparse matrix, for people and as JSON.
//
// Tests.  tests/experiments/program/matrix_command_test.cpp

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fem/sparse/matrix_facts.hpp"

namespace ninefold {

/// Several lines and tables; `name` is the file, or what was generated, `header` what the file says
/// it is.
std::string matrix_report(const MatrixFacts& facts, const std::string& name,
                          const std::string& header, const std::vector<std::string>& remarks);

/// The same, with all digits.
nlohmann::ordered_json matrix_json(const MatrixFacts& facts, const std::string& name,
                                   const std::string& header,
                                   const std::vector<std::string>& remarks);

}  // namespace ninefold
