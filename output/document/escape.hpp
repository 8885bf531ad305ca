#pragma once
// Text as HTML and SVG take it.
//
// Tests.  tests/output/document/document_test.cpp

#include <string>
#include <string_view>

namespace ninefold {

/// For contents and for attributes in double quotes; control characters become blanks, and bytes
/// that are no UTF-8 the replacement character.
std::string escaped(std::string_view text);

}  // namespace ninefold
