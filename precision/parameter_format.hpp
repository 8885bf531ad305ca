#pragma once
// fmt::format("{}", parameter) gives its name.

#include <string_view>

#include <fmt/format.h>

#include "precision/parameter.hpp"

template <>
struct fmt::formatter<ninefold::Parameter> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(ninefold::Parameter parameter, Context& context) const {
    return fmt::formatter<std::string_view>::format(ninefold::name(parameter), context);
  }
};
