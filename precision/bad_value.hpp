#pragma once
// The error of a parameter whose value is not possible: data first, a sentence last.
//
// Usage.
//     try {
//       validate(options);
//     } catch (const BadValue& error) {
//       if (error.parameter() == Parameter::tolerance) ...  // error.value(), error.allowed()
//     }
//
// Errors that are not about a value that somebody sets (shapes that differ, say) are
// std::invalid_argument: require() in precision/number.hpp.  How the library throws this one:
// precision/require.hpp.
//
// Tests.  tests/precision/parameter_test.cpp

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "precision/parameter.hpp"

namespace ninefold {

/// A text and the parameters that it names, in its order.
struct Words {
  std::string text;
  std::vector<Parameter> parameters;
};

class BadValue : public std::invalid_argument {
 public:
  /// what() is "WRONG: ALLOWED", or only what is wrong.  Together they name the parameter first
  /// whose value it is, then those that it depends on; std::logic_error if they name none.
  BadValue(std::string value, const Words& wrong, const Words& allowed = {},
           std::optional<std::size_t> position = {});

  Parameter parameter() const { return parameters_.front(); }
  /// The same and further ones that the message speaks of, in its order, each once.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// As text; empty for a value that is missing.
  const std::string& value() const { return value_; }
  /// What is possible, or why the value is not; empty where what is wrong says that.
  const std::string& allowed() const { return allowed_; }
  /// Of the byte of value() where it goes wrong, from 0; nothing where it is wrong as a whole.
  std::optional<std::size_t> position() const { return position_; }

 private:
  std::vector<Parameter> parameters_;
  std::string value_, allowed_;
  std::optional<std::size_t> position_;
};

}  // namespace ninefold
