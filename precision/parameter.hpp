#pragma once
// What a user of the library can set, and how messages name it.
//
// Why.  Options hold values, not names.  Errors, remarks and advice mean a value by its Parameter,
// so that a program can find out which one is at fault without reading sentences.
//
// Tests.  tests/precision/parameter_test.cpp, tests/experiments/config/keys_test.cpp

#include <cstddef>
#include <string>
#include <string_view>

namespace ninefold {

enum class Parameter {
#define NINEFOLD_PARAMETER(parameter, name) parameter,
#include "precision/parameters.def"
};

/// The names of all parameters, in their order (nvcc 12.4 does not take std::to_array of them).
inline constexpr std::string_view parameter_names[] = {
#define NINEFOLD_PARAMETER(parameter, name) name,
#include "precision/parameters.def"
};

/// "solver.precision" of Parameter::precision.
constexpr std::string_view name(Parameter parameter) {
  return parameter_names[static_cast<std::size_t>(parameter)];
}

/// The name without its table: "precision".
constexpr std::string_view short_name(Parameter parameter) {
  const std::string_view whole = name(parameter);
  return whole.substr(whole.rfind('.') + 1);
}

/// `solver.precision = "double"`
inline std::string setting(Parameter parameter, std::string_view value) {
  return std::string(name(parameter)) + " = \"" + std::string(value) + '"';
}

}  // namespace ninefold
