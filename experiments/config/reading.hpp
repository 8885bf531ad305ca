#pragma once
// From the value of a setting to the type that its key wants, or a complaint.
//
// Tests.  tests/experiments/config/bad_input_test.cpp

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "precision/precision.hpp"

#include "experiments/config/settings.hpp"
#include "experiments/config/shapes.hpp"

namespace ninefold {

/// Throws ConfigurationError: the value is of another kind than `expected`.
[[noreturn]] void refuse_kind(const Setting& setting, const std::string& expected);

/// The value as a number; integers are numbers too.  Infinities are let through.
double number_of(const Setting& setting);

std::int64_t integer_of(const Setting& setting);

const std::string& text_of(const Setting& setting);

/// The value as a list; the example is for the complaint.
const List& list_of(const Setting& setting, std::string_view example);

/// An element of a list as a setting of its own, so that messages show the element.
Setting element_of(const Setting& setting, std::size_t k);

/// The index of the setting's text among the names.
std::size_t choice_of(const Setting& setting, const std::vector<std::string>& names);

/// The number format that the setting's text names.  Other words that the key takes, `also`, count
/// among what may have been meant.
Precision precision_of(const Setting& setting, const std::vector<std::string>& also = {});

/// `"half", ..., "double-double", or "sMeE" with ...`: what precision_of() takes.
std::string precision_names();

/// The same as data.
Shapes precision_shapes();

/// `"a", "b" or "c"`
std::string alternatives(const std::vector<std::string>& words);

}  // namespace ninefold
