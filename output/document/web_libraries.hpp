#pragma once
// What pages are made interactive with, as it was when this was built.
//
// Tests.  tests/output/document/document_test.cpp

#include <span>
#include <string_view>

namespace ninefold {

/// False if the build did not find the libraries; what they are, in words.
bool has_web_libraries();
std::string_view web_libraries();

/// In the order in which a page needs them; empty without the libraries.
std::span<const std::string_view> page_scripts();

std::string_view page_style();

}  // namespace ninefold
