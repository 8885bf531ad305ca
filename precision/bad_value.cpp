#include "precision/bad_value.hpp"

#include <algorithm>
#include <utility>

namespace ninefold {
namespace {

std::string joined(const std::string& wrong, const std::string& allowed) {
  return allowed.empty() ? wrong : wrong + ": " + allowed;
}

}  // namespace

BadValue::BadValue(std::string value, const Words& wrong, const Words& allowed,
                   std::optional<std::size_t> position)
    : std::invalid_argument(joined(wrong.text, allowed.text)),
      value_(std::move(value)),
      allowed_(allowed.text),
      position_(position) {
  for (const Words* named : {&wrong, &allowed}) {
    for (const Parameter parameter : named->parameters) {
      if (std::count(parameters_.begin(), parameters_.end(), parameter) == 0) {
        parameters_.push_back(parameter);
      }
    }
  }
  if (parameters_.empty()) throw std::logic_error("a bad value of no parameter: " + value_);
}

}  // namespace ninefold
