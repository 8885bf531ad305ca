#pragma once
// A page, opened by what the desktop opens pages with.
//
// Tests.  tests/output/document/page.py

#include <filesystem>
#include <string>

namespace ninefold {

/// Opens the page by xdg-open; returns why it could not, or an empty text.
std::string open_page(const std::filesystem::path& page);

}  // namespace ninefold
